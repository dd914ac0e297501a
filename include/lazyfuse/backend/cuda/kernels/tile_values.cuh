// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of a tile has of its operands in registers: of rows and columns, as far as an operand varies along
// them.
#pragma once

#include <lazyfuse/backend/cuda/kernels/fetch.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_layout.hpp>

namespace lazyfuse::cuda_detail {

/// An operand's elements in the registers of a thread.
template <class Src, unsigned Bits, int Rows, int Columns>
struct tile_values {
  static constexpr int rows = (Bits & by_rows) != 0 ? Rows : 1, columns = (Bits & by_columns) != 0 ? Columns : 1;
  typename Src::value_type value[rows][columns];
  __device__ __forceinline__ const auto& at(int i, int j) const { return value[rows > 1 ? i : 0][columns > 1 ? j : 0]; }
};
template <class T, unsigned Bits, int Rows, int Columns>
struct tile_values<constant<T>, Bits, Rows, Columns> {};
template <class Facts, int Rows, int Columns, class Sources, class Seq>
struct tile_registers;
template <class Facts, int Rows, int Columns, class... Src, int... I>
struct tile_registers<Facts, Rows, Columns, list<Src...>, index_sequence<I...>>
    : pack<tile_values<Src, Facts::template of<I>, Rows, Columns>...> {};

template <class Registers, class Operands>
struct tile_context {
  const Registers& registers;
  const Operands& operands;
  int i, j;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    if constexpr (requires { get<I>(operands).steps; }) return get<I>(registers).at(i, j);
    else return get<I>(operands).source.value;
  }
};

}  // namespace lazyfuse::cuda_detail

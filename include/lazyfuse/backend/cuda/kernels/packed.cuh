// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The packed transform kernel: many arrays of unlike lengths. A block takes a part of one of them, which it finds in a
// table of first blocks; then it is a flat kernel over that.
#pragma once

#include <lazyfuse/backend/cuda/kernels/packed_layout.hpp>
#include <lazyfuse/backend/cuda/kernels/results.cuh>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets>
struct packed_parameters : bound_to<Operands, Targets>, packed_numbers {};

/// The group of a block: the last one whose first block is not behind it. Of what is left a warp looks at 32 places at
/// a time.
__device__ __forceinline__ index_t group_of_block(const unsigned long long* first_blocks, index_t groups,
                                                  unsigned block) {
  index_t from = 0, left = groups;
  while (left > 1) {
    const index_t apart = (left + 31) / 32, at = static_cast<index_t>(threadIdx.x % 32) * apart;
    const bool begun = at < left && first_blocks[from + at] <= block;  // of lane 0 always
    const index_t before = (31 - __clz(static_cast<int>(__ballot_sync(0xffffffffu, begun)))) * apart;
    from += before;
    left = left - before < apart ? left - before : apart;
  }
  return from;
}

/// Where the arrays of a block are, and its part of them: vectors of neighbours where all exist and are aligned, else
/// single elements, of threads beside each other.
template <int Width, int Depth, int Columns>
struct packed_tile {
  static constexpr int row = block_threads * Width, size = row * Depth;
  unsigned long long at[Columns];
  index_t base;
  int left;  ///< elements from base on, `size` at most

  template <int Column, class T>
  __device__ __forceinline__ elements<T> from(index_t element) const {
    return elements<T>(reinterpret_cast<T*>(at[Column])) + element;
  }
  __device__ __forceinline__ index_t vectors() const { return base + static_cast<int>(threadIdx.x) * Width; }
  __device__ __forceinline__ int apart() const {
    return spread{interleave}.template first<Width>(static_cast<int>(threadIdx.x));
  }
  /// What is the same for all elements.
  template <int Column, class Fetched, class T>
  __device__ __forceinline__ void load_same(Fetched& f, const operand<memory<T>, 1>& o) const {
    if (o.steps[0] == 0) f.each(from<Column, const T>(0), 0, 0, 0, 0, 0);
  }
  template <int Column, class Fetched, class T>
  __device__ __forceinline__ void load_dense(Fetched& f, const operand<memory<T>, 1>& o) const {
    if (o.steps[0] != 0) f.rows(from<Column, const T>(vectors()), row);
  }
  template <int Column, class Fetched, class T>
  __device__ __forceinline__ void load(Fetched& f, const operand<memory<T>, 1>& o) const {
    if (o.steps[0] != 0) f.each(from<Column, const T>(base), 1, apart(), row, interleave, left - 1);
  }
  // Constants are kept.
  template <int, class Fetched, class T>
  __device__ __forceinline__ void load_same(Fetched&, const operand<constant<T>, 1>&) const {}
  template <int, class Fetched, class T>
  __device__ __forceinline__ void load_dense(Fetched&, const operand<constant<T>, 1>&) const {}
  template <int, class Fetched, class T>
  __device__ __forceinline__ void load(Fetched&, const operand<constant<T>, 1>&) const {}
  template <int Column, class T, class Result>
  __device__ __forceinline__ void store_dense(const Result& r) const {
#pragma unroll
    for (int d = 0; d < Depth; ++d) r.stream(d, from<Column, T>(vectors() + d * row));
  }
  template <int Column, class T, class Result>
  __device__ __forceinline__ void store(const Result& r) const {
    r.each(from<Column, T>(base), 1, apart(), row, interleave, left);
  }
};

template <class Schedule, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void packed_body(const auto& p, list<Src...>, list<T...>, index_sequence<I...>,
                                            index_sequence<J...>) {
  constexpr int in_memory = memory_before<sizeof...(Src), Src...>, columns = in_memory + int(sizeof...(T));
  packed_tile<Width, Depth, columns> tile;
  const unsigned long long* const table = p.table != nullptr ? p.table : p.here;
  const index_t groups = p.groups, group = group_of_block(table, groups, blockIdx.x);
  const unsigned long long* const own = table + group;
  constexpr index_t part = index_t{transform_tuning::packed_rounds} * tile.size;
  const index_t begin = static_cast<index_t>(blockIdx.x - own[0]) * part, elements = static_cast<index_t>(own[groups]);
  const index_t end = elements - begin < part ? elements : begin + part;
#pragma unroll
  for (int k = 0; k < columns; ++k) tile.at[k] = own[(k + 2) * groups];
  unsigned long long places = 0;
  const auto see = [&]<int Column>(const auto& o, index_sequence<Column>) {
    if constexpr (requires { o.steps; })
      if (o.steps[0] != 0) places |= tile.at[Column];
  };
  (see(get<I>(p.operands), index_sequence<memory_before<I, Src...>>{}), ...);
  ((places |= tile.at[in_memory + J]), ...);

  fetched_pack<Width, Depth, list<Src...>> values;
  keep_constants(values, p.operands, blockIdx.z, index_sequence<I...>{});
  (tile.template load_same<memory_before<I, Src...>>(get<I>(values), get<I>(p.operands)), ...);
#pragma unroll 1
  for (index_t at = begin; at < end; at += tile.size) {
    const bool full = elements - at >= tile.size, dense = full && places % 16 == 0;
    tile.base = at;
    tile.left = full ? tile.size : static_cast<int>(elements - at);
    if (dense) (tile.template load_dense<memory_before<I, Src...>>(get<I>(values), get<I>(p.operands)), ...);
    else (tile.template load<memory_before<I, Src...>>(get<I>(values), get<I>(p.operands)), ...);
    results<typename Schedule::roots, list<Src...>, Width, Depth, T...> out;
    compute<Schedule, Width, Depth>(values, out);
    if (dense) (tile.template store_dense<in_memory + J, T>(get<J>(out)), ...);
    else (tile.template store<in_memory + J, T>(get<J>(out)), ...);
  }
}

template <class Schedule, class Sources, class Types, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, (packed_shares<Schedule, Sources, Types>::residents))
    transform_packed(const __grid_constant__ Parameters p) {
  packed_body<Schedule, Width, Depth>(p, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                      make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail

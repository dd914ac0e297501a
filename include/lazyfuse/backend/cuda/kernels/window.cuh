// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils: operands that read one array a few rows and columns apart. A block reads what its tile needs of it
// once, into shared memory, and evaluates from there.
#pragma once

#include <lazyfuse/backend/cuda/kernels/copies.cuh>
#include <lazyfuse/backend/cuda/kernels/flat.cuh>
#include <lazyfuse/backend/cuda/kernels/strided_layout.hpp>

namespace lazyfuse::cuda_detail {

/// The size of all elements in memory, 0 if they differ.
template <class... Src>
LAZYFUSE_HD constexpr int common_size(list<Src...>) {
  int common = -1;
  const int sizes[] = {(Src::is_memory ? int(sizeof(typename Src::value_type)) : 0)...};
  for (const int size : sizes)
    if (size > 0) common = common < 0 || common == size ? size : 0;
  return common;
}
/// Cheap programs of several operands in memory, for which the code is worth having.
template <class Schedule, class Sources, int R>
inline constexpr bool has_window = false;
template <class Schedule, class... Src>
inline constexpr bool has_window<Schedule, list<Src...>, 2> =
    Schedule::cost <= transform_tuning::window_cost && sizeof...(Src) <= window_operands &&
    (0 + ... + Src::is_memory) >= transform_tuning::least_window_operands &&
    (... && (Src::is_memory || requires(Src s) { s.value; })) &&
    (common_size(list<Src...>{}) == 4 || common_size(list<Src...>{}) == 8);

/// An element of the thread, `at` bytes into shared memory.
template <class Operands>
struct window_context {
  const Operands& operands;
  const shared_window& window;
  const unsigned char* at;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    const auto& o = get<I>(operands);
    if constexpr (requires { o.source.data; }) {
      using element = typename bare_t<decltype(o.source)>::value_type;
      return *reinterpret_cast<const element*>(window.offset[I] + at);
    } else return o.source.value;
  }
};

template <class Targets>
struct window_sink {
  static constexpr bool stores = false;  ///< not where operands are read: they are in shared memory
  const Targets& targets;
  int row, column;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    const auto& t = get<I>(targets);
    t.data[row * static_cast<int>(t.steps[0]) + column] = value;
  }
};

/// Of 16 bytes, those that are the array's.
template <class Word>
__device__ __forceinline__ void copy_some(const shared_window& w, unsigned char* to, const unsigned char* from) {
#pragma unroll 1
  for (int i = 0; i < 16; i += static_cast<int>(sizeof(Word)))
    if (from + i >= w.begin && from + i < w.end)
      *reinterpret_cast<Word*>(to + i) = *reinterpret_cast<const Word*>(from + i);
}

/// All offsets fit 31 bits.
template <class Schedule, class Word>
__device__ __forceinline__ void window_body(const shared_window& w, const auto& operands, const auto& targets) {
  constexpr int size = sizeof(Word);
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const int lane = static_cast<int>(threadIdx.x) % window_lanes, line = static_cast<int>(threadIdx.x) / window_lanes;
  const unsigned tile_row = w.by_tiles.quotient(blockIdx.x), tile_column = blockIdx.x - tile_row * w.column_tiles;
  const int first_row = static_cast<int>(tile_row) * window_rows,
            first_column = static_cast<int>(tile_column) * window_columns;
  const int row_bytes = w.vectors * 16;
  const unsigned char* const tile = w.origin + (static_cast<index_t>(first_row) * w.pitch + first_column * size);
  const bool full = first_row + window_rows <= w.height && first_column + window_columns <= w.width;
  const bool inside = tile >= w.begin && tile + ((w.rows - 1) * w.pitch + row_bytes) <= w.end;

  const auto copy = [&](const auto& one) {
    const unsigned char* from = tile + (line * w.pitch + lane * 16);
    unsigned char* to = shared_bytes + (line * row_bytes + lane * 16);
    for (int row = line; row < w.rows; row += window_lines) {
#pragma unroll 1
      for (int v = 0; v < row_bytes - lane * 16; v += window_lanes * 16) one(to + v, from + v);
      from += window_lines * w.pitch;
      to += window_lines * row_bytes;
    }
  };
  if (inside) copy([](unsigned char* to, const unsigned char* from) { start_copy<16>(to, from); });
  else copy([&](unsigned char* to, const unsigned char* from) { copy_some<Word>(w, to, from); });
  end_of_copies();
  wait_for_copies(0);
  __syncthreads();

  const int column = spread{interleave}.template first<window_columns / window_lanes>(lane);
  const auto element = [&](int row, int k) {
    window_sink<bare_t<decltype(targets)>> sink{targets, first_row + row, first_column + column + k};
    const unsigned char* const at = shared_bytes + (row * row_bytes + (column + k) * size);
    evaluate<Schedule>(window_context<bare_t<decltype(operands)>>{operands, w, at}, sink);
  };
  constexpr int across = window_columns / window_lanes * interleave;
  if (full) {
#pragma unroll
    for (int row = 0; row < window_rows; row += window_lines)
#pragma unroll
      for (int k = 0; k < across; k += interleave) element(line + row, k);
  } else {
#pragma unroll 1
    for (int row = line; row < window_rows && first_row + row < w.height; row += window_lines)
#pragma unroll 1
      for (int k = 0; k < across && first_column + column + k < w.width; k += interleave) element(row, k);
  }
}

/// With what a stencil needs.
template <class Flat, class Targets>
struct window_parameters : Flat {
  shared_window window;
  Targets window_targets;
};

/// The flat kernel, whose threads are as light as stencils need them, of programs that may have a window.
template <class Schedule, class Sources, class Types, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, flat_residents(Sources{}, Width* Depth))
    transform_window(const __grid_constant__ Parameters p) {
  let_next_begin_and_wait();
  using word = standard::conditional_t<common_size(Sources{}) == 4, unsigned, unsigned long long>;
  if (p.window.rows > 0) return window_body<Schedule, word>(p.window, p.operands, p.window_targets);
  flat_body<Schedule, Width, Depth>(p, blockIdx.x, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                    make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail

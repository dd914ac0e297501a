// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a thread takes on, by the types and the cost of a program: numbers that kernels are instantiated with.
#pragma once

#include <lazyfuse/backend/cuda/kernels/layout.hpp>
#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/program/operand.hpp>

namespace lazyfuse::cuda_detail {

/// Elements of a vector, where the largest has so many bytes, and one of each so many in all.
constexpr int width_of(int largest, int total) {
  int width = 1;
  while (width * 2 * largest <= 16) width *= 2;
  while (width > 1 && total * width > most_vector_bytes) width /= 2;
  return width;
}
/// The largest element among operands and targets decides how many make 16 bytes; many operands, one at a time.
template <class... T, class... Src>
constexpr int width_for(list<Src...>, list<T...>) {
  constexpr auto size = [](bool counts, int bytes) { return counts ? bytes : 1; };
  const int sizes[] = {size(ir::element_bytes<Src> > 0, ir::element_bytes<Src>)..., int(sizeof(T))..., 1};
  int largest = 1, total = 0;
  for (const int s : sizes) {
    largest = s > largest ? s : largest;
    total += s;
  }
  return width_of(largest, total);
}
/// The distinct types of elements in memory.
template <class Sources, class Types = list<>>
struct element_types {
  using type = Types;
};
template <class Src, class... Rest, class Types>
struct element_types<list<Src, Rest...>, Types> : element_types<list<Rest...>, Types> {};
template <class T, class... Rest, class Types>
struct element_types<list<ir::memory<T>, Rest...>, Types>
    : element_types<list<Rest...>, typename appended_if<!contains<T, Types>, Types, T>::type> {};

/// Of one element of all operands in memory.
template <class... Src>
constexpr int memory_bytes(list<Src...>) {
  return (0 + ... + (Src::is_memory ? int(sizeof(typename Src::value_type)) : 0));
}
template <class... Src>
constexpr int cost_of_sources(list<Src...>) {
  return (0 + ... + ir::source_cost<Src>);
}

/// The vectors of a thread: `most`, or as many as `load` holds of elements of so many bytes and of a program's cost.
constexpr thread_share share_for(int width, int most, thread_load load, int bytes, int cost) {
  int depth = most;
  while (depth > 1 && !load.holds(cost, bytes, width * depth)) depth = depth == 3 ? 2 : depth / 2;
  return {width, depth};
}

/// Of a transform, by the path it takes.
template <class Schedule, class Sources, class Types>
struct transform_shares {
  using tuned = transform_tuning;
  static constexpr int bytes = memory_bytes(Sources{}), cost = Schedule::found.written + cost_of_sources(Sources{});
  /// Dear programs do not wait for memory: their threads take few elements, and compilers write them fewer times.
  static constexpr int width = [] {
    int w = width_for(Sources{}, Types{});
    while (w > 1 && cost * w > tuned::most_vector_cost) w /= 2;
    return w;
  }();
  static constexpr bool deep = bytes == 0 || (cost > tuned::dear && bytes * width <= tuned::light_bytes);
  static constexpr thread_share flat = share_for(width, deep ? 2 : 1, tuned::flat, bytes, cost),
                                strided = share_for(width, tuned::strided_depth, tuned::strided, bytes, cost);
  /// Where positions are taken to pieces and no operand is read as they are: the more so, the longer a thread waits.
  static constexpr thread_share unread = share_for(width, 2, tuned::flat, bytes, cost);
  /// One kernel for all that is not flat, or one for operands that are turned, whose threads have squares.
  static constexpr bool one_strided = cost > tuned::one_strided_cost;
  static constexpr thread_share turned = [] {
    if (one_strided) return strided;
    int side = width < tuned::most_square ? width : tuned::most_square;
    while (side > 1 && !tuned::square.holds(cost, bytes, side * side)) side /= 2;
    return thread_share{side, side};
  }();
};

/// Of a packed transform.
template <class Schedule, class Sources, class Types>
struct packed_shares;
template <class Schedule, class Sources, class... T>
struct packed_shares<Schedule, Sources, list<T...>> {
  using tuned = transform_tuning;
  using alone = transform_shares<Schedule, Sources, list<T...>>;
  static constexpr int most = [] {
    int depth = 1;
    while (depth < tuned::most_packed_depth && alone::bytes * alone::width * depth < tuned::packed_bytes) depth *= 2;
    return depth;
  }();
  static constexpr thread_share share = share_for(alone::width, most, tuned::flat, alone::bytes, alone::cost);
  static constexpr bool light =
      (alone::bytes + (0 + ... + int(sizeof(T)))) * share.width * share.depth <= tuned::packed_light_bytes;
  static constexpr int residents = light ? tuned::packed_residents : 1;
};

/// Of a reduction: threads own rows, or columns.
template <class Set, class Sources>
struct reduce_shares {
  using tuned = reduce_tuning;
  static constexpr int width = width_for(Sources{}, list<>{}), bytes = memory_bytes(Sources{}),
                       cost = Set::prologue::cost + cost_of_sources(Sources{});
  static constexpr int depth_of_columns = bytes * width > tuned::shallow_bytes ? tuned::shallow_depth : tuned::depth;
  static constexpr thread_share by_rows = share_for(width, tuned::depth, tuned::load, bytes, cost),
                                by_columns = share_for(width, depth_of_columns, tuned::load, bytes, cost);
};

/// Of a scan: a thread's vectors, and what it reads and computes for them, stay in registers.
template <class Set, class Epilogue, class Sources, class Types>
struct scan_shares {
  using tuned = dpp::tuning<dpp::scans, cuda>;
  static constexpr int accumulators = sizeof(typename Set::accumulators),
                       cost = Set::prologue::cost + Epilogue::cost + cost_of_sources(Sources{});
  static constexpr thread_share share = [] {
    int width = width_for(Sources{}, Types{});
    while (width > 1 && width * accumulators > tuned::most_vector_bytes) width /= 2;
    return share_for(width, tuned::depth, tuned::load, memory_bytes(Sources{}) + accumulators, cost);
  }();
  /// Of few columns beside each other: single elements, below each other, of which a block's are no more than a tile.
  template <int Most>
  static constexpr thread_share single = share_for(1, Most, {tuned::load.operations, tuned::tile_bytes / block_threads},
                                                   memory_bytes(Sources{}) + accumulators, cost);
};
/// Of a selection, whose targets are a count and elements: a thread's vectors, and what is computed of them.
template <class Schedule, class Sources, class Types>
struct select_shares;
template <class Schedule, class Sources, class Count, class T>
struct select_shares<Schedule, Sources, list<Count, T>> {
  using tuned = dpp::tuning<dpp::selections, cuda>;
  static constexpr thread_share share =
      share_for(width_for(Sources{}, list<T>{}), tuned::depth, tuned::load, memory_bytes(Sources{}) + int(sizeof(T)),
                Schedule::cost + cost_of_sources(Sources{}));
};
/// Whether what a tile of columns has in all fits the shared memory of a block: not for accumulators of many bytes.
template <class Set>
concept columns_fit = block_threads * sizeof(typename Set::accumulators) <= unasked_shared_bytes;

}  // namespace lazyfuse::cuda_detail

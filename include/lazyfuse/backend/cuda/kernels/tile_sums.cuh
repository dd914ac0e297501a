// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of a tile adds up, and how many rows and columns of it stay in its registers.
#pragma once

#include <lazyfuse/backend/cuda/kernels/sums_in_runs.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_layout.hpp>
#include <lazyfuse/backend/cuda/kernels/usual_case.cuh>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::cuda_detail {

/// The reductions of a program: over the depth first, then over the columns.
template <tiling How, class Program, class Sources>
struct tile_sets {
  template <class... P>
  static typename reductions_detail::find_all<true, list<>, P...>::type find(list<P...>);
  using all = decltype(find(typename Program::roots{}));
  template <int Level>
  using level = reduction_set<typename stages_detail::of_stage<Level, all>::type, Sources>;
  using none = reduction_set<list<>, Sources>;
  static constexpr bool reduces_columns = How != tiling::products, reduces_depth = How != tiling::pairs;
  using inner = standard::conditional_t<reduces_depth, level<1>, none>;
  using outer = standard::conditional_t<reduces_columns, level<reduces_depth ? 2 : 1>, none>;
  using results = standard::conditional_t<reduces_columns, outer, inner>;
  using values = stages_detail::values<typename inner::reductions, Sources>;
};

/// How much a thread takes on: `rows` and `columns`, whose sums stay in registers. The threads of a tile lie 16 times
/// 16, or where columns are reduced, 32 times 8, which then are lanes of one warp.
template <tiling How, class Program, class Sources>
struct tile_shares {
  using sets = tile_sets<How, Program, Sources>;
  using inner_sum = tile_sum<typename sets::inner, How == tiling::nested>;
  using outer_sum = tile_sum<typename sets::outer>;
  template <class Set>
  static constexpr int bytes(int all) {
    return Set::size == 0 ? 0 : Set::has_rounding ? all : int(sizeof(typename Set::accumulators));
  }
  static constexpr int inner = bytes<typename sets::inner>(sizeof(inner_sum)),
                       outer = bytes<typename sets::outer>(sizeof(outer_sum));
  /// Dear programs compute, whatever they read: compilers write them fewer times.
  static constexpr int cost = How == tiling::pairs ? sets::outer::prologue::cost : sets::inner::prologue::cost;
  static constexpr thread_share share = [] {  // columns, rows
    if (How == tiling::pairs) return thread_share{4, cost > 96 || outer > 48 ? 2 : outer <= 16 ? 8 : 4};
    if (cost > 96) return thread_share{2, 2};
    const int middle = inner <= 24 ? 4 : 2;
    if (How == tiling::nested_deeply || cost > 24) return thread_share{middle, middle};
    if (How == tiling::nested)
      return thread_share{inner <= 16 ? 4 : 2, inner <= 4 && outer <= 16 ? 8 : inner <= 16 ? 4 : 2};
    return thread_share{inner <= 12 ? 8 : middle, inner <= 4 ? 8 : middle};
  }();
  static constexpr int rows = share.depth, columns = share.width;
  /// Whether runs of pairs take the usual case of operations alone, and are begun again where one of them was another:
  /// nothing but runs must have been added to.
  static constexpr bool by_usual_runs =
      How == tiling::pairs && computes_together<typename sets::outer::prologue> && outer_sum::only_runs;
  static constexpr int along_columns = sets::reduces_columns ? 8 : 16, along_rows = block_threads / along_columns;
  static constexpr int tile_rows = rows * along_rows, tile_columns = []() -> int {
    if (How != tiling::pairs) return columns * along_columns;
    if (by_usual_runs) return columns_of_runs;
    return cost > dear_pairs ? columns_of_dear_pairs : pair_columns;
  }();
  static constexpr int partial_bytes =
      int(sizeof(typename sets::results::accumulators)) * rows * (sets::reduces_columns ? 1 : columns);
};

}  // namespace lazyfuse::cuda_detail

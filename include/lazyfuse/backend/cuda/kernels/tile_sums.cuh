// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of a tile adds up, and how many rows and columns of it stay in its registers.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_layout.hpp>
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
  static constexpr bool reduces_columns = How != tiling::products,
                        reduces_depth = How != tiling::pairs && How != tiling::sums;
  using inner = standard::conditional_t<reduces_depth, level<1>, none>;
  using outer = standard::conditional_t<reduces_columns, level<reduces_depth ? 2 : 1>, none>;
  using results = standard::conditional_t<reduces_columns, outer, inner>;
  using values = stages_detail::values<typename inner::reductions, Sources>;
};

/// Whether elements are added up in runs: what several elements add to a total loses can be told (not of moments, which
/// tell it of one).
template <class M, class T>
concept sums_in_runs = rounding_monoid<M, T> && !near_monoid<M, T>;

/// The sums of a thread for one result. Sums that round are added up in short runs, and these to the total, beside
/// which is kept what that loses. Short: there is one run.
template <class Set, bool Short = false>
struct tile_sum {
  typename Set::accumulators total, run;
  typename Set::rests rest;
  __device__ __forceinline__ void clear() {
    Set::clear(total);
    Set::clear(run);
    rest = {};
  }
  __device__ __forceinline__ void end_run() { end_each(make_index_sequence<Set::size>{}); }
  __device__ __forceinline__ void restore() { restore_each(make_index_sequence<Set::size>{}); }

  template <int I, bool Guarded, bool InOrder, class V>
  __device__ __forceinline__ void add(const V& value, bool valid) {
    using M = typename Set::template monoid<I>;
    auto& mine = get<I>(sums_in_runs<M, V> ? run : total);
    const auto both = [&] {
      if constexpr (InOrder && ordered_monoid<M, V>) return M::append(mine, value);
      else return lazyfuse::compute<M>(mine, value);
    }();
    if constexpr (rounding_monoid<M, V> && !sums_in_runs<M, V>) {
      const auto all = get<I>(rest) + M::lost(mine, value, both);
      get<I>(rest) = !Guarded || valid ? all : get<I>(rest);
    }
    mine = !Guarded || valid ? both : mine;
  }

 private:
  template <int... I>
  __device__ __forceinline__ void end_each(index_sequence<I...>) {
    const auto one = [&]<int K>(index_sequence<K>) {
      using M = typename Set::template monoid<K>;
      using T = typename Set::template value_type<K>;
      if constexpr (sums_in_runs<M, T>) {
        auto &mine = get<K>(total), &added = get<K>(run);
        const auto both = lazyfuse::compute<M>(mine, added);
        get<K>(rest) = get<K>(rest) + M::lost(mine, added, both);
        mine = both;
        added = M::template identity<T>();
      }
    };
    (one(index_sequence<I>{}), ...);
  }
  template <int... I>
  __device__ __forceinline__ void restore_each(index_sequence<I...>) {
    const auto one = [&]<int K>(index_sequence<K>) {
      using M = typename Set::template monoid<K>;
      if constexpr (rounding_monoid<M, typename Set::template value_type<K>>)
        get<K>(total) = M::restored(get<K>(total), get<K>(rest));
    };
    (one(index_sequence<I>{}), ...);
  }
};
template <class Set>
struct tile_sum<Set, true> {
  typename Set::accumulators total;
  __device__ __forceinline__ void clear() { Set::clear(total); }
  __device__ __forceinline__ void end_run() {}
  __device__ __forceinline__ void restore() {}
  template <int I, bool Guarded, bool, class V>
  __device__ __forceinline__ void add(const V& value, bool valid) {
    auto& mine = get<I>(total);
    const auto both = lazyfuse::compute<typename Set::template monoid<I>>(mine, value);
    mine = !Guarded || valid ? both : mine;
  }
};
/// InOrder: elements of a thread come in the order of their places.
template <bool Guarded, bool InOrder, class Sum>
struct tile_sink {
  static constexpr bool stores = false;
  Sum& to;
  bool valid;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    to.template add<I, Guarded, InOrder>(value, valid);
  }
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
  static constexpr int cost =
      How == tiling::pairs || How == tiling::sums ? sets::outer::prologue::cost : sets::inner::prologue::cost;
  static constexpr thread_share share = [] {  // columns, rows
    if (How == tiling::pairs) return thread_share{4, cost > 96 || outer > 48 ? 2 : outer <= 16 ? 8 : 4};
    if (How == tiling::sums) {  // what an operand has at a position takes nine bytes of shared memory for four
      const int bytes = memory_bytes(Sources{});
      return thread_share{4, outer <= 48 && bytes <= 8 && cost <= 24    ? 4
                             : outer <= 96 && bytes <= 16 && cost <= 48 ? 2
                                                                        : 1};
    }
    if (cost > 96) return thread_share{2, 2};
    const int middle = inner <= 24 ? 4 : 2;
    if (How == tiling::nested_deeply || cost > 24) return thread_share{middle, middle};
    if (How == tiling::nested)
      return thread_share{inner <= 16 ? 4 : 2, inner <= 4 && outer <= 16 ? 8 : inner <= 16 ? 4 : 2};
    return thread_share{inner <= 12 ? 8 : middle, inner <= 4 ? 8 : middle};
  }();
  static constexpr int rows = share.depth, columns = share.width;
  static constexpr int along_columns = sets::reduces_columns ? 8 : 16, along_rows = block_threads / along_columns;
  static constexpr int tile_rows = rows * along_rows,
                       tile_columns = How == tiling::pairs ? pair_columns : columns * along_columns;
  static constexpr int partial_bytes =
      int(sizeof(typename sets::results::accumulators)) * rows * (sets::reduces_columns ? 1 : columns);
};

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread adds up for a result of a tile: in short runs, so that sums do not drift.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>

namespace lazyfuse::cuda_detail {

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
  template <int... I>
  static constexpr bool all_in_runs(index_sequence<I...>) {
    return (sums_in_runs<typename Set::template monoid<I>, typename Set::template value_type<I>> && ...);
  }
  /// Whether elements are added to runs alone.
  static constexpr bool only_runs = all_in_runs(make_index_sequence<Set::size>{});
  __device__ __forceinline__ void clear() {
    Set::clear(total);
    Set::clear(run);
    rest = {};
  }
  __device__ __forceinline__ void clear_run() { Set::clear(run); }
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
  static constexpr bool only_runs = false;
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

}  // namespace lazyfuse::cuda_detail

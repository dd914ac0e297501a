// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one thread adds up, in registers: elements of an output pair by pair where that is cheap, and what rounding
// loses kept beside the sum, so that it does not drift however many there are.
#pragma once

#include <lazyfuse/backend/cuda/kernels/fetch.cuh>
#include <lazyfuse/backend/cuda/kernels/usual_case.cuh>
#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse::cuda_detail {

/// The accumulators of one thread: Width of each, of as many outputs (Columns) or of one. What rounding loses is kept
/// for each output; but for many columns of elements so short that results are rounded far more, where registers end.
template <class Set, int Width, bool Columns = false>
struct thread_sums {
  static constexpr bool keeps_rests =
      !Columns || Width <= reduce_tuning::columns_with_rests ||
      Width * int(sizeof(typename Set::accumulators)) <= reduce_tuning::most_bytes_with_rests;
  using rests = standard::conditional_t<keeps_rests, typename Set::rests, nothing_lost>;
  typename Set::accumulators lane[Width];
  rests rest[Columns ? Width : 1];
  /// What was added since the last fold() of each lane, where one output is added up by lanes.
  typename Set::accumulators recent[Columns ? 1 : Width];
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (auto& a : lane) Set::clear(a);
#pragma unroll
    for (auto& a : recent) Set::clear(a);
#pragma unroll
    for (auto& r : rest) r = {};
  }
  /// Puts back what was lost. Done once, before sums of threads are merged: then few are added up one after the other.
  __device__ __forceinline__ void restore() {
    if constexpr (keeps_rests) restore_each(make_index_sequence<Set::size>{});
  }

 private:
  template <int... I>
  __device__ __forceinline__ void restore_each(index_sequence<I...>) {
    const auto one = []<class M>(auto& mine, const auto& rest, M*) {
      if constexpr (rounding_monoid<M, bare_t<decltype(mine)>>) mine = M::restored(mine, rest);
    };
#pragma unroll
    for (int k = 0; k < (Columns ? Width : 1); ++k)
      (one(get<I>(lane[k]), get<I>(rest[k]), static_cast<typename Set::template monoid<I>*>(nullptr)), ...);
  }
};

template <class Set, int Width, bool Columns, int... I>
__device__ __forceinline__ void recentre(thread_sums<Set, Width, Columns>& sums, index_sequence<I...>) {
  const auto one = [](auto& mine, auto monoid) {
    using M = decltype(monoid);
    if constexpr (near_monoid<M, bare_t<decltype(mine)>>) mine = M::recentred(mine);
  };
#pragma unroll
  for (int k = 0; k < Width; ++k) (one(get<I>(sums.lane[k]), typename Set::template monoid<I>{}), ...);
}

/// InOrder: elements come in the order of their places. Rests: of the set, or nothing, where few are added up.
template <class Set, bool Guarded, bool Near = false, bool InOrder = false, class Rests = nothing_lost>
struct combine_sink {
  static constexpr bool stores = false;
  typename Set::accumulators& to;
  bool valid;
  Rests& rest;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    using M = typename Set::template monoid<I>;
    auto& mine = get<I>(to);
    if constexpr (Near && near_monoid<M, V>) {
      const auto combined = M::near(mine, value);
      if constexpr (keeps<M, V>) keep<I>(M::lost_near(mine, value, combined));
      mine = !Guarded || valid ? combined : mine;
    } else if constexpr (InOrder && ordered_monoid<M, V>) {
      mine = M::append(mine, value);
    } else {
      const auto combined = lazyfuse::compute<M>(mine, value);
      if constexpr (keeps<M, V>) keep<I>(M::lost(mine, value, combined));
      mine = !Guarded || valid ? combined : mine;
    }
  }

 private:
  template <class M, class V>
  static constexpr bool keeps = rounding_monoid<M, V> && !standard::is_same_v<Rests, nothing_lost>;
  template <int I>
  __device__ __forceinline__ void keep(const auto& lost) {
    const auto all = get<I>(rest) + lost;
    get<I>(rest) = !Guarded || valid ? all : get<I>(rest);
  }
};

/// Whether elements of one output are first added up among themselves, pair by pair, and then to the accumulators.
template <class M, class T>
concept pairing_monoid = rounding_monoid<M, T> && !near_monoid<M, T>;

/// Whether the elements of a lane are combined with its accumulator together.
template <class M, class T, bool Guarded, bool Near>
inline constexpr bool taken_together = !Guarded && !Near && several_monoid<M, T>;

/// Whether elements of some of a set are, where all of them exist: it is then worth finding out whether they do.
template <class Set>
inline constexpr bool takes_some_together = []<int... I>(index_sequence<I...>) {
  return (taken_together<typename Set::template monoid<I>, typename Set::template value_type<I>, false, false> || ...);
}
(make_index_sequence<Set::size>{});

/// Whether accumulators can be brought to one level first, so that what is left of merges is cheap, and commutes.
template <class M, class T>
concept levelling_monoid = requires(const T& a) {
  M::of_one_level(M::at_level(a, M::common_level(M::level(a), M::level(a))), a);
};
/// Whether all elements of one output that a thread has are combined with its first accumulator at a time: the others
/// stay as they were cleared.
template <class M, class T>
concept uniting_monoid = requires(const T& a, const T (&values)[4]) {
  M::template united<4>(a, values);
};

/// Gathers what is to be paired or combined together, and combines the rest at once.
template <class Set, bool Guarded, bool Near, bool InOrder, bool Several, bool United, class Rests>
struct gather_sink {
  static constexpr bool stores = false;
  typename Set::accumulators &to, &leaf;
  bool valid;
  Rests& rest;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    using M = typename Set::template monoid<I>;
    if constexpr (pairing_monoid<M, V>) get<I>(leaf) = !Guarded || valid ? value : M::template identity<V>();
    else if constexpr (Several && taken_together<M, V, Guarded, Near>) get<I>(leaf) = value;
    else if constexpr (United && uniting_monoid<M, V>)
      get<I>(leaf) = !Guarded || valid ? value : M::template identity<V>();
    else combine_sink<Set, Guarded, Near, InOrder, Rests>{to, valid, rest}.template put<I>(value);
  }
};
/// Adds up pairs of what was gathered, as soon as both halves are there, so that few values wait in registers: element
/// N of those that are Step apart is the last one.
template <class Set, int Step, int... I>
__device__ __forceinline__ void pair_up(typename Set::accumulators* leaf, int n, index_sequence<I...>) {
  const auto one = [&]<int N>(index_sequence<N>) {
    using M = typename Set::template monoid<N>;
    if constexpr (pairing_monoid<M, typename Set::template value_type<N>>) {
#pragma unroll
      for (int apart = 1; (n & (2 * apart - 1)) == 2 * apart - 1; apart *= 2) {
        auto& first = get<N>(leaf[(n + 1 - 2 * apart) * Step]);
        first = lazyfuse::compute<M>(first, get<N>(leaf[(n + 1 - apart) * Step]));
      }
    }
  };
  (one(index_sequence<I>{}), ...);
}
/// Adds what has been paired up to the accumulators.
template <class Set, class Rests, int... I>
__device__ __forceinline__ void add_pairs(typename Set::accumulators& to, Rests& rest,
                                          const typename Set::accumulators& all, index_sequence<I...>) {
  const auto one = [&]<int N>(index_sequence<N>) {
    using M = typename Set::template monoid<N>;
    if constexpr (pairing_monoid<M, typename Set::template value_type<N>>)
      combine_sink<Set, false, false, false, Rests>{to, true, rest}.template put<N>(get<N>(all));
  };
  (one(index_sequence<I>{}), ...);
}
/// Adds what the lanes added up recently, pair by pair, to the sum that keeps what is lost.
template <class Set, int Width, int... I>
__device__ __forceinline__ void fold(thread_sums<Set, Width>& sums, index_sequence<I...> seq) {
#pragma unroll
  for (int k = 0; k < Width; ++k) pair_up<Set, 1>(sums.recent, k, seq);
  add_pairs<Set>(sums.lane[0], sums.rest[0], sums.recent[0], seq);
#pragma unroll
  for (auto& a : sums.recent) Set::clear(a);
}
/// Combines Count elements that were gathered for a lane, Step apart, where the monoid takes them together.
template <class Set, bool Near, int Count, int Step, class Rests, int... I>
__device__ __forceinline__ void add_together(typename Set::accumulators& to, Rests& rest,
                                             const typename Set::accumulators* leaf, index_sequence<I...>) {
  const auto one = [&]<int N>(index_sequence<N>) {
    using M = typename Set::template monoid<N>;
    using V = typename Set::template value_type<N>;
    if constexpr (taken_together<M, V, false, Near>) {
      V values[Count];
#pragma unroll
      for (int i = 0; i < Count; ++i) values[i] = get<N>(leaf[i * Step]);
      if constexpr (standard::is_same_v<Rests, nothing_lost>) {
        bare_t<decltype(M::lost(values[0], values[0], values[0]))> unused{};
        get<N>(to) = M::template several<Count>(get<N>(to), values, unused);
      } else get<N>(to) = M::template several<Count>(get<N>(to), values, get<N>(rest));
    }
  };
  (one(index_sequence<I>{}), ...);
}
/// Combines Count elements that were gathered for one output, Step apart, where the monoid unites them.
template <class Set, int Count, int Step, int... I>
__device__ __forceinline__ void add_united(typename Set::accumulators& to, const typename Set::accumulators* leaf,
                                           index_sequence<I...>) {
  const auto one = [&]<int N>(index_sequence<N>) {
    using M = typename Set::template monoid<N>;
    using V = typename Set::template value_type<N>;
    if constexpr (uniting_monoid<M, V>) {
      V values[Count];
#pragma unroll
      for (int i = 0; i < Count; ++i) values[i] = get<N>(leaf[i * Step]);
      get<N>(to) = M::template united<Count>(get<N>(to), values);
    }
  };
  (one(index_sequence<I>{}), ...);
}

/// Notes the values of the prologue as they are.
template <class Set>
struct note_sink {
  static constexpr bool stores = false;
  typename Set::accumulators& to;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    get<I>(to) = value;
  }
};
/// Hands noted values on.
template <class Set, int... I>
__device__ __forceinline__ void put_noted(auto& sink, const typename Set::accumulators& value, index_sequence<I...>) {
  (sink.template put<I>(get<I>(value)), ...);
}

/// Evaluates the prologue for the elements in registers and combines them (several units of one output: each lane its
/// own, to be folded); context(d, k): of one of them. Together: those of a vector by their usual case, for which teams
/// have no registers left. InOrder: the elements of a lane come in the order of their places, from one call to the
/// next, too.
template <class Set, bool Guarded, bool Near, bool InOrder, int Width, int Depth, bool Together = false, bool Columns,
          class Context, class Valid>
__device__ __forceinline__ void combine(thread_sums<Set, Width, Columns>& sums, const Context& context,
                                        const Valid& valid) {
  constexpr auto seq = make_index_sequence<Set::size>{};
  using rests = typename thread_sums<Set, Width, Columns>::rests;
  constexpr bool by_lanes = !Columns && Depth > 1;
  constexpr int of_one = Depth * (Columns || by_lanes ? 1 : Width);  // elements that are paired up
  static_assert((of_one & (of_one - 1)) == 0);
  constexpr bool unites = of_one > 1;
  typename Set::accumulators leaf[Depth * Width];
  using prologue = typename Set::prologue;
  constexpr bool together = Together && computes_together<prologue>;
#pragma unroll
  for (int d = 0; d < Depth; ++d) {
    typename Set::accumulators noted[Width];
    if constexpr (together)
      evaluate_all<prologue, Width>([&](int k) { return context(d, k); },
                                    [&](int k) { return note_sink<Set>{noted[k]}; });
    const auto give = [&](int k, auto& sink) {
      if constexpr (together) put_noted<Set>(sink, noted[k], seq);
      else evaluate<prologue>(context(d, k), sink);
    };
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      auto& rest = sums.rest[Columns ? k : 0];
      if constexpr (of_one == 1) {
        combine_sink<Set, Guarded, Near, InOrder, rests> sink{sums.lane[k], valid(d, k), rest};
        give(k, sink);
      } else {
        gather_sink<Set, Guarded, Near, InOrder, (Depth > 1), unites, rests> sink{sums.lane[k], leaf[d * Width + k],
                                                                                  valid(d, k), rest};
        give(k, sink);
        if constexpr (Columns || by_lanes) pair_up<Set, Width>(leaf + k, d, seq);
        else pair_up<Set, 1>(leaf, d * Width + k, seq);
      }
    }
  }
  if constexpr (Depth > 1 && !Guarded)
#pragma unroll
    for (int k = 0; k < Width; ++k)
      add_together<Set, Near, Depth, Width>(sums.lane[k], sums.rest[Columns ? k : 0], leaf + k, seq);
  if constexpr (unites && Columns)
#pragma unroll
    for (int k = 0; k < Width; ++k) add_united<Set, Depth, Width>(sums.lane[k], leaf + k, seq);
  else if constexpr (unites) add_united<Set, Width * Depth, 1>(sums.lane[0], leaf, seq);
  if constexpr (by_lanes) {
    nothing_lost none;
#pragma unroll
    for (int k = 0; k < Width; ++k) add_pairs<Set>(sums.recent[k], none, leaf[k], seq);
  } else if constexpr (of_one > 1) {
#pragma unroll
    for (int k = 0; k < (Columns ? Width : 1); ++k) add_pairs<Set>(sums.lane[k], sums.rest[k], leaf[k], seq);
  }
}

}  // namespace lazyfuse::cuda_detail

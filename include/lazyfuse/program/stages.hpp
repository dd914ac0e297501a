// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages: a program cut at its reductions. Those of one stage depend only on reductions of earlier stages, so one pass
// over a row computes them together; equal reductions are equal types and are computed once.
#pragma once

#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse {

namespace stages_detail {

/// 0 for what contains no reduction; a reduction is one stage after the last of its argument.
template <class P>
inline constexpr int stage_of = 0;
template <class M, class P>
inline constexpr int stage_of<reduction<M, P>> = 1 + stage_of<P>;
template <class Op, class... A>
inline constexpr int stage_of<apply<Op, A...>> = [] {
  int last = 0;
  ((last = stage_of<A> > last ? stage_of<A> : last), ...);
  return last;
}();

/// The distinct reductions of programs, wherever they are, arguments first.
template <class Found, class P>
struct find {
  using type = Found;
};
template <class Found, class... P>
struct find_all {
  using type = Found;
};
template <class Found, class P, class... Rest>
struct find_all<Found, P, Rest...> : find_all<typename find<Found, P>::type, Rest...> {};
template <class Found, class Op, class... A>
struct find<Found, apply<Op, A...>> : find_all<Found, A...> {};
template <class Found, class M, class P>
struct find<Found, reduction<M, P>> {
  using inner = typename find<Found, P>::type;
  using type = typename evaluate_detail::append_if<!contains<reduction<M, P>, Found>, inner, reduction<M, P>>::type;
};

template <int Stage, class All, class Kept = list<>>
struct of_stage {
  using type = Kept;
};
template <int Stage, class P, class... Rest, class Kept>
struct of_stage<Stage, list<P, Rest...>, Kept>
    : of_stage<Stage, list<Rest...>, typename evaluate_detail::append_if<stage_of<P> == Stage, Kept, P>::type> {};

/// Whether a program reads operand I itself, not through a reduction.
template <int I, class P>
inline constexpr bool reads = false;
template <int I>
inline constexpr bool reads<I, arg<I>> = true;
template <int I, class Op, class... A>
inline constexpr bool reads<I, apply<Op, A...>> = (reads<I, A> || ...);
template <int I, class... P>
constexpr bool any_reads(list<P...>) {
  return (reads<I, P> || ...);
}

/// The values of reductions, each found by its program.
template <class Reductions, class Sources>
struct values;
template <class... R, class Sources>
struct values<list<R...>, Sources> : shared_value<R, program_value_t<R, Sources>>... {};

}  // namespace stages_detail

/// A schedule whose programs contain reductions over the axes of a row.
template <class Schedule, class Sources>
struct staged {
  using output = Schedule;
  template <class... P>
  static typename stages_detail::find_all<list<>, P...>::type find(list<P...>);
  using reductions = decltype(find(typename Schedule::roots{}));
  template <class... R>
  static constexpr int last(list<R...>) {
    int n = 0;
    ((n = stages_detail::stage_of<R> > n ? stages_detail::stage_of<R> : n), ...);
    return n;
  }
  /// How many passes over the row come before the one that stores the results.
  static constexpr int count = last(reductions{});
  /// The reductions of stage 0, 1, ... count - 1.
  template <int Stage>
  using set = reduction_set<typename stages_detail::of_stage<Stage + 1, reductions>::type, Sources>;
  using values = stages_detail::values<reductions, Sources>;

  /// The programs of pass 0, 1, ...: the stages, and last the results.
  template <int Pass>
  static constexpr auto pass_of() {
    if constexpr (Pass < count) return typename set<Pass>::prologue{};
    else return Schedule{};
  }
  template <int Pass>
  using pass = decltype(pass_of<Pass>());
  /// Whether a pass reads operand I, and how many do.
  template <int Pass, int I>
  static constexpr bool reads = stages_detail::any_reads<I>(typename pass<Pass>::roots{});
  template <int I, int... Pass>
  static constexpr int readers(indices<Pass...>) {
    return (0 + ... + reads<Pass, I>);
  }
  template <int I>
  static constexpr int passes_that_read = readers<I>(make_indices<count + 1>{});

  template <int... S>
  static constexpr int total_cost(indices<S...>) {
    return (Schedule::cost + ... + set<S>::prologue::cost);
  }
  static constexpr int cost = total_cost(make_indices<count>{});
};

/// A context whose program may read the values of reductions computed before.
template <class Base, class Values>
struct with_values {
  const Base& base;
  const Values& values;
  template <int I>
  LAZYFUSE_HD decltype(auto) operand() const {
    return base.template operand<I>();
  }
  template <class P>
  LAZYFUSE_HD const auto& reduced() const {
    return shared_of<P>(values);
  }
};

namespace stages_detail {
template <class Set, class Reductions>
struct keep_values;
template <class Set, class... R>
struct keep_values<Set, list<R...>> {
  template <class Values>
  LAZYFUSE_HD static void run(Values& to, const typename Set::accumulators& from) {
    (keep<R>(to, get<Set::template index_of<R>>(from)), ...);
  }
  template <class P, class T>
  LAZYFUSE_HD static void keep(shared_value<P, T>& to, const T& from) {
    to.value = from;
  }
};
}  // namespace stages_detail

/// Notes the results of a stage, so that later ones can read them.
template <class Set, class Values>
LAZYFUSE_HD void keep(Values& to, const typename Set::accumulators& from) {
  stages_detail::keep_values<Set, typename Set::reductions>::run(to, from);
}

}  // namespace lazyfuse

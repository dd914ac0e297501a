// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages: a program cut at its reductions. Those of one stage depend only on reductions of earlier stages, so one pass
// over a row computes them together; equal reductions are equal types and are computed once.
#pragma once

#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse::ir {

namespace stages_detail {

struct staging {
  template <int I>
  static constexpr int operand = 0;
  template <class T, auto V>
  static constexpr int literal = 0;
  template <class Op, class... V>
  static constexpr int apply(V... stages) {
    int last = 0;
    ((last = stages > last ? stages : last), ...);
    return last;
  }
  template <class Kind, class... P>
  static constexpr int stage = 1 + apply<void>(fold<staging, P>...);
};
/// 0 for what contains no reduction; a reduction is one stage after the last of its argument.
template <class P>
inline constexpr int stage_of = fold<staging, P>;

template <class Sources>
struct uniformity;
template <class... Src>
struct uniformity<list<Src...>> {
  template <int I>
  static constexpr bool operand = is_constant<type_at<I, Src...>>;
  template <class T, auto V>
  static constexpr bool literal = true;
  template <class Op, class... V>
  static constexpr bool apply(V... values) {
    return (values && ...);
  }
  template <class Kind, class... P>
  static constexpr bool stage = true;
};
/// Whether a program has one value for all elements of a row, judging by its type.
template <class P, class Sources>
inline constexpr bool uniform = fold<uniformity<Sources>, P>;

/// The program with what a row has in common prepared once: divisions by it become products.
template <class Sources>
struct dividing_by_rows {
  template <class P>
  struct made {
    using type = P;
  };
  template <class Op, class A, class B>
    requires(requires { typename Op::prepares; } && uniform<B, Sources> && !uniform<A, Sources>)
  struct made<apply<Op, A, B>> {
    using type = apply<typename Op::with_prepared, A, apply<typename Op::prepares, B>>;
  };
  template <class Kind, class... P>
  using of_stage = rewritten_stage<dividing_by_rows, Kind, P...>;
};
template <class P, class Sources>
using by_rows = rewritten<dividing_by_rows<Sources>, P>;

/// The largest sub-programs that a row has in common, but for those that cost nothing.
template <class Sources>
struct finding_uniform {
  template <bool Uniform, class Found, class Op, class... A>
  struct one : gathered_all<finding_uniform, Found, A...> {};
  template <class Found, class Op, class... A>
  struct one<true, Found, Op, A...> : appended_if<!contains<ir::apply<Op, A...>, Found>, Found, ir::apply<Op, A...>> {};
  template <class Found, class Op, class... A>
  using apply = one<uniform<ir::apply<Op, A...>, Sources>, Found, Op, A...>;
  template <class Found, class Kind, class... P>
  struct stage {
    using type = Found;
  };
};
template <class Found, class Sources, class... P>
using find_all_uniform = gathered_all<finding_uniform<Sources>, Found, P...>;

template <int Stage, class All, class Kept = list<>>
struct of_stage {
  using type = Kept;
};
template <int Stage, class P, class... Rest, class Kept>
struct of_stage<Stage, list<P, Rest...>, Kept>
    : of_stage<Stage, list<Rest...>, typename appended_if<stage_of<P> == Stage, Kept, P>::type> {};

template <int Which>
struct reading {
  template <int I>
  static constexpr bool operand = I == Which;
  template <class T, auto V>
  static constexpr bool literal = false;
  template <class Op, class... V>
  static constexpr bool apply(V... values) {
    return (values || ...);
  }
  template <class Kind, class... P>
  static constexpr bool stage = false;
};
/// Whether a program reads operand I itself, not through a reduction.
template <int I, class P>
inline constexpr bool reads = fold<reading<I>, P>;
template <int I, class... P>
constexpr bool any_reads(list<P...>) {
  return (reads<I, P> || ...);
}

/// Whether a program contains another one itself, not through a reduction.
template <class P, class In>
inline constexpr bool part_of = standard::is_same_v<P, In>;
template <class P, class Op, class... A>
inline constexpr bool part_of<P, apply<Op, A...>> = standard::is_same_v<P, apply<Op, A...>> || (part_of<P, A> || ...);
template <class P, class... In>
constexpr bool part_of_any(list<In...>) {
  return (part_of<P, In> || ...);
}
/// From this cost on, a value is read again rather than computed again.
inline constexpr int worth_remembering = 10;
template <class Staged, int Pass, class Found, class Programs>
struct find_repeated {
  using type = Found;
};
template <class Staged, int Pass, class Found>
  requires(Pass + 1 < Staged::count)
struct find_repeated<Staged, Pass, Found, list<>>
    : find_repeated<Staged, Pass + 1, Found, typename Staged::template pass<Pass + 1>::roots> {};
template <class Staged, int Pass, class Found, class P, class... Rest>
struct find_repeated<Staged, Pass, Found, list<P, Rest...>>
    : find_repeated<Staged, Pass,
                    typename appended_if<Staged::template repeats<Pass, P> && !contains<P, Found>, Found, P>::type,
                    list<Rest...>> {};

/// The values of reductions, each found by its program.
template <class Reductions, class Sources>
struct values;
template <class... R, class Sources>
struct values<list<R...>, Sources> : shared_value<R, program_value_t<R, Sources>>... {};

}  // namespace stages_detail

/// Simplified programs that contain reductions over the axes of a row.
template <class Programs, class Sources>
struct staged;
template <class... Root, class Sources>
struct staged<list<Root...>, Sources> {
  using output = schedule<list<typename stages_detail::by_rows<Root, Sources>::type...>>;
  template <class... P>
  static typename reductions_detail::find_all<true, list<>, P...>::type find(list<P...>);
  using reductions = decltype(find(typename output::roots{}));
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
    else return output{};
  }
  template <int Pass>
  using pass = decltype(pass_of<Pass>());
  /// Whether a pass reads operand I, and how many do.
  template <int Pass, int I>
  static constexpr bool reads = stages_detail::any_reads<I>(typename pass<Pass>::roots{});
  template <int I, int... Pass>
  static constexpr int readers(index_sequence<Pass...>) {
    return (0 + ... + reads<Pass, I>);
  }
  template <int I>
  static constexpr int passes_that_read = readers<I>(make_index_sequence<count + 1>{});

  template <int Pass, int I, int... S>
  static constexpr bool any_before(index_sequence<S...>) {
    return (false || ... || (S < Pass && reads<S, I>));
  }
  /// Whether a pass before this one reads operand I.
  template <int Pass, int I>
  static constexpr bool read_before = any_before<Pass, I>(make_index_sequence<count + 1>{});

  template <class P, int... S>
  static constexpr bool any_later(int pass, index_sequence<S...>) {
    return ((S > pass && stages_detail::part_of_any<P>(typename staged::template pass<S>::roots{})) || ...);
  }
  /// Whether a later pass computes program P of this one again, at a price.
  template <int Pass, class P>
  static constexpr bool repeats = schedule<list<P>>::cost >=
                                  stages_detail::worth_remembering&& any_later<P>(Pass,
                                                                                  make_index_sequence<count + 1>{});
  /// The arguments of reductions, as a whole, that later passes compute again.
  using repeated = typename stages_detail::find_repeated<staged, -1, list<>, list<>>::type;

  template <class... P>
  static typename stages_detail::find_all_uniform<list<>, Sources, P...>::type find_uniform(list<P...>);
  /// What a pass computes once per row.
  template <int Pass>
  using uniform = decltype(find_uniform(typename pass<Pass>::roots{}));

  template <int... S>
  static constexpr int total_cost(index_sequence<S...>) {
    return (output::cost + ... + set<S>::prologue::cost);
  }
  static constexpr int cost = total_cost(make_index_sequence<count>{});
  static constexpr bool has_near = []<int... S>(index_sequence<S...>) { return (set<S>::has_near || ...); }
  (make_index_sequence<count>{});
};

/// A context whose program may read the values of reductions computed before.
template <class Base, class Values>
struct with_values {
  static_assert(context<Base>, "lazyfuse: a context has operand<I>(), and precomputed<P>() if it says so");
  static constexpr bool precomputes = true;
  Base base;  // by value: it may be a temporary
  const Values& values;
  template <int I>
  LAZYFUSE_HD decltype(auto) operand() const {
    return base.template operand<I>();
  }
  template <class P>
  LAZYFUSE_HD const auto& stage_value() const {
    return shared_of<P>(values);
  }
  /// What the row has in common and was computed with the values, or what the base knows.
  template <class P>
    requires(has_cached<P, Values> || has_precomputed<P, Base>)
  LAZYFUSE_HD decltype(auto) precomputed() const {
    if constexpr (has_cached<P, Values>) return (shared_of<P>(values));
    else return base.template precomputed<P>();
  }
};

namespace stages_detail {
/// Constants alone: what programs that a row has in common read besides reductions.
template <class Operands, class Values>
struct row_context {
  const Operands& operands;
  const Values& values;
  template <int I>
  LAZYFUSE_HD auto operand() const {
    return get<I>(operands).source.value;
  }
  template <class P>
  LAZYFUSE_HD const auto& stage_value() const {
    return shared_of<P>(values);
  }
};
}  // namespace stages_detail

/// The values of reductions, and what a pass makes of them once per row.
template <class Values, class Programs, class Sources>
struct pass_values;
template <class Values, class... P, class Sources>
struct pass_values<Values, list<P...>, Sources> : Values, shared_value<P, program_value_t<P, Sources>>... {
  pass_values() = default;
  template <class Operands>
  LAZYFUSE_HD pass_values(const Values& v, const Operands& operands)
      : Values(v),
        shared_value<P, program_value_t<P, Sources>>{
            evaluator<P>::at(stages_detail::row_context<Operands, Values>{operands, v})}... {}
};
template <class Staged, int Pass, class Sources>
using pass_values_of = pass_values<typename Staged::values, typename Staged::template uniform<Pass>, Sources>;

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

}  // namespace lazyfuse::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of programs at one position. Values used more than once are computed once and kept in registers.
#pragma once

#include <lazyfuse/op/map.hpp>
#include <lazyfuse/program/contracts.hpp>
#include <lazyfuse/program/schedule.hpp>

namespace lazyfuse::ir {

namespace evaluate_detail {
template <class... A>
inline constexpr bool leaf_comes_last = false;
template <class Op, class... A, int I>
inline constexpr bool leaf_comes_last<apply<Op, A...>, arg<I>> = true;
}  // namespace evaluate_detail

/// The values of several elements, for operations that take them together.
template <class T, int N>
struct lanes {
  T value[N];
};

/// The value of program P at the position of context c.
template <class P>
struct evaluator;

/// One shared value.
template <class Node, class T>
struct shared_value {
  T value;
};
template <class Node, class T>
LAZYFUSE_HD const T& shared_of(const shared_value<Node, T>& s) {
  return s.value;
}

/// A context and the shared values computed so far: each is a base class, found by its program.
template <class Context, class... Values>
struct caching_context : Values... {
  static constexpr bool precomputes = true, computes = ir::computes<Context>;
  const Context& context;
  template <int I>
  LAZYFUSE_HD decltype(auto) operand() const {
    return context.template operand<I>();
  }
  template <class P>
  LAZYFUSE_HD decltype(auto) stage_value() const {
    return context.template stage_value<P>();
  }
  template <class P>
  requires has_precomputed<P, Context> LAZYFUSE_HD decltype(auto) precomputed() const {
    return context.template precomputed<P>();
  }
  template <class Op, class... T>
  LAZYFUSE_HD auto compute(const T&... x) const {
    return context.template compute<Op>(x...);
  }
};

template <class Node, class Context>
concept has_cached = requires(const Context& c) {
  shared_of<Node>(c);
};

template <int I>
struct evaluator<arg<I>> {
  template <class C>
  LAZYFUSE_HD static auto at(const C& c) {
    return c.template operand<I>();
  }
};
template <class T, auto Value>
struct evaluator<literal<T, Value>> {
  template <class C>
  LAZYFUSE_HD static constexpr T at(const C&) {
    if constexpr (complex_number<T>) return T(static_cast<part_t<T>>(Value));
    else return static_cast<T>(Value);
  }
};
template <class Kind, class... P>
struct evaluator<stage<Kind, P...>> {
  using self = stage<Kind, P...>;
  template <class C>
  LAZYFUSE_HD static auto at(const C& c) {
    static_assert(has_stage_value<self, C>,
                  "lazyfuse: the context of a program with stages has no stage_value<Stage>()");
    return c.template stage_value<self>();
  }
};
template <class Op, class... A>
struct evaluator<apply<Op, A...>> {
  using self = apply<Op, A...>;  // nvcc 13.0 loses the pack where it is spelled out in `at`
  /// g++ evaluates arguments from the right: the leaf would be loaded before, and spilled around, what the composite
  /// calls.
  template <class X, class Y, class C>
  LAZYFUSE_HD static auto composite_first(const C& c) {
    const auto x = evaluator<X>::at(c);
    return lazyfuse::compute<Op>(x, evaluator<Y>::at(c));
  }
  template <class C>
  LAZYFUSE_HD static auto at(const C& c) {
    if constexpr (has_cached<self, C>) return shared_of<self>(c);
    else if constexpr (has_precomputed<self, C>) {
      static_assert(precomputes<C>, "lazyfuse: a context has precomputed<P>() and does not say that it precomputes");
      return c.template precomputed<self>();
    } else if constexpr (computes<C>) return c.template compute<Op>(evaluator<A>::at(c)...);
    else if constexpr (evaluate_detail::leaf_comes_last<A...>) return composite_first<A...>(c);
    else return lazyfuse::compute<Op>(evaluator<A>::at(c)...);
  }
};

namespace evaluate_detail {
/// Calls then(context) with all shared values of the list computed, in order.
template <class Then, class Context, class... Values>
LAZYFUSE_HD decltype(auto) remember(list<>, const Then& then, const caching_context<Context, Values...>& c) {
  return then(c);
}
template <class N, class... Rest, class Then, class Context, class... Values>
LAZYFUSE_HD decltype(auto) remember(list<N, Rest...>, const Then& then, const caching_context<Context, Values...>& c) {
  const auto value = evaluator<N>::at(c);
  using T = bare_t<decltype(value)>;
  return remember(
      list<Rest...>{}, then,
      caching_context<Context, Values..., shared_value<N, T>>{static_cast<const Values&>(c)..., {value}, c.context});
}
}  // namespace evaluate_detail

/// Evaluates every root of the schedule at the context and hands each value to sink.put<index>(value); none before all
/// are known if the sink stores.
template <class Schedule, class Context, class Sink>
LAZYFUSE_HD void evaluate(const Context& at, Sink& to);

namespace evaluate_detail {
/// What a program rounds to 16 bits; void if it does something else.
template <class P>
struct rounded {
  using type = void;
};
template <class Op, class P>
  requires small_real<typename Op::converts_to>
struct rounded<apply<Op, P>> {
  using type = P;
};
template <class P>
using rounded_t = typename rounded<P>::type;

template <class Roots, class Seq, class Sink>
struct deliver;
template <class... P, int... I, class Sink>
struct deliver<list<P...>, index_sequence<I...>, Sink> {
  Sink& sink;
  template <class C>
  LAZYFUSE_HD void operator()(const C& c) const {
    if constexpr (sizeof...(P) > 1 && Sink::stores) all(root<I, P>(c)...);
    else (sink.template put<I>(root<I, P>(c)), ...);
  }
  /// Where one root is stored another may read.
  template <class... V>
  LAZYFUSE_HD void all(const V&... values) const {
    (sink.template put<I>(values), ...);
  }
  /// The value of a root, or of what it rounds to 16 bits if the sink does that itself.
  template <int K, class Root, class C>
  LAZYFUSE_HD static auto root(const C& c) {
    if constexpr (has_cached<Root, C> || has_precomputed<Root, C>) return evaluator<Root>::at(c);
    else if constexpr (requires { requires Sink::template rounds_on_store<K>; })
      return evaluator<rounded_t<Root>>::at(c);
    else return evaluator<Root>::at(c);
  }
};
}  // namespace evaluate_detail

template <class Schedule, class Context, class Sink>
LAZYFUSE_HD void evaluate(const Context& at, Sink& to) {
  static_assert(context<Context>, "lazyfuse: a context has operand<I>(), and precomputed<P>() if it says so");
  static_assert(sink<Sink>, "lazyfuse: a sink has put<I>(value), and says whether it stores");
  using roots = typename Schedule::roots;
  const evaluate_detail::deliver<roots, make_index_sequence<roots::size>, Sink> then{to};
  if constexpr (Schedule::shared::size == 0) then(at);
  else evaluate_detail::remember(typename Schedule::shared{}, then, caching_context<Context>{at});
}

}  // namespace lazyfuse::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of programs at one position. The context answers operand<I>() and, after a stage, stage_value<P>(); values
// used more than once are computed once and kept in registers.
#pragma once

#include <lazyfuse/program/rewrite.hpp>
#include <lazyfuse/program/traverse.hpp>

namespace lazyfuse::ir {

namespace evaluate_detail {

/// Distinct composite sub-programs, arguments first, and those met more than once.
template <class Order = list<>, class Repeated = list<>>
struct nodes_met {
  using order = Order;
  using repeated = Repeated;
};

struct visit {
  template <bool Seen, class C, class Op, class... A>
  struct node {
    using inner = typename gathered_all<visit, C, A...>::type;
    using type =
        nodes_met<typename appended<typename inner::order, ir::apply<Op, A...>>::type, typename inner::repeated>;
  };
  template <class C, class Op, class... A>
  struct node<true, C, Op, A...> {
    using again = ir::apply<Op, A...>;
    using type =
        nodes_met<typename C::order,
                  typename appended_if<!contains<again, typename C::repeated>, typename C::repeated, again>::type>;
  };
  template <class C, class Op, class... A>
  using apply = node<contains<ir::apply<Op, A...>, typename C::order>, C, Op, A...>;
  template <class C, class Kind, class... P>
  struct stage {
    using type = C;
  };
};
template <class C, class... P>
using visit_all = gathered_all<visit, C, P...>;

/// Bottom-up application of rewrite.
struct simplifying {
  template <class P>
  using made = rewrite<P>;
  template <class Kind, class... P>
  using of_stage = rewritten_stage<simplifying, Kind, P...>;
};
template <class P>
using simplify = rewritten<simplifying, P>;

/// Of the operations of one stage: another one has its own pairs.
template <class All>
struct pairing {
  template <class P>
  using made = rewrite_pair<P, All>;
  template <class Kind, class... P>
  struct of_stage {
    using type = stage<Kind, P...>;
  };
};
template <class P, class All>
using pair_up = rewritten<pairing<All>, P>;

/// Whether some operation of the list has a partner (sin and cos) present as well.
template <class Order>
inline constexpr bool has_partners = false;
template <class Op, class... A>
constexpr bool partnered(const apply<Op, A...>*) {
  return requires { typename Op::partner; };
}
template <class... N>
inline constexpr bool has_partners<list<N...>> = (partnered(static_cast<N*>(nullptr)) || ...);

/// The subset of Order that is in Repeated, in the order of Order.
template <class Order, class Repeated, class Kept = list<>>
struct in_order {
  using type = Kept;
};
template <class N, class... Rest, class Repeated, class Kept>
struct in_order<list<N, Rest...>, Repeated, Kept>
    : in_order<list<Rest...>, Repeated, typename appended_if<contains<N, Repeated>, Kept, N>::type> {};

template <class Roots, class Census>
struct paired {
  using roots = Roots;
  using census_type = Census;
};
template <class... P, class Census>
  requires has_partners<typename Census::order>
struct paired<list<P...>, Census> {
  using roots = list<typename pair_up<P, typename Census::order>::type...>;
  template <class... Q>
  static typename visit_all<nodes_met<>, Q...>::type count(list<Q...>);
  using census_type = decltype(count(roots{}));
};

}  // namespace evaluate_detail

/// Programs made ready to run together: rewritten, and with their shared values listed.
template <class Roots>
struct schedule;
template <class... P>
struct schedule<list<P...>> {
  using simplified = list<typename evaluate_detail::simplify<P>::type...>;
  template <class... Q>
  static typename evaluate_detail::visit_all<evaluate_detail::nodes_met<>, Q...>::type count(list<Q...>);
  using pairs = evaluate_detail::paired<simplified, decltype(count(simplified{}))>;
  using roots = typename pairs::roots;
  using shared = typename evaluate_detail::in_order<typename pairs::census_type::order,
                                                    typename pairs::census_type::repeated>::type;
  /// Rough number of instructions per element.
  template <class... N>
  static constexpr int total_cost(list<N...>) {
    return (0 + ... + cost_of(static_cast<N*>(nullptr)));
  }
  template <class Op, class... A>
  static constexpr int cost_of(apply<Op, A...>*) {
    return Op::cost;
  }
  using nodes = typename pairs::census_type::order;
  static constexpr int cost = total_cost(nodes{});
};

namespace evaluate_detail {
template <class... A>
inline constexpr bool leaf_comes_last = false;
template <class Op, class... A, int I>
inline constexpr bool leaf_comes_last<apply<Op, A...>, arg<I>> = true;
}  // namespace evaluate_detail

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

/// Whether the context has the value of a program already.
template <class Node, class Context>
concept has_precomputed = requires(const Context& c) {
  c.template precomputed<Node>();
};

/// A context and the shared values computed so far: each is a base class, found by its program.
template <class Context, class... Values>
struct caching_context : Values... {
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
    return c.template stage_value<self>();
  }
};
template <class Op, class... A>
struct evaluator<apply<Op, A...>> {
  using self = apply<Op, A...>;  // nvcc 13.0 loses the pack where it is spelled out in `at`
  template <class C>
  LAZYFUSE_HD static auto compute(const C& c) {
    if constexpr (evaluate_detail::leaf_comes_last<A...>) return composite_first<A...>(c);
    else return lazyfuse::compute<Op>(evaluator<A>::at(c)...);
  }
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
    else if constexpr (has_precomputed<self, C>) return c.template precomputed<self>();
    else return compute(c);
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
/// are known if the sink stores them in memory that operands may be in (Sink::stores).
template <class Schedule, class Context, class Sink>
LAZYFUSE_HD void evaluate(const Context& context, Sink& sink);

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
    if constexpr (sizeof...(P) > 1 && requires { requires Sink::stores; }) all(root<I, P>(c)...);
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
    else if constexpr (requires { requires Sink::template rounds<K>; }) return evaluator<rounded_t<Root>>::at(c);
    else return evaluator<Root>::at(c);
  }
};
}  // namespace evaluate_detail

template <class Schedule, class Context, class Sink>
LAZYFUSE_HD void evaluate(const Context& context, Sink& sink) {
  using roots = typename Schedule::roots;
  const evaluate_detail::deliver<roots, make_index_sequence<roots::size>, Sink> then{sink};
  if constexpr (Schedule::shared::size == 0) then(context);
  else evaluate_detail::remember(typename Schedule::shared{}, then, caching_context<Context>{context});
}

}  // namespace lazyfuse::ir

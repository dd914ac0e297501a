// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules: programs made ready to run together. They are rewritten, sines are paired with their cosines, and what is
// used more than once is listed.
#pragma once

#include <lazyfuse/program/rewrite.hpp>
#include <lazyfuse/program/traverse.hpp>

namespace lazyfuse::ir {

namespace schedule_detail {

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

/// What is found out of programs in a constant expression. Most have nothing to share and nothing to pair: then no list
/// of their sub-programs has to be made.
struct summary {
  int cost = 0;                                        ///< of the distinct operations
  bool repeats = false, pairs = false, saves = false;  ///< saves: see cost_saved.hpp
  bool divides = false;                                ///< integers, perhaps, as processors are slow to do
  bool loops = false;                                  ///< is one, whose operations are written fewer times than done
  bool calls = false;                                  ///< functions that are not exact, of which there are vectors
  bool one_by_one = false;                             ///< others that are not cheap
  int written = 0;                                     ///< cost of what compilers write
};
/// The distinct composite sub-programs met so far, and those that would pair with them (sin and cos).
struct distinct_programs {
  const char **met, **partners;
  int count = 0;
  summary found = {};

  constexpr bool has(const char* type) const {
    for (int i = 0; i < count; ++i)
      if (met[i] == type) return true;
    return false;
  }
  template <int I>
  constexpr void visit(const arg<I>*) {}
  template <class T, auto V>
  constexpr void visit(const literal<T, V>*) {}
  template <class Kind, class... P>
  constexpr void visit(const stage<Kind, P...>*) {}
  template <class Op, class... A>
  constexpr void visit(const apply<Op, A...>*) {
    constexpr const char* self = &identity_of<apply<Op, A...>>;
    if (has(self)) {
      found.repeats = true;
      return;
    }
    (visit(static_cast<const A*>(nullptr)), ...);
    partners[count] = nullptr;
    if constexpr (requires { typename Op::partner; }) partners[count] = &identity_of<apply<typename Op::partner, A...>>;
    met[count++] = self;
    found.cost += Op::cost;
    if constexpr (requires { Op::written; }) {
      found.loops = true;
      found.written += Op::written;
    } else found.written += Op::cost;
    found.saves = found.saves || requires { Op::cost_saved(0.0); };
    constexpr bool dear = Op::cost > 8, function = requires { requires(Op::ulp > 0 && Op::cost < 60); };
    found.calls = found.calls || (dear && function);
    found.one_by_one = found.one_by_one || (dear && !function);
    found.divides = found.divides || requires { typename Op::prepares_whole; };
  }
};
struct counting_operations {
  template <int I>
  static constexpr int operand = 0;
  template <class T, auto V>
  static constexpr int literal = 0;
  template <class Op, class... V>
  static constexpr int apply(V... values) {
    return (1 + ... + values);
  }
  template <class Kind, class... P>
  static constexpr int stage = 0;
};
template <class... P>
constexpr summary summarize(list<P...>) {
  constexpr int most = (1 + ... + fold<counting_operations, P>);
  const char *met[most] = {}, *partners[most] = {};
  distinct_programs all{met, partners};
  (all.visit(static_cast<const P*>(nullptr)), ...);
  for (int i = 0; i < all.count; ++i) all.found.pairs = all.found.pairs || (partners[i] && all.has(partners[i]));
  return all.found;
}

/// The subset of Order that is in Repeated, in the order of Order.
template <class Order, class Repeated, class Kept = list<>>
struct in_order {
  using type = Kept;
};
template <class N, class... Rest, class Repeated, class Kept>
struct in_order<list<N, Rest...>, Repeated, Kept>
    : in_order<list<Rest...>, Repeated, typename appended_if<contains<N, Repeated>, Kept, N>::type> {};

template <class Roots>
struct nodes_of;
template <class... P>
struct nodes_of<list<P...>> : visit_all<nodes_met<>, P...>::type {};

template <bool Pairs, class Roots>
struct paired {
  using type = Roots;
};
template <class... P>
struct paired<true, list<P...>> {
  using all = typename nodes_of<list<P...>>::order;
  using type = list<typename pair_up<P, all>::type...>;
};
template <bool Repeats, class Roots>
struct shared_among {
  using type = list<>;
};
template <class Roots>
struct shared_among<true, Roots> : in_order<typename nodes_of<Roots>::order, typename nodes_of<Roots>::repeated> {};

}  // namespace schedule_detail

/// Programs made ready to run together: rewritten, and with their shared values listed.
template <class Roots>
struct schedule;
template <class... P>
struct schedule<list<P...>> {
  using simplified = list<typename schedule_detail::simplify<P>::type...>;
  using roots = typename schedule_detail::paired<schedule_detail::summarize(simplified{}).pairs, simplified>::type;
  static constexpr schedule_detail::summary found = schedule_detail::summarize(roots{});
  using shared = typename schedule_detail::shared_among<found.repeats, roots>::type;
  /// Rough number of instructions per element.
  static constexpr int cost = found.cost;
};

}  // namespace lazyfuse::ir

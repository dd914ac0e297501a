// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbering: an expression type becomes a program type. Leaves are numbered from left to right; a shared
// numbering gives named, exact and paired sub-expressions of one type one number, on the assumption that
// they read the same operands. Binding (bind.hpp) checks the assumption.
#pragma once

#include <lazyfuse/array/array.hpp>
#include <lazyfuse/expr/barrier.hpp>
#include <lazyfuse/expr/fuse.hpp>
#include <lazyfuse/program/program.hpp>
#include <lazyfuse/program/remapped.hpp>

namespace lazyfuse::planning {

using namespace tree;  // what is planned,
using namespace ir;    // and what becomes of it

namespace lower_detail {

/// Sources as the device sees them.
template <class Source>
struct device_source {
  using type = Source;
};
template <class T, class Space>
struct device_source<stored<T, Space>> {
  using type = memory<std::remove_const_t<T>>;
};
template <int I, class Source>
struct device_source<numbered_source<I, Source>> : device_source<Source> {};
template <class Source, class Map, int R>
struct device_source<remapped<Source, Map, R>> {
  using type = remapped<typename device_source<Source>::type, Map, R>;
};

/// A sub-expression met before: its program, and the operand numbers of its leaves.
template <class Node, class Program, class Slots>
struct entry {};
struct no_memo {};
template <class Entry, class Rest>
struct memo : Entry, Rest {};

template <class Node>
struct found_nothing {
  static constexpr bool found = false;
};
template <class Program, class Slots>
struct found_entry {
  static constexpr bool found = true;
  using program = Program;
  using slots = Slots;
};
template <class Node, class P, class S>
found_entry<P, S> look_up(const entry<Node, P, S>*);
template <class Node>
found_nothing<Node> look_up(...);
template <class Node, class Memo>
using find = decltype(look_up<Node>(static_cast<Memo*>(nullptr)));

/// How far equal types are taken for equal operands, to be checked at launch: 0, not at all; 1, for what has a name, is
/// made of arguments of fuse, or is reduced; 1 + R, for arrays of rank R as well.
constexpr int sharing_arrays(int rank) { return 1 + rank; }
template <int Share, class Source, int R>
inline constexpr bool takes_for_equal = Share > 0 && source_traits<Source>::is_argument;
template <int Share, class T, class Space, int R>
inline constexpr bool takes_for_equal<Share, stored<T, Space>, R> = Share > 1 && R == Share - 1;

/// Operands so far (their device sources, in order of number), sub-expressions met, and for each leaf
/// in order of occurrence the number of its operand.
template <class Sources, class Memo, class Slots>
struct state;

template <class A, class B>
struct join_indices;
template <int... I, int... J>
struct join_indices<index_sequence<I...>, index_sequence<J...>> {
  using type = index_sequence<I..., J...>;
};

template <class P, class S>
struct lowered {
  using program = P;
  using next = S;
};

template <int Share, class E, class S>
struct lower;

template <int Share, class Source, int R, class... Src, class Memo, int... Slot>
struct lower<Share, leaf<Source, R>, state<list<Src...>, Memo, index_sequence<Slot...>>> {
  using node = leaf<Source, R>;
  static constexpr bool named = takes_for_equal<Share, Source, R>;
  using met = find<node, Memo>;
  template <bool Found, class = void>
  struct result {
    using program = arg<int(sizeof...(Src))>;
    using with = list<Src..., typename device_source<Source>::type>;
    using slots = index_sequence<Slot..., int(sizeof...(Src))>;
    template <bool Remember, class = void>
    struct remembered {
      using type = Memo;
    };
    template <class V>
    struct remembered<true, V> {
      using type = memo<entry<node, program, index_sequence<int(sizeof...(Src))>>, Memo>;
    };
    using next = state<with, typename remembered<named>::type, slots>;
  };
  template <class V>
  struct result<true, V> {
    using program = typename met::program;
    using next = state<list<Src...>, Memo, typename join_indices<index_sequence<Slot...>, typename met::slots>::type>;
  };
  using program = typename result<named && met::found>::program;
  using next = typename result<named && met::found>::next;
};

template <int Share, class T, auto V, class S>
struct lower<Share, literal_leaf<T, V>, S> {
  using program = literal<T, V>;
  using next = S;
};

template <class Slots, int From>
struct tail;
template <int... I, int From>
struct tail<index_sequence<I...>, From> {
  template <int... K>
  static index_sequence<index_sequence<I...>::at(From + K)...> take(index_sequence<K...>);
  using type = decltype(take(make_index_sequence<int(sizeof...(I)) - From>{}));
};

/// Lowers arguments one after the other.
template <int Share, class S, class... A>
struct lower_all {
  using programs = list<>;
  using next = S;
};
template <int Share, class S, class A, class... B>
struct lower_all<Share, S, A, B...> {
  using first = lower<Share, A, S>;
  using rest = lower_all<Share, typename first::next, B...>;
  using programs = concat_t<list<typename first::program>, typename rest::programs>;
  using next = typename rest::next;
};

template <class Op, class L>
struct apply_to;
template <class Op, class... P>
struct apply_to<Op, list<P...>> {
  using type = apply<Op, P...>;
};

/// Composite nodes: met before, or lowered and remembered.
template <bool Found, bool Remember, int Share, class Node, class Make, class S>
struct composite;
template <bool Remember, int Share, class Node, class Make, class Sources, class Memo, class Slots>
struct composite<true, Remember, Share, Node, Make, state<Sources, Memo, Slots>> {
  using met = find<Node, Memo>;
  using program = typename met::program;
  using next = state<Sources, Memo, typename join_indices<Slots, typename met::slots>::type>;
};
template <bool Remember, int Share, class Node, class Make, class S>
struct composite<false, Remember, Share, Node, Make, S> {
  template <class Before, class P, class Sources, class Memo, class Slots>
  static state<Sources, memo<entry<Node, P, typename tail<Slots, Before::size>::type>, Memo>, Slots> remember(
      state<Sources, Memo, Slots>*);
  template <class Sources, class Memo, class Slots>
  static Slots slots_of(state<Sources, Memo, Slots>*);
  using made = typename Make::template on<Share, S>;
  using program = typename made::program;
  template <bool Keep, class V = void>
  struct after {
    using type = typename made::next;
  };
  template <class V>
  struct after<true, V> {
    using type = decltype(remember<decltype(slots_of(static_cast<S*>(nullptr))), program>(
        static_cast<typename made::next*>(nullptr)));
  };
  using next = typename after<Remember>::type;
};
template <class S>
struct memo_of;
template <class Sources, class Memo, class Slots>
struct memo_of<state<Sources, Memo, Slots>> {
  using type = Memo;
};

template <class Op, class... A>
struct make_map {
  template <int Share, class S>
  struct on {
    using all = lower_all<Share, S, A...>;
    using program = typename apply_to<Op, typename all::programs>::type;
    using next = typename all::next;
  };
};
/// sin(x) where cos(x) of an x of the same type was met (or the other way round): the same x, by assumption.
template <class Op, class Partner>
struct make_partner {
  template <int Share, class S>
  struct on {
    using met = find<Partner, typename memo_of<S>::type>;
    template <class O, class P>
    static P argument_of(apply<O, P>*);
    using program = apply<Op, decltype(argument_of(static_cast<typename met::program*>(nullptr)))>;
    template <class Sources, class Memo, class Slots>
    static state<Sources, Memo, typename join_indices<Slots, typename met::slots>::type> append(
        state<Sources, Memo, Slots>*);
    using next = decltype(append(static_cast<S*>(nullptr)));
  };
};
template <int Share, class S, class Op, class Seq, class... A>
struct maker {
  using type = make_map<Op, A...>;
};
template <int Share, class S, class Op, class Seq, class A>
  requires(Share > 0)
&&requires { typename Op::partner; }
struct maker<Share, S, Op, Seq, A> {
  using partner = map_expr<typename Op::partner, Seq, A>;
  using type =
      std::conditional_t<find<partner, typename memo_of<S>::type>::found, make_partner<Op, partner>, make_map<Op, A>>;
};

template <int Share>
struct exactness {
  template <class Source, int R>
  static constexpr bool leaf = takes_for_equal<Share, Source, R>;
  template <class Kind, class A, int R>
  static constexpr bool deferred = Kind::in_own_order&& tree::fold<exactness, A>;
  static constexpr bool literal = true;
  template <class Op, class... V>
  static constexpr bool map(V... values) {
    return (values && ...);
  }
};
/// Whether all leaves are taken for equal (or literals): then equal types are equal values.
template <int Share, class E>
inline constexpr bool is_exact = tree::fold<exactness<Share>, E>;

template <class Op>
concept has_partner = requires {
  typename Op::partner;
};

/// Composite nodes are remembered if the user named them, if they are exact, or if they may have a partner.
template <int Share, class Op, class Seq, class... A, class S>
struct lower<Share, map_expr<Op, Seq, A...>, S> {
  using node = map_expr<Op, Seq, A...>;
  static constexpr bool exact = is_exact<Share, node>, met = find<node, typename memo_of<S>::type>::found;
  using made = composite<Share && exact && met, Share && (exact || has_partner<Op>)&&!met, Share, node,
                         typename maker<Share, S, Op, Seq, A...>::type, S>;
  using program = typename made::program;
  using next = typename made::next;
};

template <class A>
struct make_through {
  template <int Share, class S>
  using on = lower<Share, A, S>;
};
template <int Share, class E, class S>
struct lower<Share, named<E>, S> : composite<(Share > 0) && find<named<E>, typename memo_of<S>::type>::found,
                                             (Share > 0), Share, named<E>, make_through<E>, S> {};

/// The argument of a stage counts as named even when it is a plain array: min(x), max(x) read x once.
template <int Share, class Kind, class A, int R, class... Src, class Memo, int... Slot>
  requires(Kind::in_kernel)
struct lower<Share, leaf<deferred<Kind, A>, R>, state<list<Src...>, Memo, index_sequence<Slot...>>> {
  using S = state<list<Src...>, Memo, index_sequence<Slot...>>;
  using made = typename lower_all<Share, S, named<A>>::first;
  using program = stage<typename Kind::stage, typename made::program>;
  using next = typename made::next;
};

}  // namespace lower_detail

}  // namespace lazyfuse::planning

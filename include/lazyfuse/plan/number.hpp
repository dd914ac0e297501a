// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbering: an expression type becomes a program type. Leaves are numbered from left to right; a shared
// numbering gives named, exact and paired sub-expressions of one type one number, on the assumption that
// they read the same operands. Binding (lower.hpp) checks the assumption.
#pragma once

#include <lazyfuse/array/array.hpp>
#include <lazyfuse/expr/fuse.hpp>
#include <lazyfuse/program/program.hpp>

namespace lazyfuse::lower_detail {

/// Sources as the device sees them.
template <class Source>
struct device_source {
  using type = Source;
};
template <class T, class Space>
struct device_source<stored<T, Space>> {
  using type = memory<T>;
};
template <int I, class Source>
struct device_source<numbered_source<I, Source>> : device_source<Source> {};

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

/// Operands so far (their device sources, in order of number), sub-expressions met, and for each leaf
/// in order of occurrence the number of its operand.
template <class Sources, class Memo, class Slots>
struct state;

template <class A, class B>
struct join_indices;
template <int... I, int... J>
struct join_indices<indices<I...>, indices<J...>> {
  using type = indices<I..., J...>;
};

template <class P, class S>
struct lowered {
  using program = P;
  using next = S;
};

template <bool Share, class E, class S>
struct lower;

template <bool Share, class Source, int R, class... Src, class Memo, int... Slot>
struct lower<Share, leaf<Source, R>, state<list<Src...>, Memo, indices<Slot...>>> {
  using node = leaf<Source, R>;
  static constexpr bool named =
      Share && source_traits<Source>::is_argument;  // an argument of fuse: equal type is equal value
  using met = find<node, Memo>;
  template <bool Found, class = void>
  struct result {
    using program = arg<int(sizeof...(Src))>;
    using with = list<Src..., typename device_source<Source>::type>;
    using slots = indices<Slot..., int(sizeof...(Src))>;
    template <bool Remember, class = void>
    struct remembered {
      using type = Memo;
    };
    template <class V>
    struct remembered<true, V> {
      using type = memo<entry<node, program, indices<int(sizeof...(Src))>>, Memo>;
    };
    using next = state<with, typename remembered<named>::type, slots>;
  };
  template <class V>
  struct result<true, V> {
    using program = typename met::program;
    using next = state<list<Src...>, Memo, typename join_indices<indices<Slot...>, typename met::slots>::type>;
  };
  using program = typename result<named && met::found>::program;
  using next = typename result<named && met::found>::next;
};

template <bool Share, class T, auto V, class S>
struct lower<Share, literal_leaf<T, V>, S> {
  using program = literal<T, V>;
  using next = S;
};

template <class Slots, int From>
struct tail;
template <int... I, int From>
struct tail<indices<I...>, From> {
  template <int... K>
  static indices<indices<I...>::at(From + K)...> take(indices<K...>);
  using type = decltype(take(make_indices<int(sizeof...(I)) - From>{}));
};

/// Lowers arguments one after the other.
template <bool Share, class S, class... A>
struct lower_all {
  using programs = list<>;
  using next = S;
};
template <bool Share, class S, class A, class... B>
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
template <bool Found, bool Remember, bool Share, class Node, class Make, class S>
struct composite;
template <bool Remember, bool Share, class Node, class Make, class Sources, class Memo, class Slots>
struct composite<true, Remember, Share, Node, Make, state<Sources, Memo, Slots>> {
  using met = find<Node, Memo>;
  using program = typename met::program;
  using next = state<Sources, Memo, typename join_indices<Slots, typename met::slots>::type>;
};
template <bool Remember, bool Share, class Node, class Make, class S>
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
  template <bool Share, class S>
  struct on {
    using all = lower_all<Share, S, A...>;
    using program = typename apply_to<Op, typename all::programs>::type;
    using next = typename all::next;
  };
};
/// sin(x) where cos(x) of an x of the same type was met (or the other way round): the same x, by assumption.
template <class Op, class Partner>
struct make_partner {
  template <bool Share, class S>
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
template <bool Share, class S, class Op, class Seq, class... A>
struct maker {
  using type = make_map<Op, A...>;
};
template <class S, class Op, class Seq, class A>
  requires requires { typename Op::partner; }
struct maker<true, S, Op, Seq, A> {
  using partner = map_expr<typename Op::partner, Seq, A>;
  using type = ::cuda::std::conditional_t<find<partner, typename memo_of<S>::type>::found, make_partner<Op, partner>,
                                          make_map<Op, A>>;
};

/// Whether all leaves are arguments of fuse (or literals): then equal types are equal values.
template <class E>
inline constexpr bool is_exact = false;
template <class Source, int R>
inline constexpr bool is_exact<leaf<Source, R>> = source_traits<Source>::is_argument;
template <class T, auto V>
inline constexpr bool is_exact<literal_leaf<T, V>> = true;
template <class Op, class Seq, class... A>
inline constexpr bool is_exact<map_expr<Op, Seq, A...>> = (is_exact<A> && ...);
template <class E>
inline constexpr bool is_exact<named<E>> = is_exact<E>;

/// Composite nodes are remembered if the user named them, if they are exact, or if they may have a partner.
template <bool Share, class Op, class Seq, class... A, class S>
struct lower<Share, map_expr<Op, Seq, A...>, S>
    : composite<Share && is_exact<map_expr<Op, Seq, A...>> && find<map_expr<Op, Seq, A...>, typename memo_of<S>::type>::found,
                Share && (is_exact<map_expr<Op, Seq, A...>> || requires {
  typename Op::partner; }) && !find<map_expr<Op, Seq, A...>, typename memo_of<S>::type>::found, Share, map_expr<Op, Seq, A...>,
                typename maker<Share, S, Op, Seq, A...>::type, S> {};

template <class A>
struct make_through {
  template <bool Share, class S>
  using on = lower<Share, A, S>;
};
template <bool Share, class E, class S>
struct lower<Share, named<E>, S>
    : composite<Share && find<named<E>, typename memo_of<S>::type>::found, Share, Share, named<E>, make_through<E>, S> {
};

/// The argument of a reduction counts as composite even when it is a plain array: min(x), max(x) read x once.
template <class A>
struct reduced_argument {};
template <bool Share, class Monoid, int Axes, class A, bool V, int R, class... Src, class Memo, int... Slot>
struct lower<Share, leaf<reduced<Monoid, Axes, A, V>, R>, state<list<Src...>, Memo, indices<Slot...>>> {
  using S = state<list<Src...>, Memo, indices<Slot...>>;
  using key = reduced_argument<A>;
  using made = composite<Share && find<key, typename memo_of<S>::type>::found, Share, Share, key, make_through<A>, S>;
  using program = reduction<Monoid, typename made::program>;
  using next = typename made::next;
};

}  // namespace lazyfuse::lower_detail

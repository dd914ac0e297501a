// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering: an expression becomes a program (a type) and operands (values). Leaves are numbered from
// left to right. A second lowering numbers equal-typed composite sub-expressions once, on the assumption
// that they read the same operands; binding checks the assumption at run time.
#pragma once

#include <lazyfuse/array/array.hpp>
#include <lazyfuse/expr/fuse.hpp>
#include <lazyfuse/program/program.hpp>

namespace lazyfuse {

/// What planning needs to know of an operand or target, whatever its type.
struct operand_info {
  const void* data;      ///< null for constants and ramps
  index_t* steps;        ///< R steps inside the operand; null for constants
  allocation* owner;     ///< null for borrowed memory
  int element_size;
  int own_rank;          ///< axes of the operand itself, before broadcasting
};

namespace lower_detail {

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

template <class T, class Space>
memory<T> bind_source(const stored<T, Space>& s, index_t offset) {
  return {s.data + offset};
}
template <class T>
ramp<T> bind_source(ramp<T> s, index_t offset) {
  s.origin += offset;
  return s;
}
template <class T>
constant<T> bind_source(const constant<T>& s, index_t) {
  return s;
}
template <class T, class Space>
allocation* owner_of(const stored<T, Space>& s) {
  return s.owner.get();
}
template <class Source>
allocation* owner_of(const Source&) {
  return nullptr;
}

// ---- numbering -------------------------------------------------------------------------------------

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
  static constexpr bool named = Share && source_traits<Source>::is_argument;  // an argument of fuse: equal type is equal value
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
  static state<Sources, memo<entry<Node, P, typename tail<Slots, Before::size>::type>, Memo>, Slots> remember(state<Sources, Memo, Slots>*);
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
    using type = decltype(remember<decltype(slots_of(static_cast<S*>(nullptr))), program>(static_cast<typename made::next*>(nullptr)));
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
    static state<Sources, Memo, typename join_indices<Slots, typename met::slots>::type> append(state<Sources, Memo, Slots>*);
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
  using type = ::cuda::std::conditional_t<find<partner, typename memo_of<S>::type>::found, make_partner<Op, partner>, make_map<Op, A>>;
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
                Share && (is_exact<map_expr<Op, Seq, A...>> || requires { typename Op::partner; }) && !find<map_expr<Op, Seq, A...>, typename memo_of<S>::type>::found, Share, map_expr<Op, Seq, A...>,
                typename maker<Share, S, Op, Seq, A...>::type, S> {};

template <class A>
struct make_through {
  template <bool Share, class S>
  using on = lower<Share, A, S>;
};
template <bool Share, class E, class S>
struct lower<Share, named<E>, S>
    : composite<Share && find<named<E>, typename memo_of<S>::type>::found, Share, Share, named<E>, make_through<E>, S> {};

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

// ---- binding ---------------------------------------------------------------------------------------

/// Receives the leaves of an expression in order and writes each as the operand of its number.
/// R is the rank of the iteration: the kept axes first, then the reduced ones.
template <class Slots, int R, class... Src>
struct binder;
template <int... Slot, int R, class... Src>
struct binder<indices<Slot...>, R, Src...> {
  static constexpr int count = sizeof...(Src);
  static constexpr int slot(int occurrence) { return indices<Slot...>::at(occurrence); }
  static constexpr bool is_first(int occurrence) {
    for (int k = 0; k < occurrence; ++k)
      if (slot(k) == slot(occurrence)) return false;
    return true;
  }

  operand_pack<R, Src...>& operands;
  operand_info* info;
  const shape<R>& extents;
  bool agree = true;  ///< whether all leaves of one number are the same operand

  /// Reduced is how many trailing axes of the iteration the leaf does not see.
  template <int Occurrence, class Source, int Rank>
  void put(const leaf<Source, Rank>& e, int reduced) {
    constexpr int k = slot(Occurrence);
    using S = type_at<k, Src...>;
    operand<S, R> o;
    o.source = bind_source(e.source, e.offset);
    if constexpr (requires { o.steps; }) {
      o.steps = {};
      for (int axis = 0; axis < Rank; ++axis) {
        const int to = axis + R - reduced - Rank;
        o.steps[to] = e.extents[axis] == extents[to] && extents[to] != 1 ? e.steps[axis] : 0;
      }
    }
    if constexpr (is_first(Occurrence)) {
      auto& mine = get<k>(operands);
      mine = o;
      if constexpr (requires { mine.steps; }) {
        if constexpr (S::is_memory) info[k] = {mine.source.data, mine.steps.step, owner_of(e.source), int(sizeof(value_t<leaf<Source, Rank>>)), Rank};
        else info[k] = {nullptr, mine.steps.step, nullptr, 0, Rank};
      } else info[k] = {nullptr, nullptr, nullptr, 0, Rank};
    } else {
      const auto& known = get<k>(operands);
      agree &= known.source == o.source;
      if constexpr (requires { o.steps; }) agree &= known.steps == o.steps;
    }
  }
};

template <int N, class Binder, class Source, int R>
void bind(const leaf<Source, R>& e, Binder& b, int reduced) {
  b.template put<N>(e, reduced);
}
template <int N, class Binder, class T, auto V>
void bind(const literal_leaf<T, V>&, Binder&, int) {}
template <int N, class Binder, class Monoid, int Axes, class A, bool V, int R>
void bind(const leaf<reduced<Monoid, Axes, A, V>, R>& e, Binder& b, int) {
  bind<N>(e.source.argument, b, 0);
}
template <int N, class Binder, class Op, class Seq, class... A>
void bind(const map_expr<Op, Seq, A...>& e, Binder& b, int reduced);

/// How many leaves an expression has.
template <class E>
inline constexpr int leaf_count = 1;
template <class T, auto V>
inline constexpr int leaf_count<literal_leaf<T, V>> = 0;
template <class Monoid, int Axes, class A, bool V, int R>
inline constexpr int leaf_count<leaf<reduced<Monoid, Axes, A, V>, R>> = leaf_count<A>;
template <class Op, class Seq, class... A>
inline constexpr int leaf_count<map_expr<Op, Seq, A...>> = (0 + ... + leaf_count<A>);
template <class E>
inline constexpr int leaf_count<named<E>> = leaf_count<E>;

template <int N, int K, class Binder, class Op, class Seq, class... A>
void bind_arguments(const map_expr<Op, Seq, A...>& e, Binder& b, int reduced) {
  if constexpr (K < int(sizeof...(A))) {
    bind<N>(e.template argument<K>(), b, reduced);
    bind_arguments<N + leaf_count<bare_t<decltype(e.template argument<K>())>>, K + 1>(e, b, reduced);
  }
}
template <int N, class Binder, class Op, class Seq, class... A>
void bind(const map_expr<Op, Seq, A...>& e, Binder& b, int reduced) {
  bind_arguments<N, 0>(e, b, reduced);
}

template <int N, class Binder>
void bind_each(Binder&, int) {}
template <int N, class Binder, class E, class... Rest>
void bind_each(Binder& b, int reduced, const E& e, const Rest&... rest) {
  bind<N>(e, b, reduced);
  bind_each<N + leaf_count<E>>(b, reduced, rest...);
}

template <bool Share, class... E>
struct lower_roots {
  using all = lower_all<Share, state<list<>, no_memo, indices<>>, E...>;
  using programs = typename all::programs;
  template <class Sources, class Memo, class Slots>
  static list<Sources, Slots> parts(state<Sources, Memo, Slots>*);
  template <class Sources, class Slots>
  struct named {
    using sources = Sources;
    using slots = Slots;
  };
  template <class Sources, class Memo, class Slots>
  static named<Sources, Slots> name(state<Sources, Memo, Slots>*);
  using parts_type = decltype(name(static_cast<typename all::next*>(nullptr)));
};

}  // namespace lower_detail

/// The program, the device sources of the operands, and which leaf is which operand. Shared: with
/// equal-typed composites numbered once.
template <bool Share, class... E>
struct lowering {
  using roots = lower_detail::lower_roots<Share, E...>;
  using programs = typename roots::programs;
  using sources = typename roots::parts_type::sources;
  using slots = typename roots::parts_type::slots;
};

namespace lower_detail {
template <class Slots, int R, class Sources>
struct binder_for;
template <class Slots, int R, class... Src>
struct binder_for<Slots, R, list<Src...>> {
  using type = binder<Slots, R, Src...>;
  using operands = operand_pack<R, Src...>;
  static constexpr int count = sizeof...(Src);
};
}  // namespace lower_detail

/// The operands of a lowering bound to values, and the descriptions of targets and operands.
template <class Lowering, int R, int Targets>
struct bound_operands {
  using sources = typename Lowering::sources;
  using pack_type = typename lower_detail::binder_for<typename Lowering::slots, R, sources>::operands;
  using binding = lower_detail::binder_for<typename Lowering::slots, R, typename Lowering::sources>;
  static constexpr int count = binding::count;
  typename binding::operands operands;
  operand_info info[Targets + count];  ///< targets first

  /// Returns whether leaves that share a number are the same operand.
  template <class... E>
  bool bind(const shape<R>& extents, int reduced, const E&... e) {
    typename binding::type b{operands, info + Targets, extents};
    lower_detail::bind_each<0>(b, reduced, e...);
    return b.agree;
  }
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering: an expression type becomes a program type. Leaves are numbered from left to right; a shared numbering gives
// equal, named and paired sub-expressions of one type the same numbers, on the assumption that they read the same
// operands. Binding (bind.hpp) checks the assumption.
//
// Numbers are found as values, in one constant expression: types that carry what was met so far would be named in
// everything that compilers write (docs/design/compile_time.md).
#pragma once

#include <lazyfuse/array/array.hpp>
#include <lazyfuse/expr/barrier.hpp>
#include <lazyfuse/expr/fuse.hpp>
#include <lazyfuse/expr/table.hpp>
#include <lazyfuse/plan/sharing_ways.hpp>
#include <lazyfuse/program/program.hpp>
#include <lazyfuse/program/remapped.hpp>
#include <lazyfuse/program/windowed.hpp>

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
template <int I, class Source, uint64 Seen>
struct device_source<numbered_source<I, Source, Seen>> : device_source<Source> {};
template <class Source, class Map, int R>
struct device_source<remapped<Source, Map, R>> {
  using type = remapped<typename device_source<Source>::type, Map, R>;
};
template <class Source>
struct device_source<windowed<Source>> {
  using type = windowed<typename device_source<Source>::type>;
};
template <class Source, int K, beyond Beyond>
struct device_source<table_of<Source, K, Beyond>> {
  using type = constant<table<typename device_source<Source>::type, K, Beyond>>;
};

template <class Op>
concept has_partner = requires {
  typename Op::partner;
};

/// Whether B is the type of a term of A, a chain of one operation: of x * x + y * y + z * z, say.
template <class Op, class A, class B>
inline constexpr bool has_term = __is_same(A, B);
template <class Op, class B, class C, class D>
inline constexpr bool has_term<Op, map_expr<Op, index_sequence<0, 1>, C, D>, B> =
    __is_same(map_expr<Op, index_sequence<0, 1>, C, D>, B) || __is_same(D, B) || has_term<Op, C, B>;
/// x * x is more likely of one array than of two.
template <class Op>
concept squares = requires {
  requires Op::squares;
};
/// Whether an operation has arguments of one type that are hardly one value, as those of a product may be.
template <class Op, class... A>
inline constexpr bool has_like_terms = false;
template <class Op, class A, class B>
inline constexpr bool has_like_terms<Op, A, B> = !squares<Op> && has_term<Op, A, B>;

template <class Source>
inline constexpr auto kind_of_leaf = source_traits<Source>::is_argument ? noted_leaf::argument
                                     : is_constant<Source>              ? noted_leaf::constant
                                                                        : noted_leaf::other;
template <class T, class Space>
inline constexpr auto kind_of_leaf<stored<T, Space>> = noted_leaf::array;

/// Sums of none, one, two ... of some numbers.
template <int Count>
struct partial_sums {
  int value[Count + 1] = {};
};
template <int... N>
inline constexpr partial_sums<sizeof...(N)> sums_of = [] {
  partial_sums<sizeof...(N)> s;
  int last = 0;
  ((s.value[last + 1] = s.value[last] + N, ++last), ...);
  return s;
}();

/// A node of an expression: how many leaves, operations and parts that may be met again there are below it; the sources
/// of the leaves, and notes of all these; its program, whose first leaf has slot number First: a class, since aliases
/// would be written out in each other.
template <class E>
struct node;

template <class Source, int R>
struct node<leaf<Source, R>> {
  static constexpr int leaves = 1, operations = 0, parts = 0;
  using sources = list<typename device_source<Source>::type>;
  static constexpr void note(type_notes& n) { n.add(kind_of_leaf<Source>, &identity_of<leaf<Source, R>>, R); }
  template <class Slots, int First>
  struct program {
    using type = arg<Slots::value[First]>;
  };
};

template <class T, auto V>
struct node<literal_leaf<T, V>> {
  static constexpr int leaves = 0, operations = 0, parts = 0;
  using sources = list<>;
  static constexpr void note(type_notes&) {}
  template <class Slots, int First>
  struct program {
    using type = literal<T, V>;
  };
};

/// sin(x) where cos(x) of an x of the same type was met (or the other way round) has the same x, by assumption.
template <class Op, int... I, class... A>
struct node<map_expr<Op, index_sequence<I...>, A...>> {
  static constexpr bool like_terms = has_like_terms<Op, A...>;
  static constexpr int leaves = (0 + ... + node<A>::leaves), operations = (1 + ... + node<A>::operations);
  static constexpr bool noted = operations > 1 || has_partner<Op>;
  static constexpr int parts = noted + (0 + ... + node<A>::parts);
  using sources = concat_t<typename node<A>::sources...>;
  static constexpr void note(type_notes& n) {
    int part = -1;
    if constexpr (noted) {
      const char* partner = nullptr;
      if constexpr (has_partner<Op>) partner = &identity_of<map_expr<typename Op::partner, index_sequence<I...>, A...>>;
      part = n.begin_operations(&identity_of<map_expr<Op, index_sequence<I...>, A...>>, leaves, operations, partner);
    }
    if constexpr (like_terms) note_terms(n, static_cast<A*>(nullptr)...);
    else (node<A>::note(n), ...);
    n.end(part, squares<Op>);
  }
  template <class B, class C>
  static constexpr void note_terms(type_notes& n, B*, C*) {
    const auto first = n.here();
    node<B>::note(n);
    if (__is_same(B, C)) n.end_term(first, true);
    const auto second = n.here();
    node<C>::note(n);
    n.end_term(second, true);
  }
  static constexpr auto before = sums_of<node<A>::leaves...>;
  template <class Slots, int First>
  struct program {
    using type = apply<Op, typename node<A>::template program<Slots, First + before.value[I]>::type...>;
  };
};

template <class E>
struct node<named<E>> {
  static constexpr int leaves = node<E>::leaves, operations = node<E>::operations, parts = 1 + node<E>::parts;
  using sources = typename node<E>::sources;
  static constexpr void note(type_notes& n, bool by_user = true) {
    const int part = n.begin_name(&identity_of<named<E>>, leaves, by_user);
    node<E>::note(n);
    n.end(part);
  }
  template <class Slots, int First>
  using program = typename node<E>::template program<Slots, First>;
};

/// The argument of a stage counts as named even when it is a plain array: min(x), max(x) read x once.
template <class Kind, class A, int R>
  requires(Kind::in_kernel)
struct node<leaf<deferred<Kind, A>, R>> : node<named<A>> {
  static constexpr int operations = 1 + node<A>::operations, parts = (operations > 1) + node<named<A>>::parts;
  static constexpr void note(type_notes& n) {
    int part = -1;
    if constexpr (operations > 1)
      part = n.begin_operations(&identity_of<leaf<deferred<Kind, A>, R>>, node<A>::leaves, operations);
    node<named<A>>::note(n, false);
    n.end(part);
  }
  template <class Slots, int First>
  struct program {
    using type = stage<typename Kind::stage, typename node<A>::template program<Slots, First>::type>;
  };
};

/// The operand number of each leaf, as an array.
template <class Slots>
struct slot_table;
template <int... Slot>
struct slot_table<index_sequence<Slot...>> {
  static constexpr int count = sizeof...(Slot);
  static constexpr int value[count + 1] = {Slot...};
};

/// All that is noted of expressions.
template <class... E>
struct notes_of {
  static constexpr int leaves = (0 + ... + node<E>::leaves), parts = (0 + ... + node<E>::parts);
  noted_leaf leaf[leaves + 1] = {};
  noted_part part[parts + 1] = {};
  noted_type type[leaves + parts + 1] = {};
  noted_result result[sizeof...(E)] = {};
  int types_of[leaves + 1] = {};
  type_notes notes{leaf, part, type, result, types_of, false};

  constexpr explicit notes_of(bool finds_repeats) {
    notes.finds_repeats = finds_repeats;
    (note<E>(notes), ...);
    notes.end_all();
  }
  template <class Result>
  static constexpr void note(type_notes& n) {
    const auto first = n.here();
    node<Result>::note(n);
    n.end_result(first, &identity_of<Result>);
  }
};

template <int Leaves>
struct argument_ids {
  int slot[Leaves + 1] = {}, first[Leaves + 1] = {};  ///< first: the first leaf of each operand
  int operands = 0;
};
template <class... E>
constexpr auto argument_ids_of(int share) {
  notes_of<E...> noted(share == repeats);
  argument_ids<notes_of<E...>::leaves> all;
  all.operands = operand_count(noted.notes, all.slot, share);
  for (int i = noted.leaves - 1; i >= 0; --i) all.first[all.slot[i]] = i;
  return all;
}
/// Which ways of sharing are tried. One set of notes for all: what is noted for repeats alone changes no other way.
template <class... E>
constexpr sharing_ways ways_of(int names, bool finds_repeats, bool of_rows) {
  notes_of<E...> noted(finds_repeats);
  int slots[notes_of<E...>::leaves + 1] = {};
  return ways_to_share(noted.notes, slots, names, of_rows);
}

template <class Slots, class Seq, class... E>
struct programs_of;
template <class Slots, int... I, class... E>
struct programs_of<Slots, index_sequence<I...>, E...> {
  static constexpr auto before = sums_of<node<E>::leaves...>;
  using type = list<typename node<E>::template program<Slots, before.value[I]>::type...>;
};
template <class All, class First>
struct picked;
template <class... Src, int... I>
struct picked<list<Src...>, index_sequence<I...>> {
  using type = list<type_at<I, Src...>...>;
};
}  // namespace lower_detail

/// The programs of expressions, the device sources of their operands, and which leaf is which operand. Share: how far
/// equal types are equal operands (operand_numbers.hpp).
template <int Share, class... E>
struct lowering {
  static constexpr bool shared = Share != 0;
  static constexpr auto ids = lower_detail::argument_ids_of<E...>(Share);
  template <int... I>
  static index_sequence<ids.slot[I]...> slots_of(index_sequence<I...>);
  template <int... I>
  static index_sequence<ids.first[I]...> firsts_of(index_sequence<I...>);
  using slots = decltype(slots_of(make_index_sequence<(0 + ... + lower_detail::node<E>::leaves)>{}));
  using sources = typename lower_detail::picked<concat_t<typename lower_detail::node<E>::sources...>,
                                                decltype(firsts_of(make_index_sequence<ids.operands>{}))>::type;
  using programs = typename lower_detail::programs_of<lower_detail::slot_table<slots>,
                                                      make_index_sequence<sizeof...(E)>, E...>::type;
};

}  // namespace lazyfuse::planning

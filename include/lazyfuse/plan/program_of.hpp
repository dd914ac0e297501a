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
template <int I, class Source, uint64 Seen>
struct device_source<numbered_source<I, Source, Seen>> : device_source<Source> {};
template <class Source, class Map, int R>
struct device_source<remapped<Source, Map, R>> {
  using type = remapped<typename device_source<Source>::type, Map, R>;
};

/// How far equal types are taken for equal operands, to be checked at launch: 0, not at all; 1, for what has a name, is
/// made of arguments of fuse, or is reduced; 1 + R, for arrays of rank R as well.
constexpr int sharing_arrays(int rank) { return 1 + rank; }
template <int Share, class Source, int R>
inline constexpr bool takes_for_equal = Share > 0 && source_traits<Source>::is_argument;
template <int Share, class T, class Space, int R>
inline constexpr bool takes_for_equal<Share, stored<T, Space>, R> = Share > 1 && R == Share - 1;

template <class Op>
concept has_partner = requires {
  typename Op::partner;
};

/// Operand numbers, in a constant expression: of each leaf met so far, and of what may be met again.
struct numbering {
  struct name {
    const char* type;
    int first, leaves;
  };
  const char** leaf_types;  ///< null for leaves that are operands of their own
  int* slots;
  name* names;
  int leaves = 0, operands = 0, named = 0;

  constexpr void leaf(const char* type) {
    int slot = operands;
    for (int i = 0; type && i < leaves && slot == operands; ++i)
      if (leaf_types[i] == type) slot = slots[i];
    operands += slot == operands;
    leaf_types[leaves] = type;
    slots[leaves++] = slot;
  }
  /// The leaves of a sub-expression that was met before are those it had then. False if it was not.
  constexpr bool again(const char* type) {
    for (int n = 0; n < named; ++n) {
      if (names[n].type != type) continue;
      for (int i = 0; i < names[n].leaves; ++i) {
        leaf_types[leaves] = nullptr;
        slots[leaves++] = slots[names[n].first + i];
      }
      return true;
    }
    return false;
  }
  constexpr void remember(const char* type, int first) { names[named++] = {type, first, leaves - first}; }
};

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

/// A node of an expression: how many leaves there are below it, their sources, and names of what may be met again; how
/// they are numbered; its program, whose first leaf has slot number First: a class, since aliases would be written out
/// in each other.
template <class E>
struct node;

template <class Source, int R>
struct node<leaf<Source, R>> {
  static constexpr int leaves = 1, names = 0;
  using sources = list<typename device_source<Source>::type>;
  template <int Share>
  static constexpr void number(numbering& n) {
    if constexpr (takes_for_equal<Share, Source, R>) n.leaf(&identity_of<leaf<Source, R>>);
    else n.leaf(nullptr);
  }
  template <class Slots, int First>
  struct program {
    using type = arg<Slots::value[First]>;
  };
};

template <class T, auto V>
struct node<literal_leaf<T, V>> {
  static constexpr int leaves = 0, names = 0;
  using sources = list<>;
  template <int Share>
  static constexpr void number(numbering&) {}
  template <class Slots, int First>
  struct program {
    using type = literal<T, V>;
  };
};

/// sin(x) where cos(x) of an x of the same type was met (or the other way round) has the same x, by assumption.
template <class Op, int... I, class... A>
struct node<map_expr<Op, index_sequence<I...>, A...>> {
  static constexpr int leaves = (0 + ... + node<A>::leaves), names = has_partner<Op> + (0 + ... + node<A>::names);
  using sources = concat_t<typename node<A>::sources...>;
  template <int Share>
  static constexpr void number(numbering& n) {
    if constexpr (Share > 0 && has_partner<Op>) {
      const int first = n.leaves;
      if (!n.again(&identity_of<map_expr<typename Op::partner, index_sequence<I...>, A...>>))
        (node<A>::template number<Share>(n), ...);
      n.remember(&identity_of<map_expr<Op, index_sequence<I...>, A...>>, first);
    } else (node<A>::template number<Share>(n), ...);
  }
  static constexpr auto before = sums_of<node<A>::leaves...>;
  template <class Slots, int First>
  struct program {
    using type = apply<Op, typename node<A>::template program<Slots, First + before.value[I]>::type...>;
  };
};

template <class E>
struct node<named<E>> {
  static constexpr int leaves = node<E>::leaves, names = 1 + node<E>::names;
  using sources = typename node<E>::sources;
  template <int Share>
  static constexpr void number(numbering& n) {
    const int first = n.leaves;
    if (Share > 0 && n.again(&identity_of<named<E>>)) return;
    node<E>::template number<Share>(n);
    if (Share > 0) n.remember(&identity_of<named<E>>, first);
  }
  template <class Slots, int First>
  using program = typename node<E>::template program<Slots, First>;
};

/// The argument of a stage counts as named even when it is a plain array: min(x), max(x) read x once.
template <class Kind, class A, int R>
  requires(Kind::in_kernel)
struct node<leaf<deferred<Kind, A>, R>> : node<named<A>> {
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

template <int Leaves>
struct argument_ids {
  int slot[Leaves + 1] = {}, first[Leaves + 1] = {};  ///< first: the first leaf of each operand
  int operands = 0;
};
template <int Share, class... E>
constexpr auto argument_ids_of() {
  constexpr int leaves = (0 + ... + node<E>::leaves), names = (0 + ... + node<E>::names);
  argument_ids<leaves> all;
  const char* types[leaves + 1] = {};
  numbering::name met[names + 1] = {};
  numbering n{types, all.slot, met};
  (node<E>::template number<Share>(n), ...);
  for (int i = leaves - 1; i >= 0; --i) all.first[all.slot[i]] = i;
  all.operands = n.operands;
  return all;
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

/// The programs of expressions, the device sources of their operands, and which leaf is which operand. Share: see
/// takes_for_equal.
template <int Share, class... E>
struct lowering {
  static constexpr bool shared = Share > 0;
  static constexpr auto ids = lower_detail::argument_ids_of<Share, E...>();
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering: an expression becomes a program (a type) and operands (values), bound to one iteration. Where
// leaves share a number, binding finds out whether they really are the same operand.
#pragma once

#include <lazyfuse/plan/program_of.hpp>

#include <new>

namespace lazyfuse::planning {

/// What planning needs to know of an operand or target, whatever its type.
struct operand_info {
  const void* data;   ///< null for what is not in memory
  index_t* steps;     ///< R steps inside the operand; null for constants
  allocation* owner;  ///< null for borrowed memory
  int element_size;   ///< 0 for what is not read where the steps lead from data
  int own_rank;       ///< axes of the operand itself, before broadcasting
  void* place;        ///< where the kernel finds its source, the pointer first if it is in memory
  /// Of memory that is read elsewhere, through a map: the size of its elements, and how many there are from data on.
  int mapped_size = 0;
  index_t reach = 0;
  index_t arrays = 0;  ///< that it is a batch of
};

/// A leaf as code that knows no types sees it.
struct leaf_view {
  const char* data;   ///< its first element; null if it has no memory
  allocation* owner;  ///< null for borrowed memory
  const index_t *extents, *steps;
  index_t offset;
  int rank, element_size;
  bool mapped;    ///< read through a map: anywhere from data on, not where the steps lead
  index_t reach;  ///< and how many elements there are
};

/// What that code must know of a type of leaves: where its members are, in bytes, and what it cannot do without types.
struct leaf_type {
  int rank, element_size;  ///< element_size: 0 if it has no memory; else its source begins with an owner and a pointer
  int extents, steps, offset;
  bool (*same_source)(const void* leaf, const void* other);
  /// Writes the source as the device sees it; for leaves that are more than a pointer.
  void (*place)(const void* leaf, void* source);
  /// Which elements are read, counted from the pointer; null where the steps say it.
  stretch (*reach)(const void* leaf);
  int source_bytes;  ///< of what place() writes
  bool is_graph;     ///< what it reads is known to the graph alone

  leaf_view see(const void* leaf) const;
  /// Of one that has memory: whose, null if borrowed.
  allocation* owner(const void* leaf) const { return *static_cast<allocation* const*>(leaf); }
};

/// One leaf of an expression, wherever it is.
struct leaf_record {
  const void* leaf;
  const leaf_type* type;
  int frame;  ///< 0, or the number of the reduction it is an argument of, counted from 1
};

/// One reduction of an expression, wherever it is: its result as a leaf, and its argument.
struct reduction_record {
  const index_t *extents, *steps;
  index_t offset;
  int rank;
  const index_t* argument;  ///< extents: kept axes, then the reduced ones
  int argument_rank, axes;
  int frame;  ///< whose argument it is part of
};

/// Which axis of the iteration each axis of a frame is: of the expression itself, or of a reduction's argument. -1 for
/// some axes of extent 1.
struct axis_map {
  int rank = 0;
  short axis[max_rank] = {};
  static constexpr axis_map identity(int rank) {
    axis_map m{rank};
    for (int k = 0; k < rank; ++k) m.axis[k] = static_cast<short>(k);
    return m;
  }
};

namespace lower_detail {

template <class Source>
  requires requires(Source s) { s.origin; }
Source device_value(Source s, index_t offset) {
  s.origin += offset;
  return s;
}
template <class T>
constant<T> device_value(const constant<T>& s, index_t) {
  return s;
}
template <class T, class Space>
memory<std::remove_const_t<T>> device_value(const stored<T, Space>& s, index_t offset) {
  return {s.data + offset};
}
template <class Source, class Map, int R>
auto device_value(const remapped<Source, Map, R>& s, index_t offset) {
  using type = typename device_source<remapped<Source, Map, R>>::type;
  return type{device_value(s.source, 0), s.map, s.within, s.origin + offset};
}
template <class Source>
auto device_value(const windowed<Source>& s, index_t offset) {
  using type = typename device_source<windowed<Source>>::type;
  return type{device_value(s.source, 0), s.origin + offset, s.bits, s.count, s.length};
}
template <class Source, int K, beyond Beyond>
auto device_value(const table_of<Source, K, Beyond>& s, index_t) {
  using type = typename device_source<table_of<Source, K, Beyond>>::type;
  return type({device_value(s.source, 0), s.axes});
}
template <int I, class Source, uint64 Seen>
auto device_value(const tree::numbered_source<I, Source, Seen>& s, index_t offset) {
  return device_value(static_cast<const Source&>(s), offset);
}

/// Writes the source of a leaf as the device sees it.
template <class Leaf>
void place_source(const Leaf& leaf, void* to) {
  using source = typename device_source<typename Leaf::source_type>::type;
  new (to) source(device_value(leaf.source, leaf.offset));
}

/// The table of one type of leaves.
template <class Leaf>
struct leaf_table {
  using source = typename Leaf::source_type;
  static constexpr bool in_memory = Leaf::owners > 0, mapped = in_memory && requires(const source&s) { s.reach(); };
  static const Leaf& leaf(const void* p) { return *static_cast<const Leaf*>(p); }
  static bool same_source(const void* a, const void* b) { return leaf(a).source == leaf(b).source; }
  static void place(const void* p, void* to) {
    if constexpr (!in_memory || mapped) place_source(leaf(p), to);
  }
  static stretch reach(const void* p) {
    if constexpr (mapped) return leaf(p).source.reach();
    else return {};
  }
  static constexpr bool is_graph = requires { typename source::is_graph; };
  static constexpr int element_size = [] {
    if constexpr (requires { source::element_size; }) return source::element_size;
    else return int(sizeof(typename Leaf::value_type));
  }();
  static constexpr leaf_type value = {Leaf::rank,
                                      in_memory ? element_size : 0,
                                      int(__builtin_offsetof(Leaf, extents)),
                                      int(__builtin_offsetof(Leaf, steps)),
                                      int(__builtin_offsetof(Leaf, offset)),
                                      same_source,
                                      place,
                                      mapped ? reach : nullptr,
                                      int(sizeof(typename device_source<source>::type)),
                                      is_graph};
};

struct counting_leaves : tree::sums<int> {
  template <class Source, int R>
  static constexpr int leaf = 1;
  /// What is computed into memory is read before anything else is written, and has leaves of its own.
  template <class Kind, class A, int R>
  static constexpr int deferred = Kind::in_kernel ? tree::fold<counting_leaves, A> : 0;
};
/// How many leaves an expression has; literals are none.
template <class E>
inline constexpr int leaf_count = tree::fold<counting_leaves, E>;

struct counting_reductions : tree::sums<int> {
  template <class Source, int R>
  static constexpr int leaf = 0;
  template <class Kind, class A, int R>
  static constexpr int deferred = Kind::in_kernel ? 1 + tree::fold<counting_reductions, A> : 0;
};
/// How many reductions an expression has, those inside others counted too.
template <class E>
inline constexpr int reduction_count = tree::fold<counting_reductions, E>;

/// Where the next leaf and the next reduction are noted.
struct notes {
  leaf_record* leaf;
  reduction_record* reduction;  ///< null if nobody wants them
  int reductions = 0;
};
/// Notes the leaves and reductions of an expression, from left to right.
template <class Op, int... I, class... A>
void collect(const map_expr<Op, index_sequence<I...>, A...>& e, notes& to, int frame);
template <class Source, int R>
void collect(const leaf<Source, R>& e, notes& to, int frame) {
  *to.leaf++ = {&e, &leaf_table<leaf<Source, R>>::value, frame};
}
template <class T, auto V>
void collect(const literal_leaf<T, V>&, notes&, int) {}
template <class Kind, class A, int R>
void collect(const leaf<deferred<Kind, A>, R>& e, notes& to, int frame) {
  if constexpr (Kind::in_kernel) {
    const A& argument = e.source.argument;
    if (to.reduction)
      to.reduction[to.reductions] = {e.extents.extent,        e.steps.step, e.offset,   R,
                                     argument.shape().extent, A::rank,      Kind::axes, frame};
    collect(argument, to, ++to.reductions);
  }
}
template <class Op, int... I, class... A>
void collect(const map_expr<Op, index_sequence<I...>, A...>& e, notes& to, int frame) {
  (collect(static_cast<const element<I, A>&>(e.arguments).value, to, frame), ...);
}

/// The leaves of several expressions.
template <class... E>
struct leaves {
  static constexpr int count = (0 + ... + leaf_count<E>);
  leaf_record record[count + 1];
  explicit leaves(const E&... e) {
    notes to{record, nullptr};
    (collect(e, to, 0), ...);
  }
};
/// Whether leaves and reductions are the same: source, shape, steps and offset.
bool same_operands(const leaf_record* a, const leaf_record* b, int leaves, const reduction_record* r,
                   const reduction_record* s, int reductions);
/// The leaves and reductions of several expressions.
template <class... E>
struct leaves_and_reductions {
  static constexpr int count = (0 + ... + leaf_count<E>), reductions = (0 + ... + reduction_count<E>);
  leaf_record record[count + 1];
  reduction_record reduction[reductions + 1];
  explicit leaves_and_reductions(const E&... e) {
    notes to{record, reduction};
    (collect(e, to, 0), ...);
    record[count] = {};  // arrays have no length 0
    reduction[reductions] = {};
  }
};

/// Where the source and the steps of an operand are; no steps for constants.
struct operand_place {
  void* source;
  index_t* steps;
};
template <class Source, int R>
operand_place place_of(operand<Source, R>& o) {
  if constexpr (requires { o.steps; }) return {&o.source, o.steps.step};
  else return {&o.source, nullptr};
}

/// Writes the operands over an iteration of the given extents, and describes them; one map for each frame. False if
/// leaves that share an operand differ.
bool bind(const leaf_record* leaves, const int* slots, int count, const operand_place* operands, operand_info* info,
          const index_t* extents, int rank, const axis_map* frames);

/// The operands of an iteration of R axes over a list of sources.
template <int R, class Sources>
struct pack_for;
template <int R, class... Src>
struct pack_for<R, list<Src...>> {
  using type = operand_pack<R, Src...>;
};
}  // namespace lower_detail

/// The operands of a lowering bound to values, and the descriptions of targets and operands.
template <class Lowering, int R, int Targets>
struct bound_operands {
  using sources = typename Lowering::sources;
  static constexpr int count = sources::size;
  typename lower_detail::pack_for<R, sources>::type operands;
  operand_info info[Targets + count];  ///< targets first

  /// Returns whether leaves that share a number are the same operand.
  bool bind(const leaf_record* leaves, const shape<R>& extents, const axis_map* frames) {
    return bind_all(leaves, extents, frames, make_index_sequence<count>{});
  }

 private:
  template <int... K>
  bool bind_all(const leaf_record* leaves, const shape<R>& extents, const axis_map* frames, index_sequence<K...>) {
    using slots = lower_detail::slot_table<typename Lowering::slots>;
    const lower_detail::operand_place places[count + 1] = {lower_detail::place_of(get<K>(operands))...};
    return lower_detail::bind(leaves, slots::value, slots::count, places, info + Targets, extents.extent, R, frames);
  }
};

}  // namespace lazyfuse::planning

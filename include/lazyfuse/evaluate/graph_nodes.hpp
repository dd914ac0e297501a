// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From trees to graphs. What a tree knows by its type is a list, a constant (plan/graph.hpp): no function is compiled
// for each of its nodes but the one that finds its leaves.
#pragma once

#include <lazyfuse/evaluate/graph.hpp>

namespace lazyfuse {

namespace graph_detail {

/// The handles to what a tree reads, from left to right.
template <class Op, int... I, class... A>
void note_owners(const tree::map_expr<Op, index_sequence<I...>, A...>& e, allocation**& to);
template <class Source, int R>
void note_owners(const tree::leaf<Source, R>& e, allocation**& to) {
  if constexpr (requires { e.source.owner; }) *to++ = e.source.owner;
  else if constexpr (requires { e.source.table_owner; }) *to++ = static_cast<allocation*>(e.source.table_owner);
  else if constexpr (requires { e.source.source; }) note_owners(tree::leaf(e.source.source, e.extents, e.steps), to);
  else static_assert(tree::leaf<Source, R>::owners == 0);
}
template <class Kind, class A, int R>
void note_owners(const tree::leaf<tree::deferred<Kind, A>, R>& e, allocation**& to) {
  note_owners(e.source.argument, to);
}
template <class T, auto V>
void note_owners(const tree::literal_leaf<T, V>&, allocation**&) {}
template <class Op, int... I, class... A>
void note_owners(const tree::map_expr<Op, index_sequence<I...>, A...>& e, allocation**& to) {
  (note_owners(e.template argument<I>(), to), ...);
}

template <class Space>
inline constexpr bool in_blocks = !space_traits<Space>::on_device;
/// Elements in memory, as a source of graphs of that space.
template <class Space, class T>
inline constexpr const graph_source_type& memory_type_of = source_type_of<ir::memory<T>, in_blocks<Space>>;

/// An expression with its types, which is computed before the graph that reads it.
template <class Space, class E>
struct typed_computation : graph_computation {
  E tree;
  handles<E::owners> memory;

  explicit typed_computation(const E& e)
      : graph_computation(memory_type_of<Space, value_t<E>>, "part of a lazy_array, computed first"), tree(e) {
    rank = E::rank;
    for (int k = 0; k < rank; ++k) extents[k] = e.shape()[k];
    if constexpr (E::owners > 0) {
      allocation* found[E::owners];
      allocation** to = found;
      note_owners(e, to);
      memory = handles<E::owners>({{found, E::owners, false}});
      reads = memory.memory;
      read_count = E::owners;
    }
  }
  void run(const execution& x, void* data, allocation* owner) const override {
    using T = value_t<E>;
    const ir::target_pack<E::rank, T> to{{{{static_cast<T*>(data), row_major(tree.shape())}}}};
    lazyfuse::run<Space, E::rank, T>(x, tree.shape(), to, &owner, tree);
  }
};
template <class Space, class E>
graph_ref computed(const void* leaf) {
  const E& e = *static_cast<const E*>(leaf);
  const auto dense = row_major(e.shape());
  return computed_node(counted<graph_computation>(new typed_computation<Space, E>(e)),
                       memory_type_of<Space, value_t<E>>, E::rank, e.shape().extent, dense.step, 0);
}
template <class Source>
inline constexpr bool is_graph_source = false;
template <class Source>
  requires requires { typename Source::is_graph; }
inline constexpr bool is_graph_source<Source> = true;

/// Whether something in a tree cannot be named in the source of a kernel.
struct holding_unnamed : tree::any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = [] {
    using device_source = typename lower_detail::device_source<Source>::type;
    using element = typename element_of_source<typename Source::value_type>::type;
    if constexpr (dtype_of<element> == dtype::other) return true;
    else if constexpr (is_graph_source<Source>) return false;
    else return !simple_source<device_source>;
  }();
  template <class Kind>
  static constexpr bool is_ours = false;
  template <class Kind, class A, int R>
  static constexpr bool deferred = !is_ours<Kind> || tree::fold<holding_unnamed, A>;
  template <class Op, class... V>
  static constexpr bool map(V... values) {
    if constexpr (ir::code_detail::is_cast<Op>)
      return dtype_of<typename Op::converts_to> == dtype::other || (values || ...);
    else return ir::code_detail::word_of<Op, int(sizeof...(V))>.foreign || (values || ...);
  }
};
template <class Monoid, int Axes, bool V>
inline constexpr bool holding_unnamed::is_ours<tree::by_monoid<Monoid, Axes, V>> =
    ir::code_detail::is_own_stage<ir::combined<Monoid>>;
template <class Monoid, int Axis, bool E, bool R, bool V>
inline constexpr bool holding_unnamed::is_ours<tree::by_scan<Monoid, Axis, E, R, V>> =
    ir::code_detail::is_own_stage<ir::scanned<Monoid, E>>;

/// Reductions and scans that are nodes; others are computed first.
template <class Space, class E>
inline constexpr bool is_stage = space_traits<Space>::on_device && !tree::fold<holding_unnamed, E>;

/// The tables of a type of leaves whose elements are there.
template <class Space, class Leaf>
struct leaf_tables {
  using source = typename Leaf::source_type;
  using device_source = typename lower_detail::device_source<source>::type;
  static const Leaf& leaf(const void* p) { return *static_cast<const Leaf*>(p); }
  static_assert(Leaf::owners <= 1 || !simple_source<device_source>);
  static allocation* owner(const void* p) {
    if constexpr (Leaf::owners == 0) return nullptr;
    else {
      allocation* found[Leaf::owners];
      allocation** to = found;
      note_owners(leaf(p), to);
      return found[0];
    }
  }
  static void place(const void* p, void* to) { lower_detail::place_source(leaf(p), to); }
  static constexpr listed_leaf of(void (*place)(const void*, void*)) {
    return {Leaf::rank,
            int(__builtin_offsetof(Leaf, extents)),
            int(__builtin_offsetof(Leaf, steps)),
            int(__builtin_offsetof(Leaf, offset)),
            owner,
            place,
            nullptr};
  }
  static constexpr listed_leaf operand = of(place), graph = of(nullptr);
};
template <class Space, class Leaf>
inline constexpr listed_leaf computed_leaf = {Leaf::rank, 0, 0, 0, nullptr, nullptr, computed<Space, Leaf>};

/// Where nodes are listed; null to count them.
struct node_list {
  listed_node* to;
  int count = 0;
  constexpr void add(const listed_node& n) {
    if (to) to[count] = n;
    ++count;
  }
  constexpr void end_tree() {
    if (to) to[count - 1].is_root = true;
  }
};
template <class T, auto V>
inline constexpr ir::constant<T> literal_value{ir::evaluator<ir::literal<T, V>>::at(0)};

template <class Space, class Source, int R>
constexpr void list(const tree::leaf<Source, R>*, node_list& to) {
  using tables = leaf_tables<Space, tree::leaf<Source, R>>;
  if constexpr (is_graph_source<Source>)
    to.add({.leaf = &tables::graph, .source = &memory_type_of<Space, typename Source::value_type>});
  else if constexpr (simple_source<typename tables::device_source>)
    to.add({.leaf = &tables::operand, .source = &source_type_of<typename tables::device_source, in_blocks<Space>>});
  else to.add({.leaf = &computed_leaf<Space, tree::leaf<Source, R>>});
}
template <class Space, class Kind, class A, int R>
constexpr void list(const tree::leaf<tree::deferred<Kind, A>, R>*, node_list& to) {
  using E = tree::leaf<tree::deferred<Kind, A>, R>;
  if constexpr (is_stage<Space, E>) {
    list<Space>(static_cast<const A*>(nullptr), to);
    to.add({.stage = &stage_of<in_blocks<Space>, value_t<E>, typename Kind::own>, .rank = R, .argument_rank = A::rank});
  } else to.add({.leaf = &computed_leaf<Space, E>});
}
template <class Space, class T, auto V>
constexpr void list(const tree::literal_leaf<T, V>*, node_list& to) {
  if constexpr (in_blocks<Space>)
    to.add({.value = &literal_value<T, V>, .source = &source_type_of<ir::constant<T>, true>});
  else to.add({.operation = &literal_of<T, V>});
}
template <class Space, class Op, int... I, class... A>
constexpr void list(const tree::map_expr<Op, index_sequence<I...>, A...>*, node_list& to) {
  using E = tree::map_expr<Op, index_sequence<I...>, A...>;
  if constexpr ((is_large_table<A> || ...)) to.add({.leaf = &computed_leaf<Space, E>});
  else {
    (list<Space>(static_cast<const A*>(nullptr), to), ...);
    to.add({.operation = &operation_of<in_blocks<Space>, value_t<E>, Op, value_t<A>...>});
  }
}
template <class Space, class E>
constexpr void list(const tree::named<E>*, node_list& to) {
  list<Space>(static_cast<const E*>(nullptr), to);
}

/// The nodes of trees of these types, and how many parts they have.
template <class Space, class... E>
struct listing {
  static constexpr void list_all(node_list& to) {
    ((list<Space>(static_cast<const E*>(nullptr), to), to.end_tree()), ...);
  }
  static constexpr int count = [] {
    node_list all{nullptr};
    list_all(all);
    return all.count;
  }();
  struct table {
    listed_node node[count];
  };
  static constexpr table nodes = [] {
    table t{};
    node_list all{t.node};
    list_all(all);
    return t;
  }();
  static constexpr int parts = [] {
    int n = 0;
    for (const listed_node& node : nodes.node) n += node.stage ? parts_of_stage : node.leaf ? 1 : 0;
    return n;
  }();
  static constexpr bool is_whole = [] {
    for (const listed_node& node : nodes.node)
      if (node.leaf && node.leaf->computed) return false;
    return true;
  }();
};

template <class Space, class Op, int... I, class... A>
void find_parts(const tree::map_expr<Op, index_sequence<I...>, A...>& e, const void**& to);
template <class Space, class Source, int R>
void find_parts(const tree::leaf<Source, R>& e, const void**& to) {
  *to++ = &e;
}
template <class Space, class Kind, class A, int R>
void find_parts(const tree::leaf<tree::deferred<Kind, A>, R>& e, const void**& to) {
  if constexpr (is_stage<Space, tree::leaf<tree::deferred<Kind, A>, R>>) {
    find_parts<Space>(e.source.argument, to);
    for (const void* part :
         {static_cast<const void*>(e.extents.extent), static_cast<const void*>(e.steps.step),
          static_cast<const void*>(&e.offset), static_cast<const void*>(e.source.argument.shape().extent)})
      *to++ = part;
  } else *to++ = &e;
}
template <class Space, class T, auto V>
void find_parts(const tree::literal_leaf<T, V>&, const void**&) {}
template <class Space, class Op, int... I, class... A>
void find_parts(const tree::map_expr<Op, index_sequence<I...>, A...>& e, const void**& to) {
  if constexpr ((is_large_table<A> || ...)) *to++ = &e;
  else (find_parts<Space>(static_cast<const element<I, A>&>(e.arguments).value, to), ...);
}

/// Trees that live as long as it does.
template <class Space, class... E>
struct listed {
  const void* parts[listing<Space, E...>::parts + 1];
  explicit listed(const E&... e) {
    const void** to = parts;
    (find_parts<Space>(e, to), ...);
  }
  listed_trees trees() const {
    using all = listing<Space, E...>;
    return {all::nodes.node, all::count, int(sizeof...(E)), all::is_whole, parts};
  }
};

/// The node of a tree.
template <class Space, class E>
graph_ref node_of(const E& e) {
  graph_ref root;
  nodes_of(space_of<Space>, listed<Space, E>(e).trees(), &root);
  return root;
}

struct holding_graphs : tree::any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = is_graph_source<Source>;
  template <class Kind, class A, int R>
  static constexpr bool deferred = tree::fold<holding_graphs, A>;
};
struct holding_deferred : tree::any_leaf {
  template <class Kind, class A, int R>
  static constexpr bool deferred = true;
};

}  // namespace graph_detail

}  // namespace lazyfuse

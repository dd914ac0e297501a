// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From trees to graphs: what a tree knows by types becomes a node with a table (evaluate/graph.hpp).
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

/// An expression with its types, which is computed before the graph that reads it.
template <class Space, class E>
struct typed_computation : graph_computation {
  E tree;
  handles<E::owners> memory;

  explicit typed_computation(const E& e)
      : graph_computation(source_type_of<ir::memory<value_t<E>>>, "part of a lazy_array, computed first"), tree(e) {
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
graph_ref computed(const E& e) {
  const auto dense = row_major(e.shape());
  return computed_node(counted<graph_computation>(new typed_computation<Space, E>(e)),
                       source_type_of<ir::memory<value_t<E>>>, E::rank, e.shape().extent, dense.step, 0);
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
    if constexpr (dtype_of<typename Source::value_type> == dtype::other) return true;
    else if constexpr (is_graph_source<Source>) return false;
    else return !simple_source<device_source> || ir::kind_of_source<device_source> == ir::source_kind::other;
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

/// The node of a tree.
template <class Space, class E>
graph_ref node_of(const E& e);
template <class Space, class Source, int R>
graph_ref node_from(const tree::leaf<Source, R>& e) {
  using device_source = typename lower_detail::device_source<Source>::type;
  if constexpr (is_graph_source<Source>) {
    const graph_ref node = graph_ref::share(e.source.owner);
    if (graph_ref view = view_node(node, R, e.extents.extent, e.steps.step, e.offset)) return view;
    return seen_in_memory(space_of<Space>, source_type_of<ir::memory<typename Source::value_type>>, node, R,
                          e.extents.extent, e.steps.step, e.offset);
  } else if constexpr (simple_source<device_source>) {
    const device_source source = lower_detail::device_value(e.source, e.offset);
    allocation* owner = nullptr;
    if constexpr (tree::leaf<Source, R>::owners > 0) {
      allocation** to = &owner;
      note_owners(e, to);
    }
    return operand_node(source_type_of<device_source>, &source, owner, R, e.extents.extent, e.steps.step);
  } else return computed<Space>(e);
}
template <class Space, class Kind, class A, int R>
graph_ref node_from(const tree::leaf<tree::deferred<Kind, A>, R>& e) {
  using E = tree::leaf<tree::deferred<Kind, A>, R>;
  if constexpr (space_traits<Space>::on_device && !tree::fold<holding_unnamed, E>) {
    const A& argument = e.source.argument;
    const graph_ref node = stage_node(stage_of<value_t<E>, typename Kind::own>, node_of<Space>(argument), A::rank,
                                      argument.shape().extent);
    if (graph_ref view = view_node(node, R, e.extents.extent, e.steps.step, e.offset)) return view;
    return seen_in_memory(space_of<Space>, source_type_of<ir::memory<value_t<E>>>, node, R, e.extents.extent,
                          e.steps.step, e.offset);
  } else return computed<Space>(e);
}
template <class Space, class T, auto V>
graph_ref node_from(const tree::literal_leaf<T, V>&) {
  return node_of<Space>(tree::constant_leaf(ir::evaluator<ir::literal<T, V>>::at(0), shape<0>{}));
}
template <class Space, class Op, int... I, class... A>
graph_ref node_from(const tree::map_expr<Op, index_sequence<I...>, A...>& e) {
  using E = tree::map_expr<Op, index_sequence<I...>, A...>;
  const graph_ref arguments[] = {node_of<Space>(e.template argument<I>())...};
  return operation_node(operation_of<value_t<E>, Op, value_t<A>...>, arguments, E::rank, e.shape().extent);
}
template <class Space, class E>
graph_ref node_of(const E& e) {
  return node_from<Space>(tree::unnamed(e));
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

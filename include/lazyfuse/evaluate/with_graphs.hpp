// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluation of expressions that hold graphs: they become graphs themselves, or read what these have left in
// memory.
#pragma once

#include <lazyfuse/evaluate/graph_nodes.hpp>

namespace lazyfuse {

namespace graph_detail {

/// The tree with arrays in place of its graphs, which are in memory then, each once.
template <class Space, class E>
auto in_memory(const execution& x, const E& e);
template <class Space, class Source, int R>
  requires is_graph_source<Source>
auto replaced(const execution& x, const tree::leaf<Source, R>& e) {
  using T = typename Source::value_type;
  const run_detail::room at =
      in_memory_of(space_of<Space>, x, graph_ref::share(e.source.owner), memory_type_of<Space, T>);
  return tree::leaf<stored<T, memory_of<Space>>, R>({at.owner, static_cast<const T*>(at.data)}, e.extents, e.steps,
                                                    e.offset);
}
template <class Space, class E>
auto replaced(const execution& x, const E& e) {
  return tree::rebuilt(e, [&](const auto& a) { return in_memory<Space>(x, a); });
}
template <class Space, class E>
auto in_memory(const execution& x, const E& e) {
  if constexpr (tree::fold<holding_graphs, E>) return replaced<Space>(x, tree::unnamed(e));
  else return e;
}

/// Whether trees become one graph: elementwise ones, and where kernels are made at run time what these can name.
template <class Space, class... E>
inline constexpr bool become_a_graph = [] {
  if constexpr (sizeof...(E) > most_graph_results) return false;
  else if constexpr ((tree::fold<holding_large_tables, E> || ...)) return false;
  else if constexpr ((tree::fold<holding_deferred, E> || ...))
    return space_traits<Space>::on_device && !(tree::fold<holding_unnamed, E> || ...);
  else return true;
}();

template <class Space, int R, class... T, class... E, int... I>
void run_as_graph(const execution& x, const shape<R>& s, const ir::target_pack<R, T...>& to, allocation* const* owners,
                  index_sequence<I...>, const E&... e) {
  static_assert(sizeof...(E) <= most_graph_results);  // more come in groups (evaluate/graph_assignments.hpp)
  const graph_target targets[] = {target_of<T>(get<I>(to).data, get<I>(to).steps.step, owners[I])...};
  evaluate(space_of<Space>, x, listed<Space, E...>(e...).trees(), targets, s.extent, R);
}
/// Expressions that hold graphs become one where that can be; else the graphs are computed into memory first.
template <class Space, int R, class... T, class... E, int... I>
void run_with_graphs(const execution& outer, const shape<R>& s, const ir::target_pack<R, T...>& to,
                     allocation* const* owners, index_sequence<I...> numbers, const E&... e) {
  if constexpr (become_a_graph<Space, E...>) run_as_graph<Space, R, T...>(outer, s, to, owners, numbers, e...);
  else {
    execution x = outer;
    const graph_scope scope(x);
    lazyfuse::run<Space, R, T...>(x, s, to, owners, in_memory<Space>(x, e)...);
  }
}

}  // namespace graph_detail

}  // namespace lazyfuse

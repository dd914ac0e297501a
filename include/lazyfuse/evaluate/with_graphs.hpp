// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluation of expressions that hold graphs: they become graphs themselves, read graphs as operands of their
// kernel, or read what these have left in memory.
#pragma once

#include <lazyfuse/evaluate/graph.hpp>
#include <lazyfuse/expr/scan.hpp>
#include <lazyfuse/program/code.hpp>

namespace lazyfuse {

namespace run_detail {
/// Runs expressions that are one kernel: reductions over the same axes, rows, or scans. False, and nothing has run, if
/// they are not (evaluate/run.hpp).
template <class Space, int R, class... T, class... E>
bool in_one_kernel(const execution& x, const shape<R>& s, const ir::target_pack<R, T...>& to, allocation* const* owners,
                   const E&... e);
}  // namespace run_detail

namespace graph_detail {

/// The graphs that one kernel reads as operands, which pretend to be arrays that lie where their nodes are (compiled).
class graph_operands {
 public:
  graph_operands();
  ~graph_operands();
  graph_operands(const graph_operands&) = delete;
  graph_operands& operator=(const graph_operands&) = delete;

  void add(allocation* node, int rank, const index_t* extents, const index_t* steps, index_t offset);
  /// Whether it takes them all, beside so many others; what they read themselves is in memory then.
  bool fit(const graph_space& space, const execution& x, int others) const;

 private:
  struct contents;
  contents* const contents_;
};

/// The tree with arrays in place of its graphs, of which place(graph) says where each is.
template <class Space, class E, class Place>
auto with_arrays(const E& e, const Place& place);
template <class Space, class Source, int R, class Place>
  requires is_graph_source<Source>
auto replaced(const tree::leaf<Source, R>& e, const Place& place) {
  using T = typename Source::value_type;
  const run_detail::room at = place(e);
  return tree::leaf<stored<T, memory_of<Space>>, R>({at.owner, static_cast<const T*>(at.data)}, e.extents, e.steps,
                                                    e.offset);
}
template <class Space, class E, class Place>
auto replaced(const E& e, const Place& place) {
  return tree::rebuilt(e, [&](const auto& a) { return with_arrays<Space>(a, place); });
}
template <class Space, class E, class Place>
auto with_arrays(const E& e, const Place& place) {
  if constexpr (tree::fold<holding_graphs, E>) return replaced<Space>(tree::unnamed(e), place);
  else return e;
}
/// In memory, each once.
template <class Space, class E>
auto in_memory(const execution& x, const E& e) {
  return with_arrays<Space>(e, [&]<class Source, int R>(const tree::leaf<Source, R>& graph) {
    return in_memory_of(space_of<Space>, x, graph_ref::share(graph.source.owner),
                        source_type_of<ir::memory<typename Source::value_type>>);
  });
}
/// As operands of the kernel that reads them.
template <class Space, class E>
auto as_operands(graph_operands& graphs, const E& e) {
  return with_arrays<Space>(e, [&]<class Source, int R>(const tree::leaf<Source, R>& graph) {
    graphs.add(graph.source.owner, R, graph.extents.extent, graph.steps.step, graph.offset);
    return run_detail::room{graph.source.owner, graph.source.owner};
  });
}

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

/// Reductions, rows and scans that read graphs are one kernel of the space whose kernels are all made at run time, or
/// false.
template <class Space, int R, class... T, class... E>
bool run_together(const execution& x, const shape<R>& s, const ir::target_pack<R, T...>& to, allocation* const* owners,
                  const E&... e) {
  if constexpr (space_traits<Space>::on_device && !checked_build && (tree::fold<holding_deferred, E> || ...) &&
                !(tree::fold<holding_unnamed, E> || ...)) {
    using made = made_in<memory_of<Space>>;
    graph_operands graphs;
    execution attempt = x;
    attempt.tells = false;
    const auto run = [&](const auto&... tree) {
      constexpr int others = (0 + ... + lower_detail::leaf_count<E>);
      return graphs.fit(space_of<made>, x, others) &&
             run_detail::in_one_kernel<made, R, T...>(attempt, s, to, owners, tree...);
    };
    return run(as_operands<Space>(graphs, e)...);
  } else return false;
}

/// Expressions that hold graphs: elementwise ones become one; others read them as operands if they are one kernel. Else
/// the graphs are computed into memory first.
template <class Space, int R, class... T, class... E, int... I>
void run_with_graphs(const execution& outer, const shape<R>& s, const ir::target_pack<R, T...>& to,
                     allocation* const* owners, index_sequence<I...>, const E&... e) {
  execution x = outer;
  const graph_scope scope(x);
  if constexpr ((tree::fold<holding_deferred, E> || ...) || sizeof...(E) > most_graph_results) {
    if (!run_together<Space, R, T...>(x, s, to, owners, e...))
      lazyfuse::run<Space, R, T...>(x, s, to, owners, in_memory<Space>(x, e)...);
  } else {
    const graph_ref roots[] = {node_of<Space>(e)...};
    const graph_target targets[] = {{get<I>(to).data, get<I>(to).steps.step, owners[I], dtype_of<T>, int(sizeof(T)),
                                     run_detail::spelling_of<ir::memory<T>, true>()}...};
    evaluate(space_of<Space>, x, roots, targets, int(sizeof...(E)), s.extent, R);
  }
}

}  // namespace graph_detail

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From trees to graphs (plan/graph.hpp): what a tree knows by types becomes a node with a table. All that follows is
// compiled once.
#pragma once

#include <lazyfuse/array/lazy_array.hpp>
#include <lazyfuse/evaluate/temporaries.hpp>
#include <lazyfuse/plan/graph.hpp>

namespace lazyfuse {

namespace planning {
/// A part of a graph that is computed into memory before the kernel that reads it.
struct graph_computation : allocation {
  const graph_source_type* type;  ///< of that memory
  int rank = 0;
  index_t extents[max_rank] = {};
  const char* because;
  allocation* const* reads = nullptr;  ///< arrays, and nodes of other graphs
  int read_count = 0;
  graph_computation(const graph_source_type& t, const char* why);
  virtual ~graph_computation();
  /// Dense and row-major, to data.
  virtual void run(const execution& x, void* data, allocation* owner) const = 0;
  /// The same of two that compute the same.
  virtual const void* key() const { return this; }
};
}  // namespace planning

namespace graph_detail {

using namespace planning;

/// What the evaluation of a graph asks of a space.
struct graph_space {
  const char* name;
  bool on_device;
  int most_steps;  ///< of a kernel; 0: any number
  void (*decide)(kernel_plan&);
  void (*start)(kernel_plan&);
  machine (*this_machine)();
  allocation* (*allocate)(std::size_t bytes, const memory_request& wanted);
};
/// While it lives, an execution has a place for what is in memory so far (compiled): computations, and graphs that
/// these read. Those inside others find it there, or they would compute it once for each reader.
class graph_scope {
 public:
  explicit graph_scope(execution& x);
  ~graph_scope();
  graph_scope(const graph_scope&) = delete;
  graph_scope& operator=(const graph_scope&) = delete;

 private:
  graph_values* own_ = nullptr;
};
/// Where the values of a root go.
struct graph_target {
  const void* data;
  const index_t* steps;
  allocation* owner;
  dtype type;
  int bytes;
  const char* spelling;
};
/// Stores the values of the roots, whose shapes are broadcast to the extents.
void evaluate(const graph_space& space, const execution& x, const graph_ref* roots, const graph_target* targets,
              int count, const index_t* extents, int rank);

template <class Space>
inline constexpr graph_space space_of = {
    memory_of<Space>::name,
    space_traits<Space>::on_device,
    kernel<dpp::graph, Space>::most_steps,
    [](kernel_plan& p) { p.path = kernel<dpp::graph, Space>::path(static_cast<graph_plan&>(p)); },
    [](kernel_plan& p) {
      backend<Space>::before(p.info, p.type->targets, p.type->targets + p.type->operands);
      kernel<dpp::graph, Space>::launch(static_cast<graph_plan&>(p));
    },
    backend<Space>::machine,
    [](std::size_t bytes, const memory_request& wanted) {
      return memory_detail::allocate(memory_of<Space>{}, bytes, wanted);
    }};

template <class R, class Op, class... T>
void block_loop(R* to, index_t n, const T*... arguments) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (index_t i = 0; i < n; ++i) to[i] = lazyfuse::compute<Op>(arguments[i]...);
}
template <class Op, class R, class... T, int... I>
void block(const void* const* arguments, void* to, index_t n, index_sequence<I...>) {
  block_loop<R, Op>(static_cast<R*>(to), n, static_cast<const T*>(arguments[I])...);
}
template <class Op, int N>
struct word_text {
  static constexpr auto word = ir::code_detail::word_of<Op, N>;
  static constexpr characters<ir::code_detail::size_of(word)> text = [] {
    characters<ir::code_detail::size_of(word)> c{};
    ir::code_detail::put(c.text, word);
    return c;
  }();
};
/// Sources that are told by an offset where an element is, and small.
template <class Source>
concept simple_source = sizeof(Source) <= most_source_bytes && alignof(Source) <= 16 &&
                        (Source::is_memory || ir::is_constant<Source> || requires(Source s) { s.origin; }) &&
                        !requires(Source s) {
  s.map;
};

template <class Source>
inline constexpr graph_source_type source_type_of = {
    {dtype_of<typename Source::value_type>, ir::kind_of_source<Source>, sizeof(Source), alignof(Source),
     ir::element_bytes<Source>, run_detail::spelling_of<Source, true>()},
    int(sizeof(typename Source::value_type)),
    Source::is_memory,
    ir::is_constant<Source>,
    run_detail::name_of_struct<typename Source::value_type>(),
    [](const void* source, index_t offset, index_t step, index_t n, void* to) {
      using T = typename Source::value_type;
      const Source& s = *static_cast<const Source*>(source);
      T* const at = static_cast<T*>(to);
      if constexpr (requires { s.write(at, offset, step, n); }) {
        if (step != 0) return s.write(at, offset, step, n);
      }
      for (index_t i = 0; i < n; ++i) new (at + i) T(s.at(offset + i * step));
    },
    [](void* source, index_t by) {
      if constexpr (Source::is_memory) static_cast<Source*>(source)->data += by;
      else if constexpr (requires(Source s) { s.origin; }) static_cast<Source*>(source)->origin += by;
    }};

template <class R, class Op, class... T>
inline constexpr graph_operation operation_of = {word_text<Op, int(sizeof...(T))>::text.text,
                                                 int(sizeof...(T)),
                                                 Op::cost,
                                                 int(sizeof(R)),
                                                 &source_type_of<ir::memory<R>>,
                                                 [](const void* const* arguments, void* to, index_t n) {
                                                   block<Op, R, T...>(arguments, to, n,
                                                                      make_index_sequence<int(sizeof...(T))>{});
                                                 }};

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
/// The values of a graph, dense in memory.
run_detail::room in_memory_of(const graph_space& space, const execution& x, const graph_ref& node,
                              const graph_source_type& type);
/// A view of a graph's values in memory, of type T.
graph_ref seen_in_memory(const graph_space& space, const graph_source_type& type, const graph_ref& node, int rank,
                         const index_t* extents, const index_t* steps, index_t offset);

template <class Source>
inline constexpr bool is_graph_source = false;
template <class Source>
  requires requires { typename Source::is_graph; }
inline constexpr bool is_graph_source<Source> = true;

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
  return computed<Space>(e);
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

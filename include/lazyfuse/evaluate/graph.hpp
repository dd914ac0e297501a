// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs (plan/graph.hpp) and the spaces that evaluate them: tables of what operations, stages and sources are. All
// that follows is compiled once.
#pragma once

#include <lazyfuse/array/lazy_array.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/evaluate/temporaries.hpp>
#include <lazyfuse/expr/scan.hpp>
#include <lazyfuse/plan/graph.hpp>
#include <lazyfuse/program/code.hpp>

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
  const shared_launch* together;
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
void evaluate(const graph_space& space, const execution& x, const listed_trees& trees, const graph_target* targets,
              const index_t* extents, int rank);
/// The nodes of trees.
void nodes_of(const graph_space& space, const listed_trees& trees, graph_ref* roots);

template <class T>
graph_target target_of(const void* data, const index_t* steps, allocation* owner) {
  return {data, steps, owner, dtype_of<T>, int(sizeof(T)), run_detail::spelling_of<ir::memory<T>, true>()};
}

template <class Space>
inline constexpr graph_space space_of = {
    memory_of<Space>::name,
    space_traits<Space>::on_device,
    kernel<dpp::graph, Space>::most_steps,
    [](kernel_plan& p) { p.path = kernel<dpp::graph, Space>::path(static_cast<graph_plan&>(p)); },
    [](kernel_plan& p) {
      backend<Space>::before(p.info, p.type->targets, p.type->targets + p.type->operands);
      kernel<dpp::graph, Space>::launch(static_cast<graph_plan&>(p));
      p.made = space_traits<Space>::on_device;
    },
    backend<Space>::machine,
    [](std::size_t bytes, const memory_request& wanted) {
      return memory_detail::allocate(memory_of<Space>{}, bytes, wanted);
    },
    run_detail::launched_together<kernel<dpp::graph, Space>>()};

/// Of bool the byte, compared: g++ vectorises that, and few uses of a bool in memory.
template <class T>
[[gnu::always_inline]] inline decltype(auto) element_of_block(const T* x, index_t i) {
  if constexpr (boolean<T>) return reinterpret_cast<const unsigned char*>(x)[i] != 0;
  else return (x[i]);
}
template <class R, class Op, class... T>
void block_loop(R* to, index_t n, const T*... arguments) {
  host_detail::in_widest_vectors<host_detail::is_plain<R> && (host_detail::is_plain<T> && ...)>(
      n,
      [](R* results, index_t count, const T*... x) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
        for (index_t i = 0; i < count; ++i) results[i] = lazyfuse::compute<Op>(element_of_block(x, i)...);
      },
      to, n, arguments...);
}
template <class Op, class R, class... T, int... I>
void block(const void* const* arguments, void* to, index_t n, index_sequence<I...>) {
  block_loop<R, Op>(static_cast<R*>(to), n, static_cast<const T*>(arguments[I])...);
}
template <const ir::code_detail::word& Word>
inline constexpr auto text_of_word = [] {
  characters<ir::code_detail::size_of(Word)> c{};
  ir::code_detail::put(c.text, Word);
  return c;
}();
/// Sources that are told by an offset where an element is, and small; of memory, only what the steps lead to.
template <class Source>
concept simple_source = sizeof(Source) <= most_source_bytes && alignof(Source) <= 16 &&
                        (Source::is_memory || ir::is_constant<Source> || requires(Source s) { s.origin; }) &&
                        !requires(Source s) {
  s.reach();
};

/// A table is no value that could be put in memory: what reads it is a node if the table can be an operand, or is
/// computed first as a whole.
template <class E>
inline constexpr bool is_large_table = false;
template <class Source, int K, beyond Beyond>
inline constexpr bool is_large_table<tree::leaf<tree::table_of<Source, K, Beyond>, 0>> =
    !simple_source<typename lower_detail::device_source<tree::table_of<Source, K, Beyond>>::type>;
template <int K, beyond Beyond, class A>
inline constexpr bool is_large_table<tree::leaf<tree::deferred<tree::to_table<K, Beyond>, A>, 0>> = true;
struct holding_large_tables : tree::any_leaf {
  template <class Source, int R>
  static constexpr bool leaf = is_large_table<tree::leaf<Source, R>>;
  template <class Kind, class A, int R>
  static constexpr bool deferred =
      is_large_table<tree::leaf<tree::deferred<Kind, A>, R>> || tree::fold<holding_large_tables, A>;
};

/// The element type of a source, or of what a table has.
template <class T>
struct element_of_source {
  using type = T;
};
template <class Source, int K, beyond Beyond>
struct element_of_source<table<Source, K, Beyond>> {
  using type = typename Source::value_type;
};

/// Blocks: it is computed in blocks of elements, as graphs of the host are.
template <class Source, bool Blocks>
constexpr auto load_of() -> void (*)(const void*, index_t, index_t, index_t, void*) {
  if constexpr (!Blocks) return nullptr;
  else
    return [](const void* source, index_t offset, index_t step, index_t n, void* to) {
      using T = typename Source::value_type;
      const Source& s = *static_cast<const Source*>(source);
      T* const at = static_cast<T*>(to);
      if constexpr (requires { s.write(at, offset, step, n); }) {
        if (step != 0) return s.write(at, offset, step, n);
      }
      for (index_t i = 0; i < n; ++i) new (at + i) T(s.at(offset + i * step));
    };
}
template <class Source, bool Blocks>
inline constexpr graph_source_type source_type_of = {
    {dtype_of<typename Source::value_type>, ir::kind_of_source<Source>, sizeof(Source), alignof(Source),
     ir::element_bytes<Source>, run_detail::spelling_of<Source, true>()},
    int(sizeof(typename Source::value_type)),
    Source::is_memory,
    ir::is_constant<Source>,
    run_detail::name_of_struct<typename Source::value_type>(),
    load_of<Source, Blocks>(),
    [](void* source, index_t by) {
      if constexpr (Source::is_memory) static_cast<Source*>(source)->data += by;
      else if constexpr (requires(Source s) { s.origin; }) static_cast<Source*>(source)->origin += by;
    }};

template <bool Blocks, class R, class Op, class... T>
constexpr auto block_of() -> void (*)(const void* const*, void*, index_t) {
  if constexpr (!Blocks) return nullptr;
  else
    return [](const void* const* arguments, void* to, index_t n) {
      block<Op, R, T...>(arguments, to, n, make_index_sequence<int(sizeof...(T))>{});
    };
}
template <bool Blocks, class R, class Op, class... T>
inline constexpr graph_operation operation_of = {text_of_word<ir::code_detail::word_of<Op, int(sizeof...(T))>>.text,
                                                 int(sizeof...(T)),
                                                 Op::cost,
                                                 int(sizeof(R)),
                                                 &source_type_of<ir::memory<R>, Blocks>,
                                                 block_of<Blocks, R, Op, T...>()};
template <class T, auto V>
inline constexpr ir::code_detail::word word_of_literal = ir::code_detail::literal_word<T, V>();
/// Of kernels that are made at run time, which know its value as those of types do.
template <class T, auto V>
inline constexpr graph_operation literal_of = {text_of_word<word_of_literal<T, V>>.text, 0,      0, int(sizeof(T)),
                                               &source_type_of<ir::memory<T>, false>,    nullptr};

template <class Kind>
struct stage_table;
template <class Monoid, int Axes, bool V>
struct stage_table<tree::by_monoid<Monoid, Axes, V>> {
  static constexpr int axes = Axes, axis = 0;
  static constexpr bool reverse = false;
};
template <class Monoid, int Axis, bool E, bool Reverse, bool V>
struct stage_table<tree::by_scan<Monoid, Axis, E, Reverse, V>> {
  static constexpr int axes = 0, axis = Axis;
  static constexpr bool reverse = Reverse;
};
template <class Kind>
inline constexpr ir::code_detail::word stage_word = {Kind::stage::name, ir::code_detail::suffix::arguments, 1};
template <bool Blocks, class T, class Kind>
inline constexpr graph_stage stage_of = {
    text_of_word<stage_word<Kind>>.text, stage_table<Kind>::axes, stage_table<Kind>::axis,
    stage_table<Kind>::reverse,          int(sizeof(T)),          &source_type_of<ir::memory<T>, Blocks>};

/// The values of a graph, dense in memory.
run_detail::room in_memory_of(const graph_space& space, const execution& x, const graph_ref& node,
                              const graph_source_type& type);

}  // namespace graph_detail

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// map with a function that is text: for arrays on the GPU in files that no compiler for it reads.
#pragma once

#include <lazyfuse/evaluate/lazy_array.hpp>

#include <string>
#include <vector>

namespace lazyfuse {

/// source("x > 0 ? x : s * x", "x", "s"): an expression of C++ and the names of what it is a function of. It is
/// compiled for the GPU when the program runs, so it may use what device code has: sqrtf, fminf, and the names of
/// lazyfuse.
struct source {
  using is_source = void;
  std::string expression;
  std::vector<std::string> names;
  std::string definitions;

  template <class... Name>
  explicit source(std::string text, const Name&... name) : expression(std::move(text)), names{std::string(name)...} {}

  /// The same, with what it is written in: the text of a header, say, with `__device__` functions and structs of your
  /// own. It stands outside of all namespaces, once in a kernel that several sources give it to; the headers of
  /// lazyfuse are what it may include.
  source with(std::string text) const;
};

namespace source_detail {

/// Compiles what a source is written in, and its operation: what the compiler says, nothing if it does.
using source_check = std::string (*)(const std::string& definitions, const std::string& operation);
/// The operation, which compiles: throws error with the compiler's message, whose lines are those of the text.
const planning::graph_operation& operation_of(const source& f, const planning::graph_source_type* const* arguments,
                                              int count, const planning::graph_source_type& result, source_check check);
/// A null pointer to the first element type among expressions.
template <class X, class... More>
constexpr auto first_element() {
  if constexpr (scalar<X>) return first_element<More...>();
  else return static_cast<value_t<X>*>(nullptr);
}
template <class X>
struct space_of {
  using type = anywhere;
};
template <class X>
  requires(!scalar<X>)
struct space_of<X> {
  using type = expression_space_t<X>;
};
template <class T, class X>
decltype(auto) tree_of(const X& x) {
  if constexpr (scalar<X>) return tree::constant_leaf(leaf_detail::element<T>(x, "map"), shape<0>{});
  else return (x.tree);
}
template <class T, class Space, int R>
lazy_array<T, R, Space> lazy_of(const planning::graph_ref& node, const shape<R>& s) {
  using result = lazy_array<T, R, Space>;
  return result(typename result::of_node{}, {{}, {{node.handle().memory[0]}, s, row_major(s)}, node.handle()});
}
template <int R>
constexpr int rank_of_shape(const shape<R>&) {
  return R;
}
template <class T, class Space, class Maker, class... Tree>
auto mapped(const source& f, const Tree&... e) {
  using space = kernel_space<Space, Maker>;
  const planning::graph_ref nodes[] = {graph_detail::node_of<space>(e)...};
  static constexpr const planning::graph_source_type* arguments[] = {
      &graph_detail::memory_type_of<space, value_t<Tree>>...};
  const auto s = map_detail::join_shapes("map", e.shape()...);
  const planning::graph_operation& op = operation_of(
      f, arguments, int(sizeof...(Tree)), graph_detail::memory_type_of<space, T>, kernel<dpp::graph, space>::check);
  return lazy_of<T, Space>(planning::operation_node(op, nodes, rank_of_shape(s), s.extent), s);
}

}  // namespace source_detail

/// map(source("x > 0 ? x : s * x", "x", "s"), a, 0.1f): the function element by element, as a lazy array of arrays on
/// the GPU. Its elements have the type of the first array among the operands, whose types the names have; numbers take
/// it, too. Throws error with what the compiler says of the text, and its line; shape_error.
template <class... X, class Maker = maker>
  requires operands<X...>
auto map(const source& f, const X&... x) {
  using T = bare_t<decltype(*source_detail::first_element<X...>())>;
  using Space = typename map_detail::joined<typename source_detail::space_of<X>::type...>::type;
  constexpr bool on_device = [] {
    if constexpr (__is_same(Space, anywhere)) return false;
    else return space_traits<Space>::on_device;
  }();
  static_assert(on_device,
                "lazyfuse: source(...) is compiled for arrays on the GPU; on the host map takes a function, as in "
                "map([](auto x) { return x > 0 ? x : 0; }, x)");
  if constexpr (on_device) return source_detail::mapped<T, Space, Maker>(f, source_detail::tree_of<T>(x)...);
  else return f;
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// materialize of several expressions: a graph of assignments, run in groups that share a kernel.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>
#include <lazyfuse/plan/assignments.hpp>

#include <tuple>

namespace lazyfuse {

namespace materialize_detail {

/// The trees E... and their results.
template <class Space, class... E>
struct assignments {
  using plan = planning::assignment_plan<Space, E...>;
  pack<const E*...> trees;
  std::tuple<array<value_t<E>, E::rank, Space>...> results;

  explicit assignments(const E&... e)
      : trees{{&e}...}, results{array<value_t<E>, E::rank, Space>(e.shape(), caller{})...} {}

  template <int I>
  const auto& tree() const {
    return *get<I>(trees);
  }
  template <int I>
  const auto& result() const {
    return std::get<I>(results);
  }

  /// One kernel, or what run() makes of them: the expressions numbered M, written as first, more...
  template <int... M, class First, class... More>
  void launch(index_sequence<M...>, const First& first, const More&... more) const {
    constexpr int R = First::rank;
    const ir::target_pack<R, value_t<First>, value_t<More>...> to{
        {{{result<M>().unshared(), row_major(result<M>().shape())}}...}};
    allocation* const owners[] = {result<M>().owner()...};
    run<Space, R, value_t<First>, value_t<More>...>(execution{}, first.shape(), to, owners, first, more...);
  }

  /// Notes expression and value where expression I is of type K.
  template <int I, class K, int N>
  void note(planning::finished<K, Space, N>& f, int& next) const {
    if constexpr (__is_same(bare_t<decltype(tree<I>())>, K)) {
      f.expression[next] = &tree<I>();
      f.values[next++] = {result<I>().owner(), result<I>().data()};
    }
  }
  template <int... I, class K, int N>
  void fill(index_sequence<I...>, planning::finished<K, Space, N>& f) const {
    int next = 0;
    (note<I>(f, next), ...);
  }
  template <class Named, class... F>
  void fill_all(planning::finished_set<Space, Named, F...>& set) const {
    (fill(make_index_sequence<sizeof...(E)>{}, static_cast<F&>(set)), ...);
  }

  /// Whether the expressions M..., with what is finished replaced in x..., can be one kernel, and had better.
  template <class Kernel, int... M, class... X>
  bool fit(index_sequence<M...>, const typename Kernel::set& set, const X&... x) const {
    const auto& s = tree<index_sequence<M...>::at(0)>().shape();
    if (!set.known || !((tree<M>().shape() == s) && ...)) return false;
    if constexpr (sizeof...(X) > 1 && (planning::has_reduction<X> || ...)) {
      const planning::lower_detail::leaves_and_reductions<X...> all(x...);
      if (!planning::finished_detail::same_arguments(all.reduction, all.reductions)) return false;
    }
    if constexpr (Kernel::set::size == 0 || Kernel::reads_reductions) return true;
    else
      return planning::finished_detail::bytes_read_by(x...) <=
             (planning::finished_detail::bytes_read_by(tree<M>()) + ...);
  }

  template <int... M>
  void run_group(index_sequence<M...> members) const {
    using kernel = typename plan::template kernel<bare_t<decltype(tree<M>())>...>;
    if constexpr (sizeof...(M) == 1 && kernel::set::size == 0) launch(members, tree<M>()...);
    else {
      typename kernel::set set;
      fill_all(set);
      const auto together = [&](const auto&... x) {
        if (!fit<kernel>(members, set, x...)) return false;
        launch(members, x...);
        return true;
      };
      if (!together(planning::substituted(set, tree<M>())...)) (launch(index_sequence<M>{}, tree<M>()), ...);
    }
  }
  template <int... G>
  void run_groups(index_sequence<G...>) const {
    (run_group(typename plan::template members<G>{}), ...);
  }
};

}  // namespace materialize_detail

/// The values of several expressions, of any shapes and ranks, as a tuple of arrays. Expressions that one loop can
/// compute share a kernel: elementwise ones of one shape, reductions of arguments of one shape, rows of one shape. One
/// that contains another one (`auto y = sin(x); materialize(y, sum(y))`) reads its result where that is less memory
/// traffic than computing it again. Which share is decided from the types; where the shapes or operands then turn out
/// not to allow it, each expression runs by itself. Of several GPUs all run on one.
template <class... E>
  requires(sizeof...(E) > 1)
&&(expression<E>&&...) auto materialize(const E&... e) {
  using joined = map_detail::joined<expression_space_t<E>...>;
  static_assert(!joined::mixed, "lazyfuse: expressions materialised together must live in one space");
  if constexpr (!joined::mixed) {
    using Space = typename array_detail::space_of_result<typename joined::type>::type;
    const memory_detail::device_scope<Space> scope(planning::device_for<Space>(nullptr, nullptr, e.tree...));
    materialize_detail::assignments<Space, tree_t<E>...> all(e.tree...);
    all.run_groups(make_index_sequence<bare_t<decltype(all)>::plan::groups.groups>{});
    return static_cast<decltype(all.results)&&>(all.results);
  }
}

}  // namespace lazyfuse

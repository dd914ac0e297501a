// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several expressions as one graph: their values decide which of them share a kernel.
#pragma once

#include <lazyfuse/evaluate/places.hpp>
#include <lazyfuse/evaluate/shared_launches.hpp>

namespace lazyfuse {

namespace graph_detail {

/// A result: its shape, and where it goes.
struct graph_result {
  graph_target target;
  int rank;
  const index_t* extents;
};
/// Numbers the groups of trees that are evaluated together, in an order in which they can be, and returns how many
/// there are. The results of a group are written by its last kernel.
int find_groups(const graph_space& space, const listed_trees& trees, const graph_result* results, int* group);
/// Stores the values of the trees. One that contains another one reads its result where that is less traffic than
/// computing it again.
void evaluate_groups(const graph_space& space, const execution& x, const listed_trees& trees,
                     const graph_result* results, const int* group, int groups);

}  // namespace graph_detail

namespace materialize_detail {

template <class Space, class... E>
struct graph_assignments : placed<E...> {
  using placed<E...>::count;
  int kernel[count];  ///< the group of each expression, in the order in which they run
  int kernels;

  explicit graph_assignments(const E&... e) : placed<E...>(e...) {
    with_results(make_index_sequence<count>{}, [&](const auto& trees, const auto* results) {
      kernels = graph_detail::find_groups(graph_detail::space_of<Space>, trees, results, kernel);
    });
  }
  void run(const execution& x = {}) const {
    shared_launches together(x);
    with_results(make_index_sequence<count>{}, [&](const auto& trees, const auto* results) {
      graph_detail::evaluate_groups(graph_detail::space_of<Space>, together.x, trees, results, kernel, kernels);
    });
    together.launch();
  }

 private:
  template <int... I, class F>
  void with_results(index_sequence<I...>, const F& f) const {
    const auto result = [](const auto& e, const auto& to) {
      using T = value_t<decltype(e)>;
      return graph_detail::graph_result{graph_detail::target_of<T>(to.data, to.steps.step, to.owner),
                                        bare_t<decltype(e)>::rank, e.shape().extent};
    };
    const graph_detail::graph_result results[] = {result(this->template tree<I>(), get<I>(this->places))...};
    f(graph_detail::listed<Space, E...>(this->template tree<I>()...).trees(), results);
  }
};

}  // namespace materialize_detail

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making lazy arrays of expressions.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse {

template <element_type Element, int Rank, memory_space Space>
template <class E, class Maker>
  requires(expression<E> && !__is_same(bare_t<E>, lazy_array<Element, Rank, Space>))
lazy_array<Element, Rank, Space>::lazy_array(E&& e) : base{{}, {{nullptr}, {}, {}}, {}} {
  if constexpr (assign_detail::check<Element, Rank, Space, bare_t<E>>()) {
    const auto& tree = assign_detail::converted<Element>(e.tree);
    const planning::graph_ref node = graph_detail::node_of<kernel_space<Space, Maker>>(tree);
    this->memory = node.handle();
    this->tree = {{node.get()}, tree.shape(), row_major(tree.shape())};
  }
}

}  // namespace lazyfuse

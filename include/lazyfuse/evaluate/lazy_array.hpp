// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lazy arrays are made of expressions.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse {

template <element_type Element, int Rank, memory_space Space>
template <class E, class Maker>
void lazy_array<Element, Rank, Space>::construct(const E& e) {
  if constexpr (assign_detail::check<Element, Rank, Space, E>()) {
    const auto& tree = assign_detail::converted<Element>(e.tree);
    const planning::graph_ref node = graph_detail::node_of<kernel_space<Space, Maker>>(tree);
    this->memory = node.handle();
    this->tree = {{node.handle().memory[0]}, tree.shape(), row_major(tree.shape())};
  }
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are products of matrices, for which there is a library.
#pragma once

#include "backend/cuda/jit/exact_plan.hpp"
#include "backend/cuda/runtime/matrix_products.hpp"
#include "program/graph.hpp"

#include <optional>

namespace lazyfuse::cuda_detail {

/// None unless the plan's results are sums of products of two arrays that libraries take as matrices, of two axes of a
/// batch at most, or what the library computes of them before it stores them, and the library is there.
std::optional<products_of_matrices> products_of(const exact_plan& p, const ir::program_graph& graph);
/// How such a plan goes: "library", "library with bias and gelu". The same address for the same way.
const char* path_of_product(const products_of_matrices& p);

}  // namespace lazyfuse::cuda_detail

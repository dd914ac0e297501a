// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are products of matrices, for which there is a library.
#pragma once

#include "backend/cuda/jit/exact_plan.hpp"
#include "backend/cuda/runtime/matrix_products.hpp"
#include "program/graph.hpp"

#include <optional>

namespace lazyfuse::cuda_detail {

/// None unless the plan's results are the sums of products of two arrays, neither of which varies along all kept axes,
/// whose rows or columns are contiguous, and the library is there. Axes are those of the plan.
std::optional<matrix_product> matrix_product_of(const exact_plan& p, const ir::program_graph& graph);

}  // namespace lazyfuse::cuda_detail

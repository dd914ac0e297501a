// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two axes of an operand are a matrix as libraries take it.
#pragma once

#include <lazyfuse/plan/matrix_product.hpp>

#include <optional>

namespace lazyfuse::planning {

/// How the matrix of two axes lies in an operand, if libraries can read it.
std::optional<matrix_layout> matrix_layout_of(const index_t* extents, const index_t* steps, int rows, int columns);

}  // namespace lazyfuse::planning

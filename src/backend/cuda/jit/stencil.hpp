// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of a transform that read one array some places apart.
#pragma once

#include "backend/cuda/jit/exact_plan.hpp"

#include <lazyfuse/backend/cuda/kernels/layout.hpp>

#include <optional>
#include <string>

namespace lazyfuse::cuda_detail {

/// A transform as its arrays have it, over three axes or more, of which the third from the end is walked.
struct stencil {
  exact_plan plan;     ///< its operands are the arrays
  std::string points;  ///< each operand of the program as {array, {walk, line, column}}
  int read_again = 0;  ///< operands beyond the first of each array

  explicit stencil(const kernel_plan& p) : plan(p) {}
};
/// Leaves none if no array is read in several places near each other, or if something is computed from positions.
void find_stencil(const exact_plan& p, std::optional<stencil>& to);

/// Blocks of a stencil whose threads take `depth` elements each; none if they are too many.
std::optional<unsigned> lay_out_stencil(const stencil& s, int depth, int& lane_shift, unsigned (&tiles)[3]);

}  // namespace lazyfuse::cuda_detail

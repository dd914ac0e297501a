// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of a transform that read one array some places apart.
#pragma once

#include "backend/cuda/jit/exact_plan.hpp"

#include <lazyfuse/backend/cuda/kernels/strided_layout.hpp>

#include <optional>
#include <string>

namespace lazyfuse::cuda_detail {

/// A transform as its arrays have it, over three axes or more, of which the third from the end is walked.
struct stencil {
  exact_plan plan;                      ///< its operands are the arrays
  int operands = 0;                     ///< of the program
  int read_again = 0;                   ///< of these, beyond the first of each array
  stencil_point points[most_distinct];  ///< which array each reads, and where
  int width = 1;                        ///< columns of a thread
  bool whole = true;                    ///< lines end where vectors do
  stencil_array arrays[most_distinct];
  bool stored_together[most_results];

  explicit stencil(const kernel_plan& p) : plan(p) {}
  bool is_line() const { return plan.extents[plan.rank - 1] == plan.plan.elements(); }
  /// What the kernel knows: members of a struct, in C++; and as bytes, for looking it up.
  std::string text() const;
  std::string bytes() const;
};
/// Whether a transform may be one, by what is known of it before addresses are looked at.
bool may_be_stencil(const exact_plan& p);
/// Leaves none if few operands read an array near another one, or if something is computed from positions.
void find_stencil(const exact_plan& p, std::optional<stencil>& to);

}  // namespace lazyfuse::cuda_detail

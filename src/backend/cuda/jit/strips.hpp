// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of rows and of columns that stay in registers element by element.
#pragma once

#include "backend/cuda/jit/patterns.hpp"

#include <lazyfuse/backend/cuda/kernels/strip_layout.hpp>

#include <optional>

namespace lazyfuse::cuda_detail {

/// Whether several elements of an operand make a register: single ones take as many instructions as of four bytes,
/// which vectors do not.
bool has_small_elements(const exact_plan& p);

/// None where columns are too high, or few and read in vectors.
std::optional<column_layout> column_layout_of(const exact_plan& p, bool in_vectors);
made_kernel* column_kernel(const exact_plan& p, exact_program& program, const column_layout& g);
bool start_columns(const exact_plan& p, const made_kernel& made, const column_layout& g);

/// None where rows are too long or too few, or read in vectors.
std::optional<row_strip_layout> row_strip_layout_of(const exact_plan& p, bool in_vectors);
made_kernel* row_strip_kernel(const exact_plan& p, exact_program& program, const row_strip_layout& g);
bool start_row_strips(const exact_plan& p, const made_kernel& made, const row_strip_layout& g);

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of rows and of columns that stay in registers element by element.
#pragma once

#include "backend/cuda/jit/patterns.hpp"

#include <lazyfuse/backend/cuda/kernels/strip_layout.hpp>

#include <optional>
#include <vector>

namespace lazyfuse::cuda_detail {

/// Whether memory takes a sector in so many writes that they are most of the time: of so many elements beside each
/// other, one line after the other. Softmax of rows of 33 by 4 threads takes 119 us, by 8 68; of 13 by 2 119, by 4 71;
/// of 7 by 1 172, by 2 69; but of 31 by 4, of 11 by 2 and of 5 by 1 the time of copy.
bool writes_in_pieces(index_t lines, index_t beside, int element_size);

/// Whether several elements of an operand make a register: single ones take as many instructions as of four bytes,
/// which vectors do not.
bool has_small_elements(const exact_plan& p);

/// None where columns are too high, or few and read in vectors. of_any_height: for a kernel that serves others, too.
std::optional<column_layout> column_layout_of(const exact_plan& p, bool in_vectors, bool of_any_height);
/// Of scans whose axis is the last but one; none where it is long, or there are few columns.
std::optional<column_layout> scan_column_layout_of(const exact_plan& p);
/// For functions and reductions of columns, or scans of them.
made_kernel* column_kernel(const exact_plan& p, exact_program& program, const column_layout& g);
bool start_columns(const exact_plan& p, const made_kernel& made, const column_layout& g);

/// None where rows are too long or too few, or read in vectors; those of scans are shared by at most a warp. in_stages:
/// exact_program::read_in_stages, or empty: all.
std::optional<row_strip_layout> row_strip_layout_of(const exact_plan& p, const std::vector<bool>& in_stages,
                                                    bool in_vectors);
/// For functions and reductions of rows, or scans of them.
made_kernel* row_strip_kernel(const exact_plan& p, exact_program& program, const row_strip_layout& g);
bool start_row_strips(const exact_plan& p, const made_kernel& made, const row_strip_layout& g);

}  // namespace lazyfuse::cuda_detail

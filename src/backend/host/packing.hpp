// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of strided elements and of blocks of rows into contiguous memory, and back. Steps and pitches are in elements,
// of so many bytes.
#pragma once

#include <lazyfuse/core/index.hpp>

#include <cstddef>

namespace lazyfuse::host_detail {

/// Writes one element n times.
void repeat(std::byte* to, const std::byte* from, int bytes, index_t n);
/// Copies n elements a step apart.
void pack_row(std::byte* to, const std::byte* from, int bytes, index_t step, index_t n);
/// Copies a block of rows x n elements that is contiguous across rows: cache lines are read once.
void pack_block(std::byte* to, index_t pitch, const std::byte* from, int bytes, index_t row_step, index_t step,
                int rows, index_t n);
/// Copies rows of n elements next to each other, whatever their steps.
void pack_rows(std::byte* to, const std::byte* from, int bytes, index_t row_step, index_t step, index_t rows,
               index_t n);

}  // namespace lazyfuse::host_detail

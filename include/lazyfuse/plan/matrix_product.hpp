// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products that are products of matrices as libraries take them, found from extents and steps alone (compiled).
#pragma once

#include <lazyfuse/core/index.hpp>

namespace lazyfuse::planning {

/// How a matrix lies in memory: line by line, each contiguous and `pitch` elements after the one before. Turned: its
/// lines are its columns.
struct matrix_layout {
  index_t pitch = 0;
  bool turned = false;
};

/// Results of rows x columns, each the sum over `depth` of products of left (rows x depth) and right (depth x columns);
/// for each position of the other kept axes, the batch, along which operands move by their steps, or not at all.
struct matrix_product {
  int rows = -1, columns = -1, depth = -1;  ///< axes of the iteration; rows is before columns
  matrix_layout left, right;
  bool swapped = false;  ///< left is the second operand

  /// Whether there is one.
  explicit operator bool() const { return rows >= 0; }
};

/// Finds it in a sum of products of two operands with these steps over the axes [kept: `kept` | reduced], which are in
/// their order and merged. None where a matrix has but one row or column, walks backwards, has both of its axes
/// strided, or is larger than an int counts.
matrix_product matrix_product_of(const index_t* extents, int kept, int rank, const index_t* first,
                                 const index_t* second);

/// The same of a matrix and a vector, over the axes [rows | depth]: columns is -1, and the vector as a matrix of one
/// column.
matrix_product vector_product_of(const index_t* extents, const index_t* first, const index_t* second);

}  // namespace lazyfuse::planning

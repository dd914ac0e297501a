// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices by cuBLASLt, which has a kernel for each processor, some by tensor cores.
#pragma once

#include <lazyfuse/core/types.hpp>
#include <lazyfuse/plan/matrix_product.hpp>

namespace lazyfuse::cuda_detail {

/// A matrix in memory, or several that lie alike.
struct matrix {
  const void* data;
  planning::matrix_layout lies;
  index_t next;  ///< from one matrix to the next
};
/// to = x * y for `count` products, in which x has rows x depth elements and y depth x columns. 16-bit reals are
/// multiplied exactly and added up in float; float and double are not rounded to fewer bits.
struct products_of_matrices {
  dtype factors, result;
  index_t rows, columns, depth, count;
  matrix x, y, to;
};

/// Multiplications and additions in a microsecond of what the library multiplies: float, double and their complex
/// numbers, 16-bit reals, whose result may be float. 0 of others, and where the library is not there.
double products_per_us(dtype factors, dtype result);
/// Starts it on the current stream. False where the library cannot; nothing has been started then.
bool multiply(const products_of_matrices& p);

}  // namespace lazyfuse::cuda_detail

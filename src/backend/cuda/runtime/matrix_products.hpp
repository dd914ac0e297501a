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
  index_t next;     ///< from one matrix to the next
  index_t far = 0;  ///< from those of one batch to those of the next
};
/// A factor, of which only complex numbers have the second part.
struct scale {
  double real = 1, imaginary = 0;
};
/// What is computed of each result before it is stored, and stays NaN where it is: the greater of it and 0, or its gelu
/// by tanh, which the library computes to a few digits more than 16 bits hold.
enum class activation : char { none, relu, gelu };

/// to = f(scale * x * y + share * added + bias) for batches of `count` products, in which x has rows x depth elements
/// and y depth x columns. 16-bit reals are multiplied exactly and added up in float, and results are rounded once;
/// float is rounded to fewer bits where use_tf32() allows it, and double is not.
struct products_of_matrices {
  dtype factors, result;
  index_t rows, columns, depth, count;
  matrix x, y, to;
  index_t batches = 1;  ///< of `count` products each
  scale of_product = {};
  scale of_added = {};
  matrix added = {};           ///< of the results' type, lying as they do; its data may be theirs
  bool adds = false;           ///< whether there is one
  bool has_bias = false;       ///< one element for each position along the lines in memory of the results
  const void* bias = nullptr;  ///< of the results' type
  index_t next_bias = 0;       ///< from one product to the next
  index_t far_bias = 0;
  activation then = activation::none;

  /// Whether the results are more than the products.
  bool computes_more() const {
    return of_product.real != 1 || of_product.imaginary != 0 || adds || has_bias || then != activation::none;
  }
};
/// Whether the library computes bias and this of results beside products of such factors, as exactly as kernels do.
bool computes(activation then, bool has_bias, dtype factors);
/// Whether float may be rounded to the 10 bits of a fraction that tensor cores take.
bool rounds_factors(dtype factors);

/// Multiplications and additions in a microsecond of what the library multiplies: float, double and their complex
/// numbers, 16-bit reals, whose result may be float. 0 of others, and where the library is not there.
double products_per_us(dtype factors, dtype result);
/// The same for what computes() more, said by the word of an operation (program/around_product.hpp) or null.
double products_per_us_and_more(dtype factors, dtype result, bool biased, const char* word);
/// Whether the library knows an algorithm for it. False while a stream is captured, if it has not been asked before.
bool can_multiply(const products_of_matrices& p);
/// Starts it on the current stream, by one call for each batch. False where the library cannot; nothing has been
/// started then.
bool multiply(const products_of_matrices& p);

}  // namespace lazyfuse::cuda_detail

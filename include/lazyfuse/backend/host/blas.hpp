// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library of matrix products that the host space was built with, if any (src/backend/host/blas.cpp).
#pragma once

#include <lazyfuse/core/types.hpp>
#include <lazyfuse/plan/matrix_product.hpp>

namespace lazyfuse::host_detail {

/// The largest step from one row to the next that it takes.
inline constexpr index_t most_pitch = 0x7fffffff;
/// The types of elements that it multiplies.
template <class T>
inline constexpr bool is_blas_number = dtype_of<T> >= dtype::float32&& dtype_of<T> <= dtype::complex128;

/// A block of a product of matrices: to = left * right.
struct block_product {
  dtype type;
  index_t rows, columns, depth;
  const void *left, *right;
  planning::matrix_layout left_lies, right_lies;
  void* to;
  index_t pitch;  ///< elements from one row of `to` to the next
  void* room;     ///< of deep ones, whose rows follow each other: for two such blocks; else none
};
/// Computes it on the thread that calls; of one column, by a function for vectors. Within the life of a blas_calls.
void multiply(const block_product& block);
/// Adds up `count` blocks of `size` elements, whose first ones are `apart` elements apart, into the first block; room
/// for one more.
void add_up(dtype type, void* blocks, index_t count, index_t apart, index_t size, void* room);

/// How a product is cut, which depends on its sizes alone: a library rounds sums at the edges of what it is given in
/// another order than elsewhere.
struct product_blocks {
  index_t rows, columns;  ///< of a block
  index_t down, across;   ///< blocks of all rows, and of all columns
  bool deep;              ///< so deep that parts of depth are added up with what rounding loses
  index_t depth, chains;  ///< of few results: tasks for each block, of so deep a part each
};
product_blocks blocks_of_product(index_t batches, index_t rows, index_t columns, index_t depth, int bytes_of_element);

/// Whether there is such a library.
bool has_blas();
/// Whether there is such a library, and the product is large enough to gain from it.
bool blas_pays(index_t rows, index_t columns, index_t depth);
/// Whether it computes with narrower vectors than this processor has, which are worth more for such a product.
bool blas_lags(index_t rows, index_t columns, index_t depth);

/// How a product of a matrix and a vector is cut: rows of a task; none where loops are as fast.
index_t rows_of_vector_product(index_t rows, index_t depth, bool turned);

/// While it lives the library starts no threads of its own, which would round sums in another order for each number of
/// them: blocks are tasks of ours.
class blas_calls {
 public:
  blas_calls();
  ~blas_calls();
  blas_calls(const blas_calls&) = delete;
  blas_calls& operator=(const blas_calls&) = delete;
};
/// body(context), which calls the library, on this thread alone. Within the life of a blas_calls. Where the library was
/// built without threads, one at a time.
void call_blas(void (*body)(void*), void* context);
template <class Body>
void call_blas(const Body& body) {
  call_blas([](void* c) { (*static_cast<const Body*>(c))(); }, const_cast<Body*>(&body));
}

}  // namespace lazyfuse::host_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exceptions of the library, all rooted at lazyfuse::error.
#pragma once

#include <stdexcept>

namespace lazyfuse {

/// Root of every exception the library throws.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Shapes that do not fit together; the text names the operation and the shapes.
struct shape_error : error {
  using error::error;
};

/// An index or axis outside an array.
struct index_error : error {
  using error::error;
};

/// A value that does not fit the element type, or data of an element type other than the one asked for.
struct dtype_error : error {
  using error::error;
};

/// Memory that could not be allocated; the text says how much, and where.
struct memory_error : error {
  using error::error;
};

/// Borrowed memory that cannot be used as asked: another space, element type or rank, misaligned, or read-only.
struct borrow_error : error {
  using error::error;
};

/// Arrays of two GPUs in one expression, or an array and a stream of different ones, or a GPU that is not there; the
/// text names the expression, its operands and their devices.
struct device_error : error {
  using error::error;
};

/// A matrix that is singular or not positive definite, an iteration that does not converge, or no library of linear
/// algebra; the text names the function, the matrix of a batch and the pivot.
struct linalg_error : error {
  using error::error;
};

/// A Fourier transform that cannot be computed, or no library of them; the text names the function and the reason.
struct fft_error : error {
  using error::error;
};

/// A graph that cannot be recorded, rebound or launched; the text names the call or the node, and the reason.
struct graph_error : error {
  using error::error;
};

/// A file or stream that cannot be opened, read or written, or is not what its format asks for; the text names it, says
/// what was found and what was expected, and where.
struct file_error : error {
  using error::error;
};

/// A call of the CUDA runtime that failed; the text names the call and its reason.
struct cuda_error : error {
  cuda_error(int code, const char* text) : error(text), code_(code) {}
  /// The cudaError_t.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace lazyfuse

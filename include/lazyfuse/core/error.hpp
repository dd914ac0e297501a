// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where errors are thrown from: plain functions, so that headers carry neither exceptions nor text.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse {

/// The place in the user's code that asked, taken as a default argument.
struct caller {
  const char* file = "";
  unsigned line = 0;
  static constexpr caller here(const char* f = __builtin_FILE(), unsigned l = __builtin_LINE()) { return {f, l}; }
};

/// While it lives, the calling thread's errors of memory and of kernels name that place; of several the outermost.
/// Assignments have none: operators take no default argument.
class asked_at {
 public:
  explicit asked_at(caller where) noexcept;
  ~asked_at();
  asked_at(const asked_at&) = delete;
  asked_at& operator=(const asked_at&) = delete;
};

/// "add: shapes (3, 4) and (5,) do not broadcast"
[[noreturn]] void throw_shapes(const char* operation, const index_t* a, int rank_a, const index_t* b, int rank_b,
                               const char* problem, caller where = {});
/// "item: shape (3, 4) ..."
[[noreturn]] void throw_shape(const char* operation, const index_t* a, int rank, const char* problem,
                              caller where = {});
/// "index 7 is out of bounds for axis 1 of shape (3, 4)"
[[noreturn]] void throw_index(const char* operation, index_t index, int axis, const index_t* shape, int rank,
                              caller where = {});
/// "extent: axis 2 is out of bounds for shape (3, 4)", an index_error
[[noreturn]] void throw_axis(const char* operation, int axis, const index_t* shape, int rank, caller where = {});

/// "add: scalar 300 does not fit uint8", a dtype_error; value is of the scalar's type, negative or not
[[noreturn]] void throw_unfit(const char* operation, long long value, bool negative, dtype type);
/// "arange: not all elements fit uint8", a dtype_error
[[noreturn]] void throw_unfit(const char* operation, dtype type);
/// "range: the step is zero", an index_error
[[noreturn]] void throw_value(const char* problem, caller where = {});

/// "array: could not allocate 4000000 bytes of host memory for float32 of shape (1000, 1000)", a memory_error
struct memory_request {
  const char* operation;
  dtype type;
  const index_t* extents;
  int rank;
};
[[noreturn]] void throw_memory(const char* space, standard::size_t bytes, const memory_request& wanted);

/// "borrow: the pointer is null", a borrow_error
[[noreturn]] void throw_borrow(const char* operation, const char* problem, caller where = {});

/// "load: x.npy holds float64, not float32", a dtype_error
[[noreturn]] void throw_dtype(const char* operation, const char* problem, caller where = {});
/// "load: x.npy cannot be opened: No such file or directory", a file_error
[[noreturn]] void throw_file(const char* operation, const char* problem, caller where = {});

}  // namespace lazyfuse

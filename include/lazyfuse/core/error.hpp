// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where errors are thrown from: plain functions, so that headers carry neither exceptions nor text.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse {

/// The place in the user's code that asked, taken as a default argument.
struct caller {
  const char* file = "";
  unsigned line = 0;
  static constexpr caller here(const char* f = __builtin_FILE(), unsigned l = __builtin_LINE()) { return {f, l}; }
};

/// "add: shapes (3, 4) and (5,) do not broadcast"
[[noreturn]] void throw_shapes(const char* operation, const index_t* a, int rank_a, const index_t* b, int rank_b,
                               const char* problem, caller where = {});
/// "item: shape (3, 4) ..."
[[noreturn]] void throw_shape(const char* operation, const index_t* a, int rank, const char* problem,
                              caller where = {});
/// "range: index 7 is out of bounds for axis 1 with size 4"
[[noreturn]] void throw_index(const char* operation, index_t index, int axis, index_t extent, caller where = {});

/// "scalar 300 does not fit uint8", a dtype_error; value is of the scalar's type, negative or not
[[noreturn]] void throw_unfit(long long value, bool negative, dtype type);
/// "range: the step is zero", an index_error
[[noreturn]] void throw_value(const char* problem, caller where = {});

/// "borrow: the pointer is null", a borrow_error
[[noreturn]] void throw_borrow(const char* operation, const char* problem, caller where = {});

/// "load: x.npy holds float64, not float32", a dtype_error
[[noreturn]] void throw_dtype(const char* operation, const char* problem, caller where = {});
/// "load: x.npy cannot be opened: No such file or directory", a file_error
[[noreturn]] void throw_file(const char* operation, const char* problem, caller where = {});

}  // namespace lazyfuse

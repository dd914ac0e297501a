// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reading and writing .npy files have in common.
#pragma once

#include "core/text.hpp"

#include <lazyfuse/io/npy.hpp>

#include <cerrno>
#include <cstring>
#include <string>

namespace lazyfuse::npy_detail {

/// What is asked for, and by whom, for the texts of errors.
struct request {
  const char* operation;
  std::string name;
  caller where;

  [[noreturn]] void fail(const std::string& problem) const {
    throw_file(operation, (name + " " + problem).c_str(), where);
  }
  [[noreturn]] void fail_with_errno(const char* problem) const {
    fail(problem + std::string(": ") + std::strerror(errno));
  }
};

/// In the order of dtype.
struct element_name {
  const char* letters;  ///< NumPy's kind and bytes
  dtype type;
  int bytes;
  int part;  ///< bytes that a byte order turns round
};
inline constexpr element_name element_names[] = {
    {"b1", dtype::boolean, 1, 1}, {"i1", dtype::int8, 1, 1},      {"i2", dtype::int16, 2, 2},
    {"i4", dtype::int32, 4, 4},   {"i8", dtype::int64, 8, 8},     {"u1", dtype::uint8, 1, 1},
    {"u2", dtype::uint16, 2, 2},  {"u4", dtype::uint32, 4, 4},    {"u8", dtype::uint64, 8, 8},
    {"f2", dtype::float16, 2, 2}, {"V2", dtype::bfloat16, 2, 2},  {"f4", dtype::float32, 4, 4},
    {"f8", dtype::float64, 8, 8}, {"c8", dtype::complex64, 8, 4}, {"c16", dtype::complex128, 16, 8}};

inline const element_name& named(dtype type) { return element_names[static_cast<int>(type)]; }

}  // namespace lazyfuse::npy_detail

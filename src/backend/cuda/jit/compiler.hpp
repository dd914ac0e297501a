// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler at run time: NVRTC, found when it is first needed, over the headers that this library carries.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lazyfuse::cuda_detail {

/// What became of a source.
struct compiled {
  std::string binary;              ///< machine code; empty if there is none
  std::vector<std::string> names;  ///< of what was asked for, as the binary has them
  std::string message;             ///< why there is no binary
};

/// Compiles a source for an architecture, 90 say. names: C++ names of the kernels and variables that it is to have.
compiled compile(const std::string& source, const std::vector<std::string>& names, int architecture);

/// Whether there is an NVRTC library.
bool has_compiler();

/// The version of the compiler, 0.0 if there is none.
std::string compiler_version();
/// What a binary depends on beside its source and the compiler: options, and headers.
std::string compiled_with(int architecture);

/// A file that sources may include.
struct carried_header {
  const char *name, *text;
};
extern const carried_header carried_headers[];
extern const int carried_header_count;
/// Which of them has an operation, by its name in lazyfuse.
extern const std::map<std::string_view, std::string_view> headers_of_operations;

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Examples are tests: what they claim is checked, in every build type.
#pragma once

#include <cstdio>
#include <cstdlib>

/// Ends the program with the place of the claim that does not hold. (clang 14 has no std::source_location.)
inline void expect(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: not as claimed\n", file, line);
  std::exit(1);
}

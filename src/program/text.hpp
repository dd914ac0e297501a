// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as people write them, from their codes (program/code.hpp).
#pragma once

#include <string>
#include <vector>

namespace lazyfuse::ir {

/// "((x0 * 2) + sin(x1))" from "x0 2 */2 x1 sin/1 +/2 ", with all parentheses; of several programs with commas.
std::string program_text(const char* code);

/// The same as one would type it, "x0 * 2 + sin(x1)", of at most 100 characters.
std::string short_program_text(const char* code);

/// What each pass computes, "r0 = max(x0), r1 = sum(x0)"; the last, the results.
std::vector<std::string> pass_texts(const char* code);

/// "x1" of a program with so many results, which come first, "the result" or "result 1".
std::string name_of_operand(int i, int targets);

}  // namespace lazyfuse::ir

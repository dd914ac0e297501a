// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as people write them, from the compiler's spelling of their types.
#pragma once

#include <string>

namespace lazyfuse {

/// "(x0 * 2 + sin(x1)), ..." from "... [with Programs = list<apply<op::add, ...> >]".
std::string program_text(const char* spelling);

/// The same as one would type it, "x0 * 2 + sin(x1)", of at most 100 characters.
std::string short_program_text(const char* spelling);

/// "x1" of a program with so many results, which come first, "the result" or "result 1".
std::string name_of_operand(int i, int targets);

}  // namespace lazyfuse

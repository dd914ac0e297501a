// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types as a source of C++ inside namespace lazyfuse names them.
#pragma once

#include <lazyfuse/core/types.hpp>
#include <lazyfuse/program/operand.hpp>

#include <string>

namespace lazyfuse::ir {

/// "float"; empty for structs of the user's.
std::string spelling_of(dtype type);
/// "memory<float>"; empty for what has no name here.
std::string spelling_of(source_kind kind, dtype element);

}  // namespace lazyfuse::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that are given as text when a program runs.
#pragma once

#include <string>
#include <string_view>

namespace lazyfuse::ir {

/// The name by which codes and kernels know an operation, "source_0f3a...", the same for the same text. parameters:
/// "const X0& x, const X1& s" of the types X0, X1; result: "float"; definitions: what it is written in.
std::string name_of_source(const std::string& expression, int count, const std::string& parameters,
                           const std::string& result, const std::string& definitions);
/// Its struct, for a kernel's text, and what stands before it, outside of namespaces; empty for what has no such name.
std::string operation_of_source(std::string_view name);
std::string definitions_of_source(std::string_view name);

}  // namespace lazyfuse::ir

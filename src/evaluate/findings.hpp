// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tune has found out, in a file for later processes.
#pragma once

#include "core/keys.hpp"

#include <lazyfuse/evaluate/tune.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>

namespace lazyfuse::tune_detail {

/// The faster plan of each class of shapes of a program, of the machine that it was measured on.
using findings = std::unordered_map<std::string, plan_choice, text_hash, std::equal_to<>>;

/// Of a file: a larger one is not read.
inline constexpr std::size_t most_bytes = 64 << 20;

/// What is in the folder; nothing if that is damaged, or not the user's own. Throws only where memory runs out.
findings load_findings(const std::string& folder);
/// Adds one to those in the folder, which is made, for the user alone; several processes may do so at a time. Nothing
/// happens where that is not possible. They begin anew beyond so many, and beyond most_bytes.
void store_finding(const std::string& folder, const std::string& key, plan_choice choice, std::size_t most = 4096);
void remove_findings(const std::string& folder);

}  // namespace lazyfuse::tune_detail

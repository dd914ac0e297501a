// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of the library's own: a mark that says what follows, a sum over it, and texts, each behind its length. What was
// changed anywhere, or is shorter or longer, is noticed.
#pragma once

#include "core/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lazyfuse::disk_detail {

std::string sealed(std::string_view mark, const std::vector<std::string>& texts);
/// The texts; none if it is not what sealed() has made.
std::optional<std::vector<std::string>> opened(std::string_view mark, std::string_view file);

/// What the names of files begin with that are not yet whole.
inline constexpr std::string_view half_written = "being_written.";
/// Writes a file under a name of its own in its folder and renames it, so that nobody reads half of one. mode: who may
/// read it, the user alone unless it says more. False if that cannot be done.
bool write_whole(const std::string& file, std::string_view text, unsigned mode = 0600);

/// A list of names as one text, and back.
std::string joined(const std::vector<std::string>& names);
std::vector<std::string> split(std::string_view names);

}  // namespace lazyfuse::disk_detail

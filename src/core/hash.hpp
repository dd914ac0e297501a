// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum over text that is the same in every process, which std::hash need not be.
#pragma once

#include <cstdint>
#include <string_view>

namespace lazyfuse {

/// FNV-1a (Fowler, Noll, Vo), from another start for each use.
inline std::uint64_t hash_of(std::string_view text, std::uint64_t start) {
  std::uint64_t h = 14695981039346656037ull ^ start;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

}  // namespace lazyfuse

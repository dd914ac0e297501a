// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of tables, put together of scalars.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>

namespace lazyfuse {

/// Appends the bytes of scalars to a string.
void append_bytes(auto& text, const auto&... part) {
  const auto append = [&]<class T>(const T& one) {
    static_assert(std::is_scalar_v<T>, "structs have gaps");
    const auto bytes = std::as_bytes(std::span(&one, 1));
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  (append(part), ...);
}

/// So that a table of strings finds a view of one.
struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace lazyfuse

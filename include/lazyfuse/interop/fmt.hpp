// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmt::print("{:.3f}", x), of libfmt 9 or newer. For std::format: interop/format.hpp.
#pragma once

#include <lazyfuse/interop/format.hpp>

#include <fmt/format.h>

// Host arrays are ranges, but printed as arrays, also where fmt/ranges.h is included.
FMT_BEGIN_NAMESPACE
template <class T, class Char>
struct is_range;
template <class E, class Char>
  requires lazyfuse::expression<E>
struct is_range<E, Char> {
  static constexpr bool value = false;
};

/// Evaluates the expression; see lazyfuse::element_format for what may stand in the braces. A mistake there is one at
/// compile time, or throws fmt::format_error where the string is known only at run time.
template <class E>
  requires lazyfuse::expression<E>
struct formatter<E, char> {
  constexpr auto parse(format_parse_context& context) {
    const auto end = elements_.parse(context.begin(), context.end());
    if (end != context.end() && *end != '}') throw format_error("lazyfuse: expected .precision, f or e");
    return end;
  }
  template <class Context, class = lazyfuse::maker>
  auto format(const E& e, Context& context) const {
    auto out = context.out();
    for (const char c : elements_.text(e)) *out++ = c;
    return out;
  }

 private:
  lazyfuse::element_format<E> elements_;
};
FMT_END_NAMESPACE

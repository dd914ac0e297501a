// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::format("{:.3f}", x), where the standard library has <format>. For libfmt: interop/fmt.hpp.
#pragma once

#include <lazyfuse/evaluate/print.hpp>

#include <version>

#if defined(__cpp_lib_format)
#include <format>
#endif

namespace lazyfuse {

/// How a format string asks for the elements of an E: {} as std::cout << e shows them; {:.3} with a precision of at
/// most 3; {:.3f} and {:.3e} in the fixed and in the scientific notation. The latter are for real and complex elements.
template <class E>
struct element_format {
  int precision = -1;
  notation reals = notation::shortest;

  /// Reads the specification and returns where it ends, which is right where there is '}' or nothing.
  template <class Iterator>
  constexpr Iterator parse(Iterator at, Iterator end) {
    if constexpr (floating_point<value_t<E>> || complex_number<value_t<E>>) {
      constexpr int most = 9999;
      if (at != end && *at == '.') {
        Iterator digit = at;
        int n = 0;
        for (++digit; digit != end && *digit >= '0' && *digit <= '9' && n <= most / 10; ++digit)
          n = 10 * n + (*digit - '0');
        if (digit - at < 2) return at;
        precision = n;
        at = digit;
      }
      if (at != end && (*at == 'f' || *at == 'e')) {
        reals = *at == 'f' ? notation::fixed : notation::scientific;
        ++at;
      }
    }
    return at;
  }

  /// Evaluates e.
  template <class = maker>
  std::string text(const E& e) const {
    return with_elements(e, [this](const host_elements& x) {
      if (precision < 0 && reals == notation::shortest) return print_detail::text_of(x);
      print_options options = current_print_options();
      if (precision >= 0) options.precision = precision;
      options.reals = reals;
      return print_detail::text_of(x, options);
    });
  }
};

}  // namespace lazyfuse

#if defined(__cpp_lib_format)
template <class E>
  requires lazyfuse::expression<E>
struct std::formatter<E, char> {
  constexpr auto parse(std::format_parse_context& context) {
    const auto end = elements_.parse(context.begin(), context.end());
    if (end != context.end() && *end != '}') throw std::format_error("lazyfuse: expected .precision, f or e");
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
#if defined(__cpp_lib_format_ranges)
template <class E>
  requires lazyfuse::expression<E>
constexpr auto std::format_kind<E> = std::range_format::disabled;  // host arrays are ranges, too
#endif
#endif

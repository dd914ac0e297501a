// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing as NumPy prints: aligned columns, shortest digits, the middle of large arrays left out.
#pragma once

#include <lazyfuse/evaluate/host_elements.hpp>

#include <iosfwd>
#include <string>

namespace lazyfuse {

/// How real and complex elements are written.
enum class notation : unsigned char {
  shortest,   ///< as few digits as distinguish a number from its neighbours; exponents if they are far apart
  fixed,      ///< precision digits after the point, as printf's %.3f
  scientific  ///< one digit before the point, precision digits after it and an exponent, as printf's %.3e
};

/// How arrays become text: the options of numpy.set_printoptions, with its defaults.
struct print_options {
  int precision = 8;         ///< the most digits after the point
  index_t threshold = 1000;  ///< beyond this many elements only the first and last along each axis are shown
  index_t edgeitems = 3;     ///< how many of them, at least 1
  int linewidth = 75;        ///< columns of a line
  bool suppress = false;     ///< small numbers do not switch all elements to exponents
  notation reals = notation::shortest;
};

/// The options of the calling thread's innermost print_scope, or of the program.
print_options current_print_options();
/// Sets the options of the program, for every thread, except within a print_scope.
void use_print_options(const print_options& options);

/// While it lives, the calling thread prints with other options: print_scope scope({.precision = 3}). Scopes nest.
class print_scope {
 public:
  explicit print_scope(const print_options& options);
  ~print_scope();
  print_scope(const print_scope&) = delete;
  print_scope& operator=(const print_scope&) = delete;

 private:
  print_options options_;
  const print_options* outer_;
};

namespace print_detail {
std::string text_of(const host_elements& x, const print_options& options);
/// What << shows.
std::string text_of(const host_elements& x);
void print(std::ostream& out, const host_elements& x);
void print(std::ostream& out, const index_t* extents, int rank);
}  // namespace print_detail

/// Evaluates e and gives its elements as text: std::cout << format(x, {.precision = 3}). Options that are not named
/// have their defaults. Throws what evaluating e throws. \numpy{array2string}
template <class E, class = maker>
  requires expression<E> std::string format(const E& e, const print_options& options = current_print_options()) {
    return with_elements(e, [&](const auto& x) { return print_detail::text_of(x, options); });
  }

/// Evaluates e and prints its elements with the current options; rank 0 as a scalar, with all digits it needs.
/// All of e is evaluated and copied to the host, even where only its ends are shown.
template <class E, class = maker>
requires expression<E> std::ostream& operator<<(std::ostream& out, const E& e) {
  with_elements(e, [&](const auto& x) { print_detail::print(out, x); });
  return out;
}

/// Prints a shape as NumPy does: (3, 4), (5,), ().
template <int R>
std::ostream& operator<<(std::ostream& out, const shape<R>& s) {
  print_detail::print(out, s.extent, R);
  return out;
}
/// Prints what item() gives of complex elements as Python does: (1+2j).
template <class T>
std::ostream& operator<<(std::ostream& out, const complex<T>& z) {
  print_detail::print(out, {&z, dtype_of<complex<T>>, nullptr, 0});
  return out;
}
/// Prints what item() gives of short vectors, as an array of its components.
template <class T, int N>
std::ostream& operator<<(std::ostream& out, const vec<T, N>& v) {
  const index_t extent = N;
  print_detail::print(out, {v.data, dtype_of<T>, &extent, 1});
  return out;
}

}  // namespace lazyfuse

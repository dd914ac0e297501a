// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers, laid out as std::complex, and converted from and to every type with real() and imag(). A type of our
// own: cuda::std::complex would cost every user 0.5 s of nvcc's time, and multiplies with a branch for infinities.
#pragma once

#include <lazyfuse/core/macros.hpp>
#include <lazyfuse/core/standard.hpp>

namespace lazyfuse {

namespace complex_detail {
/// std::complex, cuda::std::complex, thrust::complex: any class with real() and imag() that can be made of two numbers.
template <class Z>
concept pair_of_numbers = requires(const Z& z) {
  typename Z::value_type;
  Z(z.real(), z.imag());
  requires standard::is_floating_point_v<typename Z::value_type>;
  requires sizeof(Z) == 2 * sizeof(typename Z::value_type);
};
}  // namespace complex_detail

/// re + im i. Products are NumPy's, without repair of infinities; quotients are Smith's (Communications of the ACM 5,
/// 1962), which overflow less.
template <class T>
struct complex {
  static_assert(standard::is_same_v<T, float> || standard::is_same_v<T, double>,
                "lazyfuse: the T of complex<T> is float or double");
  using value_type = T;

  T re, im;

  complex() = default;
  LAZYFUSE_HD constexpr complex(T real, T imag = T(0)) : re(real), im(imag) {}
  /// From the other precision: float widens by itself, double narrows when asked.
  template <class U>
  LAZYFUSE_HD constexpr explicit(sizeof(U) > sizeof(T)) complex(const complex<U>& z)
      : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}
  template <complex_detail::pair_of_numbers Z>
  LAZYFUSE_HD constexpr explicit(sizeof(Z) > 2 * sizeof(T)) complex(const Z& z)
      : re(static_cast<T>(z.real())), im(static_cast<T>(z.imag())) {}
  template <complex_detail::pair_of_numbers Z>
    requires(standard::is_same_v<typename Z::value_type, T>)
  LAZYFUSE_HD constexpr operator Z() const { return Z(re, im); }

  LAZYFUSE_HD constexpr T real() const { return re; }
  LAZYFUSE_HD constexpr T imag() const { return im; }

  LAZYFUSE_HD friend constexpr complex operator+(const complex& a, const complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  LAZYFUSE_HD friend constexpr complex operator-(const complex& a, const complex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  LAZYFUSE_HD friend constexpr complex operator-(const complex& a) { return {-a.re, -a.im}; }
  LAZYFUSE_HD friend constexpr complex operator*(const complex& a, const complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  LAZYFUSE_HD friend constexpr complex operator/(const complex& a, const complex& b) {
    const bool wide = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
    const T large = wide ? b.re : b.im, small = wide ? b.im : b.re;
    if (large == 0 && small == 0) {  // of either sign of zero, as NumPy's
      const T zero = large * large;  // no constant, of whose division nvcc would warn
      return {a.re / zero, a.im / zero};
    }
    const T ratio = small / large, scale = T(1) / (large + small * ratio);
    return wide ? complex{(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale}
                : complex{(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
  }
  LAZYFUSE_HD friend constexpr bool operator==(const complex& a, const complex& b) {
    return (a.re == b.re) & (a.im == b.im);
  }
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of complex numbers.
#pragma once

#include <lazyfuse/core/complex_math.hpp>
#include <lazyfuse/op/exponential.hpp>

namespace lazyfuse {
namespace op {

/// The real part; of real numbers the number itself.
struct real : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "real";
  template <number T>
  LAZYFUSE_HD constexpr part_t<T> operator()(T x) const {
    if constexpr (complex_number<T>) return x.re;
    else return x;
  }
};

/// The imaginary part; 0 of real numbers.
struct imag : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "imag";
  template <number T>
  LAZYFUSE_HD constexpr part_t<T> operator()(T x) const {
    if constexpr (complex_number<T>) return x.im;
    else return T(0);
  }
};

/// The complex conjugate; real numbers stay.
struct conj : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "conj";
  template <number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    if constexpr (complex_number<T>) return {x.re, -x.im};
    else return x;
  }
};

/// The angle of a complex number, in (-pi, pi]: 0 or pi of real ones.
struct angle : floating_operation {
  static constexpr const char* name = "angle";
  static constexpr const char* difference = "in radians";
  static constexpr int cost = 30;
  template <number T>
  LAZYFUSE_HD part_t<T> operator()(T x) const {
    if constexpr (complex_number<T>) return math::arg(x);
    else return x != x ? x : math::magnitude_bits(x) != math::all_bits(x) ? T(3.14159265358979323846) : T(0);
  }
};

}  // namespace op

/// The real part; of real numbers the number itself. \numpy{real}
template <class X>
  requires operands<X>
constexpr auto real(X&& x) { return map<op::real>(static_cast<X&&>(x)); }
/// The imaginary part; 0 of real numbers. \numpy{imag}
template <class X>
  requires operands<X>
constexpr auto imag(X&& x) { return map<op::imag>(static_cast<X&&>(x)); }
/// The complex conjugate; real numbers stay. \numpy{conj}
template <class X>
  requires operands<X>
constexpr auto conj(X&& x) { return map<op::conj>(static_cast<X&&>(x)); }
/// The angle of a complex number, in (-pi, pi]: 0 or pi of real ones. \numpy{angle}
template <class X>
  requires operands<X>
constexpr auto angle(X&& x) { return map<op::angle>(static_cast<X&&>(x)); }

namespace op {
using complex_operations = list<real, imag, conj, angle>;
}  // namespace op

}  // namespace lazyfuse

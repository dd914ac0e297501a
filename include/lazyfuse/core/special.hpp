// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions. The device has most of them; on the host those are here that libm does not have.
#pragma once

#include <lazyfuse/core/math.hpp>

namespace lazyfuse::math {

LAZYFUSE_HD float rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrtf(x);
#else
  return 1 / sqrt(x);
#endif
}
LAZYFUSE_HD double rsqrt(double x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrt(x);
#else
  return 1 / sqrt(x);
#endif
}

/// sin(pi x): 0 at whole numbers.
template <class T>
LAZYFUSE_HD T sinpi(T x) {
#if defined(__CUDA_ARCH__)
  return ::sinpi(x);
#else
  const T whole = rint(x), rest = x - whole;  // exact
  const T value = sin(T(3.14159265358979323846) * rest);
  return whole - 2 * rint(whole / 2) == 0 ? value : -value;
#endif
}

LAZYFUSE_HD float lgamma(float x) {
#if defined(__CUDA_ARCH__)
  return ::lgammaf(x);
#else
  int sign;
  return lazyfuse_lgammaf(x, &sign);
#endif
}
LAZYFUSE_HD double lgamma(double x) {
#if defined(__CUDA_ARCH__)
  return ::lgamma(x);
#else
  int sign;
  return lazyfuse_lgamma(x, &sign);
#endif
}

/// The inverse error function: Winitzki's approximation ("A handy approximation for the error function and its
/// inverse", 2008) and two steps of Halley's method, in the tails from the distance to 1.
template <class T>
LAZYFUSE_HD T erfinv(T x) {
#if defined(__CUDA_ARCH__)
  return ::erfinv(x);
#else
  constexpr T a = T(0.147), pi = T(3.14159265358979323846), root_pi = T(1.77245385090551602730);
  const T away = 1 - abs(x);
  if (!(away > 0)) return away == 0 ? copysign(infinity<T>(), x) : infinity<T>() - infinity<T>();
  const T l = log(away * (1 + abs(x))), half = 2 / (pi * a) + l / 2;
  T y = sqrt(sqrt(half * half - l / a) - half);
  for (int step = 0; step < (sizeof(T) == 4 ? 2 : 3); ++step) {
    const T off = abs(x) > T(0.5) ? away - erfc(y) : erf(y) - abs(x), slope = 2 / root_pi * exp(-y * y);
    const T newton = off / slope;
    y -= newton / (1 + y * newton);
  }
  return copysign(abs(x) < T(1e-30) ? abs(x) * root_pi / 2 : y, x);
#endif
}

/// The derivative of log(gamma(x)): reflection below zero, recurrence to 10, then the asymptotic series (Abramowitz and
/// Stegun 6.3.7, 6.3.5, 6.3.18). Computed in double.
LAZYFUSE_HD double digamma(double x) {
  constexpr double pi = 3.14159265358979323846;
  double sum = 0;
  if (x <= 0) {
    if (x == 0) return copysign(infinity<double>(), -x);
    const double rest = x - rint(x);  // exact; the tangent has period pi
    if (rest == 0 || x == -infinity<double>()) return infinity<double>() - infinity<double>();
    sum = -pi / tan(pi * rest);
    x = 1 - x;
  }
  double shifted = 0;
  for (; x < 10; ++x) shifted += 1 / x;
  const double inverse = 1 / x, square = inverse * inverse;
  double series = 1.0 / 12;
  series = 691.0 / 32760 - square * series;
  series = 1.0 / 132 - square * series;
  series = 1.0 / 240 - square * series;
  series = 1.0 / 252 - square * series;
  series = 1.0 / 120 - square * series;
  series = 1.0 / 12 - square * series;
  return sum - shifted + (log(x) - inverse / 2 - square * series);
}
LAZYFUSE_HD float digamma(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }

}  // namespace lazyfuse::math

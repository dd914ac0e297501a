// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of complex numbers, principal values. Their error is small beside the length of the result, not always
// beside each of its parts. The inverse ones are Kahan's ("Branch cuts for complex elementary functions", 1987).
#pragma once

#include <lazyfuse/core/complex.hpp>
#include <lazyfuse/core/sincos.hpp>

namespace lazyfuse::math {

template <class T>
LAZYFUSE_HD complex<T> times_i(const complex<T>& z) {
  return {-z.im, z.re};
}
template <class T>
LAZYFUSE_HD complex<T> divided_by_i(const complex<T>& z) {
  return {z.im, -z.re};
}
template <class T>
LAZYFUSE_HD bool is_infinite(const complex<T>& z) {
  return abs(z.re) == infinity<T>() || abs(z.im) == infinity<T>();
}
/// A part of an infinite number beside the others: 1 if it is infinite, else 0, with its sign.
template <class T>
LAZYFUSE_HD T end_of(T x) {
  return copysign(abs(x) == infinity<T>() ? T(1) : T(0), x);
}
template <class T>
LAZYFUSE_HD T arg(const complex<T>& z) {
  return atan2(z.im, z.re);
}
template <class T>
LAZYFUSE_HD complex<T> exp(const complex<T>& z) {
  // past the largest exponential the cosine may still make it a number
  const bool large = z.re > (sizeof(T) == 4 ? T(88) : T(709));
  const T length = exp(large ? z.re - 32 : z.re), rest = large ? T(7.896296018268069516e13) : T(1);
  if (z.im == 0 || length == 0) return {length * rest, z.im == 0 ? z.im : T(0)};
  const auto angle = sincos(z.im);
  return {length * angle.cosine * rest, length * angle.sine * rest};
}
template <class T>
LAZYFUSE_HD complex<T> log(const complex<T>& z) {
  const T x = abs(z.re), y = abs(z.im), large = x > y ? x : y, small = x > y ? y : x;
  // near the unit circle from the distance to it, and far from it with a scale
  const bool near = large > T(0.5) && large < 2 && small < 2;
  const T scale = large > T(0x1p100) ? T(0x1p-100) : large < T(0x1p-100) ? T(0x1p100) : T(1);
  const T log_scale = scale == 1 ? T(0) : scale < 1 ? T(-69.314718055994530942) : T(69.314718055994530942);
  const T length =
      near ? log1p((large - 1) * (large + 1) + small * small) / 2 : log(hypot(x * scale, y * scale)) - log_scale;
  return {length, arg(z)};
}
template <class T>
LAZYFUSE_HD complex<T> sqrt(const complex<T>& z) {
  const T x = abs(z.re), y = abs(z.im), large = x > y ? x : y;
  if (x == 0 && y == 0) return {T(0), z.im};
  if (y == infinity<T>()) return {y, z.im};
  const T scale = large > largest<T>() / 4 ? T(0.25) : large < T(0x1p-100) ? T(0x1p100) : T(1);
  const T root = sqrt((x * scale + hypot(x * scale, y * scale)) / 2);
  const T other = y * scale / (2 * root), back = scale == T(0.25) ? T(2) : scale == 1 ? T(1) : T(0x1p-50);
  if (z.re >= 0) return {root * back, copysign(other * back, z.im)};
  return {other * back, copysign(root * back, z.im)};
}
template <class T>
LAZYFUSE_HD complex<T> sinh(const complex<T>& z) {
  const auto angle = sincos(z.im);
  return {sinh(z.re) * angle.cosine, z.im == 0 ? z.im : cosh(z.re) * angle.sine};
}
template <class T>
LAZYFUSE_HD complex<T> cosh(const complex<T>& z) {
  const auto angle = sincos(z.im);
  const T zero = copysign(T(0), z.re) * copysign(T(1), z.im);
  return {cosh(z.re) * angle.cosine, z.im == 0 ? zero : sinh(z.re) * angle.sine};
}
template <class T>
LAZYFUSE_HD complex<T> tanh(const complex<T>& z) {
  if (abs(z.re) > (sizeof(T) == 4 ? 10 : 22)) {
    const auto angle = sincos(z.im);
    return {copysign(T(1), z.re), 4 * angle.sine * angle.cosine * exp(-2 * abs(z.re))};
  }
  const T t = tan(z.im), s = sinh(z.re), slope = 1 + t * t, root = sqrt(1 + s * s), below = 1 + slope * s * s;
  if (abs(t) == infinity<T>()) return {root / s, 1 / t};
  return {slope * root * s / below, t / below};
}
template <class T>
LAZYFUSE_HD complex<T> sin(const complex<T>& z) {
  return divided_by_i(sinh(times_i(z)));
}
template <class T>
LAZYFUSE_HD complex<T> cos(const complex<T>& z) {
  return cosh(times_i(z));
}
template <class T>
LAZYFUSE_HD complex<T> tan(const complex<T>& z) {
  return divided_by_i(tanh(times_i(z)));
}
template <class T>
LAZYFUSE_HD complex<T> asin(const complex<T>& z) {
  if (is_infinite(z)) return {atan2(end_of(z.re), abs(end_of(z.im))), copysign(infinity<T>(), z.im)};
  const auto a = sqrt(complex<T>(1 + z.re, z.im)), b = sqrt(complex<T>(1 - z.re, -z.im));
  return {atan2(z.re, a.re * b.re - a.im * b.im), asinh(a.im * b.re - a.re * b.im)};
}
template <class T>
LAZYFUSE_HD complex<T> acos(const complex<T>& z) {
  if (is_infinite(z)) return {atan2(abs(end_of(z.im)), end_of(z.re)), -copysign(infinity<T>(), z.im)};
  const auto a = sqrt(complex<T>(1 - z.re, -z.im)), b = sqrt(complex<T>(1 + z.re, z.im));
  return {2 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re)};
}
template <class T>
LAZYFUSE_HD complex<T> acosh(const complex<T>& z) {
  if (is_infinite(z)) return {infinity<T>(), atan2(end_of(z.im), end_of(z.re))};
  const auto a = sqrt(complex<T>(z.re - 1, z.im)), b = sqrt(complex<T>(z.re + 1, z.im));
  return {asinh(a.re * b.re + a.im * b.im), 2 * atan2(a.im, b.re)};
}
template <class T>
LAZYFUSE_HD complex<T> asinh(const complex<T>& z) {
  return divided_by_i(asin(times_i(z)));
}
template <class T>
LAZYFUSE_HD complex<T> atanh(const complex<T>& z) {
  const T x = abs(z.re), y = z.im, far = sizeof(T) == 4 ? T(0x1p30) : T(0x1p60);
  if (x > far || abs(y) > far) {
    const T length = hypot(z.re, y);
    return {is_infinite(z) ? copysign(T(0), z.re) : z.re / length / length, copysign(T(1.57079632679489661923), y)};
  }
  const T away = 1 - x, across = away * away + y * y;
  // next to 1 the square of y is nothing
  const T length = across == 0 ? (T(0.69314718055994530942) - log(abs(y))) / 2 : log1p(4 * x / across) / 4;
  return {copysign(length, z.re), atan2(2 * y, (1 - z.re) * (1 + z.re) - y * y) / 2};
}
template <class T>
LAZYFUSE_HD complex<T> atan(const complex<T>& z) {
  return divided_by_i(atanh(times_i(z)));
}
template <class T>
LAZYFUSE_HD complex<T> pow(const complex<T>& z, const complex<T>& w) {
  if (w.re == 0 && w.im == 0) return T(1);
  if (z.re == 0 && z.im == 0) {
    const T none = infinity<T>() - infinity<T>();
    return w.re > 0 ? complex<T>(0) : complex<T>(none, none);
  }
  return exp(w * log(z));
}

}  // namespace lazyfuse::math

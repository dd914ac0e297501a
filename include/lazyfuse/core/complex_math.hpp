// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of complex numbers, principal values. Their error is small beside the length of the result, not always
// beside each of its parts. The inverse ones are Kahan's ("Branch cuts for complex elementary functions", 1987).
#pragma once

#include <lazyfuse/core/complex.hpp>
#include <lazyfuse/core/math.hpp>

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
LAZYFUSE_HD T arg(const complex<T>& z) {
  return atan2(z.im, z.re);
}
template <class T>
LAZYFUSE_HD complex<T> exp(const complex<T>& z) {
  const auto angle = sincos(z.im);
  const T length = exp(z.re);
  return {length * angle.cosine, z.im == 0 ? z.im : length * angle.sine};
}
template <class T>
LAZYFUSE_HD complex<T> log(const complex<T>& z) {
  const T x = abs(z.re), y = abs(z.im), large = x > y ? x : y, small = x > y ? y : x;
  // near the unit circle from the distance to it
  const bool near = large > T(0.5) && large < 2 && small < 2;
  const T length = near ? log1p((large - 1) * (large + 1) + small * small) / 2 : log(hypot(x, y));
  return {length, arg(z)};
}
template <class T>
LAZYFUSE_HD complex<T> sqrt(const complex<T>& z) {
  const T x = abs(z.re), y = abs(z.im), large = x > y ? x : y;
  if (large == 0) return {T(0), z.im};
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
  return {cosh(z.re) * angle.cosine, sinh(z.re) * angle.sine};
}
template <class T>
LAZYFUSE_HD complex<T> tanh(const complex<T>& z) {
  if (abs(z.re) > (sizeof(T) == 4 ? 20 : 350)) return {copysign(T(1), z.re), T(0) * z.im};
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
  const auto a = sqrt(complex<T>(1 + z.re, z.im)), b = sqrt(complex<T>(1 - z.re, -z.im));
  return {atan2(z.re, a.re * b.re - a.im * b.im), asinh(a.im * b.re - a.re * b.im)};
}
template <class T>
LAZYFUSE_HD complex<T> acos(const complex<T>& z) {
  const auto a = sqrt(complex<T>(1 - z.re, -z.im)), b = sqrt(complex<T>(1 + z.re, z.im));
  return {2 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re)};
}
template <class T>
LAZYFUSE_HD complex<T> acosh(const complex<T>& z) {
  const auto a = sqrt(complex<T>(z.re - 1, z.im)), b = sqrt(complex<T>(z.re + 1, z.im));
  return {asinh(a.re * b.re + a.im * b.im), 2 * atan2(a.im, b.re)};
}
template <class T>
LAZYFUSE_HD complex<T> asinh(const complex<T>& z) {
  return divided_by_i(asin(times_i(z)));
}
template <class T>
LAZYFUSE_HD complex<T> atanh(const complex<T>& z) {
  const T away = 1 - abs(z.re), y = z.im, across = away * away + y * y;
  const T length = copysign(log1p(4 * abs(z.re) / across) / 4, z.re);
  return {length, atan2(2 * y, (1 - z.re) * (1 + z.re) - y * y) / 2};
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

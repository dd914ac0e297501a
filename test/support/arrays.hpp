// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the tests' tensors and the library's arrays, and comparison of the two.
#pragma once

#include "spaces.hpp"
#include "tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace test {

template <class T>
struct array_traits;
template <class T, int R, class Space>
struct array_traits<lf::array<T, R, Space>> {
  using element = T;
  using space = Space;
  static constexpr int rank = R;
};

/// The message of the Error that f throws; empty where it throws nothing.
template <class Error, class F>
std::string thrown_by(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

/// Element type of what an expression, or a selection, evaluates to; found by its argument, whose header may come
/// later.
template <class E>
using element_of = typename array_traits<std::remove_cvref_t<decltype(materialize(std::declval<const E&>()))>>::element;

template <int R>
lf::shape<R> shape_of(const extents& s) {
  if (static_cast<int>(s.size()) != R) throw std::logic_error("the test has a tensor of another rank");
  lf::shape<R> out;
  for (int axis = 0; axis < R; ++axis) out[axis] = s[static_cast<std::size_t>(axis)];
  return out;
}

/// Elements, copied at once where both types are the same: loops that are not optimised take a hundred times as long.
template <class To, class From>
void copy_elements(To* to, const From* from, std::size_t count) {
  if constexpr (std::is_same_v<To, From> && std::is_trivially_copyable_v<To>) {
    if (count != 0) std::memcpy(to, from, count * sizeof(To));
  } else
    for (std::size_t n = 0; n < count; ++n) to[n] = static_cast<To>(from[n]);
}

/// A dense array with the tensor's elements.
template <class Space, int R, class T>
lf::array<T, R, Space> array_of(const tensor<T>& t) {
  lf::array<T, R, lf::host> x(shape_of<R>(t.shape));
  copy_elements(x.data(), t.values.data(), t.values.size());
  if constexpr (std::is_same_v<Space, lf::host>) return x;
  else return lf::to<Space>(x);
}

/// What an array or expression evaluates to, on the host.
template <class E>
auto tensor_of(const E& e) {
  const auto value = materialize(e);
  const auto x = lf::to<lf::host>(value);
  using traits = array_traits<std::remove_cvref_t<decltype(x)>>;
  extents s;
  for (int axis = 0; axis < traits::rank; ++axis) s.push_back(x.shape()[axis]);
  tensor<typename traits::element> t{s};
  copy_elements(t.values.data(), x.data(), t.values.size());
  return t;
}

/// How far two values may be apart: units in the last place plus an absolute part.
struct within {
  std::int64_t ulps = 0;
  double absolute = 0;
  bool sign_of_zero = true;
};
/// The bound of functions that are not correctly rounded (vector mathematics of the host, CUDA's).
inline constexpr within four_ulps{4};
/// For minimum and maximum, where the sign of a zero result is anyone's choice.
inline constexpr within any_zero{0, 0, false};

template <class T>
bool close(T got, T want, const within& tolerance) {
  if constexpr (lf::complex_number<T>) {
    if (tolerance.ulps == 0 || !std::isfinite(want.re) || !std::isfinite(want.im))
      return close(got.re, want.re, {0, 0, tolerance.sign_of_zero}) &&
             close(got.im, want.im, {0, 0, tolerance.sign_of_zero});
    const double unit = std::numeric_limits<typename T::value_type>::epsilon() / 2;
    return std::hypot(double(got.re) - want.re, double(got.im) - want.im) <=
           double(tolerance.ulps) * unit * std::hypot(double(want.re), double(want.im)) +
               std::numeric_limits<typename T::value_type>::denorm_min();
  } else if constexpr (lf::small_real<T>) {
    const float a = got, b = want;
    if (std::isnan(a) || std::isnan(b) || tolerance.ulps == 0 || a == b || std::signbit(a) != std::signbit(b))
      return close(a, b, {0, tolerance.absolute, tolerance.sign_of_zero});
    return std::abs(int(got.bits) - int(want.bits)) <= tolerance.ulps;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (got == T(0) && want == T(0)) return !tolerance.sign_of_zero || std::signbit(got) == std::signbit(want);
    if (got == want) return true;
    if (std::isfinite(got) && std::isfinite(want) && std::abs(double(got) - double(want)) <= tolerance.absolute)
      return true;
    // floats of one sign are ordered as their bits
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    bits a, b;
    std::memcpy(&a, &got, sizeof(T));
    std::memcpy(&b, &want, sizeof(T));
    if ((a < 0) != (b < 0)) return false;
    return (a > b ? std::int64_t{a} - b : std::int64_t{b} - a) <= tolerance.ulps;
  } else {
    return got == want;
  }
}

/// An element as a stream shows it.
template <class T>
auto shown(const T& v) {
  if constexpr (lf::complex_number<T>)  // not by "(" + ..., of which g++ 12 warns where it inlines it
    return std::string("(").append(std::to_string(v.re)).append(", ").append(std::to_string(v.im)).append(")");
  else if constexpr (lf::small_real<T>) return static_cast<float>(v);
  else return +v;
}

template <class T>
::testing::AssertionResult same(const tensor<T>& got, const tensor<T>& want, const within& tolerance = {}) {
  if (got.shape != want.shape)
    return ::testing::AssertionFailure() << "shape is " << text(got.shape) << ", expected " << text(want.shape);
  // What has the same bits is the same, NaN and zeros too: nearly always nothing more is to be found out.
  if constexpr (std::is_trivially_copyable_v<stored<T>>)
    if (want.values.empty() ||
        std::memcmp(got.values.data(), want.values.data(), want.values.size() * sizeof(stored<T>)) == 0)
      return ::testing::AssertionSuccess();
  std::size_t wrong = 0;
  std::ostringstream first;
  first.precision(std::numeric_limits<double>::max_digits10);
  for (std::size_t n = 0; n < want.values.size(); ++n)
    if (!close(got.values[n], want.values[n], tolerance) && wrong++ < 5)
      first << "\n  element " << n << " is " << shown(got.values[n]) << ", expected " << shown(want.values[n]);
  if (wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << wrong << " of " << want.values.size() << " elements differ" << first.str();
}

/// Whether an expression has the element type, shape and values of the tensor.
template <class E, class T>
::testing::AssertionResult evaluates_to(const E& e, const tensor<T>& want, const within& tolerance = {}) {
  using got = element_of<E>;
  if constexpr (!std::is_same_v<got, T>)
    return ::testing::AssertionFailure() << "element type is " << name_of<got>() << ", expected " << name_of<T>();
  else return same(tensor_of(e), want, tolerance);
}

}  // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions with keepdims and what is made of them, in double precision by plain loops over tensors.
#pragma once

#include "rows.hpp"

#include <algorithm>
#include <cmath>

namespace test {

using real_tensor = tensor<double>;

inline real_tensor operator+(const real_tensor& a, const real_tensor& b) { return zip<double>(a, b, std::plus<>()); }
inline real_tensor operator-(const real_tensor& a, const real_tensor& b) { return zip<double>(a, b, std::minus<>()); }
inline real_tensor operator*(const real_tensor& a, const real_tensor& b) {
  return zip<double>(a, b, std::multiplies<>());
}
inline real_tensor operator/(const real_tensor& a, const real_tensor& b) { return zip<double>(a, b, std::divides<>()); }
template <class F>
real_tensor each(const real_tensor& a, F f) {
  return transform<double>(a, f);
}
inline real_tensor exp_of(const real_tensor& a) {
  return each(a, [](double v) { return std::exp(v); });
}
inline real_tensor root_of(const real_tensor& a) {
  return each(a, [](double v) { return std::sqrt(v); });
}

/// f over the axes, which stay with extent 1.
template <class F>
real_tensor over_axes(const real_tensor& t, const std::vector<int>& axes, double first, F f) {
  const auto front = [&](extents i) {
    for (const int axis : axes) i[static_cast<std::size_t>(axis)] = 0;
    return i;
  };
  extents s = t.shape;
  for (const int axis : axes) s[static_cast<std::size_t>(axis)] = 1;
  real_tensor r{s};
  std::fill(r.values.begin(), r.values.end(), first);
  for_each_index(t.shape, [&](const extents& i) { r[front(i)] = f(r[front(i)], t[i]); });
  return r;
}
inline real_tensor sum_of(const real_tensor& t, const std::vector<int>& axes) {
  return over_axes(t, axes, 0, std::plus<>());
}
inline real_tensor mean_of(const real_tensor& t, const std::vector<int>& axes) {
  const real_tensor sum = sum_of(t, axes);
  const double n = double(t.size()) / double(sum.size());
  return each(sum, [n](double v) { return v / n; });
}
/// The largest, or NaN if there is one.
inline real_tensor max_of(const real_tensor& t, const std::vector<int>& axes) {
  return over_axes(t, axes, -std::numeric_limits<double>::infinity(),
                   [](double a, double b) { return std::isnan(a) || a > b ? a : b; });
}
inline real_tensor norm_of(const real_tensor& t, const std::vector<int>& axes) { return root_of(sum_of(t * t, axes)); }
inline real_tensor softmax_of(const real_tensor& t, const std::vector<int>& axes) {
  const real_tensor e = exp_of(t - max_of(t, axes));
  return e / sum_of(e, axes);
}
/// The same elements in another shape.
inline real_tensor shaped(real_tensor t, const extents& s) {
  t.shape = s;
  return t;
}

/// Numbers from -8 to 8, or from 0 to 1, exact in float.
inline real_tensor any_numbers(std::uint32_t stream, const extents& s) { return between_tensor<double>(stream, s); }
inline real_tensor positive_numbers(std::uint32_t stream, const extents& s) {
  real_tensor t{s};
  for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] = positive(stream, static_cast<std::int64_t>(i));
  return t;
}
template <class Space, int R, class T = float>
lf::array<T, R, Space> array_from(const real_tensor& t) {
  return array_of<Space, R>(transform<T>(t, [](double v) { return static_cast<T>(v); }));
}

/// What values of rows may differ from plain loops by.
inline constexpr precision few{16, 16};

/// A fixture for values of rows against plain loops.
template <class Space>
class rows_on : public on<Space> {
 protected:
  template <int R>
  static auto array(const real_tensor& t) {
    return array_from<Space, R>(t);
  }
  template <class E>
  static void expect(const E& e, const real_tensor& want, const char* what) {
    EXPECT_TRUE(is_near<float>(e, want, few)) << what;
  }
};

}  // namespace test

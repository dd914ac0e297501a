// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Angles and their functions.
#pragma once

#include <lazyfuse/core/complex_math.hpp>
#include <lazyfuse/core/select.hpp>
#include <lazyfuse/core/special.hpp>
#include <lazyfuse/op/exponential.hpp>

namespace lazyfuse {
namespace op {

struct cos;
/// The sine of radians.
struct sin : floating_operation {
  static constexpr const char* name = "sin";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e4, 1e4};

  /// sin and cos of one value become one sincos.
  using partner = cos;
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::sin(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::sin(z);
  }
};

/// The cosine of radians.
struct cos : floating_operation {
  static constexpr const char* name = "cos";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e4, 1e4};

  /// sin and cos of one value become one sincos.
  using partner = sin;
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::cos(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::cos(z);
  }
};

/// The tangent of radians.
struct tan : floating_operation {
  static constexpr const char* name = "tan";
  static constexpr int cost = 24;
  static constexpr interval domain{-1e4, 1e4};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::tan(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::tan(z);
  }
};

/// The angle in [-pi/2, pi/2] whose sine is x; NaN beyond 1.
struct asin : floating_operation {
  static constexpr const char* name = "asin";
  static constexpr const char* numpy = "arcsin";
  static constexpr int cost = 20;
  static constexpr interval domain{-1, 1};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::asin(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::asin(z);
  }
};

/// The angle in [0, pi] whose cosine is x; NaN beyond 1.
struct acos : floating_operation {
  static constexpr const char* name = "acos";
  static constexpr const char* numpy = "arccos";
  static constexpr int cost = 20;
  static constexpr interval domain{-1, 1};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::acos(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::acos(z);
  }
};

/// The angle in [-pi/2, pi/2] whose tangent is x.
struct atan : floating_operation {
  static constexpr const char* name = "atan";
  static constexpr const char* numpy = "arctan";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e10, 1e10};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::atan(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::atan(z);
  }
};

/// The angle of the point (x, y), in [-pi, pi]; the first argument is y.
struct atan2 : real_operation {
  static constexpr const char* name = "atan2";
  static constexpr const char* numpy = "arctan2";
  static constexpr int cost = 30;
  template <real_number T>
  LAZYFUSE_HD T operator()(T y, T x) const {
    return math::atan2(y, x);
  }
};

/// Radians of degrees.
struct deg2rad : real_operation {
  static constexpr const char* name = "deg2rad";
  static constexpr int cost = 1;
  static constexpr int ulp = 2;
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return x * T(0.017453292519943295769);
  }
};

/// Degrees of radians.
struct rad2deg : real_operation {
  static constexpr const char* name = "rad2deg";
  static constexpr int cost = 1;
  static constexpr int ulp = 2;
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return x * T(57.295779513082320877);
  }
};

/// sin(pi x) / (pi x), and 1 at zero; 0 at the other whole numbers, where NumPy's is a little off.
struct sinc : real_operation {
  static constexpr const char* name = "sinc";
  static constexpr const char* difference = "0 at whole numbers, where NumPy is a little off";
  static constexpr int cost = 24;
  static constexpr interval domain{-100, 100};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::select(x == 0, T(1), math::sinpi(x) / (T(3.14159265358979323846) * x) + T(0));  // no -0
  }
};

}  // namespace op

/// The sine of radians. \numpy{sin}
template <class X>
  requires operands<X>
constexpr auto sin(X&& x) { return map<op::sin>(static_cast<X&&>(x)); }
/// The cosine of radians. \numpy{cos}
template <class X>
  requires operands<X>
constexpr auto cos(X&& x) { return map<op::cos>(static_cast<X&&>(x)); }
/// The tangent of radians. \numpy{tan}
template <class X>
  requires operands<X>
constexpr auto tan(X&& x) { return map<op::tan>(static_cast<X&&>(x)); }
/// The angle in [-pi/2, pi/2] whose sine is x; NaN beyond 1. \numpy{arcsin}
template <class X>
  requires operands<X>
constexpr auto asin(X&& x) { return map<op::asin>(static_cast<X&&>(x)); }
/// The angle in [0, pi] whose cosine is x; NaN beyond 1. \numpy{arccos}
template <class X>
  requires operands<X>
constexpr auto acos(X&& x) { return map<op::acos>(static_cast<X&&>(x)); }
/// The angle in [-pi/2, pi/2] whose tangent is x. \numpy{arctan}
template <class X>
  requires operands<X>
constexpr auto atan(X&& x) { return map<op::atan>(static_cast<X&&>(x)); }
/// The angle of the point (x, y), in radians; the first argument is y. \numpy{arctan2}
template <class Y, class X>
  requires operands<Y, X>
constexpr auto atan2(Y&& y, X&& x) { return map<op::atan2>(static_cast<Y&&>(y), static_cast<X&&>(x)); }
/// Radians of degrees. \numpy{deg2rad}
template <class X>
  requires operands<X>
constexpr auto deg2rad(X&& x) { return map<op::deg2rad>(static_cast<X&&>(x)); }
/// Degrees of radians. \numpy{rad2deg}
template <class X>
  requires operands<X>
constexpr auto rad2deg(X&& x) { return map<op::rad2deg>(static_cast<X&&>(x)); }
/// sin(pi x) / (pi x), and 1 at zero. \numpy{sinc}
template <class X>
  requires operands<X>
constexpr auto sinc(X&& x) { return map<op::sinc>(static_cast<X&&>(x)); }

namespace op {
using trigonometric_operations = list<sin, cos, tan, asin, acos, atan, atan2, deg2rad, rad2deg, sinc>;
}  // namespace op

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roots, powers, exponentials, trigonometry and the error function. Integers are computed in double.
#pragma once

#include <lazyfuse/core/math.hpp>
#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// What the functions of this file share; ulp bounds hold for CUDA's functions and for libmvec's.
struct floating_operation {
  static constexpr const char* symbol = "";
  using rule = rules::floating;
  static constexpr int ulp = 4;
  static constexpr interval domain = real_line;
};

/// The square root, correctly rounded; NaN below zero.
struct sqrt : floating_operation {
  static constexpr const char* name = "sqrt";
  static constexpr int cost = 8;
  static constexpr interval domain{0, 1e300};
  static constexpr int ulp = 0;

  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::sqrt(x);
  }
};

struct cos;
/// The sine of radians.
struct sin : floating_operation {
  static constexpr const char* name = "sin";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e4, 1e4};

  /// sin and cos of one value become one sincos.
  using partner = cos;
  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::sin(x);
  }
};

/// The cosine of radians.
struct cos : floating_operation {
  static constexpr const char* name = "cos";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e4, 1e4};

  using partner = sin;
  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::cos(x);
  }
};

/// The tangent of radians.
struct tan : floating_operation {
  static constexpr const char* name = "tan";
  static constexpr int cost = 24;
  static constexpr interval domain{-1e4, 1e4};

  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::tan(x);
  }
};

/// The hyperbolic tangent.
struct tanh : floating_operation {
  static constexpr const char* name = "tanh";
  static constexpr int cost = 20;
  static constexpr interval domain{-50, 50};

  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::tanh(x);
  }
};

/// e to the power x.
struct exp : floating_operation {
  static constexpr const char* name = "exp";
  static constexpr int cost = 10;
  static constexpr interval domain{-80, 80};

  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::exp(x);
  }
};

/// The natural logarithm: -infinity of zero, NaN below.
struct log : floating_operation {
  static constexpr const char* name = "log";
  static constexpr int cost = 12;
  static constexpr interval domain{1e-30, 1e30};

  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::log(x);
  }
};

/// The error function, 2 / sqrt(pi) times the integral of exp(-t * t) over t from 0 to x.
struct erf : floating_operation {
  static constexpr const char* name = "erf";
  static constexpr const char* numpy = "scipy.special.erf";
  static constexpr int cost = 20;
  static constexpr interval domain{-6, 6};

  template <real T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::erf(x);
  }
};

/// The angle of the point (x, y), in [-pi, pi]; the first argument is y.
struct atan2 : floating_operation {
  static constexpr const char* name = "atan2";
  static constexpr const char* numpy = "arctan2";
  static constexpr int cost = 30;
  template <real T>
  LAZYFUSE_HD T operator()(T y, T x) const {
    return math::atan2(y, x);
  }
};

/// x to the power y. A C++ integer as exponent is multiplied out up to 15 (no branch per element).
struct pow : floating_operation {
  using rule = rules::power;
  static constexpr const char* name = "pow";
  static constexpr const char* numpy = "power";
  static constexpr int cost = 60;
  static constexpr interval domain{0, 30};
  template <real T>
  LAZYFUSE_HD T operator()(T x, T y) const {
    return math::pow(x, y);
  }
  template <real T>
  LAZYFUSE_HD T operator()(T x, int64 n) const {
    if (n < -15 || n > 15) return math::pow(x, static_cast<T>(n));
    const int64 m = n < 0 ? -n : n;
    const T x2 = x * x, x4 = x2 * x2;
    T r = (m & 1) ? x : T(1);
    r *= (m & 2) ? x2 : T(1);
    r *= (m & 4) ? x4 : T(1);
    r *= (m & 8) ? x4 * x4 : T(1);
    return n < 0 ? T(1) / r : r;
  }
  /// Integers wrap as in NumPy; a negative exponent gives the truncated value (0, or 1 and -1 for those bases).
  template <integer T>
  LAZYFUSE_HD T operator()(T x, int64 n) const {
    if (n < 0) return x == 1 ? T(1) : x == -1 ? (n & 1 ? T(-1) : T(1)) : T(0);
    using U = ::cuda::std::make_unsigned_t<T>;
    U r = 1, b = static_cast<U>(x);
    for (; n > 0; n >>= 1, b *= b)
      if (n & 1) r *= b;
    return static_cast<T>(r);
  }
  LAZYFUSE_HD int32 operator()(int32 x, int32 n) const { return (*this)(x, int64{n}); }
};

}  // namespace op

/// The square root; NaN below zero. \numpy{sqrt}
template <class X>
  requires operands<X>
constexpr auto sqrt(X&& x) { return map<op::sqrt>(static_cast<X&&>(x)); }
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
/// The hyperbolic tangent. \numpy{tanh}
template <class X>
  requires operands<X>
constexpr auto tanh(X&& x) { return map<op::tanh>(static_cast<X&&>(x)); }
/// e to the power x. \numpy{exp}
template <class X>
  requires operands<X>
constexpr auto exp(X&& x) { return map<op::exp>(static_cast<X&&>(x)); }
/// The natural logarithm. \numpy{log}
template <class X>
  requires operands<X>
constexpr auto log(X&& x) { return map<op::log>(static_cast<X&&>(x)); }
/// The error function. SciPy's special.erf \numpy{erf}
template <class X>
  requires operands<X>
constexpr auto erf(X&& x) { return map<op::erf>(static_cast<X&&>(x)); }
/// The angle of the point (x, y), in radians. \numpy{arctan2}
template <class Y, class X>
  requires operands<Y, X>
constexpr auto atan2(Y&& y, X&& x) { return map<op::atan2>(static_cast<Y&&>(y), static_cast<X&&>(x)); }
/// x to the power y; pow(x, c<2>) and pow(x, c<0.5>) are a product and a square root at compile time. \numpy{power}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto pow(X&& x, Y&& y) { return map<op::pow>(static_cast<X&&>(x), static_cast<Y&&>(y)); }

namespace op {
using exponential_operations = list<sqrt, sin, cos, tan, tanh, exp, log, erf, atan2, pow>;
}  // namespace op

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roots, powers, exponentials and logarithms.
#pragma once

#include <lazyfuse/core/complex_math.hpp>
#include <lazyfuse/core/select.hpp>
#include <lazyfuse/core/special.hpp>
#include <lazyfuse/core/usual.hpp>
#include <lazyfuse/op/map.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {
namespace op {

/// What functions share that are computed in floating point: integers become double. The ulp bounds hold for CUDA's
/// functions and for libmvec's; of complex results they count from the length of the number.
struct floating_operation : exact_operation {
  using rule = rules::floating;
  static constexpr int ulp = 4;
  static constexpr int complex_ulp = 16;
};
/// The same without complex numbers.
struct real_operation : floating_operation {
  using rule = rules::real_floating;
};

/// The square root, correctly rounded; NaN below zero.
struct sqrt : floating_operation {
  static constexpr const char* name = "sqrt";
  static constexpr int cost = 8;
  static constexpr bool branches = true;
  static constexpr int ulp = 0;
  static constexpr interval domain{0, 1e300};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::sqrt(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::sqrt(z);
  }
#if defined(__CUDACC__)
  __device__ static math::usual_number usual(bool& unusual, math::only<float> x) {
    return math::usual_root(unusual, x.value);
  }
#endif
};

/// The cube root.
struct cbrt : real_operation {
  static constexpr const char* name = "cbrt";
  static constexpr int cost = 20;
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::cbrt(x);
  }
};

/// 1 / sqrt(x).
struct rsqrt : real_operation {
  static constexpr const char* name = "rsqrt";
  static constexpr const char* numpy = "-";
  static constexpr int cost = 10;
  static constexpr interval domain{0, 1e300};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::rsqrt(x);
  }
#if defined(__CUDACC__)
  static constexpr bool branches = true;
  __device__ static float usual(bool& unusual, math::only<float> x) {
    return math::usual_reciprocal_root(unusual, x.value);
  }
#endif
};

/// e to the power x.
struct exp : floating_operation {
  static constexpr const char* name = "exp";
  static constexpr int cost = 10;
  static constexpr interval domain{-80, 80};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::exp(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::exp(z);
  }
};

/// 2 to the power x.
struct exp2 : real_operation {
  static constexpr const char* name = "exp2";
  static constexpr int cost = 10;
  static constexpr interval domain{-120, 120};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::exp2(x);
  }
};

/// exp(x) - 1, exact near zero.
struct expm1 : real_operation {
  static constexpr const char* name = "expm1";
  static constexpr int cost = 16;
  static constexpr interval domain{-80, 80};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::expm1(x);
  }
};

/// The natural logarithm: -infinity of zero, NaN below.
struct log : floating_operation {
  static constexpr const char* name = "log";
  static constexpr int cost = 12;
  static constexpr bool branches = true;
  static constexpr interval domain{1e-30, 1e30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::log(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::log(z);
  }
#if defined(__CUDACC__)
  __device__ static float usual(bool& unusual, math::only<float> x) { return math::usual_logarithm(unusual, x.value); }
#endif
};

/// The logarithm to base 2.
struct log2 : floating_operation {
  static constexpr const char* name = "log2";
  static constexpr int cost = 12;
  static constexpr interval domain{1e-30, 1e30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::log2(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    constexpr auto factor = part_t<T>(1.4426950408889634074);
    const T l = math::log(z);
    return {l.re * factor, l.im * factor};
  }
};

/// The logarithm to base 10.
struct log10 : floating_operation {
  static constexpr const char* name = "log10";
  static constexpr int cost = 12;
  static constexpr interval domain{1e-30, 1e30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::log10(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    constexpr auto factor = part_t<T>(0.43429448190325182765);
    const T l = math::log(z);
    return {l.re * factor, l.im * factor};
  }
};

/// log(1 + x), exact near zero.
struct log1p : real_operation {
  static constexpr const char* name = "log1p";
  static constexpr int cost = 16;
  static constexpr interval domain{-0.9, 1e30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::log1p(x);
  }
};

/// log(exp(x) + exp(y)), without overflow. The error is small beside the larger operand, where the result is near zero.
struct logaddexp : real_operation {
  static constexpr const char* name = "logaddexp";
  static constexpr int cost = 30;
  static constexpr int ulp_of_one = 4;
  static constexpr int ulp = 8;
  static constexpr interval domain{1, 30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x, T y) const {
    const T large = math::larger(x, y), away = math::abs(x - y);
    return math::select(x == y, x + T(0.69314718055994530942), large + math::log1p(math::exp(-away)));
  }
};

/// sqrt(x * x + y * y), without overflow.
struct hypot : real_operation {
  static constexpr const char* name = "hypot";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e30, 1e30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x, T y) const {
    return math::hypot(x, y);
  }
};

/// x to the power y. A C++ integer as exponent is multiplied out up to 15 (no branch per element); a negative one is
/// the reciprocal of that, so that where the product overflows the result is 0.
struct pow : floating_operation {
  using rule = rules::power;
  static constexpr const char* name = "pow";
  static constexpr const char* difference = "integers to a negative power are truncated, NumPy throws";
  static constexpr const char* numpy = "power";
  static constexpr int cost = 60;
  /// Of exponents that are a few products or a root, on the host: those of src/core/powers.cpp.
  template <real_number T>
  LAZYFUSE_HD static constexpr int cost_saved(T y) {
    if (!math::has_short_powers || !(y >= -2 && y <= 4)) return 0;
    const int halves = static_cast<int>(2 * y);
    return static_cast<T>(halves) == 2 * y && halves != -3 && halves != 5 && halves != 7 ? 54 : 0;
  }
  static constexpr int complex_ulp = 128;
  static constexpr interval domain{0, 30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x, T y) const {
    return math::pow(x, y);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z, T w) const {
    return math::pow(z, w);
  }
  template <class T>
    requires(real_number<T> || complex_number<T>)
  LAZYFUSE_HD T operator()(T x, int64 n) const {
    if (n < -15 || n > 15) return math::pow(x, T(static_cast<part_t<T>>(n)));
    const int64 m = n < 0 ? -n : n;
    const T x2 = x * x, x4 = x2 * x2;
    T r = (m & 1) ? x : T(1);
    r = (m & 2) ? r * x2 : r;
    r = (m & 4) ? r * x4 : r;
    r = (m & 8) ? r * (x4 * x4) : r;
    return n < 0 ? T(1) / r : r;
  }
  /// Integers wrap as in NumPy; a negative exponent gives the truncated value (0, or 1 and -1 for those bases).
  template <integer T, integer N>
  LAZYFUSE_HD constexpr T operator()(T x, N n) const {
    if constexpr (signed_integer<N>) {
      if (n < 0) return x == 1 ? T(1) : x == static_cast<T>(-1) && signed_integer<T> ? (n & 1 ? x : T(1)) : T(0);
    }
    using U = standard::conditional_t<sizeof(T) == 8, uint64, uint32>;
    U r = 1, b = static_cast<U>(x);
    for (uint64 left = static_cast<uint64>(n); left > 0; left >>= 1, b *= b)
      if (left & 1) r *= b;
    return static_cast<T>(r);
  }
};

}  // namespace op

/// The square root; NaN of real numbers below zero. \numpy{sqrt}
template <class X>
  requires operands<X>
constexpr auto sqrt(X&& x) { return map<op::sqrt>(static_cast<X&&>(x)); }
/// The cube root. \numpy{cbrt}
template <class X>
  requires operands<X>
constexpr auto cbrt(X&& x) { return map<op::cbrt>(static_cast<X&&>(x)); }
/// 1 / sqrt(x).
template <class X>
  requires operands<X>
constexpr auto rsqrt(X&& x) { return map<op::rsqrt>(static_cast<X&&>(x)); }
/// e to the power x. \numpy{exp}
template <class X>
  requires operands<X>
constexpr auto exp(X&& x) { return map<op::exp>(static_cast<X&&>(x)); }
/// 2 to the power x. \numpy{exp2}
template <class X>
  requires operands<X>
constexpr auto exp2(X&& x) { return map<op::exp2>(static_cast<X&&>(x)); }
/// exp(x) - 1, exact near zero. \numpy{expm1}
template <class X>
  requires operands<X>
constexpr auto expm1(X&& x) { return map<op::expm1>(static_cast<X&&>(x)); }
/// The natural logarithm; of complex numbers with the angle in (-pi, pi]. \numpy{log}
template <class X>
  requires operands<X>
constexpr auto log(X&& x) { return map<op::log>(static_cast<X&&>(x)); }
/// The logarithm to base 2. \numpy{log2}
template <class X>
  requires operands<X>
constexpr auto log2(X&& x) { return map<op::log2>(static_cast<X&&>(x)); }
/// The logarithm to base 10. \numpy{log10}
template <class X>
  requires operands<X>
constexpr auto log10(X&& x) { return map<op::log10>(static_cast<X&&>(x)); }
/// log(1 + x), exact near zero. \numpy{log1p}
template <class X>
  requires operands<X>
constexpr auto log1p(X&& x) { return map<op::log1p>(static_cast<X&&>(x)); }
/// log(exp(x) + exp(y)), without overflow. \numpy{logaddexp}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto logaddexp(X&& x, Y&& y) { return map<op::logaddexp>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// sqrt(x * x + y * y), without overflow. \numpy{hypot}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto hypot(X&& x, Y&& y) { return map<op::hypot>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
/// x to the power y; pow(x, c<2>) and pow(x, c<0.5>) are a product and a square root at compile time. \numpy{power}
template <class X, class Y>
  requires operands<X, Y>
constexpr auto pow(X&& x, Y&& y) { return map<op::pow>(static_cast<X&&>(x), static_cast<Y&&>(y)); }

namespace op {
using exponential_operations =
    list<sqrt, cbrt, rsqrt, exp, exp2, expm1, log, log2, log10, log1p, logaddexp, hypot, pow>;
}  // namespace op

}  // namespace lazyfuse

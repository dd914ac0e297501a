// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error function, the gamma function and what is made of exponentials in machine learning.
#pragma once

#include <lazyfuse/core/rough_math.hpp>
#include <lazyfuse/core/special.hpp>
#include <lazyfuse/op/exponential.hpp>

namespace lazyfuse {
namespace op {

/// The error function, 2 / sqrt(pi) times the integral of exp(-t * t) over t from 0 to x.
struct erf : real_operation {
  static constexpr const char* name = "erf";
  static constexpr const char* numpy = "scipy.special.erf";
  static constexpr int cost = 20;
  static constexpr interval domain{-6, 6};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::erf(x);
  }
};

/// 1 - erf(x), exact where that is small.
struct erfc : real_operation {
  static constexpr const char* name = "erfc";
  static constexpr const char* numpy = "scipy.special.erfc";
  static constexpr int cost = 30;
  static constexpr int ulp = 6;
  static constexpr interval domain{-6, 6};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::erfc(x);
  }
};

/// The number whose error function is x: infinite at -1 and 1, NaN beyond.
struct erfinv : real_operation {
  static constexpr const char* name = "erfinv";
  static constexpr const char* numpy = "scipy.special.erfinv";
  static constexpr int cost = 60;
  static constexpr int ulp = 6;
  static constexpr interval domain{-1, 1};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::erfinv(x);
  }
};

/// The gamma function, (x - 1)! of whole numbers; NaN at whole numbers below zero.
struct tgamma : real_operation {
  static constexpr const char* name = "tgamma";
  static constexpr const char* numpy = "scipy.special.gamma";
  static constexpr int cost = 60;
  static constexpr int ulp = 10;
  static constexpr interval domain{0.1, 30};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::tgamma(x);
  }
};

/// The logarithm of the length of the gamma function; infinite at 0 and whole numbers below. Its error is small beside
/// 1 where it is near zero.
struct lgamma : real_operation {
  static constexpr const char* name = "lgamma";
  static constexpr const char* numpy = "scipy.special.gammaln";
  static constexpr int cost = 60;
  static constexpr int ulp_of_one = 8;
  static constexpr int ulp = 8;
  static constexpr interval domain{3, 1e10};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::lgamma(x);
  }
};

/// The derivative of log(gamma(x)); NaN at whole numbers below zero. Its error is small beside 1 where it is near zero.
struct digamma : real_operation {
  static constexpr const char* name = "digamma";
  static constexpr const char* numpy = "scipy.special.digamma";
  static constexpr int cost = 60;
  static constexpr int ulp_of_one = 8;
  static constexpr int ulp = 8;
  static constexpr interval domain{2, 1e10};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::digamma(x);
  }
};

/// 1 / (1 + exp(-x)).
struct sigmoid : real_operation {
  static constexpr const char* name = "sigmoid";
  static constexpr const char* numpy = "scipy.special.expit";
  static constexpr int cost = 18;
  static constexpr int ulp = 6;
  static constexpr interval domain{-80, 80};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    const T e = math::exp(-math::abs(x));
    return (x < 0 ? e : T(1)) / (1 + e);
  }
};

/// x * sigmoid(x).
struct silu : real_operation {
  static constexpr const char* name = "silu";
  static constexpr const char* numpy = "-";
  static constexpr int cost = 18;
  static constexpr int ulp = 10;
  static constexpr interval domain{-80, 80};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    const T root = math::exp(T(-0.5) * math::abs(x)), e = root * root;  // e alone is less exact where it is tiny
    return (x < 0 ? x * root * root : x) / (1 + e);
  }
};

/// log(1 + exp(x)).
struct softplus : real_operation {
  static constexpr const char* name = "softplus";
  static constexpr const char* numpy = "-";
  static constexpr int cost = 28;
  static constexpr int ulp = 8;
  static constexpr interval domain{-80, 80};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::larger(x, T(0)) + math::log1p(math::exp(-math::abs(x)));
  }
};

/// x times the probability that a normal number is below it, x / 2 * erfc(-x / sqrt(2)).
struct gelu : real_operation {
  static constexpr const char* name = "gelu";
  static constexpr const char* numpy = "-";
  static constexpr int cost = 32;
  static constexpr int ulp_of_one = 1;
  static constexpr int ulp = 8;
  static constexpr interval domain{-3, 10};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return T(0.5) * x * math::erfc(T(-0.70710678118654752440) * x);
  }
  /// Of 16 bits: erfc(a / sqrt(2)) / 2 is exp(-a * a / 2) times a polynomial of 1 / (1 + 3 / 8 * a), the form of
  /// Abramowitz and Stegun 26.2.17, fitted to 2^-14 of itself.
  template <small_real T>
  LAZYFUSE_HD T operator()(T value) const {
    const float x = value, a = math::abs(x), t = math::rough_inverse(1 + 0.375f * a);
    const float p = t * (0.14906085f + t * (0.15773562f + t * (0.08355887f + t * (0.20028834f + t * -0.09064581f))));
    const float above = math::rough_exp(-0.5f * a * a) * p;
    return static_cast<T>(x * (x < 0 ? above : 1 - above));
  }
};

/// The approximation of gelu by tanh, x / 2 * (1 + tanh(u)) = x * sigmoid(2 * u), u = sqrt(2 / pi) * (x + 0.044715 *
/// x * x * x), without the digits that 1 + tanh loses.
struct gelu_tanh : real_operation {
  static constexpr const char* name = "gelu_tanh";
  static constexpr const char* numpy = "-";
  static constexpr int cost = 24;
  static constexpr int ulp_of_one = 1;
  static constexpr int ulp = 20;
  static constexpr interval domain{-3, 10};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    const T twice = T(1.59576912160573071176) * x * (1 + T(0.044715) * x * x);
    const T e = math::exp(-math::abs(twice));
    return (twice < 0 ? x * e : x) / (1 + e);
  }
};

}  // namespace op

/// The error function. SciPy's special.erf \numpy{scipy.special.erf}
template <class X>
  requires operands<X>
constexpr auto erf(X&& x) { return map<op::erf>(static_cast<X&&>(x)); }
/// 1 - erf(x), exact where that is small. \numpy{scipy.special.erfc}
template <class X>
  requires operands<X>
constexpr auto erfc(X&& x) { return map<op::erfc>(static_cast<X&&>(x)); }
/// The number whose error function is x: infinite at -1 and 1, NaN beyond. \numpy{scipy.special.erfinv}
template <class X>
  requires operands<X>
constexpr auto erfinv(X&& x) { return map<op::erfinv>(static_cast<X&&>(x)); }
/// The gamma function, (x - 1)! of whole numbers; NaN at whole numbers below zero. \numpy{scipy.special.gamma}
template <class X>
  requires operands<X>
constexpr auto tgamma(X&& x) { return map<op::tgamma>(static_cast<X&&>(x)); }
/// The logarithm of the length of the gamma function. \numpy{scipy.special.gammaln}
template <class X>
  requires operands<X>
constexpr auto lgamma(X&& x) { return map<op::lgamma>(static_cast<X&&>(x)); }
/// The derivative of log(gamma(x)). \numpy{scipy.special.digamma}
template <class X>
  requires operands<X>
constexpr auto digamma(X&& x) { return map<op::digamma>(static_cast<X&&>(x)); }
/// 1 / (1 + exp(-x)). SciPy's special.expit \numpy{scipy.special.expit}
template <class X>
  requires operands<X>
constexpr auto sigmoid(X&& x) { return map<op::sigmoid>(static_cast<X&&>(x)); }
/// x * sigmoid(x).
template <class X>
  requires operands<X>
constexpr auto silu(X&& x) { return map<op::silu>(static_cast<X&&>(x)); }
/// log(1 + exp(x)), without overflow.
template <class X>
  requires operands<X>
constexpr auto softplus(X&& x) { return map<op::softplus>(static_cast<X&&>(x)); }
/// x times the probability that a normal number is below it (the exact form; that by tanh: gelu_tanh).
template <class X>
  requires operands<X>
constexpr auto gelu(X&& x) { return map<op::gelu>(static_cast<X&&>(x)); }
/// The approximation of gelu(x) by tanh, x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x))), which models
/// are trained with, too; within 0.0005 of gelu(x). Of a large product of 16-bit reals the library of products computes
/// it.
template <class X>
  requires operands<X>
constexpr auto gelu_tanh(X&& x) { return map<op::gelu_tanh>(static_cast<X&&>(x)); }

namespace op {
using special_operations = list<erf, erfc, erfinv, tgamma, lgamma, digamma, sigmoid, silu, softplus, gelu, gelu_tanh>;
}  // namespace op

}  // namespace lazyfuse

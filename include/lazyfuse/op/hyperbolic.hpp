// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hyperbolic functions.
#pragma once

#include <lazyfuse/core/complex_math.hpp>
#include <lazyfuse/op/exponential.hpp>

namespace lazyfuse {
namespace op {

/// The hyperbolic sine.
struct sinh : floating_operation {
  static constexpr const char* name = "sinh";
  static constexpr int cost = 20;
  static constexpr interval domain{-80, 80};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::sinh(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::sinh(z);
  }
};

/// The hyperbolic cosine.
struct cosh : floating_operation {
  static constexpr const char* name = "cosh";
  static constexpr int cost = 20;
  static constexpr interval domain{-80, 80};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::cosh(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::cosh(z);
  }
};

/// The hyperbolic tangent.
struct tanh : floating_operation {
  static constexpr const char* name = "tanh";
  static constexpr int cost = 20;
  static constexpr interval domain{-50, 50};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::tanh(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::tanh(z);
  }
};

/// The number whose hyperbolic sine is x.
struct asinh : floating_operation {
  static constexpr const char* name = "asinh";
  static constexpr const char* numpy = "arcsinh";
  static constexpr int cost = 20;
  static constexpr interval domain{-1e10, 1e10};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::asinh(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::asinh(z);
  }
};

/// The number, not negative, whose hyperbolic cosine is x; NaN below 1.
struct acosh : floating_operation {
  static constexpr const char* name = "acosh";
  static constexpr const char* numpy = "arccosh";
  static constexpr int cost = 20;
  static constexpr interval domain{1, 1e10};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::acosh(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::acosh(z);
  }
};

/// The number whose hyperbolic tangent is x; NaN beyond 1.
struct atanh : floating_operation {
  static constexpr const char* name = "atanh";
  static constexpr const char* numpy = "arctanh";
  static constexpr int cost = 20;
  static constexpr interval domain{-1, 1};
  template <real_number T>
  LAZYFUSE_HD T operator()(T x) const {
    return math::atanh(x);
  }
  template <complex_number T>
  LAZYFUSE_HD T operator()(T z) const {
    return math::atanh(z);
  }
};

}  // namespace op

/// The hyperbolic sine. \numpy{sinh}
template <class X>
  requires operands<X>
constexpr auto sinh(X&& x) { return map<op::sinh>(static_cast<X&&>(x)); }
/// The hyperbolic cosine. \numpy{cosh}
template <class X>
  requires operands<X>
constexpr auto cosh(X&& x) { return map<op::cosh>(static_cast<X&&>(x)); }
/// The hyperbolic tangent. \numpy{tanh}
template <class X>
  requires operands<X>
constexpr auto tanh(X&& x) { return map<op::tanh>(static_cast<X&&>(x)); }
/// The number whose hyperbolic sine is x. \numpy{arcsinh}
template <class X>
  requires operands<X>
constexpr auto asinh(X&& x) { return map<op::asinh>(static_cast<X&&>(x)); }
/// The number, not negative, whose hyperbolic cosine is x; NaN below 1. \numpy{arccosh}
template <class X>
  requires operands<X>
constexpr auto acosh(X&& x) { return map<op::acosh>(static_cast<X&&>(x)); }
/// The number whose hyperbolic tangent is x; NaN beyond 1. \numpy{arctanh}
template <class X>
  requires operands<X>
constexpr auto atanh(X&& x) { return map<op::atanh>(static_cast<X&&>(x)); }

namespace op {
using hyperbolic_operations = list<sinh, cosh, tanh, asinh, acosh, atanh>;
}  // namespace op

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operation meets elements of 16 bits: scalar functions are written for float and double, and what is stored as
// half or bfloat16 is computed in float and rounded once. The one place that knows.
#pragma once

#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {

namespace compute_detail {
template <class T>
LAZYFUSE_HD constexpr decltype(auto) widened(const T& x) {
  if constexpr (small_real<T>) return static_cast<float>(x);
  else return (x);
}
/// The first 16-bit type among T...
template <class T, class... Rest>
struct first_small : first_small<Rest...> {};
template <small_real T, class... Rest>
struct first_small<T, Rest...> {
  using type = T;
};
}  // namespace compute_detail

/// Op of these elements. An operation that takes 16-bit elements as they are is left to do so.
template <class Op, class... T>
LAZYFUSE_HD constexpr auto compute(const T&... x) {
  if constexpr (!(small_real<T> || ...)) return Op{}(x...);
  else if constexpr (requires { Op{}(x...); }) return Op{}(x...);
  else {
    const auto value = Op{}(compute_detail::widened(x)...);
    if constexpr (__is_same(decltype(value), const float))
      return static_cast<typename compute_detail::first_small<T...>::type>(value);
    else return value;
  }
}
/// The type of that.
template <class Op, class... T>
using computed_t = decltype(compute<Op>(::cuda::std::declval<const T&>()...));

}  // namespace lazyfuse

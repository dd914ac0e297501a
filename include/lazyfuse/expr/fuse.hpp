// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse: a callable traced over numbered operands. Equal numbers are equal types, so what the callable
// uses twice is computed once, decided at compile time.
#pragma once

#include <lazyfuse/expr/reduce.hpp>

namespace lazyfuse {

namespace fuse_detail {
template <class F, int... I, class... X>
constexpr auto call(const F& f, index_sequence<I...>, const X&... x) {
  constexpr int spans[] = {number_detail::span<tree_t<X>>..., 0};
  return f(number_detail::numbered_argument<number_detail::sum_before(I, spans)>(x)...);
}
}  // namespace fuse_detail

/// A function of arrays made of a callable over expressions; calling it builds an expression, lazily.
template <class F>
struct fused {
  F function;
  template <class... X>
    requires(expression<X>&&...)
  constexpr auto operator()(const X&... x) const {
    return fuse_detail::call(function, make_index_sequence<sizeof...(X)>{}, x...);
  }
};

/// fuse(f): f, a callable over expressions, as a function of arrays and expressions: every array of an argument is read
/// once, and what f names and uses twice is computed once, decided at compile time. Calling it builds an expression.
template <class F>
constexpr fused<F> fuse(F function) {
  return {static_cast<F&&>(function)};
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse: a callable traced over numbered operands. Equal numbers are equal types, so what the callable
// uses twice is computed once, decided at compile time.
#pragma once

#include <lazyfuse/expr/reduce.hpp>

namespace lazyfuse {

/// Operand number I of a fused callable: the same elements as Source, under a type of its own.
template <int I, class Source>
struct numbered_source : Source {
  using value_type = typename Source::value_type;
};
template <int I, class Source>
struct source_traits<numbered_source<I, Source>> {
  using space = typename source_traits<Source>::space;
  using viewed = Source;
  static constexpr bool is_argument = true;
  static constexpr int owners = source_traits<Source>::owners;
};

namespace fuse_detail {
template <int I, class Source, int R>
constexpr auto number(const leaf<Source, R>& e) {
  if constexpr (requires { e.source.argument; }) return e;  // still to be computed: no operand yet
  else return leaf<numbered_source<I, Source>, R>({e.source}, e.extents, e.steps, e.offset);
}
template <int I, class Tree>
constexpr const Tree& number(const Tree& e) {
  return e;
}
template <class F, int... I, class... X>
constexpr auto call(const F& f, indices<I...>, const X&... x) {
  return f(over(number<I>(x.tree), x)...);
}
}  // namespace fuse_detail

/// A function of arrays made of a callable over expressions; calling it builds an expression, lazily.
template <class F>
struct fused {
  F function;
  template <class... X>
    requires(expression<X>&&...)
  constexpr auto operator()(const X&... x) const {
    return fuse_detail::call(function, make_indices<sizeof...(X)>{}, x...);
  }
};

/// f, a callable over expressions, as a function of arrays: every argument is read once, and what f names and uses
/// twice is computed once, decided at compile time.
template <class F>
constexpr fused<F> fuse(F function) {
  return {static_cast<F&&>(function)};
}

}  // namespace lazyfuse

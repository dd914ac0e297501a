// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation within a scope that says where work goes, such as on(stream).
#pragma once

#include <lazyfuse/evaluate/tie.hpp>

namespace lazyfuse {

/// Something that, while it lives, directs the calling thread's work: on(stream) of the CUDA space.
template <class S>
concept evaluation_scope = requires {
  typename S::evaluation_scope;
};

/// materialize(on(stream), e, ...): the values of the expressions, computed within the scope.
template <evaluation_scope S, class... E, class = maker>
  requires(expression<E>&&...)
auto materialize(const S&, const E&... e) {
  if constexpr (sizeof...(E) == 1) return materialize(e..., caller{});
  else return materialize(e...);
}

/// assign(on(stream), x, e): x = e within the scope.
template <evaluation_scope S, class D, class E, class = maker>
  requires(!tie_detail::is_tied<bare_t<D>>)
void assign(const S&, D&& destination, E&& e) { static_cast<D&&>(destination) = static_cast<E&&>(e); }

/// assign(on(stream), tie(x, y), e1, e2): the same of several.
template <evaluation_scope S, class D, class... E, class = maker>
  requires(tie_detail::is_tied<bare_t<D>>)
void assign(const S&, D&& to, E&&... e) { assign(static_cast<D&&>(to), static_cast<E&&>(e)...); }

}  // namespace lazyfuse

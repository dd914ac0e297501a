// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From expressions to kernels: which pattern an expression is, and how one that is none is cut. Everything that
// evaluates comes through run().
#pragma once

#include <lazyfuse/evaluate/temporaries.hpp>

namespace lazyfuse {

namespace run_detail {

/// The expression with every reduction replaced by its materialised result. Each: those inside others, too, for each a
/// kernel of its own.
template <class Space, bool Each, class E>
auto settled(const execution& x, temporaries& t, const E& e);
/// The expression with only the reductions inside other reductions replaced.
template <class Space, class E>
auto unnested(const execution& x, temporaries& t, const E& e);

template <class Space, bool Each, class Monoid, int Axes, class A, bool V, int R>
auto settle(const execution& x, temporaries& t, const leaf<reduced<Monoid, Axes, A, V>, R>& e) {
  constexpr int K = A::rank - Axes;
  shape<K> kept;
  for (int k = 0; k < K; ++k) kept[k] = e.source.argument.shape()[k];
  const auto result = [&](const auto& argument) {
    using source = reduced<Monoid, Axes, bare_t<decltype(argument)>, V>;
    return made<Space>(x.part("cut at a reduction"), t, leaf<source, K>({argument}, kept, row_major(kept)));
  };
  const auto stored_result = [&] {
    if constexpr (Each && has_reduction<A>) return result(settled<Space, Each>(x, t, e.source.argument));
    else return result(e.source.argument);
  }();
  return leaf<stored<value_t<A>, Space>, R>(stored_result.source, e.extents, e.steps, e.offset);
}
template <class Space, bool Each, class Op, class Seq, class... A>
auto settle(const execution& x, temporaries& t, const map_expr<Op, Seq, A...>& e) {
  return view_detail::rebuild(e, e.shape(), [&](const auto& a) { return settled<Space, Each>(x, t, a); });
}
template <class Space, bool Each, class E>
auto settled(const execution& x, temporaries& t, const E& e) {
  if constexpr (has_reduction<E>) return settle<Space, Each>(x, t, e);
  else return e;
}

template <class E>
inline constexpr bool has_nested = false;
template <class Monoid, int Axes, class A, bool V, int R>
inline constexpr bool has_nested<leaf<reduced<Monoid, Axes, A, V>, R>> = has_reduction<A>;
template <class Op, class Seq, class... A>
inline constexpr bool has_nested<map_expr<Op, Seq, A...>> = (has_nested<A> || ...);
template <class E>
inline constexpr bool has_nested<named<E>> = has_nested<E>;

template <class Space, class Monoid, int Axes, class A, bool V, int R>
auto unnest(const execution& x, temporaries& t, const leaf<reduced<Monoid, Axes, A, V>, R>& e) {
  return with_argument(e, settled<Space, false>(x, t, e.source.argument));
}
template <class Space, class Op, class Seq, class... A>
auto unnest(const execution& x, temporaries& t, const map_expr<Op, Seq, A...>& e) {
  return view_detail::rebuild(e, e.shape(), [&](const auto& a) { return unnested<Space>(x, t, a); });
}
template <class Space, class E>
auto unnested(const execution& x, temporaries& t, const E& e) {
  if constexpr (has_nested<E>) return unnest<Space>(x, t, e);
  else return e;
}

}  // namespace run_detail

template <class Space, int R, class... T, class... E>
void run(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
         const E&... e) {
  constexpr bool here = runnable_here<Space>;
  static_assert(
      here, "lazyfuse: this expression runs on the GPU; compile this file with nvcc and include <lazyfuse/cuda.cuh>");
  if constexpr (here) {
    if (s.size() == 0) return;
    if constexpr ((has_barrier<E> || ...)) {
      run_detail::temporaries t;
      run<Space, R, T...>(x, s, to, owners, run_detail::without_barriers<Space>(x, t, e)...);
    } else if constexpr ((run_detail::reads_too_many<E> || ...))
      run<Space, R, T...>(x, s, to, owners, barrier_detail::limit<plan_limits<>>(e)...);
    else if constexpr (!(has_reduction<E> || ...)) run_detail::transform_best<Space, R, T...>(x, s, to, owners, e...);
    else {
      constexpr auto form = (reductions_detail::form{} + ... + reductions_detail::form_of<E>);
      constexpr bool nested = (run_detail::has_nested<E> || ...), broadcast_back = nested || form.other_leaves;
      if constexpr (!nested) {
        if (run_detail::reduce_together<Space, R, T...>(x, s, to, owners, e...)) return;
      }
      run_detail::temporaries t;
      if constexpr (may_be_rows<R, E...> && broadcast_back) {
        if (!run_detail::rows_best<Space, R, T...>(x, s, to, owners, e...))
          run_detail::transform_best<Space, R, T...>(x, s, to, owners, run_detail::settled<Space, true>(x, t, e)...);
      } else {
        if constexpr (broadcast_back) x.refuse("rows", rows_detail::why_not<R, E...>);
        if constexpr (nested) run<Space, R, T...>(x, s, to, owners, run_detail::unnested<Space>(x, t, e)...);
        else if constexpr (form.count > 1 || form.viewed || form.other_leaves || !form.possible)
          run_detail::transform_best<Space, R, T...>(x, s, to, owners, run_detail::settled<Space, false>(x, t, e)...);
      }
    }
  }
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From expressions to kernels: lower, choose, hand to the backend. Everything that evaluates comes
// through run(); explain comes the same way without launching.
#pragma once

#include <lazyfuse/evaluate/execution.hpp>

#include <utility>
#include <vector>

namespace lazyfuse {

namespace run_detail {

template <class Target>
void describe(operand_info& info, Target& t, allocation* owner, int rank) {
  info = {t.data, t.steps.step, owner, int(sizeof(*t.data)), rank};
}
template <int R, class... T, int... I>
void describe_all(operand_info* info, target_pack<R, T...>& to, allocation* const* owners, indices<I...>) {
  (describe(info[I], get<I>(to), owners[I], R), ...);
}

template <int R, int K, class... T, int... I>
void describe_reduced(operand_info* info, target_pack<K, T...>& to, strides<R>* steps, allocation* const* owners,
                      indices<I...>) {
  const auto one = [&](int i, auto& t) {
    for (int k = 0; k < K; ++k) steps[i][k] = t.steps[k];
    info[i] = {t.data, steps[i].step, owners[i], int(sizeof(*t.data)), R};
  };
  (one(I, get<I>(to)), ...);
}
template <int R, int K, class... T, int... I>
void copy_back(target_pack<K, T...>& to, const strides<R>* steps, indices<I...>) {
  const auto one = [&](int i, auto& t) {
    for (int k = 0; k < K; ++k) t.steps[k] = steps[i][k];
  };
  (one(I, get<I>(to)), ...);
}

/// One transform kernel for all outputs; false if the leaves that were numbered once turn out to differ.
template <class Space, bool Share, int R, class... T, class... E>
bool transform(const execution& x, shape<R> s, target_pack<R, T...> to, allocation* const* owners, const E&... e) {
  using lowered = lowering<Share, E...>;
  using sources = typename lowered::sources;
  bound_operands<lowered, R, sizeof...(T)> bound;
  if (!bound.bind(s, 0, e...)) return false;
  describe_all<R>(bound.info, to, owners, make_indices<sizeof...(T)>{});
  constexpr int count = sizeof...(T) + bound.count;
  order_axes(s.extent, 0, R, bound.info, count, sizeof...(T));
  coalesce(s.extent, 0, R, bound.info, count);
  using plan = schedule<typename lowered::programs>;
  if (!x.dry()) backend<Space>::before(bound.info, sizeof...(T), count);
  const char* path = backend<Space>::template transform<plan>(s, bound, to, x.dry());
  if (x.dry() || trace_detail::observed())
    tell<Space, Share, sources, typename plan::roots>(x, "transform", path, s, s, bound.info, sizeof...(T));
  return true;
}

/// One reduce kernel for all outputs over the argument's extents: kept axes [0, K), then the reduced ones.
template <class Space, bool Share, int R, int K, class... T, class... E>
bool reduce(const execution& x, shape<R> s, target_pack<K, T...> to, allocation* const* owners, const E&... e) {
  using lowered = lowering<Share, E...>;
  using sources = typename lowered::sources;
  bound_operands<lowered, R, sizeof...(T)> bound;
  if (!bound.bind(s, R - K, e...)) return false;
  // A target is described with R steps, 0 along the reduced axes, so that axes merge for all alike.
  strides<R> target_steps[sizeof...(T)];
  describe_reduced<R, K>(bound.info, to, target_steps, owners, make_indices<sizeof...(T)>{});
  constexpr int count = sizeof...(T) + bound.count;
  order_axes(s.extent, 0, K, bound.info, count, sizeof...(T));
  order_reduced_axes(s.extent, K, R, bound.info + sizeof...(T), bound.count);
  coalesce(s.extent, 0, K, bound.info, count);
  coalesce(s.extent, K, R, bound.info, count);
  copy_back<R, K>(to, target_steps, make_indices<sizeof...(T)>{});
  using plan = schedule<typename lowered::programs>;
  using set = reduction_set<typename reductions_of<typename plan::roots>::type, sources>;
  if (!x.dry()) backend<Space>::before(bound.info, sizeof...(T), count);
  const char* path = backend<Space>::template reduce<set, plan, K>(
      s, bound, to, runs_along_kept(s.extent, K, R, bound.info + sizeof...(T), bound.count), x.dry());
  if (x.dry() || trace_detail::observed()) {
    shape<R> out = s;
    for (int k = K; k < R; ++k) out[k] = 1;
    tell<Space, Share, sources, typename plan::roots>(x, "reduce", path, s, out, bound.info, sizeof...(T));
  }
  return true;
}

/// Whether numbering composites once would save an operand.
template <class... E>
inline constexpr bool shares = lowering<true, E...>::sources::size < lowering<false, E...>::sources::size;
template <class Space, int R, class... T, class... E>
void transform_best(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
                    const E&... e) {
  if constexpr (shares<E...>) {
    if (transform<Space, true, R, T...>(x, s, to, owners, e...)) return;
  }
  transform<Space, false, R, T...>(x, s, to, owners, e...);
}
template <class Space, int R, int K, class... T, class... E>
void reduce_best(const execution& x, const shape<R>& s, const target_pack<K, T...>& to, allocation* const* owners,
                 const E&... e) {
  if constexpr (shares<E...>) {
    if (reduce<Space, true, R, K, T...>(x, s, to, owners, e...)) return;
  }
  reduce<Space, false, R, K, T...>(x, s, to, owners, e...);
}

}  // namespace run_detail

/// Evaluates e... at every index of the shape s and stores the results at the targets, whose memory is
/// ready and not read otherwise than position by position.
template <class Space, int R, class... T, class... E>
void run(const execution& x, const shape<R>& s, const target_pack<R, T...>& to, allocation* const* owners,
         const E&... e);

namespace run_detail {

/// Memory made on the way, kept until the kernel that reads it is launched.
using temporaries = std::vector<handles<1>>;

/// Makes an array for e, computes it, and returns it as a leaf; e may contain anything.
template <class Space, class E>
leaf<stored<value_t<E>, Space>, rank_of<E>> made(const execution& x, temporaries& t, const E& e) {
  using T = value_t<E>;
  constexpr int R = rank_of<E>;
  const shape<R> s = e.shape();
  const auto steps = row_major(s);
  allocation* owner = nullptr;
  if (!x.dry() && s.size() > 0) {
    t.emplace_back();
    t.back().memory[0] = owner = memory_detail::allocate(Space{}, sizeof(T) * static_cast<std::size_t>(s.size()));
  }
  T* const data = owner ? static_cast<T*>(owner->data) : nullptr;
  run<Space, R, T>(x, s, target_pack<R, T>{{{{data, steps}}}}, &owner, e);
  return {{owner, data}, s, steps};
}

/// The expression with every reduction replaced by its materialised result.
template <class Space, class E>
auto settled(const execution& x, temporaries& t, const E& e);
/// The expression with only the reductions inside other reductions replaced.
template <class Space, class E>
auto unnested(const execution& x, temporaries& t, const E& e);

template <class Space, class Monoid, int Axes, class A, bool V, int R>
auto settle(const execution& x, temporaries& t, const leaf<reduced<Monoid, Axes, A, V>, R>& e) {
  constexpr int K = A::rank - Axes;
  shape<K> kept;
  for (int k = 0; k < K; ++k) kept[k] = e.source.argument.shape()[k];
  const auto result = made<Space>(x, t, leaf<reduced<Monoid, Axes, A, V>, K>(e.source, kept, row_major(kept)));
  return leaf<stored<value_t<A>, Space>, R>(result.source, e.extents, e.steps, e.offset);
}
template <class Space, class Op, class Seq, class... A>
auto settle(const execution& x, temporaries& t, const map_expr<Op, Seq, A...>& e) {
  return view_detail::rebuild(e, e.shape(), [&](const auto& a) { return settled<Space>(x, t, a); });
}
template <class Space, class E>
auto settled(const execution& x, temporaries& t, const E& e) {
  if constexpr (has_reduction<E>) return settle<Space>(x, t, e);
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
  const auto argument = settled<Space>(x, t, e.source.argument);
  return leaf<reduced<Monoid, Axes, bare_t<decltype(argument)>, V>, R>({argument}, e.extents, e.steps, e.offset);
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

/// The target over the kept axes alone: axes of extent 1 are dropped or added.
template <int K, int R, class T>
target<T, K> kept_target(const target<T, R>& t, const shape<R>& s, const shape<K>& kept) {
  target<T, K> r{t.data, {}};
  for (int k = 0, from = 0; k < K; ++k) {
    if (kept[k] == 1) continue;
    while (s[from] == 1) ++from;
    r.steps[k] = t.steps[from++];
  }
  return r;
}
template <int K, int R, class... T, int... I>
target_pack<K, T...> kept_targets(const target_pack<R, T...>& to, const shape<R>& s, const shape<K>& kept,
                                  indices<I...>) {
  return {{{kept_target<K, R>(get<I>(to), s, kept)}...}};
}

template <int R>
bool same_but_ones(const shape<R>& s, const index_t* kept, int rank) {
  return same_order(s.extent, row_major(s).step, R, kept, rank);
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
    if constexpr (!(has_reduction<E> || ...)) run_detail::transform_best<Space, R, T...>(x, s, to, owners, e...);
    else if constexpr ((run_detail::has_nested<E> || ...)) {
      run_detail::temporaries t;
      run<Space, R, T...>(x, s, to, owners, run_detail::unnested<Space>(x, t, e)...);
    } else {
      constexpr auto form = (reductions_detail::form{} + ... + reductions_detail::form_of<E>);
      constexpr int K = form.rank - form.axes;
      if constexpr (form.possible && ((!form.kept_dims && K == R) || !form.other_leaves)) {
        reductions_detail::common_argument<form.rank> c;
        (reductions_detail::common(e, c), ...);
        if (c.same && run_detail::same_but_ones(s, c.extents.extent, K)) {
          shape<K> kept;
          for (int k = 0; k < K; ++k) kept[k] = c.extents[k];
          const auto targets = run_detail::kept_targets<K, R, T...>(to, s, kept, make_indices<sizeof...(T)>{});
          if constexpr (form.kept_dims)
            run_detail::reduce_best<Space, form.rank, K, T...>(x, c.extents, targets, owners,
                                                               reductions_detail::without_keepdims(e)...);
          else run_detail::reduce_best<Space, form.rank, K, T...>(x, c.extents, targets, owners, e...);
          return;
        }
      }
      // One reduction, read in its own order, and scalars: nothing else can happen.
      if constexpr (form.count > 1 || form.viewed || form.other_leaves || !form.possible) {
        run_detail::temporaries t;
        run_detail::transform_best<Space, R, T...>(x, s, to, owners, run_detail::settled<Space>(x, t, e)...);
      }
    }
  }
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From expressions to kernels: lower, choose, hand to the backend. Everything that evaluates comes
// through run(); explain comes the same way without launching.
#pragma once

#include <lazyfuse/evaluate/execution.hpp>

#include <utility>

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
    tell<Space, Share, sources, typename lowered::programs>(x, "transform", path, s, s, bound.info, sizeof...(T));
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
    tell<Space, Share, sources, typename lowered::programs>(x, "reduce", path, s, out, bound.info, sizeof...(T));
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

/// Makes an array for e, computes it, and returns it as a leaf; e may contain anything.
template <class Space, class E>
leaf<stored<value_t<E>, Space>, rank_of<E>> made(const execution& x, const E& e) {
  using T = value_t<E>;
  constexpr int R = rank_of<E>;
  const shape<R> s = e.shape();
  leaf<stored<T, Space>, R> result(
      {buffer{x.dry() || s.size() == 0
                  ? nullptr
                  : memory_detail::allocate(Space{}, sizeof(T) * static_cast<std::size_t>(s.size()))},
       nullptr},
      s, row_major(s));
  allocation* const owner = result.source.owner.get();
  T* const data = owner ? static_cast<T*>(owner->data) : nullptr;
  result.source.data = data;
  run<Space, R, T>(x, s, target_pack<R, T>{{{{data, result.steps}}}}, &owner, e);
  return result;
}

/// The expression with every reduction replaced by its materialised result.
template <class Space, class E>
auto settled(const execution& x, const E& e);
/// The expression with only the reductions inside other reductions replaced.
template <class Space, class E>
auto unnested(const execution& x, const E& e);

template <class Space, class Source, int R>
auto settle(const execution&, const leaf<Source, R>& e) {
  return e;
}
template <class Space, class T, auto V>
auto settle(const execution&, const literal_leaf<T, V>& e) {
  return e;
}
template <class Space, class Monoid, int Axes, class A, bool V, int R>
auto settle(const execution& x, const leaf<reduced<Monoid, Axes, A, V>, R>& e) {
  constexpr int K = A::rank - Axes;
  shape<K> kept;
  for (int k = 0; k < K; ++k) kept[k] = e.source.argument.shape()[k];
  auto result = made<Space>(x, leaf<reduced<Monoid, Axes, A, V>, K>(e.source, kept, row_major(kept)));
  return leaf<stored<value_t<A>, Space>, R>(result.source, e.extents, e.steps, e.offset);
}
template <class Space, class Op, class Seq, class... A>
auto settle(const execution& x, const map_expr<Op, Seq, A...>& e) {
  return view_detail::rebuild(e, e.shape(), [&](const auto& a) { return settled<Space>(x, a); });
}
template <class Space, class E>
auto settled(const execution& x, const E& e) {
  if constexpr (has_reduction<E>) return settle<Space>(x, e);
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
auto unnest(const execution& x, const leaf<reduced<Monoid, Axes, A, V>, R>& e) {
  auto argument = settled<Space>(x, e.source.argument);
  using N = decltype(argument);
  return leaf<reduced<Monoid, Axes, N, V>, R>({static_cast<N&&>(argument)}, e.extents, e.steps, e.offset);
}
template <class Space, class Op, class Seq, class... A>
auto unnest(const execution& x, const map_expr<Op, Seq, A...>& e) {
  return view_detail::rebuild(e, e.shape(), [&](const auto& a) { return unnested<Space>(x, a); });
}
template <class Space, class E>
auto unnested(const execution& x, const E& e) {
  if constexpr (has_nested<E>) return unnest<Space>(x, e);
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
  static_assert(
      runnable_here<Space>,
      "lazyfuse: this expression runs on the GPU; compile this file with nvcc and include <lazyfuse/cuda.cuh>");
  if constexpr (runnable_here<Space>) {
    if (s.size() == 0) return;
    if constexpr (!(has_reduction<E> || ...)) run_detail::transform_best<Space, R, T...>(x, s, to, owners, e...);
    else if constexpr ((run_detail::has_nested<E> || ...))
      run<Space, R, T...>(x, s, to, owners, run_detail::unnested<Space>(x, e)...);
    else {
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
      if constexpr (form.count > 1 || form.viewed || form.other_leaves || !form.possible)
        run_detail::transform_best<Space, R, T...>(x, s, to, owners, run_detail::settled<Space>(x, e)...);
    }
  }
}

}  // namespace lazyfuse

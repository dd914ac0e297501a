// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an expression is cut by hand: barrier(e) is computed into memory before what contains it, and limited(e,
// limits) puts barriers where a kernel would read more than the limits allow.
#pragma once

#include <lazyfuse/expr/reduce.hpp>

namespace lazyfuse {

namespace tree {

/// Computed into memory of its own, dense and row-major, before the kernel that reads it.
template <bool ByLimits>
struct to_memory {
  static constexpr bool in_kernel = false, in_own_order = false;
  static constexpr const char* because = ByLimits ? "cut by limits" : "cut by barrier";
  using viewed = to_memory;
  /// What reads that memory in the place of what was computed into it.
  template <class Source>
  constexpr auto read(const Source& s) const {
    return s;
  }
};
template <class A, bool ByLimits = false>
using computed = deferred<to_memory<ByLimits>, A>;

}  // namespace tree

namespace barrier_detail {
struct in_memory_first : tree::any_leaf {
  template <class Kind, class A, int R>
  static constexpr bool deferred = !Kind::in_kernel || tree::fold<in_memory_first, A>;
};
}  // namespace barrier_detail
/// What a kernel may take on, judging by the type of its expression. MaxOperands: arrays that it reads, each counted as
/// often as it occurs. MaxLive: values that a thread holds at a time while it evaluates one element; 0, any number.
template <int MaxOperands = most_operands, int MaxLive = 0>
struct plan_limits {
  static_assert(MaxOperands >= 2 && (MaxLive == 0 || MaxLive >= 3), "lazyfuse: limits leave no room for x * y + z");
  static constexpr int max_operands = MaxOperands, max_live = MaxLive;
};

namespace tree {
/// Whether an expression has a barrier, in the arguments of reductions too.
template <class E>
inline constexpr bool has_barrier = tree::fold<barrier_detail::in_memory_first, E>;
}  // namespace tree

namespace barrier_detail {

/// What a kernel for an expression would read and hold.
struct tally {
  int operands = 0, live = 0;
};
/// live: the fewest values that evaluation holds at a time if arguments are taken in the best order. Source: Sethi and
/// Ullman, The generation of optimal code for arithmetic expressions, J. ACM 17 (1970).
constexpr tally sum_of(const tally* parts, int count) {
  tally all;
  bool taken[most_operands] = {};
  for (int held = 0; held < count && held < most_operands; ++held) {
    int next = -1;
    for (int i = 0; i < count && i < most_operands; ++i)
      if (!taken[i] && (next < 0 || parts[i].live > parts[next].live)) next = i;
    taken[next] = true;
    if (parts[next].live + held > all.live && parts[next].live > 0) all.live = parts[next].live + held;
  }
  for (int i = 0; i < count; ++i) all.operands += parts[i].operands;
  return all;
}

template <class Source>
concept in_array = requires(const Source& s) {
  s.owner;
};
struct tallying {
  template <class Source, int R>
  static constexpr tally leaf = {tree::source_traits<Source>::owners, tree::source_traits<Source>::owners};
  template <class Kind, class A, int R>
  static constexpr tally deferred = Kind::in_kernel ? tree::fold<tallying, A> : tally{1, 1};
  static constexpr tally literal = {};
  template <class Op, class... V>
  static constexpr tally map(const V&... values) {
    const tally parts[] = {values...};
    return sum_of(parts, sizeof...(V));
  }
};
template <class E>
inline constexpr tally tally_of = tree::fold<tallying, E>;

template <class Limits>
constexpr bool exceeds(const tally& t) {
  return t.operands > Limits::max_operands || (Limits::max_live > 0 && t.live > Limits::max_live);
}

template <bool ByLimits, class E>
constexpr auto cut(const E& e) {
  return tree::leaf<tree::computed<E, ByLimits>, E::rank>({e}, e.shape(), row_major(e.shape()));
}
/// The values are in memory already.
template <bool ByLimits, in_array Source, int R>
constexpr auto cut(const tree::leaf<Source, R>& e) {
  return e;
}
template <bool ByLimits, class A, bool L, int R>
constexpr auto cut(const tree::leaf<tree::computed<A, L>, R>& e) {
  return e;
}
template <bool ByLimits, class E>
constexpr auto cut(const tree::named<E>& e) {
  return cut<ByLimits>(tree::unnamed(e));
}
template <bool Cut, class E>
constexpr auto cut_if(const E& e) {
  if constexpr (Cut) return cut<true>(e);
  else return e;
}

/// Which arguments are cut, the largest first, so that the rest keeps the limits.
template <class Limits, class... A>
constexpr unsigned long long arguments_to_cut() {
  constexpr int count = sizeof...(A);
  tally parts[] = {tally_of<A>...};
  unsigned long long cuts = 0;
  constexpr int considered = count < most_operands ? count : most_operands;
  static_assert(most_operands <= 8 * sizeof(cuts));
  while (exceeds<Limits>(sum_of(parts, count))) {
    int largest = -1;
    for (int i = 0; i < considered; ++i) {
      const bool smaller = parts[i].operands <= 1 && parts[i].live <= 1;
      if (!smaller && (largest < 0 || parts[i].operands > parts[largest].operands ||
                       (parts[i].operands == parts[largest].operands && parts[i].live > parts[largest].live)))
        largest = i;
    }
    if (largest < 0) break;
    cuts |= 1ull << largest;
    parts[largest] = {1, 1};
  }
  return cuts;
}

template <class Limits, class E>
constexpr auto limit(const E& e);

template <class Limits, class E>
constexpr auto cut_arguments(const E& e) {
  return e;
}
template <class Limits, class Op, class Seq, class... A>
constexpr auto cut_arguments(const tree::map_expr<Op, Seq, A...>& e) {
  constexpr unsigned long long cuts = arguments_to_cut<Limits, A...>();
  return tree::with_arguments(
      e, [&]<int K>(index_sequence<K>) { return cut_if<(cuts >> K) & 1>(e.template argument<K>()); });
}
/// What keeps the limits is not looked into: its type stays, and nothing is compiled for it.
template <class Limits, class E>
constexpr auto limit(const E& e) {
  if constexpr (tree::is_named<E>) return limit<Limits>(tree::unnamed(e));
  else if constexpr (exceeds<Limits>(tally_of<E>) || tree::has_barrier<E>)
    return cut_arguments<Limits>(tree::rebuilt(e, [](const auto& a) { return limit<Limits>(a); }));
  else return e;
}

}  // namespace barrier_detail

/// The values of x, computed into memory of their own before what contains it runs; shapes, values and views are those
/// of x. Used more than once, it is computed once. Costs one more kernel, and the memory until the evaluation ends.
template <class X>
  requires expression<X>
constexpr auto barrier(X&& x) { return over(barrier_detail::cut<false>(x.tree), static_cast<X&&>(x)); }

/// limited(x, plan_limits<8>{}): x with barriers where one kernel for it would exceed the limits; values and shapes are
/// those of x. Without limits, those that every evaluation keeps.
template <class X, class Limits = plan_limits<>>
  requires expression<X>
constexpr auto limited(X&& x, Limits = {}) { return over(barrier_detail::limit<Limits>(x.tree), static_cast<X&&>(x)); }

}  // namespace lazyfuse

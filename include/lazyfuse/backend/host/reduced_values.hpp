// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a reduction has for a kept position: results of lanes and blocks, merged, and the epilogue that stores them.
#pragma once

#include <lazyfuse/backend/host/partial_sums.hpp>

namespace lazyfuse::host_detail {

template <class Set, class Partials, int... I>
typename Set::accumulators lane(const Partials& from, index_t l, index_sequence<I...>) {
  return {{get<I>(from).at(l)}...};
}
/// Merges the pairs (0, half), (1, half + 1), ... until one is left: pairwise order.
template <class Set, class Get>
typename Set::accumulators merge_pairwise(index_t first, index_t count, const Get& get_one) {
  if (count == 1) return get_one(first);
  const index_t half = count / 2;
  auto a = merge_pairwise<Set>(first, half, get_one);
  Set::merge(a, merge_pairwise<Set>(first + half, count - half, get_one));
  return a;
}

/// What the epilogue sees: operands at a kept position, and the reductions' values.
template <class Set, class Operands, class Position>
struct epilogue_context {
  const Operands& operands;
  const Position& kept;
  const typename Set::accumulators& values;
  index_t column;
  int axis;
  template <int I>
  LAZYFUSE_HD auto operand() const {
    const auto& o = get<I>(operands);
    if constexpr (requires { o.steps; }) return o.source.at(kept.offset(I) + (axis < 0 ? 0 : column * o.steps[axis]));
    else return o.source.value;
  }
  template <class P>
  LAZYFUSE_HD auto stage_value() const {
    return get<Set::template index_of<P>>(values);
  }
};
template <int K, class... T>
struct reduced_sink {
  static constexpr bool stores = true;
  const target_pack<K, T...>& targets;
  const index_t* at;
  index_t column;
  template <int I, class V>
  LAZYFUSE_HD void put(const V& value) {
    const auto& t = get<I>(targets);
    auto* p = address(t.data);
    for (int k = 0; k < K; ++k) p += at[k] * t.steps[k];
    if constexpr (K > 0) p += column * t.steps[K - 1];
    *p = value;
  }
};

}  // namespace lazyfuse::host_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of the nodes of a graph, as bits; they work at compile time.
#pragma once

#include <bit>
#include <cstdint>

namespace lazyfuse::planning {

/// A set of numbers from 0 to N - 1: the assignments of a call and the arrays they read may be more than 64.
template <int N>
struct node_set {
  static constexpr int words = N > 0 ? (N + 63) / 64 : 1;
  std::uint64_t word[words] = {};

  constexpr bool contains(int i) const { return (word[i / 64] >> (i % 64) & 1) != 0; }
  constexpr void insert(int i) { word[i / 64] |= std::uint64_t{1} << (i % 64); }

  constexpr bool empty() const {
    for (const std::uint64_t w : word)
      if (w != 0) return false;
    return true;
  }
  constexpr int size() const {
    int n = 0;
    for (const std::uint64_t w : word) n += std::popcount(w);
    return n;
  }
  constexpr bool within(const node_set& b) const {
    for (int k = 0; k < words; ++k)
      if ((word[k] & ~b.word[k]) != 0) return false;
    return true;
  }

  /// Calls f with each number of the set, in rising order.
  template <class F>
  constexpr void for_each(F f) const {
    for (int k = 0; k < words; ++k)
      for (std::uint64_t rest = word[k]; rest != 0; rest &= rest - 1) f(64 * k + std::countr_zero(rest));
  }

  constexpr node_set& operator|=(const node_set& b) {
    for (int k = 0; k < words; ++k) word[k] |= b.word[k];
    return *this;
  }
};

}  // namespace lazyfuse::planning

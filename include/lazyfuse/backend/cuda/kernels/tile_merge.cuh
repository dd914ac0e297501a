// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Totals of the rows of a tile, of which each of several neighbouring lanes has a part.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>

namespace lazyfuse::cuda_detail {

/// Which of the rows of a thread its lane has in the end, and whether it is the one to store them.
struct lane_share {
  int first;
  bool stores;
};
/// Merges the totals of neighbouring lanes, row by row. Each lane gives up half of its rows for the other half of its
/// partner's, while it has several; both halves are merged in the order of the lanes.
template <class Set, int Lanes, class Sum, int Rows, int... I>
__device__ __forceinline__ lane_share merge_among_lanes(Sum (&sums)[Rows], index_sequence<I...> seq) {
  using accumulators = typename Set::accumulators;
  const int lane = static_cast<int>(threadIdx.x) & (Lanes - 1);
  lane_share mine{0, true};
  const auto round = [&]<int Mask, int Count>(index_sequence<Mask, Count>) {
    const bool upper = (lane & Mask) != 0;
    if constexpr (Count > 1) {
      constexpr int half = Count / 2;
#pragma unroll
      for (int i = 0; i < half; ++i) {
        const accumulators given = upper ? sums[i].total : sums[i + half].total;
        accumulators kept = upper ? sums[i + half].total : sums[i].total, other;
        ((get<I>(other) = shuffle_xor(get<I>(given), Mask)), ...);
        if (upper) {
          Set::merge(other, kept);
          kept = other;
        } else Set::merge(kept, other);
        sums[i].total = kept;
      }
      if (upper) mine.first += half;
    } else {
      merge_lanes<Set>(sums[0].total, Mask, seq);
      mine.stores = mine.stores && !upper;
    }
  };
  const auto rounds = [&]<int Mask, int Count>(const auto& self, index_sequence<Mask, Count> now) {
    if constexpr (Mask > 0) {
      round(now);
      self(self, index_sequence<Mask / 2, (Count > 1 ? Count / 2 : 1)>{});
    }
  };
  rounds(rounds, index_sequence<Lanes / 2, Rows>{});
  return mine;
}

}  // namespace lazyfuse::cuda_detail

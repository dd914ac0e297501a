// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the sums of a thread, and those of the threads of a block, become one.
#pragma once

#include <lazyfuse/backend/cuda/kernels/thread_sums.cuh>

namespace lazyfuse::cuda_detail {

/// The value of another lane of the warp, for any trivially copyable type; shuffle(word) gets a part of it.
template <class T, class Shuffle>
__device__ __forceinline__ T shuffled(const T& value, const Shuffle& shuffle) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using word = standard::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    return __builtin_bit_cast(T, shuffle(__builtin_bit_cast(word, value)));
  } else {
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned part[words] = {};
    T result = value;
    memcpy(part, &value, sizeof(T));
#pragma unroll
    for (int w = 0; w < words; ++w) part[w] = shuffle(part[w]);
    memcpy(&result, part, sizeof(T));
    return result;
  }
}
template <class T>
__device__ __forceinline__ T shuffle_xor(const T& value, int mask) {
  return shuffled(value, [mask](auto word) { return __shfl_xor_sync(~0u, word, mask); });
}
/// Both lanes of a pair get the same bits: where the order matters, that of the lanes. Levelled: they were brought
/// to one level, on which it does not.
template <class Set, bool Levelled = false, int... I>
__device__ __forceinline__ void merge_lanes(typename Set::accumulators& a, int mask, index_sequence<I...>) {
  const auto one = [&]<class M, class T>(T& mine, M*) {
    const T other = shuffle_xor(mine, mask);
    if constexpr (Levelled && levelling_monoid<M, T>) mine = M::of_one_level(mine, other);
    else if constexpr (M::template commutes<T>) mine = lazyfuse::compute<M>(mine, other);
    else if (threadIdx.x & mask) mine = lazyfuse::compute<M>(other, mine);
    else mine = lazyfuse::compute<M>(mine, other);
  };
  (one(get<I>(a), static_cast<typename Set::template monoid<I>*>(nullptr)), ...);
}
/// Brings those of neighbours to one level.
template <class Set, int... I>
__device__ __forceinline__ void level_lanes(typename Set::accumulators& a, const auto& each, index_sequence<I...>) {
  const auto one = [&]<class M, class T>(T& mine, M*) {
    if constexpr (levelling_monoid<M, T>) {
      auto common = M::level(mine);
      each([&](int mask) { common = M::common_level(common, shuffle_xor(common, mask)); });
      mine = M::at_level(mine, common);
    }
  };
  (one(get<I>(a), static_cast<typename Set::template monoid<I>*>(nullptr)), ...);
}
/// Merges those of neighbours; each(f) calls f for the mask of each step, whenever it is called.
template <class Set>
__device__ __forceinline__ void merge_by(typename Set::accumulators& a, const auto& each) {
  constexpr auto seq = make_index_sequence<Set::size>{};
  level_lanes<Set>(a, each, seq);
  each([&](int mask) { merge_lanes<Set, true>(a, mask, seq); });
}

/// Merges the Width accumulators of a thread into the first. United: combine() has made them, and what it unites is
/// there.
template <class Set, bool United = false, int Width>
__device__ __forceinline__ void merge_within(typename Set::accumulators (&lane)[Width]) {
  static_assert((Width & (Width - 1)) == 0);
  const auto one = [&]<int N>(index_sequence<N>) {
    using M = typename Set::template monoid<N>;
    using T = typename Set::template value_type<N>;
    constexpr bool is_done = United && uniting_monoid<M, T>, levels = Width > 2 && levelling_monoid<M, T> && !is_done;
    if constexpr (levels) {
      decltype(M::level(get<N>(lane[0]))) level[Width];
#pragma unroll
      for (int k = 0; k < Width; ++k) level[k] = M::level(get<N>(lane[k]));
#pragma unroll
      for (int half = Width / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; ++k) level[k] = M::common_level(level[k], level[k + half]);
#pragma unroll
      for (int k = 0; k < Width; ++k) get<N>(lane[k]) = M::at_level(get<N>(lane[k]), level[0]);
    }
    if constexpr (!is_done) {
#pragma unroll
      for (int half = Width / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; ++k) {
          T& mine = get<N>(lane[k]);
          if constexpr (levels) mine = M::of_one_level(mine, get<N>(lane[k + half]));
          else mine = lazyfuse::compute<M>(mine, get<N>(lane[k + half]));
        }
    }
  };
  [&]<int... I>(index_sequence<I...>) { (one(index_sequence<I>{}), ...); }
  (make_index_sequence<Set::size>{});
}

/// Merges over groups of `group` neighbouring threads; every thread of a warp-sized group, and the first
/// thread of a larger one, ends with the total. All threads of the block take part.
template <class Set>
__device__ __forceinline__ void merge_group(typename Set::accumulators& a, int group) {
  using accumulators = typename Set::accumulators;
  const int within = group < 32 ? group : 32;
  merge_by<Set>(a, [within](const auto& step) {
    for (int mask = 1; mask < within; mask *= 2) step(mask);
  });
  if (group > 32) {
    __shared__ accumulators warp_totals[block_threads / 32];
    const int warp = threadIdx.x / 32, warps = group / 32;
    __syncthreads();
    if ((threadIdx.x & 31) == 0) warp_totals[warp] = a;
    __syncthreads();
    if ((threadIdx.x & (group - 1)) == 0)
      for (int w = 1; w < warps; ++w) Set::merge(a, warp_totals[warp + w]);
  }
}

}  // namespace lazyfuse::cuda_detail

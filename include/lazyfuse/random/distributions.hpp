// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What distributions make of the words of a block. An element is a block's number and an output of it; a distribution
// names the outputs of a block, its cost per element, and computes one of them from the words.
#pragma once

#include <lazyfuse/random/functions.hpp>

namespace lazyfuse {

/// What random::uniform and its like draw: float from words, double from pairs of words.
template <class T>
concept random_real = standard::is_same_v<T, float> || standard::is_same_v<T, double>;

namespace random_detail {

/// Words of `bytes` bytes: how many a block has, and one of them.
template <int Bytes>
struct words_of {
  using type = uint32;
  static constexpr int outputs = 4;
  LAZYFUSE_HD static uint32 word(const philox_words& w, int output) { return w.pick(output); }
};
template <>
struct words_of<8> {
  using type = uint64;
  static constexpr int outputs = 2;
  LAZYFUSE_HD static uint64 word(const philox_words& w, int output) { return w.pick_pair(output); }
};

/// Uniform in [0, 1).
template <random_real T>
struct unit_distribution {
  using value_type = T;
  using words = words_of<sizeof(T)>;
  using word = typename words::type;
  static constexpr int outputs = words::outputs, cost = 24;
  LAZYFUSE_HD T of(word x) const { return below_one(x); }
  LAZYFUSE_HD T one(const philox_words& w, int output, const philox_key&) const { return of(words::word(w, output)); }
  friend bool operator==(const unit_distribution&, const unit_distribution&) = default;
};

/// Uniform in [low, low + length), at most `most`: rounding must not reach the end.
template <random_real T>
struct between_distribution {
  using value_type = T;
  using words = words_of<sizeof(T)>;
  using word = typename words::type;
  static constexpr int outputs = words::outputs, cost = 27;
  T low, length, most;
  LAZYFUSE_HD T of(word w) const {
    const T x = low + product(below_one(w), length);
    return x < most ? x : most;
  }
  LAZYFUSE_HD T one(const philox_words& w, int output, const philox_key&) const { return of(words::word(w, output)); }
  friend bool operator==(const between_distribution&, const between_distribution&) = default;
};

/// Box and Muller (1958): two words are a radius and a direction, whose two coordinates are two elements.
template <random_real T>
struct normal_distribution {
  using value_type = T;
  using words = words_of<sizeof(T)>;
  static constexpr int outputs = words::outputs, cost = 42;
  T mean, scale;
  /// The square root of two in sqrt(-2 log(u)) belongs to the scale.
  static constexpr normal_distribution of(T mean, T deviation) {
    return {mean, static_cast<T>(deviation * 1.41421356237309504880)};
  }
  LAZYFUSE_HD T one(const philox_words& w, int output, const philox_key&) const {
    const int pair = output & ~1;
    const T radius = root(-log_of(above_zero(words::word(w, pair))));
    const direction<T> to = direction_of(words::word(w, pair | 1));
    return mul_add(scale, product(radius, output & 1 ? to.y : to.x), mean);
  }
  friend bool operator==(const normal_distribution&, const normal_distribution&) = default;
};

/// -scale log(u): inversion.
template <random_real T>
struct exponential_distribution {
  using value_type = T;
  using words = words_of<sizeof(T)>;
  using word = typename words::type;
  static constexpr int outputs = words::outputs, cost = 35;
  T scale;
  LAZYFUSE_HD T of(word x) const { return product(-scale, log_of(above_zero(x))); }
  LAZYFUSE_HD T one(const philox_words& w, int output, const philox_key&) const { return of(words::word(w, output)); }
  friend bool operator==(const exponential_distribution&, const exponential_distribution&) = default;
};

/// True where a word is below p 2^32.
struct bernoulli_distribution {
  using value_type = bool;
  using word = uint32;
  static constexpr int outputs = 4, cost = 22;
  uint64 limit;
  /// In 32 bits, of which vectors have more.
  LAZYFUSE_HD bool of(word x) const { return (limit != 0) & (x <= static_cast<uint32>(limit - 1)); }
  LAZYFUSE_HD bool one(const philox_words& w, int output, const philox_key&) const { return w.pick(output) < limit; }
  friend bool operator==(const bernoulli_distribution&, const bernoulli_distribution&) = default;
};

/// The upper half of a product, whose lower half goes to `low`.
LAZYFUSE_HD uint32 upper_product(uint32 x, uint32 y, uint32& low) {
  const uint64 both = uint64{x} * y;
  low = static_cast<uint32>(both);
  return static_cast<uint32>(both >> 32);
}
LAZYFUSE_HD uint64 upper_product(uint64 x, uint64 y, uint64& low) {
  low = x * y;
#if defined(__CUDA_ARCH__)
  return __umul64hi(x, y);
#else
  const uint64 x0 = static_cast<uint32>(x), x1 = x >> 32, y0 = static_cast<uint32>(y), y1 = y >> 32;
  const uint64 middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + static_cast<uint32>(middle);
  return x1 * y1 + (middle >> 32) + (other >> 32);
#endif
}

/// low + a word's share of `count` (0: of all that words can be). Lemire, "Fast random integer generation in an
/// interval", 2019: of the 2^32 or 2^64 words, those whose product ends below `rejected` are one too many for some
/// results. They are drawn again, from what Philox makes of the block itself, until one is not.
template <class T>
struct integers_distribution {
  using value_type = T;
  using words = words_of<sizeof(T) == 8 ? 8 : 4>;
  using word = typename words::type;
  static constexpr int outputs = words::outputs, cost = 26;
  word low, count, rejected;
  /// What a word makes if it is not one too many.
  struct drawn {
    word value;
    bool rejected;
  };
  LAZYFUSE_HD drawn share(word x) const {
    word rest;
    const word of_count = upper_product(x, count, rest);
    return {static_cast<word>(low + (count == 0 ? x : of_count)), rest < rejected};
  }
  LAZYFUSE_HD T one(philox_words w, int output, const philox_key& k) const {
    word x = words::word(w, output), rest, share = upper_product(x, count, rest);
    while (rest < rejected) {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
      for (int r = 0; r < philox_rounds; ++r) w = philox_round(w, k, r);
      x = words::word(w, output);
      share = upper_product(x, count, rest);
    }
    return static_cast<T>(low + (count == 0 ? x : share));
  }
  friend bool operator==(const integers_distribution&, const integers_distribution&) = default;
};

}  // namespace random_detail

/// A source of random numbers: element n is output n % outputs of block n / outputs of a key. It is computed wherever
/// it is read; of a group of neighbours the block is made once.
template <class Distribution>
struct random_source {
  using value_type = typename Distribution::value_type;
  static constexpr bool is_memory = false;
  static constexpr int together = Distribution::outputs, cost = Distribution::cost;
  philox_key key;
  Distribution distribution;
  index_t origin = 0;  ///< the element of offset 0

  LAZYFUSE_HD value_type at(index_t offset) const {
    value_type one[1][1];
#if defined(__CUDA_ARCH__)
    rows(one, offset, 0, 0);
#else
    write(one[0], offset, 0, 1);
#endif
    return one[0][0];
  }
  /// n elements a step apart, on the host (src/random/distributions.cpp, which knows all distributions).
  void write(value_type* to, index_t offset, index_t step, index_t n) const;

#if defined(__CUDACC__)
  /// Depth times Width elements, on the device: rows a pitch apart, neighbours a step apart.
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(value_type (&to)[Depth][Width], index_t offset, index_t pitch,
                                       index_t step) const {
    constexpr int each = Width < together ? Width : together;
    const index_t first = origin + offset;
    if (Width > 1 && step == 1 && ((static_cast<int>(first) | static_cast<int>(pitch)) & (each - 1)) == 0) {
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; k += each) group<each>(to[d] + k, static_cast<uint64>(first + d * pitch + k));
    } else {
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; k += each) apart<each>(to[d] + k, first + d * pitch + k * step, step);
    }
  }

 private:
  /// Neighbours of one block.
  template <int N>
  __device__ __forceinline__ void group(value_type* to, uint64 element) const {
    const philox_words w = philox(key.counter(element / together), key);
    const int output = N == together ? 0 : static_cast<int>(element) & (together - 1);
#pragma unroll
    for (int k = 0; k < N; ++k) to[k] = distribution.one(w, output + k, key);
  }
  /// Elements of blocks of their own, side by side; the rounds as a loop, since all of it stands beside the above.
  template <int N>
  __device__ __forceinline__ void apart(value_type* to, index_t first, index_t step) const {
    philox_words w[N];
#pragma unroll
    for (int k = 0; k < N; ++k) w[k] = key.counter(static_cast<uint64>(first + k * step) / together);
#pragma unroll 1
    for (int r = 0; r < philox_rounds; ++r)
#pragma unroll
      for (int k = 0; k < N; ++k) w[k] = philox_round(w[k], key, r);
#pragma unroll
    for (int k = 0; k < N; ++k)
      to[k] = distribution.one(w[k], static_cast<int>(first + k * step) & (together - 1), key);
  }

 public:
#endif
  friend bool operator==(const random_source&, const random_source&) = default;
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10: ten rounds of multiplications turn a counter and a key into four words that look random. From Salmon,
// Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
#pragma once

#include <lazyfuse/core/index.hpp>

namespace lazyfuse {

using uint32 = standard::uint32_t;
using uint64 = standard::uint64_t;

/// A counter, or what Philox makes of it.
struct philox_words {
  uint32 word[4];
  /// A word known only when it runs: chosen by comparisons, since an index would put the words into memory.
  LAZYFUSE_HD constexpr uint32 pick(int k) const {
    const uint32 low = k & 1 ? word[1] : word[0], high = k & 1 ? word[3] : word[2];
    return k & 2 ? high : low;
  }
  /// Two words as one: of the pair k.
  LAZYFUSE_HD constexpr uint64 pick_pair(int k) const {
    const uint32 low = k & 1 ? word[2] : word[0], high = k & 1 ? word[3] : word[1];
    return uint64{high} << 32 | low;
  }
  friend constexpr bool operator==(const philox_words&, const philox_words&) = default;
};

/// Rounds, as many as the paper takes to be on the safe side; seven pass all tests.
inline constexpr int philox_rounds = 10;

/// What the counters of one seed are turned with, and their upper halves. The key of each round is its own number: a
/// kernel reads it from its parameters, which costs nothing, while adding it up would take a fifth of the rounds'
/// instructions.
struct philox_key {
  uint32 round[philox_rounds][2], stream[2];

  LAZYFUSE_HD static constexpr philox_key of(uint64 key, uint64 stream) {
    philox_key k{{}, {static_cast<uint32>(stream), static_cast<uint32>(stream >> 32)}};
    uint32 low = static_cast<uint32>(key), high = static_cast<uint32>(key >> 32);
    for (auto& r : k.round) {
      r[0] = low, r[1] = high;
      low += 0x9E3779B9;
      high += 0xBB67AE85;
    }
    return k;
  }
  friend constexpr bool operator==(const philox_key&, const philox_key&) = default;

  /// The counter of block n.
  LAZYFUSE_HD constexpr philox_words counter(uint64 n) const {
    return {{static_cast<uint32>(n), static_cast<uint32>(n >> 32), stream[0], stream[1]}};
  }
};

/// Round number r.
LAZYFUSE_HD constexpr philox_words philox_round(const philox_words& c, const philox_key& k, int r) {
  const uint64 a = uint64{0xD2511F53} * c.word[0], b = uint64{0xCD9E8D57} * c.word[2];
  return {{static_cast<uint32>(b >> 32) ^ c.word[1] ^ k.round[r][0], static_cast<uint32>(b),
           static_cast<uint32>(a >> 32) ^ c.word[3] ^ k.round[r][1], static_cast<uint32>(a)}};
}

/// The four words of a counter.
LAZYFUSE_HD constexpr philox_words philox(philox_words c, const philox_key& k) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int r = 0; r < philox_rounds; ++r) c = philox_round(c, k, r);
  return c;
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeds: what random numbers are a function of, besides their place in an array.
#pragma once

#include <lazyfuse/core/error.hpp>
#include <lazyfuse/random/philox.hpp>

namespace lazyfuse {

/// A source of random numbers, as a value: the same seed gives the same numbers, wherever and however often they are
/// asked for. There is no hidden state: what should be independent is given a seed of its own, by split.
struct seed {
  uint64 key, stream;

  /// seed{42}: any integer; a negative one counts as its two's complement.
  template <class N>
    requires standard::is_integral_v<N>
  constexpr explicit seed(N n) : key(static_cast<uint64>(n)), stream(0) {}

  /// Seed number k of those that this one can be split into, for k from 0 on: as good as independent of the others, of
  /// this one's numbers, and of what is split from any of them in turn (128 bits tell them apart). split(0), split(1),
  /// ... are what JAX's split and fold_in give. Throws index_error if k is negative.
  constexpr seed split(index_t k) const {
    if (k < 0) throw_value("seed::split: the number is negative");
    const philox_key keys = philox_key::of(key, stream);
    philox_words c = keys.counter(static_cast<uint64>(k));
    c.word[1] |= 0x80000000u;  // no element's counter reaches this bit
    const philox_words w = philox(c, keys);
    seed s(w.pick_pair(0));
    s.stream = w.pick_pair(1);
    return s;
  }
  friend constexpr bool operator==(const seed&, const seed&) = default;
};

}  // namespace lazyfuse

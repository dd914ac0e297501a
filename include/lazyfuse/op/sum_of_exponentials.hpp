// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of exp(x - max(x)) in one pass, after Milakov and Gimelshein, "Online normalizer calculation for softmax"
// (2018): the monoid, what makes its elements and what reads its result.
#pragma once

#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/op/compute.hpp>
#include <lazyfuse/op/monoid.hpp>

namespace lazyfuse {

/// Some numbers x: one that none of them is far above, the sum of exp(x - shift), and what rounding took from it.
template <real_number T>
struct exponential_sum {
  T shift, sum, rest;
};

namespace op {

// What such sums are written with, in headers that whoever looks for them need not read.
struct exp;
struct rough_exp;
struct finite_or_zero;

/// x as the exponentials of one number.
struct lone_exponential : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "lone_exponential";
  template <real_number T>
  LAZYFUSE_HD constexpr exponential_sum<T> operator()(T x) const {
    return {x, T(1), T(0)};
  }
};

/// The exponentials of both, by Exp. The shift moves where a number is further above it than `far`: what there is then
/// counts for a ten millionth at most, and so do its roundings; what the sum itself loses is kept beside it (Knuth, The
/// Art of Computer Programming 2, 4.2.2). Merges round what is below the larger shift once each, or all at once:
/// differences of up to `far` are rounded, which is worth eight epsilons of the sum, and each level of a tree of merges
/// another. Infinite numbers and NaN are for whoever reads the result.
template <class Exp>
struct exponentials : plain_monoid {
  static constexpr const char* name = "exponentials";
  static constexpr int cost = 8 + Exp::cost;
  static constexpr int far = 16;
  template <class S>
  LAZYFUSE_HD static constexpr S identity() {
    return {lowest_of<decltype(S{}.shift)>, 0, 0};
  }
  template <real_number T>
  LAZYFUSE_HD exponential_sum<T> operator()(const exponential_sum<T>& a, const exponential_sum<T>& b) const {
    const T above = b.shift - a.shift;
    if (b.sum == 1 && b.rest == 0) {  // known when this is compiled where elements are added
      exponential_sum<T> m = a;
      T one = T(1);
      if (above > far) m = seen_from(a, b.shift, -above);
      else one = lazyfuse::compute<Exp>(above);
      return added(m, one, T(0));
    }
    const bool grows = above > 0;
    const exponential_sum<T>&high = grows ? b : a, &low = grows ? a : b;
    const exponential_sum<T> m = seen_from(low, high.shift, grows ? -above : above);
    return added(high, m.sum, m.rest);
  }
  /// With lone numbers, a power of two of them, or nothing in place of some, which are added up pair by pair: one look
  /// at the shift, and one loss.
  template <int Count, real_number T>
  LAZYFUSE_HD static exponential_sum<T> united(const exponential_sum<T>& a, const exponential_sum<T> (&lone)[Count]) {
    T largest = lone[0].shift, term[Count];
    for (int i = 1; i < Count; ++i) largest = lone[i].shift > largest ? lone[i].shift : largest;
    const T above = largest - a.shift;
    const exponential_sum<T> m = above > far ? seen_from(a, largest, -above) : a;
    for (int i = 0; i < Count; ++i) term[i] = lone[i].sum * lazyfuse::compute<Exp>(lone[i].shift - m.shift);
    for (int half = Count / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) term[i] += term[i + half];
    return added(m, term[0], T(0));
  }
  /// Merges of many are cheap once all are seen from the largest shift.
  template <real_number T>
  LAZYFUSE_HD static constexpr T level(const exponential_sum<T>& a) {
    return a.shift;
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr T common_level(T x, T y) {
    return y > x ? y : x;
  }
  template <real_number T>
  LAZYFUSE_HD static exponential_sum<T> at_level(const exponential_sum<T>& a, T shift) {
    return seen_from(a, shift, a.shift - shift);
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr exponential_sum<T> of_one_level(const exponential_sum<T>& a,
                                                               const exponential_sum<T>& b) {
    return added(a, b.sum, b.rest);
  }

 private:
  /// The same numbers seen from another shift, so far above.
  template <real_number T>
  LAZYFUSE_HD static exponential_sum<T> seen_from(const exponential_sum<T>& a, T shift, T less) {
    const T factor = lazyfuse::compute<Exp>(less);
    return {shift, a.sum * factor, a.rest * factor};
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr exponential_sum<T> added(const exponential_sum<T>& a, T sum, T rest) {
    const T both = a.sum + sum, taken = both - a.sum, lost = (a.sum - (both - taken)) + (sum - taken);
    return {a.shift, both, a.rest + rest + lost};
  }
};

/// What reads such a sum.
template <class Exp>
struct reads_exponentials : exact_operation {
  using rule = rules::unchanged;
  static constexpr int cost = 2 + Exp::cost;
  template <real_number T>
  LAZYFUSE_HD static T seen_from(const exponential_sum<T>& s, T shift) {
    return (s.sum + s.rest) * lazyfuse::compute<Exp>(s.shift - shift);
  }
};
/// The sum of exp(x - shift), where shift is `largest`, or 0 if that is not finite; largest is NaN if an x is.
template <class Exp>
struct shifted_sum : reads_exponentials<Exp> {
  static constexpr const char* name = "shifted_sum";
  template <real_number T>
  LAZYFUSE_HD T operator()(const exponential_sum<T>& s, T largest) const {
    if (largest - largest == 0) return this->seen_from(s, largest);
    return largest < 0 ? T(0) : largest;
  }
};
/// The sum of exp(x - largest): NaN if that is not finite.
template <class Exp>
struct plain_sum : reads_exponentials<Exp> {
  static constexpr const char* name = "plain_sum";
  template <real_number T>
  LAZYFUSE_HD T operator()(const exponential_sum<T>& s, T largest) const {
    return largest - largest == 0 ? this->seen_from(s, largest) : largest - largest;
  }
};

}  // namespace op
}  // namespace lazyfuse

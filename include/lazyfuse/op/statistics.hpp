// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What statistics and normalizations are made of besides the catalogues: the monoid of one-pass variance, what makes
// its elements and reads its result, and two scalar functions. They have no functions of their own but rel_entr.
#pragma once

#include <lazyfuse/core/floating.hpp>
#include <lazyfuse/core/rough_math.hpp>
#include <lazyfuse/core/select.hpp>
#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/op/arithmetic.hpp>
#include <lazyfuse/op/monoid.hpp>

namespace lazyfuse {

/// Some numbers x, summed up: how many, a number near them, and the sums of (x - shift) and of its square.
template <real_number T>
struct moment_sums {
  T count, shift, sum, squares;
};

namespace op {

/// x as the moments of one number. What is not finite makes the sums NaN.
struct sample : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "sample";
  template <real_number T>
  LAZYFUSE_HD constexpr moment_sums<T> operator()(T x) const {
    return {T(1), x, x - x, T(0)};
  }
};

/// The moments of both, as Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance" (1983), but that the
/// shift need not be the mean: what it is off is in the sum. So one element is added without a division, and no
/// rounding of a large mean enters the squares.
struct moments : plain_monoid {
  static constexpr const char* name = "moments";
  static constexpr bool rounds = true, takes_several = true;
  static constexpr bool merges_dearly = true;  ///< so that several at a time, on one level, take less
  static constexpr int cost = 14;
  using of_distances = sum;  ///< what the sums of distances, and of their squares, are combined by
  template <class S>
  LAZYFUSE_HD static constexpr S identity() {
    return {};
  }
  template <real_number T>
  LAZYFUSE_HD constexpr moment_sums<T> operator()(const moment_sums<T>& a, const moment_sums<T>& b) const {
    if (b.count == 1) {  // known when this is compiled where elements are added
      const T shift = a.shift + (b.shift - a.shift) * rough_inverse(a.count + 1), distance = b.shift - shift;
      const moment_sums<T> m = shifted(a, shift);
      return {m.count + 1, shift, m.sum + distance, m.squares + distance * distance};
    }
    // Each side near its mean first, so that no square is large beside those that count.
    const moment_sums<T> m = recentred(a), centred = recentred(b);
    const moment_sums<T> n = shifted(centred, m.count > 0 ? m.shift : centred.shift);
    return {m.count + n.count, n.shift, m.sum + n.sum, m.squares + n.squares};
  }
  /// The same numbers seen from near their mean.
  template <real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> recentred(const moment_sums<T>& m) {
    // 1 / n to 1/256, by Newton's method: a division would cost a GPU's kernel the registers of its subroutine.
    const T n = m.count > 1 ? m.count : T(1);
    T inverse = T(0.75) * rough_inverse(n);
    for (int step = 0; step < 3; ++step) inverse *= 2 - n * inverse;
    return shifted(m, m.shift + m.sum * inverse);
  }
  /// One element more, with the shift as it is: for an a that has several already. The first ones may be unlike those
  /// to come: recentred() every time that there are four times as many keeps the shift near enough.
  template <real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> near(const moment_sums<T>& a, const moment_sums<T>& b) {
    const T distance = b.shift - a.shift;
    return {a.count + 1, a.shift, a.sum + distance, a.squares + distance * distance};
  }

  /// N elements more: the shift moves once. Tells what the squares lack, as lost() does.
  template <int N, real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> several(const moment_sums<T>& a, const moment_sums<T>* b, T& rest) {
    static_assert((N & (N - 1)) == 0);
    T sum[N], square[N];
    const auto total = [](T(&x)[N]) {
      for (int apart = 1; apart < N; apart *= 2)
        for (int i = 0; i < N; i += 2 * apart) x[i] += x[i + apart];
      return x[0];
    };
    for (int i = 0; i < N; ++i) sum[i] = b[i].shift * (T(1) / N);
    const T count = a.count + N, mean = total(sum);
    const T shift = a.shift + (mean - a.shift) * (N * rough_inverse(count)), moved = shift - a.shift;
    const T correction = moved * (2 * a.sum - a.count * moved), before = a.squares - correction;
    for (int i = 0; i < N; ++i) {
      sum[i] = b[i].shift - shift;
      square[i] = sum[i] * sum[i];
    }
    const T added = total(square), squares = before + added;
    rest += ((a.squares - before) - correction) + (added - (squares - before));
    return {count, shift, (a.sum - a.count * moved) + total(sum), squares};
  }

  /// Merges of many are cheap once all are seen from one shift: half of the way for each two, but that of one side
  /// where it has far more, or squares would be large beside those that count. What one element is seen as is no sample
  /// any more, so such are merged on one level alone.
  template <real_number T>
  struct level_of {
    T count, shift;
  };
  template <real_number T>
  LAZYFUSE_HD static constexpr level_of<T> level(const moment_sums<T>& a) {
    return {a.count, a.shift};
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr level_of<T> common_level(const level_of<T>& x, const level_of<T>& y) {
    const bool descending = y.shift < x.shift;  // the same bits for both of a pair
    const T halfway = T(0.5) * (descending ? y.shift : x.shift) + T(0.5) * (descending ? x.shift : y.shift);
    // In two steps, or a GPU's compiler makes branches of it, behind which other reads wait.
    const T of_x = x.count > 4 * y.count ? x.shift : halfway, shift = y.count > 4 * x.count ? y.shift : of_x;
    return {x.count + y.count, shift};
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> at_level(const moment_sums<T>& a, const level_of<T>& level) {
    return shifted(a, level.shift);
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> of_one_level(const moment_sums<T>& a, const moment_sums<T>& b) {
    return {a.count + b.count, a.shift, a.sum + b.sum, a.squares + b.squares};
  }

  /// What the squares of `both`, which is a with element b, lack; of the larger sum, which has the one sign. As sum's.
  template <real_number T>
  LAZYFUSE_HD static constexpr T lost(const moment_sums<T>& a, const moment_sums<T>& b, const moment_sums<T>& both) {
    const T moved = both.shift - a.shift, correction = moved * (2 * a.sum - a.count * moved);
    const T before = a.squares - correction, distance = b.shift - both.shift;
    return ((a.squares - before) - correction) + (distance * distance - (both.squares - before));
  }
  /// The same where the shift did not move.
  template <real_number T>
  LAZYFUSE_HD static constexpr T lost_near(const moment_sums<T>& a, const moment_sums<T>& b,
                                           const moment_sums<T>& both) {
    const T distance = b.shift - both.shift;
    return distance * distance - (both.squares - a.squares);
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> restored(const moment_sums<T>& m, T rest) {
    return {m.count, m.shift, m.sum, sum::restored(m.squares, rest)};
  }

  /// The same numbers seen from another shift.
  template <real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> shifted(const moment_sums<T>& a, T shift) {
    const T moved = shift - a.shift, away = a.count * moved;
    return {a.count, shift, a.sum - away, a.squares - moved * (2 * a.sum - away)};
  }

 private:
  /// A power of two from 1 / n to 2 / n: steps by it lead from the first element to the mean, however far that is.
  template <real_number T>
  LAZYFUSE_HD static constexpr T rough_inverse(T n) {
    using bits = standard::conditional_t<sizeof(T) == 4, standard::uint32_t, standard::uint64_t>;
    constexpr bits one = __builtin_bit_cast(bits, T(1));
    constexpr bits exponent = __builtin_bit_cast(bits, infinity_of<T>);
    return __builtin_bit_cast(T, 2 * one - (__builtin_bit_cast(bits, n) & exponent));
  }
};

/// x less the mean, times scale; more exact than x - mean, whose mean is rounded to its own magnitude. inverse is
/// 1 / count.
struct standardized : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "standardized";
  static constexpr int cost = 3;
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T x, const moment_sums<T>& m, T inverse, T scale) const {
    return ((x - m.shift) - m.sum * inverse) * scale;
  }
};

/// The sum of the squared deviations from the mean, times scale. inverse is 1 / count.
struct variance_of : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "variance_of";
  static constexpr int cost = 5;
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(const moment_sums<T>& m, T inverse, T scale) const {
    const T squares = m.squares - m.sum * (m.sum * inverse);
    return (squares < 0 ? T(0) : squares) * scale;  // NaN stays
  }
};

// The mean of numbers at hand in two steps: one that is rounded, their shift, and what the sum of the distances from it
// corrects. Distances of equal numbers are a few units in the last place, so that their sums are exact, and what is
// left of those is no more than a few roundings; the least of others, one element of 200 000 that differs by a unit, is
// more.
namespace statistics_detail {
template <real_number T>
inline constexpr T roundings = sizeof(T) == 4 ? T(0x1p-21) : T(0x1p-50);
}

/// The sum of squares that another one leaves: 0 where that is no more than roundings may leave of equal numbers.
struct beyond_rounding : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "beyond_rounding";
  static constexpr int cost = 2;
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T left, T squares) const {
    return left < statistics_detail::roundings<T> * squares ? T(0) : left;  // NaN and infinity stay
  }
};
/// What shift + correction lacks: nothing where that is no more than roundings may leave of equal numbers, which are
/// the sum then.
struct rest_of_mean : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "rest_of_mean";
  static constexpr int cost = 5;
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T shift, T correction) const {
    const T mean = shift + correction, rest = correction - (mean - shift),
            least = statistics_detail::roundings<T> * correction;
    return rest > (least < 0 ? -least : least) || rest < (least < 0 ? least : -least) ? rest : T(0);
  }
};

/// x, and 0 where x is infinite or NaN: what a sum of exponentials may be shifted by.
struct finite_or_zero : exact_operation {
  using rule = rules::ordered_number;
  static constexpr const char* name = "finite_or_zero";
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    return x - x == 0 ? x : T(0);
  }
};

/// exp(x) for x <= 0, of which 16 bits are wanted.
struct rough_exp : exact_operation {
  using rule = rules::floating;
  static constexpr const char* name = "rough_exp";
  static constexpr int cost = 10;
  LAZYFUSE_HD float operator()(float x) const { return math::rough_exp(x); }
};

/// p * log(p / q), with 0 where p is 0, and infinity where only q is or where one is negative.
struct rel_entr : exact_operation {
  using rule = rules::floating;
  static constexpr const char* name = "rel_entr";
  static constexpr int ulp = 4;
  static constexpr int cost = 24;
  template <real_number T>
  LAZYFUSE_HD T operator()(T p, T q) const {
    const T value = p * math::log(p / q), limit = p == 0 && q >= 0 ? T(0) : infinity_of<T>;
    return math::select((p > 0 && q > 0) || p != p || q != q, value, limit);
  }
};

}  // namespace op

/// The terms of the Kullback-Leibler divergence, element by element: p * log(p / q), and 0 where p is 0. The quotient
/// must not overflow. SciPy's special.rel_entr
template <class P, class Q>
  requires operands<P, Q>
constexpr auto rel_entr(P&& p, Q&& q) { return map<op::rel_entr>(static_cast<P&&>(p), static_cast<Q&&>(q)); }

}  // namespace lazyfuse

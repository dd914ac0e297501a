// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What statistics and normalizations are made of besides the catalogues: the monoid of one-pass variance, what makes
// its elements and reads its result, and two scalar functions. They have no functions of their own but rel_entr.
#pragma once

#include <lazyfuse/core/math.hpp>
#include <lazyfuse/op/arithmetic.hpp>
#include <lazyfuse/op/monoid.hpp>

#include <cuda/std/limits>

namespace lazyfuse {

/// Some numbers x, summed up: how many, a number near them, and the sums of (x - shift) and of its square.
template <real T>
struct moment_sums {
  T count, shift, sum, squares;
};

namespace op {

/// x as the moments of one number.
struct sample : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "sample";
  template <real T>
  LAZYFUSE_HD constexpr moment_sums<T> operator()(T x) const {
    return {T(1), x, T(-0.0), T(-0.0)};  // compilers drop the addition of -0.0, but not that of 0.0
  }
};

/// The moments of both. The smaller side is taken to the shift of the other one without a division, after Chan, Golub
/// and LeVeque, "Algorithms for Computing the Sample Variance" (1983), section 3. An element is added with two
/// products; sides of more are first taken to their means, so that a first element far from the rest spoils no more
/// than its lane.
struct moments : plain_monoid {
  static constexpr const char* name = "moments";
  static constexpr int cost = 8;
  template <class S>
  LAZYFUSE_HD static constexpr S identity() {
    return {};
  }
  template <real T>
  LAZYFUSE_HD constexpr moment_sums<T> operator()(moment_sums<T> a, moment_sums<T> b) const {
    if (b.count > 1) {
      a = centred(a);
      b = centred(b);
    }
    const T shift = a.count > 0 ? a.shift : b.shift, moved = b.shift - shift, sum = b.sum + b.count * moved;
    return {a.count + b.count, shift, a.sum + sum, a.squares + (b.squares + moved * (b.sum + sum))};
  }
  /// The same numbers with a shift near their mean. Squares that overflowed stay infinite, as in NumPy.
  template <real T>
  LAZYFUSE_HD static constexpr moment_sums<T> centred(const moment_sums<T>& a) {
    const T shift = a.shift + a.sum / (a.count > 1 ? a.count : T(1)), moved = shift - a.shift, away = a.count * moved;
    const T squares = a.squares - moved * (2 * a.sum - away);
    return {a.count, shift, a.sum - away, a.squares > ::cuda::std::numeric_limits<T>::max() ? a.squares : squares};
  }
};

/// x less the mean; more exact than x - mean, whose mean is rounded to its own magnitude. inverse is 1 / count.
struct deviation : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "deviation";
  static constexpr int cost = 3;
  template <real T>
  LAZYFUSE_HD constexpr T operator()(T x, const moment_sums<T>& m, T inverse) const {
    return (x - m.shift) - m.sum * inverse;
  }
};

/// The sum of the squared deviations from the mean, times scale. NaN where the data have NaN or infinities.
struct variance_of : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "variance_of";
  static constexpr int cost = 10;
  template <real T>
  LAZYFUSE_HD constexpr T operator()(const moment_sums<T>& m, T inverse, T scale) const {
    const T finite = (m.sum - m.sum) + (m.shift - m.shift);  // 0 or NaN
    const T squares = m.squares - m.sum * (m.sum * inverse);
    const T positive = squares < 0 ? T(0) : squares;
    return ((m.squares > ::cuda::std::numeric_limits<T>::max() ? m.squares : positive) + finite) * scale;
  }
};

/// x, and 0 where x is infinite or NaN: what a sum of exponentials may be shifted by.
struct finite_or_zero : exact_operation {
  using rule = rules::number_only;
  static constexpr const char* name = "finite_or_zero";
  template <real T>
  LAZYFUSE_HD constexpr T operator()(T x) const {
    return x - x == 0 ? x : T(0);
  }
};

/// p * log(p / q), with 0 where p is 0, and infinity where only q is or where one is negative.
struct rel_entr : exact_operation {
  using rule = rules::floating;
  static constexpr const char* name = "rel_entr";
  static constexpr int ulp = 4;
  static constexpr int cost = 24;
  template <real T>
  LAZYFUSE_HD T operator()(T p, T q) const {
    const T value = p * math::log(p / q), limit = p == 0 && q >= 0 ? T(0) : ::cuda::std::numeric_limits<T>::infinity();
    return (p > 0 && q > 0) || p != p || q != q ? value : limit;
  }
};

}  // namespace op

/// The terms of the Kullback-Leibler divergence, element by element: p * log(p / q), and 0 where p is 0. The quotient
/// must not overflow. SciPy's special.rel_entr
template <class P, class Q>
  requires operands<P, Q>
constexpr auto rel_entr(P&& p, Q&& q) { return map<op::rel_entr>(static_cast<P&&>(p), static_cast<Q&&>(q)); }

}  // namespace lazyfuse

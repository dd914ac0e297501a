// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from decompositions: least squares, pseudo-inverses, ranks, powers and norms.
#pragma once

#include <lazyfuse/expr/products.hpp>
#include <lazyfuse/expr/reductions.hpp>
#include <lazyfuse/linalg/decompositions.hpp>
#include <lazyfuse/linalg/solve.hpp>

namespace lazyfuse {

namespace linalg_detail {

/// Singular values that count: those above tolerance times the largest. A negative tolerance: the larger extent times
/// the type's epsilon.
template <class A, class S>
auto counted(const A& a, const S& s, double tolerance) {
  using real = value_t<S>;
  const index_t m = a.shape()[rank_of<A> - 2], n = a.shape()[rank_of<A> - 1];
  const double own = static_cast<double>(m > n ? m : n) * double(standard::numeric_limits<real>::epsilon());
  const auto least = static_cast<real>(tolerance < 0 ? own : tolerance);
  return s > s(ellipsis, range(0, 1)) * least;
}

}  // namespace linalg_detail

namespace linalg {

/// The ranks of matrices (..., m, n): how many singular values are above `tolerance` times the largest, which unless
/// given is max(m, n) times epsilon. An array of index_t, of two axes less. Waits on the GPU.
/// \numpy{linalg.matrix_rank}
template <class A, class = maker>
  requires expression<A>
auto matrix_rank(const A& a, double tolerance = -1, caller where = caller::here()) {
  using namespace linalg_detail;
  if constexpr (takes<A>()) {
    const call_scope<result_space<A>> scope(a, where);
    const auto s = svd_of<false>("matrix_rank", a, reduced);
    return array<index_t, rank_of<A> - 2, result_space<A>>(cast<index_t>(sum(counted(a, s, tolerance), axes<-1>{})));
  }
}

/// The pseudo-inverses (..., n, m) of matrices (..., m, n), as an array: singular values of `tolerance` times the
/// largest and less count as zero; unless given it is max(m, n) times epsilon, as in the array API (NumPy has 1e-15).
/// Waits on the GPU. \numpy{linalg.pinv}
template <class A, class = maker>
  requires expression<A>
auto pinv(const A& a, double tolerance = -1, caller where = caller::here()) {
  using namespace linalg_detail;
  if constexpr (takes<A>()) {
    using T = factored_t<value_t<A>>;
    using real = real_t<T>;
    const call_scope<result_space<A>> scope(a, where);
    const auto f = svd_of<true>("pinv", a, reduced);
    const auto inverse = lazyfuse::where(counted(a, f.s, tolerance), real(1) / f.s, real(0));
    return array<T, rank_of<A>, result_space<A>>(
        matmul(turned(conj(f.vt)) * inverse(ellipsis, newaxis, all), turned(conj(f.u))));
  }
}

/// What lstsq returns.
template <class T, int R, class Space>
struct lstsq_result {
  array<T, R, Space> solution;  ///< (n,) or (n, k)
  array<linalg_detail::real_t<T>, 1, Space>
      residuals;                  ///< (k,): the squares of b - a x, added up; empty unless m > n == rank
  array<index_t, 0, Space> rank;  ///< of a
  array<linalg_detail::real_t<T>, 1, Space> singular_values;  ///< (min(m, n),), of a
};
/// lstsq(a, b).solution: the x of least norm among those for which that of b - matmul(a, x) is least, of a matrix (m,
/// n) and b of shape (m,) or (m, k); .residuals, .rank and .singular_values beside it. Singular values of `tolerance`
/// times the largest and less count as zero; unless given it is max(m, n) times epsilon. Throws shape_error,
/// linalg_error. By svd, on both spaces; waits on the GPU. \numpy{linalg.lstsq}
template <class A, class B, class = maker>
  requires(expression<A>&& expression<B>)
auto lstsq(const A& a, const B& b, double tolerance = -1, caller where = caller::here()) {
  using namespace linalg_detail;
  constexpr bool ranks = rank_of<A> == 2 && (rank_of<B> == 1 || rank_of<B> == 2);
  static_assert(ranks, "lazyfuse: lstsq takes one matrix, and a vector or a matrix");
  if constexpr (ranks && takes<A>()) {
    using T = factored_t<value_t<decltype(matmul(a, matmul(turned(a), b)))>>;
    using real = real_t<T>;
    using Space = result_space<decltype(matmul(turned(a), b))>;
    constexpr int R = rank_of<B>;
    const call_scope<Space> scope(a, b, where);
    const index_t m = a.shape()[0], n = a.shape()[1];
    if (m != b.shape()[0])
      throw_shapes("lstsq", a.shape().extent, 2, b.shape().extent, R, "do not fit: so many rows have both", where);
    const array<T, 2, Space> matrix(cast<T>(a));
    const array<T, R, Space> right(cast<T>(b));
    const auto f = svd_of<true>("lstsq", matrix, reduced);
    const auto counts = counted(matrix, f.s, tolerance);
    const auto inverse = lazyfuse::where(counts, real(1) / f.s, real(0));
    const array<T, R, Space> along = matmul(turned(conj(f.u)), right);
    const auto scaled = [&] {
      if constexpr (R == 1) return array<T, R, Space>(along * inverse);
      else return array<T, R, Space>(along * inverse(all, newaxis));
    }();
    lstsq_result<T, R, Space> result{matmul(turned(conj(f.vt)), scaled), {}, cast<index_t>(sum(counts)), f.s};
    if (m > n && result.rank.item() == n) {
      const array<T, R, Space> apart = right - matmul(matrix, result.solution);
      const auto squares = lazyfuse::real(apart * conj(apart));
      if constexpr (R == 1) result.residuals = sum(squares, axes<0>{}, keepdims);
      else result.residuals = sum(squares, axes<0>{});
    }
    return result;
  }
}

/// Type of frobenius and nuclear.
enum class norm_kind { frobenius, nuclear };
/// The norm of matrices as vectors: the root of the sum of squares.
inline constexpr norm_kind frobenius = norm_kind::frobenius;
/// The sum of singular values.
inline constexpr norm_kind nuclear = norm_kind::nuclear;

/// The norms of matrices (..., m, n), of two axes less, real: order<frobenius> unless given as ord<nuclear>, ord<1> and
/// ord<inf>, the largest sums of magnitudes of columns and of rows, ord<-1> and ord<-inf>, the smallest, ord<2> and
/// ord<-2>, the largest and the smallest singular value. An expression, which fuses, unless it is of singular values,
/// which are computed at once (svdvals). \numpy{linalg.matrix_norm}
template <class A, auto P, class = maker>
  requires expression<A>
auto matrix_norm(const A& a, [[maybe_unused]] order<P> which, caller where = caller::here()) {
  using namespace linalg_detail;
  constexpr bool matrix = rank_of<A> >= 2;
  static_assert(matrix, "lazyfuse: linalg takes matrices: expressions of rank 2 or more");
  constexpr auto is = [](auto p) {
    if constexpr (__is_same(decltype(p), std::remove_const_t<decltype(P)>)) return p == P;
    else return false;
  };
  constexpr bool spectral = is(2) || is(-2) || is(nuclear),
                 known = spectral || is(frobenius) || is(1) || is(-1) || is(inf) || is(-inf);
  static_assert(
      known, "lazyfuse: matrix_norm takes ord<1>, ord<2>, ord<inf>, their negatives, ord<frobenius> or ord<nuclear>");
  if constexpr (!matrix || !known) return;
  else if constexpr (spectral && !takes<A>()) return;
  else if constexpr (is(frobenius)) return norm(a, axes<-2, -1>{});
  else if constexpr (!spectral) {
    const auto sums = norm(a, ord<1>, axes<(is(1) || is(-1) ? -2 : -1)>{});
    if constexpr (is(1) || is(inf)) return max(sums, axes<-1>{});
    else return min(sums, axes<-1>{});
  } else {
    const auto s = [&] {
      const call_scope<result_space<A>> scope(a, where);
      return svd_of<false>("matrix_norm", a, reduced);
    }();
    if constexpr (is(nuclear)) return sum(s, axes<-1>{});
    else if constexpr (is(2)) return max(s, axes<-1>{});
    else return min(s, axes<-1>{});
  }
}

template <class A, class = maker>
  requires expression<A>
auto matrix_norm(const A& a, caller where = caller::here()) { return matrix_norm(a, ord<frobenius>, where); }

/// The n-th power of square matrices (..., m, m), as an array of their type: by squaring, of negative n of the inverse,
/// which integers do not have (index_error). Throws shape_error, linalg_error. \numpy{linalg.matrix_power}
template <class A, class = maker>
  requires expression<A>
auto matrix_power(const A& a, index_t n, caller where = caller::here()) {
  using namespace linalg_detail;
  constexpr bool matrix = rank_of<A> >= 2;
  static_assert(matrix, "lazyfuse: linalg takes matrices: expressions of rank 2 or more");
  if constexpr (matrix) {
    using T = value_t<A>;
    using result = array<T, rank_of<A>, result_space<A>>;
    const call_scope<result_space<A>> scope(a, where);
    check_square("matrix_power", a, where);
    result square;
    if (n >= 0) square = a;
    else if constexpr (real_number<T> || complex_number<T>) square = inv(a, where);
    else throw_value("matrix_power: the inverses of integers are none; write cast<double>(x)", where);
    result power;
    bool any = false;
    for (uint64 left = n < 0 ? uint64{0} - static_cast<uint64>(n) : static_cast<uint64>(n); left > 0; left /= 2) {
      if (left % 2 == 1) power = any ? result(matmul(power, square)) : square;
      any |= left % 2 == 1;
      if (left > 1) square = result(matmul(square, square));
    }
    return any ? power : result(identities<T>(a.shape()));
  }
}

}  // namespace linalg

}  // namespace lazyfuse

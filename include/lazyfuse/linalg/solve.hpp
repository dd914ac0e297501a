// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Systems of equations, inverses, determinants and Cholesky's factor. All functions of linalg compute at once: what
// they are given is evaluated first, and they return arrays, which expressions take again.
#pragma once

#include <lazyfuse/expr/parts.hpp>
#include <lazyfuse/expr/reductions.hpp>
#include <lazyfuse/linalg/matrix.hpp>

namespace lazyfuse {

namespace linalg_detail {

/// The factors of matrices, which lie by rows, or by columns.
template <class T, int R, class Space>
struct lu_factors {
  array<T, R, Space> lu;
  array<index_t, R - 1, Space> pivots;
  array<int, R - 2, Space> info;
};
template <class T, int R, class Space, class = maker>
auto lu_of(const char* operation, array<T, R, Space>&& a) {
  const shape<R> s = a.shape();
  lu_factors<T, R, Space> f{static_cast<array<T, R, Space>&&>(a),
                            array<index_t, R - 1, Space>(batch_and<R - 2>(s, s[R - 1]), caller{}),
                            new_info<Space>(batch_of<R - 2>(s))};
  const matrices all = matrices_in(f.lu);
  if (all.data) factor_lu(Space{}, operation, all, f.pivots.data(), f.info.data());
  return f;
}
/// The transposes of a^-1 b, of which b has the transposes; or throws.
template <class T, int R, class Space, class = maker>
auto solved(const char* operation, lu_factors<T, R, Space>&& f, auto b) {
  check(operation, failure::singular, f.info);
  const matrices lu = matrices_in(f.lu), right = matrices_in(b);
  if (lu.data && right.data) solve_by_lu(Space{}, operation, lu, f.pivots.data(), right, f.info.data());
  return b;
}

/// Elements of the diagonal of U, each with the sign of its exchange of rows.
template <class T, int R, class Space>
auto signed_diagonal(const lu_factors<T, R, Space>& f) {
  const auto d = diagonal(f.lu, 0, axes<R - 2, R - 1>{});
  const index_t n = f.lu.shape()[R - 1];
  return where(f.pivots != arange<index_t>(index_t{1}, n + 1), -d, d);
}

/// The leading axes of a and b, broadcast.
template <int N, class A, class B>
shape<N> common_batch(const A& a, const B& b, caller where) {
  constexpr int Ra = rank_of<A>, Rb = rank_of<B>;
  shape<N> all;
  bool fit = a.shape()[Ra - 1] == b.shape()[Rb - 2];
  for (int k = 0; k < N; ++k) {
    const int in_a = k - N + Ra - 2, in_b = k - N + Rb - 2;
    const index_t na = in_a >= 0 ? a.shape()[in_a < 0 ? 0 : in_a] : 1,
                  nb = in_b >= 0 ? b.shape()[in_b < 0 ? 0 : in_b] : 1;
    all[k] = na == 1 ? nb : na;
    fit = fit && (na == nb || na == 1 || nb == 1);
  }
  if (!fit)
    throw_shapes("solve", a.shape().extent, Ra, b.shape().extent, Rb,
                 "do not fit: so many rows have both, and the axes before broadcast", where);
  return all;
}
/// b of rank 2 or more.
template <class T, class Space, class A, class B, class = maker>
auto solve_matrices(const A& a, const B& b, caller where) {
  constexpr int Ra = rank_of<A>, Rb = rank_of<B>, R = Ra > Rb ? Ra : Rb;
  const shape<R - 2> batch = common_batch<R - 2>(a, b, where);
  const index_t n = a.shape()[Ra - 1], columns = b.shape()[Rb - 1];
  // One matrix for all is factored once.
  const bool one = batch_of<Ra - 2>(a.shape()).size() == 1;
  shape<R - 2> of_a = batch;
  if (one)
    for (int k = 0; k < R - 2; ++k) of_a[k] = 1;
  const auto each_a = broadcast_to(a, batch_and<R - 2>(of_a, n, n));
  const auto each_b = broadcast_to(b, batch_and<R - 2>(batch, n, columns));
  array<T, R, Space> x(cast<T>(turned(each_b)));
  auto factors = lu_of("solve", array<T, R, Space>(cast<T>(turned(each_a))));
  return array<T, R, Space>(
      turned(solved("solve", static_cast<lu_factors<T, R, Space>&&>(factors), static_cast<array<T, R, Space>&&>(x))));
}

}  // namespace linalg_detail

namespace linalg {

/// solve(a, b): x with matmul(a, x) == b, for a of shape (..., n, n) and b of shape (n,) or (..., n, k); the axes
/// before broadcast, and one matrix for all of b is factored once. An array of the type of a * b, double of integers.
/// Throws linalg_error if a matrix is singular, shape_error. By LU with partial pivoting; waits on the GPU, to see
/// whether it succeeded. \numpy{linalg.solve}
template <class A, class B, class = maker>
  requires(expression<A>&& expression<B>)
auto solve(const A& a, const B& b, caller where = caller::here()) {
  using namespace linalg_detail;
  using joined = map_detail::joined<expression_space_t<A>, expression_space_t<B>>;
  using T = factored_t<value_t<decltype(a * b)>>;
  constexpr bool one_space = !joined::mixed, right_side = rank_of<B> >= 1;
  static_assert(one_space, "lazyfuse: both operands of solve must live in one space");
  static_assert(right_side, "lazyfuse: solve takes a vector or matrices as its right side");
  if constexpr (takes<A>() && one_space && right_side) {
    using Space = typename array_detail::space_of_result<typename joined::type>::type;
    const call_scope<Space> scope(a, b, where);
    check_square("solve", a, where);
    if constexpr (rank_of<B> >= 2) return solve_matrices<T, Space>(a, b, where);
    else {
      if (a.shape()[rank_of<A> - 1] != b.shape()[0])
        throw_shapes("solve", a.shape().extent, rank_of<A>, b.shape().extent, 1, "do not fit: so many rows have both",
                     where);
      return array<T, rank_of<A> - 1, Space>(solve_matrices<T, Space>(a, b(all, newaxis), where)(ellipsis, 0));
    }
  }
}

/// The inverses of matrices (..., n, n), as an array; double of integers. Throws linalg_error if one is singular,
/// shape_error. What solves equations is solve, for a third of the work, and more exactly. Waits on the GPU.
/// \numpy{linalg.inv}
template <class A, class = maker>
  requires expression<A>
auto inv(const A& a, caller where = caller::here()) {
  using namespace linalg_detail;
  if constexpr (takes<A>()) {
    using T = factored_t<value_t<A>>;
    constexpr int R = rank_of<A>;
    using matrices_of_a = array<T, R, result_space<A>>;
    const call_scope<result_space<A>> scope(a, where);
    check_square("inv", a, where);
    // The inverse of a transpose is the transpose of the inverse, so rows are taken for columns.
    return solved("inv", lu_of("inv", by_rows<T>(a)), matrices_of_a(identities<T>(a.shape())));
  }
}

/// The determinants of matrices (..., n, n): an array of two axes less; double of integers; 1 without elements. The
/// product of n pivots, which may overflow before the last: slogdet does not. Does not wait on the GPU.
/// \numpy{linalg.det}
template <class A, class = maker>
  requires expression<A>
auto det(const A& a, caller where = caller::here()) {
  using namespace linalg_detail;
  if constexpr (takes<A>()) {
    using T = factored_t<value_t<A>>;
    const call_scope<result_space<A>> scope(a, where);
    check_square("det", a, where);
    const auto f = lu_of("det", by_rows<T>(a));
    // A zero pivot may have left anything behind it.
    return array<T, rank_of<A> - 2, result_space<A>>(
        lazyfuse::where(f.info > 0, T(0), prod(signed_diagonal(f), axes<-1>{})));
  }
}

/// What slogdet returns: det is sign * exp(log).
template <class T, int R, class Space>
struct slogdet_result {
  array<T, R, Space> sign;                        ///< 1, -1 or 0; of complex numbers one of absolute value 1, or 0
  array<linalg_detail::real_t<T>, R, Space> log;  ///< of the absolute value; -infinity if that is 0
};
/// The sign and the logarithm of the absolute value of determinants, which do not overflow: arrays of two axes less.
/// Does not wait on the GPU. \numpy{linalg.slogdet}
template <class A, class = maker>
  requires expression<A>
auto slogdet(const A& a, caller where = caller::here()) {
  using namespace linalg_detail;
  if constexpr (takes<A>()) {
    using T = factored_t<value_t<A>>;
    using real = real_t<T>;
    using result = slogdet_result<T, rank_of<A> - 2, result_space<A>>;
    const call_scope<result_space<A>> scope(a, where);
    check_square("slogdet", a, where);
    const auto f = lu_of("slogdet", by_rows<T>(a));
    const auto d = signed_diagonal(f);
    const real none = -standard::numeric_limits<real>::infinity();
    return result{lazyfuse::where(f.info > 0, T(0), prod(sign(d), axes<-1>{})),
                  lazyfuse::where(f.info > 0, none, sum(log(abs(d)), axes<-1>{}))};
  }
}

/// Lower triangular matrices L with matmul(L, conj(L).T()) == a, of Hermitian matrices (..., n, n) whose upper
/// triangles are not read; double of integers. Throws linalg_error if one is not positive definite, shape_error. Waits
/// on the GPU. \numpy{linalg.cholesky}
template <class A, class = maker>
  requires expression<A>
auto cholesky(const A& a, caller where = caller::here()) {
  using namespace linalg_detail;
  if constexpr (takes<A>()) {
    using T = factored_t<value_t<A>>;
    using Space = result_space<A>;
    constexpr int R = rank_of<A>;
    const call_scope<Space> scope(a, where);
    check_square("cholesky", a, where);
    // By rows this is the transpose, L^H L of whose upper triangle is wanted: conj(a) of a Hermitian matrix.
    auto factor = by_rows<T>(a);
    auto info = new_info<Space>(batch_of<R - 2>(a.shape()));
    const matrices all = matrices_in(factor);
    if (all.data) factor_cholesky(Space{}, "cholesky", all, info.data());
    check("cholesky", failure::indefinite, info);
    return array<T, R, Space>(tril(factor));
  }
}

}  // namespace linalg

}  // namespace lazyfuse

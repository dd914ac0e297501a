// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decompositions of matrices: QR, singular values and eigenvalues.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>
#include <lazyfuse/expr/roll.hpp>
#include <lazyfuse/linalg/matrix.hpp>

namespace lazyfuse {

namespace linalg {

/// How many columns orthogonal factors of matrices have that are not square: as the other factor asks, or all.
enum factors { reduced, complete };

/// What qr returns.
template <class T, int R, class Space>
struct qr_result {
  array<T, R, Space> q;  ///< (..., m, k), of orthonormal columns
  array<T, R, Space> r;  ///< (..., k, n), upper triangular
};
/// What svd returns: matmul(u * s, vt) is the matrix, if u and vt are reduced.
template <class T, int R, class Space>
struct svd_result {
  array<T, R, Space> u;                             ///< (..., m, m), or (..., m, k); of orthonormal columns
  array<linalg_detail::real_t<T>, R - 1, Space> s;  ///< (..., k), descending
  array<T, R, Space> vt;                            ///< (..., n, n), or (..., k, n); of orthonormal rows
};
/// What eigh returns.
template <class T, int R, class Space>
struct eigh_result {
  array<linalg_detail::real_t<T>, R - 1, Space> values;  ///< (..., n), ascending
  array<T, R, Space> vectors;                            ///< (..., n, n): the columns, in the order of the values
};
/// What eig returns, both of complex numbers.
template <class T, int R, class Space>
struct eig_result {
  array<linalg_detail::complex_t<T>, R - 1, Space> values;  ///< (..., n), in any order
  array<linalg_detail::complex_t<T>, R, Space> vectors;     ///< (..., n, n): the columns, in the order of the values
};

}  // namespace linalg

namespace linalg_detail {

/// Singular values, and vectors of so many columns if any are wanted.
template <bool Vectors, class A, class = maker>
auto svd_of(const char* operation, const A& a, linalg::factors wanted) {
  using T = factored_t<value_t<A>>;
  using Space = result_space<A>;
  constexpr int R = rank_of<A>;
  const shape<R> s = a.shape();
  // A matrix with more columns than rows is read by rows as its transpose, whose factors by rows are its own.
  const bool tall = s[R - 2] >= s[R - 1];
  const index_t large = tall ? s[R - 2] : s[R - 1], small = tall ? s[R - 1] : s[R - 2];
  auto work = tall ? by_columns<T>(a) : by_rows<T>(a);
  array<real_t<T>, R - 1, Space> values(batch_and<R - 2>(s, small), caller{});
  auto info = new_info<Space>(batch_of<R - 2>(s));
  array<T, R, Space> left, right;
  if constexpr (Vectors) {
    const index_t columns = wanted == linalg::complete ? large : small;
    const auto of_left = batch_and<R - 2>(s, columns, large);
    if (small == 0) left = identities<T>(of_left);
    else left = array<T, R, Space>(of_left, caller{});
    right = array<T, R, Space>(batch_and<R - 2>(s, small, small), caller{});
  }
  const matrices all = matrices_in(work), vectors = matrices_in(left);
  if (all.data) {
    factor_svd(Space{}, operation, all, values.data(), vectors, matrices_in(right).data, info.data());
    check(operation, failure::no_convergence, info);
  }
  if constexpr (Vectors) {
    using result = linalg::svd_result<T, R, Space>;
    if (!tall) return result{right, values, left};
    return result{turned(left), values, turned(right)};
  } else return values;
}

template <bool Vectors, class A, class = maker>
auto eigh_of(const char* operation, const A& a, caller where) {
  using T = factored_t<value_t<A>>;
  using Space = result_space<A>;
  constexpr int R = rank_of<A>;
  check_square(operation, a, where);
  auto work = by_columns<T>(a);
  array<real_t<T>, R - 1, Space> values(batch_and<R - 2>(a.shape(), a.shape()[R - 1]), caller{});
  auto info = new_info<Space>(batch_of<R - 2>(a.shape()));
  const matrices all = matrices_in(work);
  if (all.data) {
    factor_hermitian(Space{}, operation, all, values.data(), Vectors, info.data());
    check(operation, failure::no_convergence, info);
  }
  if constexpr (Vectors) return linalg::eigh_result<T, R, Space>{values, turned(work)};
  else return values;
}

/// The vectors, as rows, that stand packed in real ones beside their values: conjugate pairs in two of them.
template <class W, class V>
auto unpacked(const W& values, const V& packed) {
  using C = value_t<W>;
  using T = value_t<V>;
  constexpr int along = rank_of<V> - 2;
  const auto im = imag(values)(ellipsis, newaxis);
  const C i(T(0), T(1));
  return where(im > T(0), packed + roll(packed, -1, axes<along>{}) * i,
               where(im < T(0), roll(packed, 1, axes<along>{}) - packed * i, cast<C>(packed)));
}
template <bool Vectors, class A, class = maker>
auto eig_of(const char* operation, const A& a, caller where) {
  using T = factored_t<value_t<A>>;
  using C = complex_t<T>;
  using Space = result_space<A>;
  constexpr int R = rank_of<A>;
  check_square(operation, a, where);
  auto work = by_columns<T>(a);
  array<C, R - 1, Space> values(batch_and<R - 2>(a.shape(), a.shape()[R - 1]), caller{});
  array<T, R, Space> vectors;
  if constexpr (Vectors) vectors = array<T, R, Space>(a.shape(), caller{});
  auto info = new_info<Space>(batch_of<R - 2>(a.shape()));
  if (const matrices all = matrices_in(work); all.data) {
    factor_general(Space{}, operation, all, values.data(), Vectors ? vectors.data() : nullptr, info.data());
    check(operation, failure::no_convergence, info);
  }
  if constexpr (!Vectors) return values;
  else if constexpr (complex_number<T>) return linalg::eig_result<T, R, Space>{values, turned(vectors)};
  else return linalg::eig_result<T, R, Space>{values, turned(unpacked(values, vectors))};
}

}  // namespace linalg_detail

namespace linalg {

/// qr(a).q and .r, whose product is a, of matrices (..., m, n) and k = min(m, n): q of shape (..., m, k) and r of
/// (..., k, n); with qr(a, complete) k is m. Arrays; double of integers. The signs of the diagonal of r are anyone's.
/// Waits on the GPU. \numpy{linalg.qr}
template <class A, class = maker>
  requires expression<A>
auto qr(const A& a, factors wanted = reduced, caller where = caller::here()) {
  using namespace linalg_detail;
  if constexpr (takes<A>()) {
    using T = factored_t<value_t<A>>;
    using Space = result_space<A>;
    constexpr int R = rank_of<A>;
    const call_scope<Space> scope(a, where);
    const shape<R> s = a.shape();
    const index_t m = s[R - 2], n = s[R - 1], reflectors = m < n ? m : n, k = wanted == complete ? m : reflectors;
    auto work = by_columns<T>(a);
    array<T, R - 1, Space> tau(batch_and<R - 2>(s, reflectors), caller{});
    auto info = new_info<Space>(batch_of<R - 2>(s));
    array<T, R, Space> q(identities<T>(batch_and<R - 2>(s, k, m)));
    if (const matrices all = matrices_in(work); all.data) {
      factor_qr(Space{}, "qr", all, tau.data(), info.data());
      q(ellipsis, range(0, reflectors), lazyfuse::all) = work(ellipsis, range(0, reflectors), lazyfuse::all);
      form_q(Space{}, "qr", matrices_in(q), reflectors, tau.data(), info.data());
      check("qr", failure::no_convergence, info);
    }
    return qr_result<T, R, Space>{turned(q), triu(turned(work)(ellipsis, range(0, k), lazyfuse::all))};
  }
}

/// svd(a).u, .s and .vt, with matmul(u * s, vt) == a, of matrices (..., m, n) and k = min(m, n): u of shape (..., m,
/// m), s of (..., k), descending, vt of (..., n, n); with svd(a, reduced) u is (..., m, k), and vt (..., k, n). Arrays,
/// s of real numbers; double of integers. The signs of vectors are anyone's. Throws linalg_error if it does not
/// converge, as where an element is NaN. Waits on the GPU. \numpy{linalg.svd}
template <class A, class = maker>
  requires expression<A>
auto svd(const A& a, factors wanted = complete, caller where = caller::here()) {
  if constexpr (linalg_detail::takes<A>()) {
    const linalg_detail::call_scope<result_space<A>> scope(a, where);
    return linalg_detail::svd_of<true>("svd", a, wanted);
  }
}
/// The singular values of matrices (..., m, n): an array (..., min(m, n)), descending. As svd, for less work.
/// \numpy{linalg.svdvals}
template <class A, class = maker>
  requires expression<A>
auto svdvals(const A& a, caller where = caller::here()) {
  if constexpr (linalg_detail::takes<A>()) {
    const linalg_detail::call_scope<result_space<A>> scope(a, where);
    return linalg_detail::svd_of<false>("svdvals", a, reduced);
  }
}

/// eigh(a).values, real and ascending, and .vectors, as columns, of Hermitian matrices (..., n, n), whose upper
/// triangles are not read. Arrays; double of integers. The signs of vectors are anyone's. Throws linalg_error if it
/// does not converge, shape_error. Waits on the GPU. \numpy{linalg.eigh}
template <class A, class = maker>
  requires expression<A>
auto eigh(const A& a, caller where = caller::here()) {
  if constexpr (linalg_detail::takes<A>()) {
    const linalg_detail::call_scope<result_space<A>> scope(a, where);
    return linalg_detail::eigh_of<true>("eigh", a, where);
  }
}
/// The eigenvalues of Hermitian matrices (..., n, n): an array (..., n), ascending. As eigh, for less work.
/// \numpy{linalg.eigvalsh}
template <class A, class = maker>
  requires expression<A>
auto eigvalsh(const A& a, caller where = caller::here()) {
  if constexpr (linalg_detail::takes<A>()) {
    const linalg_detail::call_scope<result_space<A>> scope(a, where);
    return linalg_detail::eigh_of<false>("eigvalsh", a, where);
  }
}

/// eig(a).values and .vectors, as columns of length 1, of square matrices (..., n, n): arrays of complex numbers, also
/// where all values are real (as in the array API), in an order that is anyone's, as are the directions of vectors;
/// complex<double> of integers. Throws linalg_error if it does not converge, on the host also where an element is NaN;
/// shape_error. Waits on the GPU. \numpy{linalg.eig}
template <class A, class = maker>
  requires expression<A>
auto eig(const A& a, caller where = caller::here()) {
  if constexpr (linalg_detail::takes<A>()) {
    const linalg_detail::call_scope<result_space<A>> scope(a, where);
    return linalg_detail::eig_of<true>("eig", a, where);
  }
}
/// The eigenvalues of square matrices (..., n, n): an array (..., n) of complex numbers, in any order. As eig, for less
/// work. \numpy{linalg.eigvals}
template <class A, class = maker>
  requires expression<A>
auto eigvals(const A& a, caller where = caller::here()) {
  if constexpr (linalg_detail::takes<A>()) {
    const linalg_detail::call_scope<result_space<A>> scope(a, where);
    return linalg_detail::eig_of<false>("eigvals", a, where);
  }
}

}  // namespace linalg

}  // namespace lazyfuse

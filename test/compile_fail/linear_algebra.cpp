// expected-error: lazyfuse: linalg takes matrices: expressions of rank 2 or more
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/linalg.hpp>

namespace lf = lazyfuse;
using vector = lf::array<float, 1>;
using matrix = lf::array<float, 2>;

#ifdef LAZYFUSE_EXPECT_ERROR
void of_a_vector(const vector& v) { lf::linalg::inv(v); }
// expected-error: lazyfuse: linalg computes in float, double and complex numbers; of 16-bit reals write
// cast<float>\(x\)
void of_half(const lf::array<lf::half, 2>& x) { lf::linalg::svd(x); }
// expected-error: lazyfuse: lstsq takes one matrix, and a vector or a matrix
void of_a_batch(const lf::array<float, 3>& x, const vector& v) { lf::linalg::lstsq(x, v); }
// expected-error: lazyfuse: solve takes a vector or matrices as its right side
void of_a_number(const matrix& x) { lf::linalg::solve(x, lf::sum(x)); }
// expected-error: lazyfuse: matrix_norm takes ord<1>, ord<2>, ord<inf>, their negatives, ord<frobenius> or
// ord<nuclear>
void of_order_three(const matrix& x) { lf::linalg::matrix_norm(x, lf::ord<3>); }
// expected-error: lazyfuse: linalg computes in float, double and complex numbers; of 16-bit reals write
// cast<float>\(x\)
void of_singular_values(const lf::array<lf::bfloat16, 2>& x) { lf::linalg::matrix_norm(x, lf::ord<2>); }
#else
void of_singular_values(const lf::array<lf::bfloat16, 2>& x) {
  (void)lf::linalg::matrix_norm(lf::cast<float>(x), lf::ord<2>);
}
void of_a_vector(const matrix& x) { lf::linalg::inv(x); }
void of_half(const lf::array<lf::half, 2>& x) { lf::linalg::svd(lf::cast<float>(x)); }
void of_a_batch(const lf::array<float, 3>& x, const vector& v) { lf::linalg::lstsq(x(0), v); }
void of_a_number(const matrix& x, const vector& v) { lf::linalg::solve(x, v); }
void of_order_three(const matrix& x) { (void)lf::linalg::matrix_norm(x, lf::ord<2>); }
#endif

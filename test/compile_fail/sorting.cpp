// expected-error: lazyfuse: complex numbers, vectors and structs have no order; sort real\(x\), imag\(x\) or abs\(x\)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/sort.hpp>

namespace lf = lazyfuse;
using matrix = lf::array<float, 2>;
using lf::axis;

#ifdef LAZYFUSE_EXPECT_ERROR
auto of_complex_numbers(const lf::array<lf::complex<float>, 1>& z) { return lf::sort(z); }
// expected-error: lazyfuse: sorting goes along one axis; of all elements in one row write sort\(reshape\(x, {-1}\)\)
auto along_two_axes(const matrix& x) { return lf::sort(x, axis<0, 1>); }
// expected-error: lazyfuse: sort, argsort, topk and partition take axis<A> once; the first two take descending, too
auto with_an_axis_as_in_numpy(const matrix& x) { return lf::sort(x, 1); }
auto smallest_first(const matrix& x) { return lf::topk(x, 2, lf::descending); }
// expected-error: lazyfuse: median and quantile take axis<A> and keepdims after their operands
auto a_median_downwards(const matrix& x) { return lf::median(x, lf::descending); }
// expected-error: lazyfuse: searchsorted looks into a sequence: its first operand has one axis
auto in_a_matrix(const matrix& x) { return lf::searchsorted(x, x); }
// expected-error: lazyfuse: searchsorted takes side::left or side::right
auto on_no_side(const lf::array<int, 1>& v) { return lf::searchsorted(v, 3, 1); }
// expected-error: lazyfuse: int64 and uint64 have no common type; convert one of them with cast<T>\(x\)
auto of_unlike_types(const lf::array<lf::int64, 1>& v, const lf::array<lf::uint64, 1>& w) { return lf::isin(v, w); }
#else
auto of_complex_numbers(const lf::array<lf::complex<float>, 1>& z) { return lf::sort(lf::real(z)); }
auto along_two_axes(const matrix& x) { return lf::sort(x, axis<1>); }
auto with_an_axis_as_in_numpy(const matrix& x) { return lf::sort(x, axis<1>, lf::descending); }
auto smallest_first(const matrix& x) { return lf::topk(-x, 2); }
auto a_median_downwards(const matrix& x) { return lf::median(x, axis<0>, lf::keepdims); }
auto in_a_matrix(const matrix& x) { return lf::searchsorted(x(0), x); }
auto on_no_side(const lf::array<int, 1>& v) { return lf::searchsorted(v, 3, lf::side::right); }
auto of_unlike_types(const lf::array<lf::int64, 1>& v, const lf::array<lf::uint64, 1>& w) {
  return lf::isin(v, lf::cast<lf::int64>(w));
}
#endif

// expected-error: lazyfuse: nobody knows how many elements a selection has: it meets numbers, expressions of rank 0 and
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/select.hpp>

namespace lf = lazyfuse;
using vector = lf::array<float, 1>;
using matrix = lf::array<float, 2>;

#ifdef LAZYFUSE_EXPECT_ERROR
auto beside_an_array(const vector& x) { return x(x > 1) + x; }
// expected-error: lazyfuse: selections meet where one mask made them, auto m = x > 0; x\(m\) \+ y\(m\)
auto of_two_masks(const vector& x) { return x(x > 1) + x(x < 1); }
// expected-error: lazyfuse: the elements of a selection are chosen by what is computed of it, s\(s > 2\)
auto of_a_selection_by_an_array(const vector& x) { return x(x > 1)(x > 2); }
// expected-error: lazyfuse: a mask is an expression of bool, as x > 0
auto mask_of_numbers(const vector& x) { return lf::compress(x, x); }
// expected-error: lazyfuse: a mask has the axes of what it selects from; one along an axis is compress\(mask, x,
// axis<0>\)
auto mask_of_more_axes(const vector& x, const matrix& m) { return x(m > 0); }
// expected-error: lazyfuse: elements are read by their indices, which are integers, or by a mask, which is of bool
auto indices_that_are_real(const vector& x) { return x(x); }
// expected-error: lazyfuse: more indices than the expression has axes
auto too_many_indices(const vector& x, const lf::array<int, 1>& i) { return x(i, i); }
// expected-error: lazyfuse: indices that are arrays stand beside no ranges: x\(i\)\(all, 0\) for NumPy's x\[i, 0\]
auto beside_a_range(const matrix& x, const lf::array<int, 1>& i) { return x(i, lf::all); }
// expected-error: lazyfuse: elements are written where they are, by a mask of an array that is not const
void written_in_a_const_array(const vector& x) { x(x > 1) = 0; }
// expected-error: lazyfuse: a mask along an axis has one axis itself, and is of bool
auto mask_of_two_axes(const matrix& x) { return lf::compress(x > 1, x, lf::axis<0>); }
// expected-error: lazyfuse: add_at adds numbers
void added_bools(lf::array<bool, 1>& x, const lf::array<int, 1>& i) { lf::add_at(x, i, true); }
// expected-error: lazyfuse: put writes elements at their indices, which are integers
void put_at_reals(vector& x) { lf::put(x, x, 1); }
// expected-error: lazyfuse: bincount counts integers, of an expression of rank 1
auto counted_reals(const vector& x) { return lf::bincount(x); }
// expected-error: lazyfuse: histograms are of real numbers
auto histogram_of_complex_numbers(const lf::array<lf::complex<float>, 1>& x) { return lf::histogram(x, 3); }
// expected-error: lazyfuse: what is assigned to x\(mask\) is a number, a selection by the mask, or a sequence
void matrix_into_a_mask(vector& x, const matrix& m) { x(x > 1) = m; }
#else
auto beside_an_array(const vector& x) { return x(x > 1) + x(0); }
auto of_two_masks(const vector& x) {
  const auto m = x > 1;
  return x(m) + x(m);
}
auto of_a_selection_by_an_array(const vector& x) {
  const auto s = x(x > 1);
  return s(s > 2);
}
auto mask_of_numbers(const vector& x) { return lf::compress(x != 0, x); }
auto mask_of_more_axes(const vector& x, const matrix& m) { return x(m(0) > 0); }
auto indices_that_are_real(const vector& x) { return x(lf::cast<int>(x)); }
auto too_many_indices(const matrix& x, const lf::array<int, 1>& i) { return x(i, i); }
auto beside_a_range(const matrix& x, const lf::array<int, 1>& i) { return x(i)(lf::all, 0); }
void written_in_a_const_array(vector& x) { x(x > 1) = 0; }
auto mask_of_two_axes(const matrix& x) { return lf::compress(x(lf::all, 0) > 1, x, lf::axis<0>); }
void added_bools(lf::array<int, 1>& x, const lf::array<int, 1>& i) { lf::add_at(x, i, 1); }
void put_at_reals(vector& x) { lf::put(x, lf::cast<int>(x), 1); }
auto counted_reals(const vector& x) { return lf::bincount(lf::cast<int>(x)); }
auto histogram_of_complex_numbers(const lf::array<lf::complex<float>, 1>& x) { return lf::histogram(lf::abs(x), 3); }
void matrix_into_a_mask(vector& x, const matrix& m) { x(x > 1) = m(0); }
#endif

// expected-error: lazyfuse: take reads elements by their indices, which are integers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
using matrix = lf::array<float, 2>;
using lf::axis;

#ifdef LAZYFUSE_EXPECT_ERROR
auto by_reals(const matrix& x) { return lf::take(x, x, axis<0>); }
auto by_a_mask(const matrix& x) { return lf::take(x, x > 0); }
// expected-error: lazyfuse: axis out of range for the rank of this expression
auto axis_that_is_not_there(const matrix& x) { return lf::take(x, 1, axis<6>); }
// expected-error: lazyfuse: an expression has 8 axes at most: those of x but one, and those of the indices
auto too_many_axes(const matrix& x, const lf::array<int, 8>& i) { return lf::take(x, i, axis<0>); }
// expected-error: lazyfuse: the indices of take_along_axis have as many axes as the expression
auto indices_of_fewer_axes(const matrix& x, const lf::array<int, 1>& i) { return lf::take_along_axis(x, i, axis<0>); }
// expected-error: lazyfuse: take_along_axis reads elements by their indices, which are integers
auto beside_by_reals(const matrix& x) { return lf::take_along_axis(x, x, axis<0>); }
// expected-error: lazyfuse: pad takes two widths for each axis, pad\(x, {{1, 1}, {0, 2}}\)
auto widths_of_one_axis(const matrix& x) { return lf::pad(x, {{1, 1}}); }
// expected-error: lazyfuse: concat joins expressions of one rank; stack gives them an axis more
auto of_two_ranks(const matrix& x) { return lf::concat(x, x(0)); }
// expected-error: lazyfuse: concat joins expressions; a number goes behind one by pad
auto with_a_number(const matrix& x) { return lf::concat(x, 3.0); }
// expected-error: lazyfuse: repeat takes a whole number of times
auto half_as_often(const matrix& x) { return lf::repeat(x, 0.5); }
// expected-error: lazyfuse: stack joins expressions of one rank
auto stacked_ranks(const matrix& x) { return lf::stack(x, x(0)); }
#else
auto by_reals(const matrix& x) { return lf::take(x, lf::cast<int>(x), axis<0>); }
auto by_a_mask(const matrix& x) { return lf::take(x, lf::cast<int>(x > 0)); }
auto axis_that_is_not_there(const matrix& x) { return lf::take(x, 1, axis<1>); }
auto too_many_axes(const matrix& x, const lf::array<int, 7>& i) { return lf::take(x, i, axis<0>); }
auto indices_of_fewer_axes(const matrix& x, const lf::array<int, 2>& i) { return lf::take_along_axis(x, i, axis<0>); }
auto beside_by_reals(const matrix& x) { return lf::take_along_axis(x, lf::cast<int>(x), axis<0>); }
auto widths_of_one_axis(const matrix& x) { return lf::pad(x, {{1, 1}, {0, 2}}); }
auto of_two_ranks(const matrix& x) { return lf::concat(x, x(lf::range(0, 1))); }
auto with_a_number(const matrix& x) { return lf::concat(x, x * 0 + 3.0f); }
auto half_as_often(const matrix& x) { return lf::repeat(x, 2); }
auto stacked_ranks(const matrix& x) { return lf::stack(x, x); }
#endif

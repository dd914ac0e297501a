// expected-error: lazyfuse: matmul takes vectors and matrices; a number multiplies by \*
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
using vector = lf::array<float, 1>;
using matrix = lf::array<float, 2>;

#ifdef LAZYFUSE_EXPECT_ERROR
auto by_a_number(const matrix& x) { return lf::matmul(x, lf::max(x)); }
// expected-error: lazyfuse: outer takes two vectors; reshape\(x, {-1}\) is an array as one
auto outer_of_a_matrix(const matrix& x, const vector& v) { return lf::outer(x, v); }
// expected-error: lazyfuse: vdot takes two arrays of one shape; reshape one of them
auto of_two_ranks(const matrix& x, const vector& v) { return lf::vdot(x, v); }
// expected-error: lazyfuse: tensordot<K> sums over K axes, which both of its operands have
auto too_many_axes(const matrix& x, const vector& v) { return lf::tensordot<2>(x, v); }
// expected-error: lazyfuse: tensordot takes as many axes of one operand as of the other
auto unpaired_axes(const matrix& x) { return lf::tensordot(x, x, lf::axis<0, 1>, lf::axis<0>); }
// expected-error: lazyfuse: einsum takes letters for the axes of each operand, with commas between
auto two_operands(const matrix& x) { return lf::einsum<"ij,jk">(x); }
auto an_ellipsis(const matrix& x) { return lf::einsum<"...i">(x); }
// expected-error: lazyfuse: einsum takes as many letters for an operand as it has axes
auto three_axes(const matrix& x) { return lf::einsum<"ijk">(x); }
// expected-error: lazyfuse: the letters of einsum's result are its operands', each once
auto a_letter_of_nobody(const matrix& x) { return lf::einsum<"ij->ik">(x); }
auto a_letter_twice(const matrix& x) { return lf::einsum<"ij->ii">(x); }
// expected-error: lazyfuse: a diagonal is of two axes, and this expression has fewer
auto diagonal_of_a_vector(const vector& v) { return lf::diagonal(v); }
// expected-error: lazyfuse: the two axes of a diagonal are not one
auto diagonal_of_one_axis(const matrix& x) { return lf::diagonal(x, 0, lf::axis<0, -2>); }
#else
auto by_a_number(const matrix& x) { return x * lf::max(x); }
auto outer_of_a_matrix(const matrix& x, const vector& v) { return lf::outer(lf::reshape(x, {-1}), v); }
auto of_two_ranks(const matrix& x, const vector& v) { return lf::vdot(lf::reshape(x, {-1}), v); }
auto too_many_axes(const matrix& x, const vector& v) { return lf::tensordot<1>(x, v); }
auto unpaired_axes(const matrix& x) { return lf::tensordot(x, x, lf::axis<0, 1>, lf::axis<0, 1>); }
auto two_operands(const matrix& x) { return lf::einsum<"ij,jk">(x, x); }
auto an_ellipsis(const matrix& x) { return lf::einsum<"ji">(x); }
auto three_axes(const matrix& x) { return lf::einsum<"ij">(x); }
auto a_letter_of_nobody(const matrix& x) { return lf::einsum<"ij->i">(x); }
auto a_letter_twice(const matrix& x) { return lf::einsum<"ij->ij">(x); }
auto diagonal_of_a_vector(const vector& v) { return lf::diagonal(lf::outer(v, v)); }
auto diagonal_of_one_axis(const matrix& x) { return lf::diagonal(x, 0, lf::axis<0, 1>); }
#endif

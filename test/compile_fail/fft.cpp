// expected-error: lazyfuse: transforms take the number of points, axis<...> and fft::ortho or fft::forward
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/fft.hpp>
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
using vector = lf::array<double, 1>;
using matrix = lf::array<double, 2>;
using numbers = lf::array<lf::complex<double>, 2>;
using lf::axis;

#ifdef LAZYFUSE_EXPECT_ERROR
void scaled_by_a_text(const matrix& x) { lf::fft::fft(x, "ortho"); }
// expected-error: lazyfuse: rfft and ihfft take real numbers; of complex ones write fft\(x\)
void of_complex_numbers(const numbers& z) { lf::fft::rfft(z); }
// expected-error: lazyfuse: what is transformed has at least one axis, and by fft2 and its like two
void of_a_vector(const vector& v) { lf::fft::fft2(v); }
// expected-error: lazyfuse: axes that are transformed are within the rank of the expression, and named once
void axis_that_is_not_there(const matrix& x) { lf::fft::fft(x, axis<2>); }
void axis_named_twice(const matrix& x) { lf::fft::fftn(x, axis<0, -2>); }
// expected-error: lazyfuse: fft and its like transform one axis, fft2 two, fftn any number
void two_axes(const matrix& x) { lf::fft::fft(x, axis<0, 1>); }
// expected-error: lazyfuse: transforms take one number of points for each axis, fft2\(x, {64, 32}\)
void one_number_of_points(const matrix& x) { lf::fft::fft2(x, 64); }
#else
void scaled_by_a_text(const matrix& x) { lf::fft::fft(x, lf::fft::ortho); }
void of_complex_numbers(const numbers& z) { lf::fft::fft(z); }
void of_a_vector(const vector& v) { lf::fft::fft(v); }
void axis_that_is_not_there(const matrix& x) { lf::fft::fft(x, axis<1>); }
void axis_named_twice(const matrix& x) { lf::fft::fftn(x, axis<0, -1>); }
void two_axes(const matrix& x) { lf::fft::fftn(x, axis<0, 1>); }
void one_number_of_points(const matrix& x) { lf::fft::fft2(x, {64, 32}); }
#endif

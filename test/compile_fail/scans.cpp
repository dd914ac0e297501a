// expected-error: lazyfuse: scans take axis<k>, exclusive and backwards after their operand: cumsum\(x, axis<1>\) for
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

using matrix = lf::array<float, 2>;

#ifdef LAZYFUSE_EXPECT_ERROR
auto axis_as_a_number(const matrix& x) { return lf::cumsum(x, 1); }
// expected-error: lazyfuse: a scan runs along one axis, which is named: cumsum\(x, axis<0>\); over all elements
auto no_axis(const matrix& x) { return lf::cumsum(x); }
auto two_axes(const matrix& x) { return lf::cumprod(x, lf::axis<0, 1>); }
// expected-error: lazyfuse: before the first element there is no largest or smallest one
auto nothing_is_largest(const matrix& x) { return lf::cummax(x, lf::axis<0>, lf::exclusive); }
// expected-error: lazyfuse: a scan takes each option once
auto twice(const matrix& x) { return lf::cumsum(x, lf::axis<0>, lf::backwards, lf::backwards); }
// expected-error: lazyfuse: complex numbers have no largest or smallest
auto unordered(const lf::array<lf::complex<float>, 1>& z) { return lf::cummin(z); }
// expected-error: lazyfuse: scan takes an initial value before its operand
auto no_beginning(const lf::array<float, 1>& v) { return lf::scan(lf::op::add{}, v); }
// expected-error: lazyfuse: the function given to scan must be a function object without state
auto state(const matrix& x, float a) {
  return lf::scan([a](float u, float v) { return u + a * v; }, 0.0f, x, lf::axis<0>);
}
// expected-error: lazyfuse: gradient is taken along one axis, which arrays of several name: gradient\(x, axis<0>\)
auto along_all(const matrix& x) { return lf::gradient(x); }
// expected-error: lazyfuse: gradient is defined for numbers; of bool write cast<double>\(x\)
auto of_bool(const matrix& x) { return lf::gradient(x > 0, lf::axis<0>); }
#else
auto along_all(const matrix& x) { return lf::gradient(x, lf::axis<1>); }
auto of_bool(const matrix& x) { return lf::gradient(lf::cast<double>(x > 0), lf::axis<0>); }
auto axis_as_a_number(const matrix& x) { return lf::cumsum(x, lf::axis<1>); }
auto no_axis(const matrix& x) { return lf::cumsum(lf::reshape(x, {-1})); }
auto two_axes(const matrix& x) { return lf::cumprod(lf::cumprod(x, lf::axis<0>), lf::axis<1>); }
auto nothing_is_largest(const matrix& x) { return lf::cummax(x, lf::axis<0>); }
auto twice(const matrix& x) { return lf::cumsum(x, lf::axis<0>, lf::backwards); }
auto unordered(const lf::array<lf::complex<float>, 1>& z) { return lf::cummin(lf::abs(z)); }
auto no_beginning(const lf::array<float, 1>& v) { return lf::scan(lf::op::add{}, 0.0f, v); }
auto state(const matrix& x) {
  return lf::scan([](float u, float v) { return u + v; }, 0.0f, x, lf::axis<0>);
}
#endif

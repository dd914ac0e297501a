// expected-error: lazyfuse: reductions take axis<...> and keepdims after their operand, sum\(x, axis<1>\)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cmath>
#include <vector>

namespace lf = lazyfuse;

using matrix = lf::array<float, 2>;
using vector = lf::array<double, 1>;
struct particle {};

#ifdef LAZYFUSE_EXPECT_ERROR
auto axis_as_a_number(const matrix& x) { return lf::sum(x, 1); }
// expected-error: the larger of two operands is maximum\(x, y\)
auto maximum_of_two(const vector& v) { return lf::max(v, 0); }
// expected-error: lazyfuse: an expression becomes a number with .item\(\), .* if \(max\(x\).item\(\) > 3\)
void condition(matrix& x) {
  if (lf::max(x) > 3) x = 0;
}
// expected-error: as in mean\(x\).item\(\)
double initialised(const matrix& x) {
  double m = lf::mean(x);
  return m;
}
// expected-error: functions of expressions are lazyfuse's, as lf::sqrt\(e\)
auto function_of_cmath(const vector& v) { return std::sqrt(lf::sum(v * v)); }
// expected-error: lazyfuse: an expression becomes a number with .item\(\)
double array_of_one_element(const lf::array<float, 0>& total) { return total; }
// expected-error: lazyfuse: an expression of several elements is neither true nor false; write all\(e\).item\(\)
bool equality(const matrix& x) { return x == x ? true : false; }
// expected-error: lazyfuse: an expression has no elements to loop over until it is evaluated; .* lf::array x = e
double loop(const vector& v) {
  double sum = 0;
  for (const double e : lf::sqrt(v)) sum += e;
  return sum;
}
// expected-error: lazyfuse: numbers alone do not say whether they are elements, in lists as deep as the rank
auto elements() { return lf::array<double, 2>{1, 2, 3}; }
// expected-error: or extents, as in zeros<float>\({3, 4}\)
void extents() { matrix r(3, 4); }
// expected-error: or array\(shape\(3, 4\)\) uninitialised
void length() { vector r(10); }
// expected-error: lazyfuse: the operands of an expression are arrays, expressions and numbers; .* structs with map
auto structs(const matrix& x) { return x + particle{}; }
// expected-error: make an array of a container with from\(range\)
auto containers(const vector& v, const std::vector<double>& w) { return w * v; }
// expected-error: explicit, since it copies|constructor_is_explicit
void copied(const std::vector<double>& w) { vector r = w; }
#else
auto axis_as_a_number(const matrix& x) { return lf::sum(x, lf::axis<1>); }
auto maximum_of_two(const vector& v) { return lf::maximum(v, 0); }
void condition(matrix& x) {
  if (lf::max(x).item() > 3) x = 0;
}
double initialised(const matrix& x) {
  double m = lf::mean(x).item();
  return m;
}
auto function_of_cmath(const vector& v) { return lf::sqrt(lf::sum(v * v)); }
double array_of_one_element(const lf::array<float, 0>& total) { return total.item(); }
bool equality(const matrix& x) { return lf::all(x == x).item() ? true : false; }
double loop(const vector& v) {
  double sum = 0;
  for (const vector roots = lf::sqrt(v); const double e : roots) sum += e;
  return sum;
}
auto elements() { return lf::array<double, 2>{{1, 2, 3}}; }
void extents() { matrix r({3, 4}), s(lf::shape(3, 4)), t = lf::zeros<float>({3, 4}); }
void length() { vector r(lf::shape(10)), s{10}; }
auto structs(const matrix& x) {
  return lf::map([](float) { return particle{}; }, x);
}
auto containers(const vector& v, const std::vector<double>& w) { return lf::from(w) * v; }
void copied(const std::vector<double>& w) { vector r(w); }
#endif

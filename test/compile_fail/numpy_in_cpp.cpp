// expected-error: functions of arrays and expressions are lazyfuse's: lf::sqrt\(x\) for std::sqrt\(x\)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cmath>

namespace lf = lazyfuse;
using matrix = lf::array<float, 2>;
using vector = lf::array<double, 1>;

#ifdef LAZYFUSE_EXPECT_ERROR
auto function_of_an_array(const vector& v) { return std::sqrt(v); }
auto function_of_an_expression(const vector& v) { return std::exp(v + 1); }
auto function_of_two(const matrix& x) { return std::pow(x, 2); }
auto magnitude(matrix& x) { return std::abs(x(0)); }
// expected-error: axes are known when a program is compiled: sum\(x, axis<0, 1>\) for NumPy's sum\(x, \(0, 1\)\)
auto sum_along(const matrix& x) { return lf::sum(x, {0, 1}); }
auto mean_along(const matrix& x) { return lf::mean(x, {0}, lf::keepdims); }
auto place_along(const matrix& x) { return lf::argmax(x, {1}); }
auto deviation_along(const matrix& x) { return lf::std(x, {0, 1}); }
auto sums_along(const matrix& x) { return lf::cumsum(x, {1}); }
// expected-error: numbers alone do not say whether they are elements, .* array<int, 2>{{1, 2}, {3, 4}}
void flat_list() { lf::array<double, 2> r = {1, 2, 3}; }
void flat_list_assigned(matrix& x) { x = {1, 2, 3}; }
auto list_without_a_type() { return lf::array{1, 2, 3}; }
// expected-error: views are written with parentheses: x\(0\) for NumPy's x\[0\]
auto row(const matrix& x) { return x[0]; }
void element(vector& v) { v[0] = 1; }
auto element_of_an_expression(const vector& v) { return (v + 1)[0]; }
// expected-error: extents are a list: zeros\({3, 4}\)
auto zeros() { return lf::zeros(3); }
auto ones() { return lf::ones<float>(3, 4); }
auto full() { return lf::full(3, 0.5); }
// expected-error: the extents of reshape are a list: reshape\(x, {3, -1}\)
auto reshaped(const matrix& x) { return lf::reshape(x, 3, -1); }
// expected-error: transpose reverses the axes; another order is permute_dims<0, 2, 1>\(x\)
auto turned(const matrix& x) { return lf::transpose(x, 1, 0); }
// expected-error: random numbers are those of a seed, which follows the shape: random::uniform\({3, 4}, seed{42}\)
auto random_of_nothing() { return lf::random::uniform({3, 4}); }
auto random_of_a_number() { return lf::random::normal<float>({3, 4}, 42); }
#else
auto function_of_an_array(const vector& v) { return lf::sqrt(v); }
auto function_of_an_expression(const vector& v) { return lf::exp(v + 1); }
auto function_of_two(const matrix& x) { return lf::pow(x, 2); }
auto magnitude(matrix& x) { return lf::abs(x(0)); }
auto sum_along(const matrix& x) { return lf::sum(x, lf::axis<0, 1>); }
auto mean_along(const matrix& x) { return lf::mean(x, lf::axis<0>, lf::keepdims); }
auto place_along(const matrix& x) { return lf::argmax(x, lf::axis<1>); }
auto deviation_along(const matrix& x) { return lf::std(x, lf::axis<0, 1>); }
auto sums_along(const matrix& x) { return lf::cumsum(x, lf::axis<1>); }
void flat_list() { lf::array<double, 2> r = {{1, 2, 3}}; }
void flat_list_assigned(matrix& x) { x = {{1, 2, 3}}; }
auto list_without_a_type() { return lf::array<int, 1>{1, 2, 3}; }
auto row(const matrix& x) { return x(0); }
void element(vector& v) { v(0) = 1; }
auto element_of_an_expression(const vector& v) { return (v + 1)(0); }
auto zeros() { return lf::zeros({3}); }
auto ones() { return lf::ones<float>({3, 4}); }
auto full() { return lf::full({3}, 0.5); }
auto reshaped(const matrix& x) { return lf::reshape(x, {3, -1}); }
auto turned(const matrix& x) { return lf::permute_dims<1, 0>(x); }
auto random_of_nothing() { return lf::random::uniform({3, 4}, lf::seed{42}); }
auto random_of_a_number() { return lf::random::normal<float>({3, 4}, lf::seed{42}); }
// What catches these mistakes is no conversion, and no element of a list.
static_assert(!std::is_convertible_v<vector, double> && !std::is_convertible_v<vector, float>);
static_assert(!std::is_convertible_v<vector, int> && !std::is_convertible_v<vector, bool>);
static_assert(!std::is_convertible_v<double, matrix> && !std::is_convertible_v<int, vector>);
vector list_of_an_expression(const vector& v) { return {v + 1}; }
#endif

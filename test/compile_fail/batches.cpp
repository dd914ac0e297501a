// expected-error: lazyfuse: batch takes arrays of one type, or views of them, in a std::vector or std::span
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/batch.hpp>

namespace lf = lazyfuse;
using matrix = lf::array<float, 2>;
using matrices = std::vector<matrix>;

#ifdef LAZYFUSE_EXPECT_ERROR
auto of_numbers(const std::vector<float>& x) { return lf::batch(x); }
auto of_expressions(const matrix& x) { return lf::batch(std::vector{x + 1, x + 2}); }
// expected-error: lazyfuse: batch takes several arrays, in a std::vector or std::span; x\(newaxis\) has one
auto of_one(const matrix& x) { return lf::batch(x); }
// expected-error: lazyfuse: batch makes an axis more, and an expression has 8 at most
auto of_too_many_axes(const std::vector<lf::array<float, 8>>& x) { return lf::batch(x); }
// expected-error: lazyfuse: into writes arrays that are not const, in a std::vector or std::span
void into_const(const matrices& y, const matrices& x) { lf::into(y) = lf::batch(x); }
// expected-error: lazyfuse: the expression and what it is assigned to have different ranks
void of_another_rank(matrices& y, const matrices& x) { lf::into(y) = lf::sum(lf::batch(x), lf::axis<1>); }
// expected-error: lazyfuse: the expression's element type does not convert implicitly; assign cast<T>\(e\)
void of_another_type(matrices& y, const matrices& x) { lf::into(y) = lf::cast<double>(lf::batch(x)); }
// expected-error: lazyfuse: into\(arrays\) = e takes an expression, of one axis more than the arrays
void of_a_number(matrices& y) { lf::into(y) = 1.0f; }
// expected-error: lazyfuse: batch\(xs\) is read; arrays are assigned to together by into\(ys\) = e
void into_a_batch(matrices& y, const matrices& x) { lf::batch(y) = lf::batch(x); }
// expected-error: lazyfuse: what is repeated is a function of an expression, as \[\]\(auto x\) { return x \* 2; }
auto a_number_of_times(const matrix& x) { return lf::repeat<3>(2, x); }
// expected-error: lazyfuse: what is repeated returns elements of the type that it is given; cast<T>\(e\)
auto to_another_type(const matrix& x) {
  return lf::repeat<3>([](const auto& e) { return lf::cast<double>(e); }, x);
}
// expected-error: lazyfuse: what is repeated computes each element from that element alone, and from other arrays
auto of_sums(const matrix& x) {
  return lf::repeat<3>([](const auto& e) { return e - lf::sum(e); }, x);
}
auto of_neighbours(const matrix& x) {
  return lf::iterate(
      3, [](const auto& e) { return e + lf::roll(e, 1); }, x);
}
// expected-error: lazyfuse: for_each_zip takes arrays of one type, or views of them, in a std::vector or std::span for
// each
void of_numbers_alone(const std::vector<float>& x, const matrices& y) {
  lf::for_each_zip(x, y, [](auto a, auto b) { return a + b; });
}
void without_arrays(const matrix& x) {
  lf::for_each_zip(x, [](auto e) { return e; });
}
// expected-error: lazyfuse: the function of for_each_zip takes an expression for each of the other arguments
void with_too_few_arguments(matrices& y, const matrices& x) {
  lf::for_each_zip(y, x, [](auto e) { return e; });
}
// expected-error: lazyfuse: the function of for_each_zip returns an expression, or a std::tuple of several
void of_nothing(matrices& y) {
  lf::for_each_zip(y, [](auto) {});
}
// expected-error: lazyfuse: what the function of for_each_zip returns is written to its first arguments, and these are
// arrays
void written_const(const matrices& y) {
  lf::for_each_zip(y, [](auto e) { return e + 1; });
}
// expected-error: lazyfuse: what the function of for_each_zip returns is written to its first arguments, and it returns
// more
void of_too_many_results(matrices& y) {
  lf::for_each_zip(y, [](auto e) { return std::tuple(e, e + 1); });
}
// expected-error: lazyfuse: arrays that for_each_zip takes together have one shape, and so one rank
void of_two_ranks(matrices& y, const std::vector<lf::array<float, 1>>& x) {
  lf::for_each_zip(y, x, [](auto a, auto b) { return a + b; });
}
// expected-error: lazyfuse: the function of for_each_zip computes each element from the elements at its place, from
// reductions
void of_other_elements(matrices& y) {
  lf::for_each_zip(y, [](auto e) { return e + lf::roll(e, 1); });
}
#else
auto of_numbers(const matrices& x) { return lf::batch(x); }
auto of_expressions(const matrix& x) { return lf::batch({lf::materialize(x + 1), lf::materialize(x + 2)}); }
auto of_one(const matrix& x) { return lf::batch({x}); }
auto of_too_many_axes(const std::vector<lf::array<float, 7>>& x) { return lf::batch(x); }
void into_const(matrices& y, const matrices& x) { lf::into(y) = lf::batch(x); }
void of_another_rank(std::vector<lf::array<float, 1>>& y, const matrices& x) {
  lf::into(y) = lf::sum(lf::batch(x), lf::axis<1>);
}
void of_another_type(matrices& y, const matrices& x) { lf::into(y) = lf::batch(x) * 2; }
void of_a_number(matrices& y) { lf::into(y) = lf::full({5, 2, 2}, 1.0f); }
void into_a_batch(matrices& y, const matrices& x) { lf::into(y) = lf::batch(x); }
auto a_number_of_times(const matrix& x) {
  return lf::repeat<3>([](const auto& e) { return e * 2; }, x);
}
auto to_another_type(const matrix& x) {
  return lf::repeat<3>([](const auto& e) { return e + 1.0f; }, x);
}
auto of_sums(const matrix& x) {
  return lf::repeat<3>([&](const auto& e) { return e - lf::sum(x); }, x);
}
auto of_neighbours(const matrix& x) {
  return lf::iterate(
      3, [&](const auto& e) { return e + lf::roll(x, 1); }, x);
}
void of_numbers_alone(matrices& x, const std::vector<float>& y) {
  lf::for_each_zip(x, y, [](auto a, auto b) { return a + b; });
}
void without_arrays(matrices& x) {
  lf::for_each_zip(x, [](auto e) { return e; });
}
void with_too_few_arguments(matrices& y, const matrices& x) {
  lf::for_each_zip(y, x, [](auto, auto e) { return e; });
}
void of_nothing(matrices& y) {
  lf::for_each_zip(y, [](auto) { return 0; });
}
void written_const(matrices& y) {
  lf::for_each_zip(y, [](auto e) { return e + 1; });
}
void of_too_many_results(matrices& y, matrices& z) {
  lf::for_each_zip(y, z, [](auto e, auto) { return std::tuple(e, e + 1); });
}
void of_two_ranks(matrices& y, const matrices& x) {
  lf::for_each_zip(y, x, [](auto a, auto b) { return a + b; });
}
void of_other_elements(matrices& y) {
  lf::for_each_zip(y, [](auto e) { return e + 1; });
}
#endif

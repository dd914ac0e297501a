// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays and leaves made from nothing, lists, ranges and borrowed memory.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <array>
#include <list>
#include <ranges>
#include <span>
#include <vector>

namespace {

using std::int32_t;
using std::int64_t;

template <class Space>
class creation : public test::on<Space> {};
TYPED_TEST_SUITE(creation, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("creation");
  return data;
}

template <class Space, class T>
void check_arange() {
  const std::string type = std::string("/") + test::name_of<T>();
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(lf::arange<T>(7)), answers().get<T>("arange(7)" + type)));
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(lf::arange<T>(2, 9)), answers().get<T>("arange(2,9)" + type)));
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(lf::arange<T>(10, -5, -3)),
                                 answers().get<T>("arange(10,-5,-3)" + type)));
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(lf::arange<T>(5, 5)), answers().get<T>("arange(5,5)" + type)));
}
TYPED_TEST(creation, arange_is_numpys) {
  check_arange<TypeParam, int32_t>();
  check_arange<TypeParam, int64_t>();
  check_arange<TypeParam, float>();
  check_arange<TypeParam, double>();
  const lf::array<double, 1, TypeParam> quarters = lf::arange<double>(0, 2, 0.25);
  EXPECT_TRUE(test::evaluates_to(quarters, answers().get<double>("arange(0,2,0.25)/float64")));
}

template <class Space, class T>
void check_linspace() {
  const std::string type = std::string("/") + test::name_of<T>();
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(lf::linspace<T>(0, 1, 11)),
                                 answers().get<T>("linspace(0,1,11)" + type), test::within{2}));
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(lf::linspace<T>(-3, 5, 1)),
                                 answers().get<T>("linspace(-3,5,1)" + type)));
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(lf::linspace<T>(2, -2, 7)),
                                 answers().get<T>("linspace(2,-2,7)" + type),
                                 test::within{2, 2 * std::numeric_limits<T>::epsilon(), false}));
  EXPECT_TRUE(
      test::evaluates_to(lf::array<T, 1, Space>(lf::linspace<T>(0, 1, 0)), answers().get<T>("linspace(0,1,0)" + type)));
}
TYPED_TEST(creation, linspace_is_numpys_within_rounding) {
  check_linspace<TypeParam, float>();
  check_linspace<TypeParam, double>();
}
TYPED_TEST(creation, the_last_element_of_linspace_is_exact) {
  const lf::array<float, 1, TypeParam> x = lf::linspace<float>(0.1f, 0.7f, 10);
  EXPECT_EQ(x(-1).item(), 0.7f);
  EXPECT_EQ(x(0).item(), 0.1f);
}

TYPED_TEST(creation, without_an_element_type_is_of_double_as_numpys) {
  const auto is = [](const auto& e, const test::tensor<double>& values) {
    return test::evaluates_to(lf::array<double, 1, TypeParam>(e), values);
  };
  static_assert(std::is_same_v<lf::value_t<decltype(lf::linspace(0, 4, 5))>, double>);
  static_assert(std::is_same_v<lf::value_t<decltype(lf::linspace(0.0f, 4, 5))>, float>);
  static_assert(std::is_same_v<lf::value_t<decltype(lf::linspace(0.0f, 4.0, 5))>, double>);
  static_assert(std::is_same_v<lf::value_t<decltype(lf::random::normal({2}, lf::seed{1}))>, double>);
  static_assert(std::is_same_v<decltype(lf::empty({2, 2})), lf::array<double, 2>>);
  EXPECT_TRUE(is(lf::linspace(0, 4, 5), test::tensor<double>({5}, {0, 1, 2, 3, 4})));
  EXPECT_TRUE(is(lf::linspace(0, 1, 3), test::tensor<double>({3}, {0, 0.5, 1})));
  EXPECT_TRUE(is(lf::logspace(0, 2, 3), test::tensor<double>({3}, {1, 10, 100})));
  EXPECT_TRUE(is(lf::geomspace(1, 4, 2), test::tensor<double>({2}, {1, 4})));
  EXPECT_TRUE(is(lf::zeros({2}), test::tensor<double>({2}, {0, 0})));
  EXPECT_TRUE(is(lf::ones(lf::shape(2)), test::tensor<double>({2}, {1, 1})));
  EXPECT_TRUE(is(lf::eye(2)(1), test::tensor<double>({2}, {0, 1})));
}
TYPED_TEST(creation, zeros_ones_and_full_have_the_value_everywhere) {
  const lf::array<float, 2, TypeParam> zeros = lf::zeros<float>({2, 3});
  EXPECT_TRUE(test::evaluates_to(zeros, test::counting<float>({2, 3}, 0, 0)));
  const lf::array<int64_t, 1, TypeParam> ones = lf::ones<int64_t>({4});
  EXPECT_TRUE(test::evaluates_to(ones, test::counting<int64_t>({4}, 1, 0)));
  const lf::array<double, 3, TypeParam> full = lf::full({2, 1, 2}, 2.5);
  EXPECT_TRUE(test::evaluates_to(full, test::counting<double>({2, 1, 2}, 2.5, 0)));
  const lf::array<bool, 1, TypeParam> truth = lf::ones<bool>({2});
  EXPECT_TRUE(test::evaluates_to(truth, test::tensor<bool>({2}, {1, 1})));
}

TYPED_TEST(creation, default_arrays_are_empty) {
  const lf::array<float, 1, TypeParam> x;
  const lf::array<float, 3, TypeParam> y;
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(y.size(), 0);
  EXPECT_TRUE(test::evaluates_to(x + 1, test::tensor<float>({0})));
}

TYPED_TEST(creation, braces_list_the_elements) {
  const lf::array<float, 1, TypeParam> x{1, 2, 3};
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<float>({3}, {1, 2, 3})));
  const lf::array<int32_t, 2, TypeParam> y{{1, 2}, {3, 4}, {5, 6}};
  EXPECT_TRUE(test::evaluates_to(y, test::tensor<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6})));
  const lf::array<double, 3, TypeParam> z{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  EXPECT_TRUE(test::evaluates_to(z, test::counting<double>({2, 2, 2}, 1)));
  const lf::array<bool, 1, TypeParam> b{true, false};
  EXPECT_TRUE(test::evaluates_to(b, test::tensor<bool>({2}, {1, 0})));
  EXPECT_THROW((lf::array<int32_t, 2, TypeParam>{{1, 2}, {3}}), lf::error);
}

TYPED_TEST(creation, extents_in_braces_are_a_shape) {
  const std::size_t rows = 3;
  EXPECT_EQ((lf::array<float, 2, TypeParam>({3, 4}).shape()), lf::shape(3, 4));
  EXPECT_EQ((lf::array<float, 2, TypeParam>({rows, rows}).shape()), lf::shape(3, 3));
  EXPECT_TRUE(test::evaluates_to(lf::array<int32_t, 1, TypeParam>({3}), test::tensor<int32_t>({1}, {3})))
      << "of rank 1 they are elements";
}

TYPED_TEST(creation, any_standard_range_becomes_an_array) {
  const std::vector<double> vector{1, 2, 3};
  const std::list<double> list{1, 2, 3};
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(vector), test::tensor<double>({3}, {1, 2, 3})));
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(list), test::tensor<double>({3}, {1, 2, 3})));
#if !defined(__clang__) || __clang_major__ >= 16  // older clang cannot compile the standard library's views
  const auto squares = std::views::iota(1, 5) | std::views::transform([](int i) { return i * i; });
  auto odd = std::views::iota(0, 10) | std::views::filter([](int i) { return i % 2 == 1; });
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(squares), test::tensor<int32_t>({4}, {1, 4, 9, 16})));
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(odd), test::tensor<int32_t>({5}, {1, 3, 5, 7, 9})));
#endif
  EXPECT_TRUE(test::evaluates_to(lf::from<TypeParam>(std::vector<float>{}), test::tensor<float>({0})));
}

TYPED_TEST(creation, item_is_the_only_element) {
  const lf::array<float, 1, TypeParam> x{1, 2, 3};
  EXPECT_EQ(lf::sum(x).item(), 6.0f);
  EXPECT_EQ(lf::item(x(1) * 10), 20.0f);
  EXPECT_EQ((x(lf::range(2, 3)) + 1).item(), 4.0f);
  EXPECT_THROW(x.item(), lf::shape_error);
}

TYPED_TEST(creation, arrays_move_between_spaces) {
  const lf::array<int32_t, 2, lf::host> h{{1, 2}, {3, 4}};
  const auto there = lf::to<TypeParam>(h);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(there)>, lf::array<int32_t, 2, TypeParam>>);
  const auto back = lf::to<lf::host>(there);
  EXPECT_TRUE(test::evaluates_to(back, test::tensor<int32_t>({2, 2}, {1, 2, 3, 4})));
  EXPECT_TRUE(
      test::evaluates_to(lf::to<lf::host>(lf::transpose(there) * 2), test::tensor<int32_t>({2, 2}, {2, 6, 4, 8})));
}

TYPED_TEST(creation, deduction_takes_element_type_rank_and_space_from_the_expression) {
  const lf::array<int32_t, 2, TypeParam> x{{1, 2}, {3, 4}};
  const lf::array z = x * 2;
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(z)>, lf::array<int32_t, 2, TypeParam>>);
  const lf::array s = lf::sum(x, lf::axis<0>);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(s)>, lf::array<int64_t, 1, TypeParam>>);
  const lf::array same = x;
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(same)>, lf::array<int32_t, 2, TypeParam>>);
  lf::array<int32_t, 2, TypeParam> written;
  lf::array copy = written;
  static_assert(std::is_same_v<decltype(copy), lf::array<int32_t, 2, TypeParam>>);
  EXPECT_EQ(z.extent(0), 2);
  EXPECT_EQ(z.extent(-1), 2);
  EXPECT_EQ(z.size(), 4);
  EXPECT_TRUE(test::evaluates_to(s, test::tensor<int64_t>({2}, {4, 6})));
}

TYPED_TEST(creation, array_equal_asks_the_question) {
  const lf::array<float, 2, TypeParam> x{{1, 2}, {3, 4}};
  const lf::array<float, 2, TypeParam> y{{1, 2}, {3, 5}};
  const lf::array<float, 2, TypeParam> z{{1, 2}};
  EXPECT_TRUE(lf::array_equal(x, x));
  EXPECT_TRUE(lf::array_equal(x + 0, x));
  EXPECT_FALSE(lf::array_equal(x, y));
  EXPECT_FALSE(lf::array_equal(x, z));
}

/// What others define for arrays and types of their own, and overloads of theirs, win over those that explain mistakes.
struct marker {
  int value;
};
[[maybe_unused]] int operator+(const lf::array<float, 2, lf::host>&, marker m) { return m.value; }
template <class E>
  requires lf::expression<E>
int operator*(marker m, E&&) { return m.value; }
[[maybe_unused]] bool operator==(const lf::array<float, 2, lf::host>&, marker m) { return m.value == 3; }
[[maybe_unused]] int chosen(double) { return 1; }
[[maybe_unused]] int chosen(const lf::array<float, 1, lf::host>&) { return 2; }
TEST(operators_of_others, are_taken_as_they_were) {
  lf::array<float, 2, lf::host> x{{1, 2}};
  EXPECT_EQ(x + marker{3}, 3);
  EXPECT_EQ((x * 2) + marker{4}, 4) << "the expression becomes an array";
  EXPECT_EQ(marker{5} * (x + 1), 5);
  EXPECT_TRUE(marker{3} == x);
  EXPECT_TRUE(x != marker{2});
  EXPECT_EQ(chosen(x(0)), 2);
  EXPECT_EQ(chosen(lf::sqrt(x(0))), 2);
  static_assert(!std::ranges::range<decltype(lf::sqrt(x))>);
  static_assert(!std::is_convertible_v<decltype(lf::sqrt(x)), double>);
}

TEST(borrowed_host_memory, is_read_when_the_expression_is_evaluated) {
  std::vector<float> memory{1, 2, 3};
  const auto e = lf::borrow(memory.data(), {3}) * 2;
  memory[1] = 10;
  EXPECT_TRUE(test::evaluates_to(e, test::tensor<float>({3}, {2, 20, 6})));
}
TEST(borrowed_host_memory, is_written_by_into) {
  std::vector<float> memory(6);
  lf::into(lf::borrow(memory.data(), {2, 3})) = lf::reshape(lf::arange<float>(6), {2, 3});
  EXPECT_EQ(memory, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  lf::into(lf::borrow(memory.data(), {2, 3})(0)) = 7;
  EXPECT_EQ(memory, (std::vector<float>{7, 7, 7, 3, 4, 5}));
}
TEST(borrowed_host_memory, may_have_strides) {
  std::vector<int32_t> memory{0, 1, 2, 3, 4, 5};
  EXPECT_TRUE(test::evaluates_to(lf::borrow(memory.data(), {3, 2}, {1, 3}) + 0,
                                 test::tensor<int32_t>({3, 2}, {0, 3, 1, 4, 2, 5})));
  EXPECT_TRUE(test::evaluates_to(lf::borrow(memory.data() + 5, {3}, {-2}) + 0, test::tensor<int32_t>({3}, {5, 3, 1})));
}
TEST(borrowed_host_memory, comes_from_spans_and_containers) {
  std::vector<double> memory{1, 2, 3};
  EXPECT_EQ(lf::sum(lf::borrow(std::span<double>(memory))).item(), 6.0);
  EXPECT_EQ(lf::sum(lf::borrow(std::span<const double>(memory))).item(), 6.0);
}
TEST(borrowed_host_memory, overlapping_reads_and_writes_act_as_if_the_source_were_copied) {
  std::vector<int32_t> memory{1, 2, 3, 4, 5};
  lf::into(lf::borrow(memory.data() + 1, {4})) = lf::borrow(memory.data(), {4});
  EXPECT_EQ(memory, (std::vector<int32_t>{1, 1, 2, 3, 4}));
  lf::into(lf::borrow(memory.data(), {5})) = lf::flip(lf::borrow(memory.data(), {5}), lf::axis<0>);
  EXPECT_EQ(memory, (std::vector<int32_t>{4, 3, 2, 1, 1}));
}
TEST(borrowed_host_memory, written_at_the_same_position_needs_no_copy) {
  std::vector<int32_t> memory{1, 2, 3};
  const auto view = lf::borrow(memory.data(), {3});
  lf::trace trace;
  lf::into(view) = view * view;
  EXPECT_EQ(memory, (std::vector<int32_t>{1, 4, 9}));
  EXPECT_EQ(trace.allocations(), 0);
}

}  // namespace

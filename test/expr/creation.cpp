// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays and leaves made from nothing, lists, ranges and borrowed memory.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"
#include "support/resources.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
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

/// Element (i, j) of rows x columns is f(i, j).
template <class Space, class E, class F>
void expect_matrix(const char* what, const E& e, int64_t rows, int64_t columns, const F& f) {
  std::vector<double> want;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) want.push_back(f(double(i), double(j)));
  EXPECT_TRUE(test::evaluates_to(lf::array<double, 2, Space>(e), test::tensor<double>({rows, columns}, want))) << what;
}
TYPED_TEST(creation, ranges_stand_beside_arrays_along_every_axis) {
  for (const int64_t rows : {3, 70})
    for (const int64_t columns : {5, 200, 5000}) {
      const lf::array<double, 2, TypeParam> x = lf::full<double>({rows, columns}, 2),
                                            y = lf::ones<double>({rows, columns});
      const lf::array<double, 2, TypeParam> turned = lf::full<double>({columns, rows}, 3);
      const auto i = lf::arange<double>(rows)(lf::all, lf::newaxis);
      const auto j = lf::linspace<double>(0, double(columns - 1), columns);
      expect_matrix<TypeParam>("a column", x + y * i, rows, columns, [](double r, double) { return 2 + r; });
      expect_matrix<TypeParam>("a row", x + y * j, rows, columns, [](double, double c) { return 2 + c; });
      expect_matrix<TypeParam>("both", x * i + y * j, rows, columns, [](double r, double c) { return 2 * r + c; });
      expect_matrix<TypeParam>("beside a transposed array", turned.T() * i + x + j, rows, columns,
                               [](double r, double c) { return 3 * r + 2 + c; });
      const auto same = [&](const char* what, const auto& column) {
        const lf::array<double, 2, TypeParam> kept = column, at_once = x + y * column, from_memory = x + y * kept;
        EXPECT_TRUE(lf::all(at_once == from_memory).item()) << what << ", " << columns;
      };
      const auto drawn = lf::random::uniform<double>({rows, 1}, lf::seed(7));
      const lf::array<double, 2, TypeParam> numbers = drawn;
      same("a column of random numbers", drawn);
      same("a rolled column", lf::roll(numbers, 1, lf::axis<0>));
      expect_matrix<TypeParam>("backwards", x + j(lf::range(lf::none, lf::none, -1)), rows, columns,
                               [&](double, double c) { return 2 + double(columns - 1) - c; });
      expect_matrix<TypeParam>("before a scan", lf::cumsum(y * i + x * 0, lf::axis<1>), rows, columns,
                               [](double r, double c) { return r * (c + 1); });
      const lf::array<double, 1, TypeParam> sums = lf::sum(x * i + y * 0, lf::axis<0>);
      EXPECT_EQ(sums(columns - 1).item(), double(rows) * double(rows - 1)) << columns;
      const lf::array<double, 1, TypeParam> along = lf::sum(x * j + y * i, lf::axis<1>);
      EXPECT_EQ(along(rows - 1).item(), double(columns) * double(columns - 1) + double(columns * (rows - 1)))
          << columns;
    }
}

/// Whether e, made in Space, has these elements and this element type; name is what NumPy is asked.
template <class Space, class T, class E>
void expect_sequence(const char* name, const E& e, std::vector<T> want) {
  static_assert(std::is_same_v<lf::value_t<E>, T>);
  const auto n = static_cast<int64_t>(want.size());
  EXPECT_TRUE(test::evaluates_to(lf::array<T, 1, Space>(e), test::tensor<T>({n}, std::move(want)))) << name;
}
TYPED_TEST(creation, arange_counts_integers_exactly) {
  using S = TypeParam;
  using lf::uint8, lf::int8, lf::uint64;
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  constexpr uint64 all_bits = std::numeric_limits<uint64>::max();
  const int64_t p53 = int64_t{1} << 53, p62 = int64_t{1} << 62;
  expect_sequence<S, int64_t>("2**53,2**53+1", lf::arange<int64_t>(p53, p53 + 1), {p53});
  expect_sequence<S, int64_t>("2**53+1,2**53+3", lf::arange<int64_t>(p53 + 1, p53 + 3), {p53 + 1, p53 + 2});
  expect_sequence<S, int64_t>("-2**63,2**63-1,2**62", lf::arange(least, most, p62), {least, -p62, 0, p62});
  expect_sequence<S, int64_t>("2**63-1,-2**63,-2**62", lf::arange(most, least, -p62), {most, p62 - 1, -1, -p62 - 1});
  // the three numbers below 2^63 - 1; NumPy's quotient, which it rounds to 2, counts one less
  expect_sequence<S, int64_t>("-2**63,2**63-1,2**63-1", lf::arange(least, most, most), {least, -1, most - 1});
  expect_sequence<S, uint64>("2**64-3,2**64-1", lf::arange(all_bits - 2, all_bits), {all_bits - 2, all_bits - 1});
  expect_sequence<S, uint64>("0,2**64-1,2**63", lf::arange<uint64>(0, all_bits, p62),
                             {0, 1ull << 62, 1ull << 63, 3ull << 62});
  // arguments need not fit, elements must: NumPy has 256 of them
  const int n = 256;
  EXPECT_EQ(lf::arange<uint8>(n).shape()[0], 256);
  EXPECT_EQ((lf::array<uint8, 1, S>(lf::arange<uint8>(n)))(-1).item(), 255);
  expect_sequence<S, uint8>("250,256", lf::arange<uint8>(250, 256), {250, 251, 252, 253, 254, 255});
  expect_sequence<S, uint8>("5,0,-1", lf::arange<uint8>(5, 0, -1), {5, 4, 3, 2, 1});
  expect_sequence<S, uint8>("0,-1,-1", lf::arange<uint8>(0, -1, -1), {0});
  expect_sequence<S, uint8>("0,3,300", lf::arange<uint8>(0, 3, 300), {0});
  expect_sequence<S, uint8>("300,1", lf::arange<uint8>(300, 1), {});
  expect_sequence<S, int8>("-128,128,100", lf::arange<int8>(-128, 128, 100), {-128, -28, 72});
}
TYPED_TEST(creation, arange_of_integers_takes_real_bounds_as_numpys) {
  using S = TypeParam;
  expect_sequence<S, int32_t>("2.7", lf::arange<int>(2.7), {0, 1, 2});
  expect_sequence<S, int32_t>("0.0,2.5,0.5", lf::arange<int>(0.0, 2.5, 0.5), {0, 0, 0, 0, 0});
  expect_sequence<S, int32_t>("0.5,3.5", lf::arange<int>(0.5, 3.5), {0, 1, 2});
  expect_sequence<S, int32_t>("0.5,5,1.5", lf::arange<int>(0.5, 5, 1.5), {0, 2, 4});
  expect_sequence<S, int32_t>("-0.5,5,1.5", lf::arange<int>(-0.5, 5, 1.5), {0, 1, 2, 3});
  expect_sequence<S, int32_t>("0.9,5,0.9", lf::arange<int>(0.9, 5, 0.9), {0, 1, 2, 3, 4});
  expect_sequence<S, int32_t>("10,0,-2.5", lf::arange<int>(10, 0, -2.5), {10, 7, 4, 1});
  expect_sequence<S, lf::uint8>("0,300.5,100.5", lf::arange<lf::uint8>(0, 300.5, 100.5), {0, 100, 200});
  // of reals, too, the arguments count: 0.3 / 0.1 is below 3, and 0.3f / 0.1f is above
  EXPECT_EQ(lf::arange<float>(0, 0.3, 0.1).shape()[0], 3);
  expect_sequence<S, double>("0,5,inf", lf::arange(0, 5, double(INFINITY)), {0});
}
TYPED_TEST(creation, arange_without_a_type_has_that_of_its_arguments) {
  using S = TypeParam;
  expect_sequence<S, int32_t>("3", lf::arange(3), {0, 1, 2});
  expect_sequence<S, int64_t>("0,3", lf::arange(0, int64_t{3}), {0, 1, 2});
  expect_sequence<S, int64_t>("3", lf::arange(3LL), {0, 1, 2});
  expect_sequence<S, lf::int8>("1,3", lf::arange(lf::int8{1}, lf::int8{3}), {1, 2});
  expect_sequence<S, double>("0,2,0.5", lf::arange(0, 2, 0.5), {0, 0.5, 1, 1.5});
  expect_sequence<S, float>("2.5", lf::arange(2.5f), {0, 1, 2});
}
TEST(arange, of_elements_that_do_not_fit_throws) {
  using lf::int8, lf::uint8;
  EXPECT_THROW(lf::arange<uint8>(257), lf::dtype_error);
  EXPECT_THROW(lf::arange<uint8>(300, 301), lf::dtype_error);
  EXPECT_THROW(lf::arange<uint8>(-1, 3), lf::dtype_error);
  EXPECT_THROW(lf::arange<uint8>(-1.5, 2), lf::dtype_error);
  EXPECT_THROW(lf::arange<uint8>(0, 300.5, 10.0), lf::dtype_error);
  EXPECT_THROW(lf::arange<int8>(100, 200, 90), lf::dtype_error);
  EXPECT_THROW(lf::arange<int64_t>(1e19, 1e19 + 4096, 1024), lf::dtype_error);
  EXPECT_THROW(lf::arange<int>(0, 5, 0), lf::index_error);
  EXPECT_THROW(lf::arange<double>(0, NAN), lf::index_error);
  EXPECT_THROW(lf::arange<double>(0, INFINITY), lf::shape_error);
  EXPECT_THROW(lf::indices<uint8>({257, 1}), lf::dtype_error);
  EXPECT_EQ(std::get<0>(lf::indices<uint8>({256, 1})).shape()[0], 256);
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

TYPED_TEST(creation, full_has_the_type_of_its_value_or_the_one_that_is_named) {
  using lf::uint8;
  const lf::array<uint8, 1, TypeParam> most = lf::full<uint8>({2}, 255);
  EXPECT_TRUE(test::evaluates_to(most, test::tensor<uint8>({2}, {255, 255})));
  EXPECT_THROW(lf::full<uint8>({2}, 256), lf::dtype_error);
  EXPECT_THROW(lf::full<uint8>({2}, -1), lf::dtype_error);
  static_assert(std::is_same_v<lf::value_t<decltype(lf::full({2}, 1LL))>, int64_t>);
  static_assert(std::is_same_v<lf::value_t<decltype(lf::full({2}, 1.0f))>, float>);
  static_assert(std::is_same_v<lf::value_t<decltype(lf::full({2}, lf::half(1)))>, lf::half>);
  static_assert(std::is_same_v<lf::value_t<decltype(lf::full<float>({2}, 1))>, float>);
  const lf::array<lf::complex<float>, 1, TypeParam> z = lf::full<lf::complex<float>>({1}, {1, 2});
  EXPECT_EQ(z.item(), (lf::complex<float>{1, 2}));
}

TYPED_TEST(creation, default_arrays_are_empty) {
  const lf::array<float, 1, TypeParam> x;
  const lf::array<float, 3, TypeParam> y;
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(y.size(), 0);
  EXPECT_TRUE(test::evaluates_to(x + 1, test::tensor<float>({0})));
}

struct three_numbers {
  int a, b, c;
};
/// Memory that was something else before.
template <class Space>
struct used_memory {
  void* allocate(std::size_t bytes, std::size_t alignment, lf::stream_handle stream) {
    void* p = test::get<Space>(bytes, alignment, stream);
#if defined(LAZYFUSE_CUDA)
    if constexpr (std::is_same_v<Space, lf::cuda>) {
      EXPECT_EQ(cudaMemsetAsync(p, 0x5a, bytes, stream.handle), cudaSuccess);
      return p;
    }
#endif
    return std::memset(p, 0x5a, bytes);
  }
  void deallocate(void* p, std::size_t, std::size_t, lf::stream_handle stream) noexcept {
    test::give_back<Space>(p, stream);
  }
  friend bool operator==(const used_memory&, const used_memory&) { return true; }
};
TYPED_TEST(creation, default_arrays_of_rank_0_hold_a_zero) {
  used_memory<TypeParam> used;
  const lf::memory_scope scope(TypeParam{}, used);
  EXPECT_EQ((lf::array<double, 0, TypeParam>().item()), 0.0);
  EXPECT_EQ((lf::array<bool, 0, TypeParam>{}.item()), false);
  EXPECT_EQ((lf::array<lf::complex<float>, 0, TypeParam>{}.item()), lf::complex<float>(0));
  const three_numbers none = lf::array<three_numbers, 0, TypeParam>{}.item();
  EXPECT_EQ(none.a * none.a + none.b * none.b + none.c * none.c, 0);
  lf::array<float, 0, TypeParam> total;
  for (int k = 1; k < 4; ++k) total += k;
  EXPECT_EQ(total.item(), 6.0f);
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
  lf::kernel_trace trace;
  lf::into(view) = view * view;
  EXPECT_EQ(memory, (std::vector<int32_t>{1, 4, 9}));
  EXPECT_EQ(trace.allocations(), 0);
}

}  // namespace

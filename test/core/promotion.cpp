// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of results: every ordered pair of number types against NumPy's, scalars, bool.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"
#include "support/registry.hpp"

#include <algorithm>
#include <complex>

namespace {

using std::int32_t;
using std::int64_t;
using test::element_of;

template <class Space>
class promotion : public test::on<Space> {};
TYPED_TEST_SUITE(promotion, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("promotion");
  return data;
}

template <class Space, class T>
lf::array<T, 1, Space> operand(bool reversed) {
  auto x = answers().get<T>(std::string("x/") + test::name_of<T>());
  if (reversed) std::reverse(x.values.begin(), x.values.end());
  return test::array_of<Space, 1>(x);
}

/// R is the element type the library gives; it must be the one in which NumPy's answer is stored.
template <class E>
void expect(const E& e, const std::string& name) {
  using R = element_of<E>;
  EXPECT_NO_THROW(EXPECT_TRUE(test::evaluates_to(e, answers().get<R>(name))) << name) << name;
}

template <class Space, class A, class B>
void check_pair() {
  const auto a = operand<Space, A>(false);
  const auto b = operand<Space, B>(true);
  const std::string pair = std::string(test::name_of<A>()) + "/" + test::name_of<B>();
  expect(a + b, "add/" + pair);
  expect(a < b, "less/" + pair);
  if constexpr (!(std::is_integral_v<A> && std::is_integral_v<B>)) expect(a / b, "divide/" + pair);
  // one arithmetic operation per pair suffices on the device; the rule is the same code
  if constexpr (std::is_same_v<Space, lf::host>) {
    expect(a - b, "subtract/" + pair);
    expect(a * b, "multiply/" + pair);
    expect(lf::maximum(a, b), "maximum/" + pair);
    const auto condition = test::array_of<Space, 1>(test::tensor<bool>({6}, {1, 0, 1, 0, 1, 1}));
    expect(lf::where(condition, a, b), "where/" + pair);
  }
}
template <class Space, class A>
void check_row() {
  check_pair<Space, A, int32_t>();
  check_pair<Space, A, int64_t>();
  check_pair<Space, A, float>();
  check_pair<Space, A, double>();
}
TYPED_TEST(promotion, every_pair_of_number_types_meets_where_numpys_do) {
  check_row<TypeParam, int32_t>();
  check_row<TypeParam, int64_t>();
  check_row<TypeParam, float>();
  check_row<TypeParam, double>();
}

/// The name of the type in which A and B meet, or none.
template <class A, class B>
std::string common_name() {
  if constexpr (lf::have_common_type<A, B>) return test::name_of<lf::promoted_t<A, B>>();
  else return "none";
}
TYPED_TEST(promotion, every_pair_of_types_meets_where_numpys_do_or_by_decision) {
  test::for_each_type(test::every_element_type{}, [](auto s) {
    test::for_each_type(test::every_element_type{}, [](auto t) {
      using A = typename decltype(s)::value_type;
      using B = typename decltype(t)::value_type;
      std::string want = answers().text(std::string("common/") + test::name_of<A>() + "/" + test::name_of<B>());
      // decisions: bool is no number, no type holds int64 and uint64, and what bfloat16 has no answer for it gets
      if (std::is_same_v<A, bool> != std::is_same_v<B, bool>) want = "none";
      else if (std::is_integral_v<A> && std::is_integral_v<B> && want == "float64") want = "none";
      else if (want == "none") want = sizeof(A) + sizeof(B) == 4 ? "float32" : "float64";
      EXPECT_EQ((common_name<A, B>()), want) << test::name_of<A>() << " with " << test::name_of<B>();
    });
  });
}

TYPED_TEST(promotion, scalars_of_integers_must_fit) {
  const auto u = test::array_of<TypeParam, 1>(test::tensor<lf::uint8>({2}, {1, 2}));
  EXPECT_TRUE(test::evaluates_to(u + 250, test::tensor<lf::uint8>({2}, {251, 252})));
  EXPECT_THROW(u + 256, lf::dtype_error);
  EXPECT_THROW(u * -1, lf::dtype_error);
  const auto i = operand<TypeParam, int32_t>(false);
  EXPECT_THROW(i + (std::int64_t{1} << 31), lf::dtype_error);
}
TYPED_TEST(promotion, a_complex_scalar_makes_complex_of_the_same_precision) {
  const lf::complex<double> i{0, 1};
  static_assert(std::is_same_v<element_of<decltype(operand<TypeParam, float>(false) * i)>, lf::complex<float>>);
  static_assert(std::is_same_v<element_of<decltype(operand<TypeParam, double>(false) * i)>, lf::complex<double>>);
  static_assert(std::is_same_v<element_of<decltype(operand<TypeParam, int32_t>(false) + i)>, lf::complex<double>>);
  const auto x = test::array_of<TypeParam, 1>(test::tensor<float>({2}, {1, -2}));
  EXPECT_TRUE(test::evaluates_to(x * i, test::tensor<lf::complex<float>>({2}, {{0, 1}, {0, -2}}), test::any_zero));
  const auto above = test::array_of<TypeParam, 1>(test::tensor<bool>({2}, {true, false}));
  EXPECT_TRUE(test::evaluates_to(lf::logical_and(i, above), test::tensor<bool>({2}, {true, false})));
  EXPECT_TRUE(
      test::evaluates_to(lf::logical_and(std::complex<float>(0, 1), above), test::tensor<bool>({2}, {true, false})));
  EXPECT_TRUE(test::evaluates_to(lf::logical_or(above, lf::complex<float>()), test::tensor<bool>({2}, {true, false})));
}
TYPED_TEST(promotion, signed_and_unsigned_64_bits_compare_by_value) {
  const auto i = test::array_of<TypeParam, 1>(test::tensor<std::int64_t>({3}, {-1, 5, 7}));
  const auto u = test::array_of<TypeParam, 1>(test::tensor<std::uint64_t>({3}, {~0ull, 5, 3}));
  EXPECT_TRUE(test::evaluates_to(i < u, test::tensor<bool>({3}, {1, 0, 0})));
  EXPECT_TRUE(test::evaluates_to(i == u, test::tensor<bool>({3}, {0, 1, 0})));
  EXPECT_TRUE(test::evaluates_to(u <= i, test::tensor<bool>({3}, {0, 1, 1})));
}

TYPED_TEST(promotion, scalars_take_the_type_of_the_array) {
  const auto f = operand<TypeParam, float>(false);
  const auto d = operand<TypeParam, double>(false);
  const auto i = operand<TypeParam, int32_t>(false);
  const auto l = operand<TypeParam, int64_t>(false);
  static_assert(std::is_same_v<element_of<decltype(f * 2.5)>, float>);
  static_assert(std::is_same_v<element_of<decltype(2.5 * f)>, float>);
  static_assert(std::is_same_v<element_of<decltype(f + 1)>, float>);
  static_assert(std::is_same_v<element_of<decltype(f + std::int64_t{1})>, float>);
  static_assert(std::is_same_v<element_of<decltype(d * 2.5f)>, double>);
  static_assert(std::is_same_v<element_of<decltype(i + 1)>, int32_t>);
  static_assert(std::is_same_v<element_of<decltype(i + 1L)>, int32_t>);
  static_assert(std::is_same_v<element_of<decltype(l + 1)>, int64_t>);
  static_assert(std::is_same_v<element_of<decltype(f < 1)>, bool>);
  static_assert(std::is_same_v<element_of<decltype(lf::maximum(f, 0))>, float>);
  static_assert(std::is_same_v<element_of<decltype(lf::where(f > 0, f, 0))>, float>);
  static_assert(std::is_same_v<element_of<decltype(lf::pow(f, 2))>, float>);
  static_assert(std::is_same_v<element_of<decltype(lf::c<2> * f)>, float>);
  // 0.1 is rounded to float before it meets the array, as in NumPy 2
  EXPECT_TRUE(test::evaluates_to(
      f * 0.1, test::transform<float>(answers().get<float>("x/float32"), [](float v) { return v * 0.1f; })));
  EXPECT_TRUE(test::evaluates_to(
      10 - i, test::transform<int32_t>(answers().get<int32_t>("x/int32"), [](int32_t v) { return 10 - v; })));
}

/// Returns the sum of what it is called with.
struct plus {
  template <class... T>
  LAZYFUSE_HD auto operator()(T... x) const {
    return (x + ...);
  }
};
TYPED_TEST(promotion, scalars_alone_meet_as_in_cpp) {
  const auto condition = test::array_of<TypeParam, 1>(test::tensor<bool>({2}, {1, 0}));
  const auto f = test::array_of<TypeParam, 1>(test::tensor<float>({2}, {1, 2}));
  const auto i = test::array_of<TypeParam, 1>(test::tensor<int32_t>({2}, {1, 2}));
  const auto where = [&](auto x, auto y) { return lf::where(condition, x, y); };
  const auto is = [&]<class T>(T, auto e) { return std::is_same_v<element_of<decltype(e)>, T>; };
  // of one type that type, arrays of which there are
  EXPECT_TRUE(is(0.0f, where(0.0f, 1.0f)));
  EXPECT_TRUE(is(0.0, where(0.0, 1.0)));
  EXPECT_TRUE(is(0.0, where(0.0L, 1.0L)));
  EXPECT_TRUE(is(0, where(0, 1)));
  EXPECT_TRUE(is(lf::uint8{}, where(lf::uint8{0}, lf::uint8{1})));
  EXPECT_TRUE(is(int64_t{}, where(0LL, 1LL)));
  EXPECT_TRUE(is(lf::uint64{}, where(0ull, ~0ull)));
  EXPECT_TRUE(is(true, where(true, false)));
  EXPECT_TRUE(is(lf::half{}, where(lf::half(0.f), lf::half(1.f))));
  EXPECT_TRUE(is(lf::bfloat16{}, where(lf::bfloat16(0.f), lf::bfloat16(1.f))));
  EXPECT_TRUE(is(lf::complex<float>{}, where(lf::complex<float>(0, 1), lf::complex<float>(2))));
  EXPECT_TRUE(is(lf::complex<float>{}, where(std::complex<float>(0, 1), lf::complex<float>(2))));
  using pair = lf::vec<float, 2>;
  EXPECT_TRUE(is(pair(0.0f), where(pair(0, 1), pair(2, 3))));
  // of two as C++ says
  EXPECT_TRUE(is(0.0f, where(0, 1.0f)));
  EXPECT_TRUE(is(0.0f, where(int64_t{0}, 1.0f)));
  EXPECT_TRUE(is(0.0, where(0.0f, 1.0)));
  EXPECT_TRUE(is(0, where(lf::int8{0}, lf::int16{1})));
  EXPECT_TRUE(is(0u, where(0, 1u)));
  EXPECT_TRUE(is(int64_t{}, where(0u, int64_t{1})));
  EXPECT_TRUE(is(lf::half{}, where(lf::half(0.f), 1)));
  EXPECT_TRUE(is(0.0f, where(lf::half(0.f), lf::bfloat16(1.f))));
  EXPECT_TRUE(is(lf::complex<float>{}, where(lf::complex<float>(0, 1), 1)));
  EXPECT_TRUE(is(lf::complex<double>{}, where(lf::complex<float>(0, 1), 1.0)));
  EXPECT_TRUE(is(pair(0.0f), where(pair(0, 1), 1)));
  // constants of the program as scalars
  EXPECT_TRUE(is(0.0f, where(lf::c<0>, 1.0f)));
  EXPECT_TRUE(is(0, where(lf::c<0>, lf::c<1>)));
  EXPECT_TRUE(is(0.0f, lf::maximum(lf::c<3>, 2.0f)));
  EXPECT_TRUE(is(0.0f, lf::hypot(lf::c<3>, 4.0f)));
  EXPECT_TRUE(is(0.0f, lf::clip(lf::c<3>, 0.0f, 2.0f)));
  EXPECT_TRUE(is(0.0f, lf::pow(2.0f, lf::c<3>)));
  EXPECT_TRUE(is(0.0f, lf::c<1> + 0.5f));
  // beside a scalar, operands of another kind have no say
  EXPECT_TRUE(is(0.0f, lf::ldexp(1.5f, i)));
  EXPECT_TRUE(is(0.0, lf::ldexp(1.5, i)));
  // functions of one's own see the scalars that were written
  EXPECT_TRUE(is(0.0f, lf::map(plus{}, f, 0.5f)));
  EXPECT_TRUE(is(0, lf::map(plus{}, i, 1)));
  EXPECT_TRUE(is(0.0, lf::map(plus{}, f, 0.5)));
  EXPECT_TRUE(is(0.0f, lf::full({2}, 0.5f)));
  // arrays decide where there are some
  EXPECT_TRUE(is(0.0f, where(f, 1.0)));
  EXPECT_TRUE(is(0.0f, lf::clip(f, 0.0, 1)));
  EXPECT_TRUE(is(0.0f, lf::pow(f, 2u)));
  EXPECT_TRUE(test::evaluates_to(where(0.5f, 2), test::tensor<float>({2}, {0.5f, 2})));
  EXPECT_TRUE(test::evaluates_to(where(1u, 2), test::tensor<lf::uint32>({2}, {1, 2})));
  EXPECT_TRUE(test::evaluates_to(lf::pow(f, 3u), test::tensor<float>({2}, {1, 8})));
  EXPECT_TRUE(test::evaluates_to(lf::ldexp(1.5f, i), test::tensor<float>({2}, {3, 6})));
  EXPECT_THROW(where(1u, -2), lf::dtype_error);
}

TYPED_TEST(promotion, functions_of_reals_compute_integers_in_double) {
  const auto i = operand<TypeParam, int32_t>(false);
  const auto l = operand<TypeParam, int64_t>(false);
  const auto f = operand<TypeParam, float>(false);
  static_assert(std::is_same_v<element_of<decltype(lf::sqrt(i))>, double>);
  static_assert(std::is_same_v<element_of<decltype(lf::exp(l))>, double>);
  static_assert(std::is_same_v<element_of<decltype(lf::atan2(i, i))>, double>);
  static_assert(std::is_same_v<element_of<decltype(lf::sin(f))>, float>);
  static_assert(std::is_same_v<element_of<decltype(lf::abs(i))>, int32_t>);
  static_assert(std::is_same_v<element_of<decltype(lf::floor(l))>, int64_t>);
}

TYPED_TEST(promotion, reductions_accumulate_as_numpys) {
  const auto i = operand<TypeParam, int32_t>(false);
  const auto l = operand<TypeParam, int64_t>(false);
  const auto f = operand<TypeParam, float>(false);
  const auto d = operand<TypeParam, double>(false);
  const auto b = f > 0;
  static_assert(std::is_same_v<element_of<decltype(lf::sum(b))>, int64_t>);
  static_assert(std::is_same_v<element_of<decltype(lf::sum(i))>, int64_t>);
  static_assert(std::is_same_v<element_of<decltype(lf::sum(l))>, int64_t>);
  static_assert(std::is_same_v<element_of<decltype(lf::sum(f))>, float>);
  static_assert(std::is_same_v<element_of<decltype(lf::sum(d))>, double>);
  static_assert(std::is_same_v<element_of<decltype(lf::prod(i))>, int64_t>);
  static_assert(std::is_same_v<element_of<decltype(lf::mean(i))>, double>);
  static_assert(std::is_same_v<element_of<decltype(lf::mean(f))>, float>);
  static_assert(std::is_same_v<element_of<decltype(lf::max(i))>, int32_t>);
  static_assert(std::is_same_v<element_of<decltype(lf::any(f))>, bool>);
  static_assert(std::is_same_v<element_of<decltype(lf::all(b))>, bool>);
  // 2^31 - 1, thrice: more than 32 bits hold
  const auto big = test::array_of<TypeParam, 1>(test::tensor<int32_t>({3}, {2147483647, 2147483647, 2147483647}));
  EXPECT_EQ(lf::sum(big).item(), 6442450941);
  EXPECT_EQ(lf::mean(big).item(), 2147483647.0);
}

TYPED_TEST(promotion, assignment_widens) {
  const auto i = operand<TypeParam, int32_t>(false);
  const auto values = answers().get<int32_t>("x/int32");
  lf::array<double, 1, TypeParam> d = i;
  EXPECT_TRUE(test::evaluates_to(d, test::transform<double>(values, [](int32_t v) { return v; })));
  lf::array<int64_t, 1, TypeParam> l = i * 2;
  EXPECT_TRUE(test::evaluates_to(l, test::transform<int64_t>(values, [](int32_t v) { return 2 * v; })));
  d = operand<TypeParam, float>(false);
  EXPECT_TRUE(
      test::evaluates_to(d, test::transform<double>(answers().get<float>("x/float32"), [](float v) { return v; })));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations are called: functions, operators and in-place forms mean the same. Their values:
// conformance_of_*.cpp.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"
#include "support/registry.hpp"

#include <calls.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace {

const test::reference_data& answers() {
  static const test::reference_data data("elementwise");
  return data;
}

template <class Case>
class elementwise : public test::on<typename Case::space> {};
TYPED_TEST_SUITE(elementwise, test::on_the_device<lf::op::all_elementwise>, test::operation_name);

/// Whether the function and the operator build the operation's node.
template <class Op, class Space, int... I>
constexpr bool one_meaning(lf::index_sequence<I...>) {
  const auto same = []<class... X>(lf::list<X...>) {
    using built = decltype(lf::map<Op>(std::declval<const X&>()...));
    constexpr bool function = std::is_same_v<decltype(test::call<Op>{}(std::declval<const X&>()...)), built>;
    if constexpr (*Op::symbol == 0) return function;
    else return function && std::is_same_v<decltype(test::call<Op>::infix(std::declval<const X&>()...)), built>;
  };
  using T = std::conditional_t<Op::rule::template accepts<float>, float, lf::int32>;
  return same(lf::list<lf::array<test::operand_type<Op, I, T>, 1, Space>...>{});
}
TYPED_TEST(elementwise, is_what_its_function_and_its_operator_mean) {
  using op = typename TypeParam::operation;
  constexpr bool same = one_meaning<op, typename TypeParam::space>(lf::make_index_sequence<test::arity<op>>{});
  EXPECT_TRUE(same);
}

template <class Space>
class beyond_the_registry : public test::on<Space> {};
TYPED_TEST_SUITE(beyond_the_registry, test::spaces, test::space_name);

TYPED_TEST(beyond_the_registry, in_place_forms_are_the_operators) {
  const auto a = answers().get<double>("a/float64"), b = answers().get<double>("b/float64");
  const auto y = test::array_of<TypeParam, 2>(b);
  auto x = test::array_of<TypeParam, 2>(a);
  x += y;
  EXPECT_TRUE(test::agrees(x, answers(), "add/float64"));
  x = test::array_of<TypeParam, 2>(a);
  x -= y;
  EXPECT_TRUE(test::agrees(x, answers(), "subtract/float64"));
  x = test::array_of<TypeParam, 2>(a);
  x *= y;
  EXPECT_TRUE(test::agrees(x, answers(), "multiply/float64"));
  x = test::array_of<TypeParam, 2>(a);
  x /= y;
  EXPECT_TRUE(test::agrees(x, answers(), "divide/float64"));
}
TYPED_TEST(beyond_the_registry, negative_powers_of_integers_are_truncated) {
  // NumPy refuses these
  const auto x = test::array_of<TypeParam, 1>(test::tensor<std::int64_t>({8}, {1, 1, -1, -1, -1, 2, -3, 0}));
  const auto y = test::array_of<TypeParam, 1>(test::tensor<std::int64_t>({8}, {-1, -8, -1, -2, -7, -1, -2, -1}));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, y), test::tensor<std::int64_t>({8}, {1, 1, -1, 1, -1, 0, 0, 0})));
}

/// Of numbers of six bits: their third and fourth powers are exact in float.
template <class Space, class T>
void expect_powers_rounded_once() {
  const auto t = test::generate<T>({31}, [](const test::extents& i) { return T((33.0f + float(i[0])) / 32); });
  const auto x = test::array_of<Space, 1>(t);
  const auto of = [&](auto f) { return test::transform<T>(t, [f](T v) { return T(f(float(v))); }); };
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, lf::c<3>), of([](float v) { return v * v * v; })));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, lf::c<4>), of([](float v) { return v * v * (v * v); })));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, lf::c<-2>), of([](float v) { return 1 / (v * v); })));
}
TYPED_TEST(beyond_the_registry, powers_of_16_bit_reals_are_rounded_once) {
  expect_powers_rounded_once<TypeParam, lf::half>();
  expect_powers_rounded_once<TypeParam, lf::bfloat16>();
}

/// Numbers of all kinds, so many that every vector has neighbours of each; the shape is odd.
template <class T>
test::tensor<T> of_all_kinds() {
  const T inf = std::numeric_limits<T>::infinity();
  const T kinds[] = {T(1),   T(-2.5), T(0),     T(-0.0),  inf,   -inf, std::numeric_limits<T>::quiet_NaN(),
                     T(0.5), T(3),    T(-1e30), T(1e-30), T(-3), T(7)};
  return test::generate<T>({3, 71}, [&](const test::extents& i) { return kinds[(i[0] * 71 + i[1]) % 13]; });
}
template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class Space, class T>
void expect_choices() {
  const auto t = of_all_kinds<T>();
  const auto x = test::array_of<Space, 2>(t);
  const auto y = test::array_of<Space, 1>(test::generate<T>({71}, [](const test::extents& i) { return T(i[0]) - 30; }));
  const auto mask =
      test::array_of<Space, 2>(test::generate<bool>({3, 1}, [](const test::extents& i) { return i[0] == 1; }));
  const auto odd =
      test::array_of<Space, 1>(test::generate<bool>({71}, [](const test::extents& i) { return i[0] % 2 == 1; }));
  const auto counts =
      test::array_of<Space, 1>(test::generate<lf::int32>({71}, [](const test::extents& i) { return lf::int32(i[0]); }));
  const auto check = [&](const auto& condition, const char* name, auto holds) {
    // the other side is NaN where it is not always taken, and rounded correctly, alone or in a vector
    const auto got = test::tensor_of(lf::where(condition, x, lf::sqrt(y)));
    const auto turned = test::tensor_of(lf::where(condition, lf::sqrt(y), x));
    const auto sides = test::tensor_of(lf::sqrt(y) + lf::zeros<T>({3, 71}));
    const auto same = [](T a, T b) { return same_bits(a, b) || (std::isnan(a) && std::isnan(b)); };
    test::for_each_index(t.shape, [&](const test::extents& i) {
      EXPECT_TRUE(same(got[i], holds(i) ? t[i] : sides[i])) << name << test::text(i);
      EXPECT_TRUE(same(turned[i], holds(i) ? sides[i] : t[i])) << name << test::text(i);
    });
  };
  check(x > T(0.75), "x > 0.75", [&](const test::extents& i) { return t[i] > T(0.75); });
  check(mask, "mask of rows", [](const test::extents& i) { return i[0] == 1; });
  check(odd, "mask of columns", [](const test::extents& i) { return i[1] % 2 == 1; });
  check(lf::logical_and(mask, odd), "both masks", [](const test::extents& i) { return i[0] == 1 && i[1] % 2 == 1; });
  check(counts > 30, "integers", [](const test::extents& i) { return i[1] > 30; });
  check(lf::logical_not(odd)(lf::range(lf::none, lf::none, -1)), "a mask backwards",
        [](const test::extents& i) { return (70 - i[1]) % 2 == 0; });
}
TYPED_TEST(beyond_the_registry, a_choice_is_one_of_its_sides_bit_for_bit) {
  expect_choices<TypeParam, float>();
  expect_choices<TypeParam, double>();
}
TYPED_TEST(beyond_the_registry, a_choice_of_bools_integers_and_complex_numbers) {
  const auto c =
      test::array_of<TypeParam, 1>(test::generate<bool>({37}, [](const test::extents& i) { return i[0] % 3 == 0; }));
  const auto d =
      test::array_of<TypeParam, 1>(test::generate<bool>({37}, [](const test::extents& i) { return i[0] % 2 == 0; }));
  EXPECT_TRUE(
      test::evaluates_to(lf::where(c, d, lf::logical_not(d)), test::generate<bool>({37}, [](const test::extents& i) {
                           return i[0] % 3 == 0 ? i[0] % 2 == 0 : i[0] % 2 != 0;
                         })));
  const auto n = lf::arange<lf::int64>(37);
  EXPECT_TRUE(test::evaluates_to(lf::where(c, n, -n), test::generate<std::int64_t>({37}, [](const test::extents& i) {
                                   return i[0] % 3 == 0 ? i[0] : -i[0];
                                 })));
  using z = lf::complex<float>;
  const auto f = lf::cast<float>(n + 1) * z(1, -1);
  EXPECT_TRUE(test::evaluates_to(lf::where(c, f, z(0, 2)), test::generate<z>({37}, [](const test::extents& i) {
                                   return i[0] % 3 == 0 ? z(float(i[0] + 1), -float(i[0] + 1)) : z(0, 2);
                                 })));
}

/// Against the C library's pow in double: for powers it computes exactly what IEEE 754 says of special cases.
template <class Space, class T>
void expect_powers(double ulps) {
  const auto t = of_all_kinds<T>();
  const auto x = test::array_of<Space, 2>(t);
  for (const double exponent : {-2., -1.5, -1., -0.5, 0., 0.5, 1., 1.5, 2., 2.25, 3., 4., 5.}) {
    const auto got = test::tensor_of(lf::pow(x, exponent));
    const auto beside = test::tensor_of(lf::pow(x, lf::full({71}, T(exponent)) + lf::zeros<T>({71})));
    test::for_each_index(t.shape, [&](const test::extents& i) {
      const T want = static_cast<T>(std::pow(static_cast<double>(t[i]), exponent));
      for (const T value : {got[i], beside[i]}) {
        if (std::isnan(want)) EXPECT_TRUE(std::isnan(value)) << t[i] << " ** " << exponent;
        else if (std::isinf(want) || want == 0)
          EXPECT_TRUE(same_bits(value, want)) << t[i] << " ** " << exponent << " is not " << value;
        else
          EXPECT_LE(std::abs(double(value) - double(want)),
                    ulps * std::numeric_limits<T>::epsilon() * std::abs(double(want)))
              << t[i] << " ** " << exponent;
      }
    });
  }
}
TYPED_TEST(beyond_the_registry, powers_known_when_it_runs_have_the_signs_and_limits_of_all) {
  expect_powers<TypeParam, float>(4);
  expect_powers<TypeParam, double>(4);
}
TYPED_TEST(beyond_the_registry, exponentials_too_small_for_a_number_are_zero_beside_others_that_are_not) {
  const double inf = std::numeric_limits<double>::infinity();
  // Enough of them for the widest vectors.
  const double kinds[] = {1,      -1e9, -inf, 0,   -746, -104, -103, std::numeric_limits<double>::quiet_NaN(),
                          -1e300, -87,  5,    inf, 88.5};
  const auto t = test::generate<double>({267}, [&](const test::extents& i) { return kinds[i[0] % 13]; });
  const auto check = [&](const auto& got, double smallest) {
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      const double want = std::exp(t.values[i]), value = static_cast<double>(got.values[i]);
      if (std::isnan(want)) EXPECT_TRUE(std::isnan(value));
      else if (std::isinf(want)) EXPECT_EQ(value, want);
      else EXPECT_NEAR(value, want, smallest + 4 * 1.2e-7 * want) << "exp " << t.values[i];
      if (want < smallest / 2) {
        EXPECT_EQ(value, 0) << "exp " << t.values[i];
      }
    }
  };
  check(test::tensor_of(lf::exp(test::array_of<TypeParam, 1>(t))), 5e-324);
  check(test::tensor_of(lf::exp(lf::cast<float>(test::array_of<TypeParam, 1>(t)))), 1.5e-45);
  const lf::array<float, 1, TypeParam> in_memory = lf::cast<float>(test::array_of<TypeParam, 1>(t));
  check(test::tensor_of(lf::exp(in_memory)), 1.5e-45);
}

}  // namespace

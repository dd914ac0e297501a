// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reduction over every subset of three axes, against NumPy's answers; kept axes, empty arrays, rank 0.
#include "support/reductions.hpp"
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <class Space>
class reductions : public test::on<Space> {};
TYPED_TEST_SUITE(reductions, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("reductions");
  return data;
}

/// Reduces over the axes A... as named in the reference cases.
template <class Op, class T, int... A, class X>
void check(const X& x, const std::string& key) {
  std::string axes;
  ((axes += (axes.empty() ? "" : ",") + std::to_string(A)), ...);
  const std::string name = std::string(Op::name) + "/" + test::name_of<T>() + key + "/axis=" + axes;
  EXPECT_TRUE(test::agrees(test::call<Op>{}(x, lf::axis<A...>), answers(), name));
}

/// NumPy's axis=None.
template <class Op, class T, class X>
void check_all(const X& x, const std::string& key) {
  const std::string name = std::string(Op::name) + "/" + test::name_of<T>() + key + "/axis=all";
  EXPECT_TRUE(test::agrees(test::call<Op>{}(x), answers(), name));
}

template <class Space, class Op, class T>
auto input() {
  return test::array_of<Space, 3>(answers().get<T>(std::string("x/") + Op::name + "/" + test::name_of<T>()));
}

template <class Space, class Op>
void check_every_subset_of_axes() {
  const auto x = input<Space, Op, float>();
  check_all<Op, float>(x, "");
  check<Op, float, 0>(x, "");
  check<Op, float, 1>(x, "");
  check<Op, float, 2>(x, "");
  check<Op, float, -1>(x, "");
  check<Op, float, -3>(x, "");
  check<Op, float, 0, 1>(x, "");
  check<Op, float, 0, 2>(x, "");
  check<Op, float, 1, 2>(x, "");
  check<Op, float, 0, -1>(x, "");
  check<Op, float, -2, -3>(x, "");
  check<Op, float, 0, 1, 2>(x, "");
}
TYPED_TEST(reductions, sum_over_every_subset_of_axes_is_numpys) {
  check_every_subset_of_axes<TypeParam, lf::op::sum>();
}
TYPED_TEST(reductions, max_over_every_subset_of_axes_is_numpys) {
  check_every_subset_of_axes<TypeParam, lf::op::max>();
}
TYPED_TEST(reductions, mean_over_every_subset_of_axes_is_numpys) {
  check_every_subset_of_axes<TypeParam, test::mean>();
}

template <class Space, class Op>
void check_keepdims() {
  const auto x = input<Space, Op, float>();
  const auto reduce = [&](auto axes) { return test::call<Op>{}(x, axes, lf::keepdims); };
  const std::string name = std::string(Op::name) + "/float32/axis=";
  EXPECT_TRUE(test::agrees(reduce(lf::axis<>), answers(), name + "all/keepdims"));
  EXPECT_TRUE(test::agrees(reduce(lf::axis<1>), answers(), name + "1/keepdims"));
  EXPECT_TRUE(test::agrees(reduce(lf::axis<0, -1>), answers(), name + "0,-1/keepdims"));
}
TYPED_TEST(reductions, keepdims_leaves_axes_of_extent_one) {
  check_keepdims<TypeParam, lf::op::sum>();
  check_keepdims<TypeParam, test::mean>();
  check_keepdims<TypeParam, lf::op::any>();
  const lf::array<float, 2, TypeParam> x(lf::shape(3, 2));
  EXPECT_EQ(lf::sum(x, lf::keepdims, lf::axis<1>).shape(), lf::shape(3, 1)) << "options stand in any order";
}

TYPED_TEST(reductions, of_an_empty_axis_between_others_is_the_identity) {
  const auto x = test::array_of<TypeParam, 3>(test::tensor<float>({4, 0, 2}));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<1>), test::tensor<float>({4, 2})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0>), test::tensor<float>({0, 2})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0, 1>), test::tensor<float>({2})));
  EXPECT_TRUE(test::evaluates_to(lf::prod(lf::transpose(x), lf::axis<1>), test::counting<float>({2, 4}, 1, 0)));
}
TYPED_TEST(reductions, of_rank_zero_are_the_element) {
  const auto x = test::array_of<TypeParam, 0>(test::tensor<float>({}, {7}));
  check_all<lf::op::sum, float>(x, "/rank0");
  check_all<lf::op::prod, float>(x, "/rank0");
  check_all<lf::op::max, float>(x, "/rank0");
  check_all<test::mean, float>(x, "/rank0");
  check_all<lf::op::any, float>(x, "/rank0");
}

/// Logarithms, quotients and roots are computed for several elements at once where they are usual numbers, and again
/// where one is not: either way they are those that arrays of them have, of which the largest is taken without
/// rounding.
TYPED_TEST(reductions, of_dear_functions_are_those_of_their_arrays) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float unusual[] = {0, -0.0F, -1, 1e-40F, -1e-40F, 1e30F, 3e38F, 1e-30F, infinity, -infinity, nan};
  constexpr std::int64_t rows = 700, columns = 1156;
  const auto numbers = [&](std::int64_t stream) {
    auto t = test::generate<float>({rows, columns}, [&](const test::extents& at) {
      return 0.5F + static_cast<float>((at[0] * columns + at[1]) * (7919 + 2 * stream) % 10007) / 10007;
    });
    // One in every other row, anywhere, and in some columns none.
    for (std::int64_t r = stream; r < rows; r += 2)
      t.values[static_cast<std::size_t>(r * columns + r * 37 % 900)] =
          unusual[r / 2 % std::int64_t{std::size(unusual)}];
    return t;
  };
  const auto x = test::array_of<TypeParam, 2>(numbers(0)), y = test::array_of<TypeParam, 2>(numbers(1));
  // On the host vectors and single elements have other functions.
  constexpr float apart = std::is_same_v<TypeParam, lf::host> ? 1e-6F : 0;
  const auto near = [](float is, float wanted) {
    return is == wanted || std::abs(is - wanted) <= apart * (std::abs(wanted) + 1);
  };
  const auto check = [&](const char* what, const auto& e) {
    const auto all = lf::materialize(e);
    const auto same = [&](const auto& is, const auto& wanted) {
      const auto a = test::tensor_of(is), b = test::tensor_of(wanted);
      for (std::size_t i = 0; i < a.values.size(); ++i)
        ASSERT_TRUE(near(a.values[i], b.values[i]) || (a.values[i] != a.values[i] && b.values[i] != b.values[i]))
            << what << ", " << i << ": " << a.values[i] << ", expected " << b.values[i];
    };
    same(lf::materialize(lf::max(e, lf::axis<1>)), lf::materialize(lf::max(all, lf::axis<1>)));
    same(lf::materialize(lf::max(e, lf::axis<0>)), lf::materialize(lf::max(all, lf::axis<0>)));
    same(lf::materialize(lf::min(e)), lf::materialize(lf::min(all)));
  };
  check("divergence", x * lf::log(x / y));
  check("logarithms", lf::log(x) - lf::log(y));
  check("roots", lf::sqrt(x) / lf::sqrt(y));
  check("quotients", x / (y * y + 0.5F));
}

/// Elements that are usual are added up before it is known whether all are, and begun again where one is not: none is
/// added twice. Quotients and roots of powers of two are exact, and so are their sums.
TYPED_TEST(reductions, what_is_begun_again_is_added_once) {
  constexpr std::int64_t rows = 530, columns = 1111;
  const auto unusual_at = [](std::int64_t n, std::int64_t every) { return n % every == every - 1; };
  const auto power = [](int exponent) { return std::ldexp(1.0F, exponent); };
  // quotient(r, c) = count(r, c), of numbers far outside of what is usual in every 97th place.
  const auto count = [](std::int64_t r, std::int64_t c) { return static_cast<float>((r * 7 + c * 3) % 11); };
  const auto exponent = [&](std::int64_t r, std::int64_t c) {
    return unusual_at(r * columns + c, 97) ? (r % 2 == 0 ? 100 : -100) : 0;
  };
  const auto dividend = test::generate<float>(
      {rows, columns}, [&](const test::extents& at) { return count(at[0], at[1]) * power(exponent(at[0], at[1])); });
  const auto divisor =
      test::generate<float>({rows, columns}, [&](const test::extents& at) { return power(exponent(at[0], at[1])); });
  const auto x = test::array_of<TypeParam, 2>(dividend), y = test::array_of<TypeParam, 2>(divisor);
  // Of pairs: root(r) * root(c) of squares, some of them subnormal or too large to be usual.
  const auto square = [&](std::int64_t n) { return power(unusual_at(n, 61) ? -130 : unusual_at(n, 53) ? 122 : 2); };
  const auto root = [&](std::int64_t n) { return power(unusual_at(n, 61) ? -65 : unusual_at(n, 53) ? 61 : 1); };
  const auto of_rows = test::array_of<TypeParam, 1>(
      test::generate<float>({rows}, [&](const test::extents& at) { return square(at[0]); }));
  const auto of_columns = test::array_of<TypeParam, 1>(
      test::generate<float>({columns}, [&](const test::extents& at) { return square(at[0]); }));
  const auto weights = test::array_of<TypeParam, 1>(
      test::generate<float>({columns}, [&](const test::extents& at) { return count(0, at[0]) * root(at[0]); }));

  std::vector<float> by_row(rows), by_column(columns);
  float all = 0, pairs = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      by_row[static_cast<std::size_t>(r)] += count(r, c);
      by_column[static_cast<std::size_t>(c)] += count(r, c);
      all += count(r, c);
    }
  for (std::int64_t c = 0; c < columns; ++c) pairs += count(0, c);
  const auto is = [](const auto& e, const std::vector<float>& wanted) {
    EXPECT_EQ(test::tensor_of(lf::materialize(e)).values, wanted);
  };
  is(lf::sum(x / y, lf::axis<1>), by_row);
  is(lf::sum(x / y, lf::axis<0>), by_column);
  is(lf::sum(x / y), {all});
  // weight / sqrt(square) of the column alone, whatever the row's root, which is divided out again.
  const auto r = of_rows(lf::all, lf::newaxis), c = of_columns(lf::newaxis, lf::all), w = weights(lf::newaxis, lf::all);
  is(lf::sum(w * lf::sqrt(r) / (lf::sqrt(c) * lf::sqrt(r)), lf::axis<1>), std::vector<float>(rows, pairs));
  is(lf::sum(w * lf::rsqrt(c) * (lf::sqrt(r) * lf::rsqrt(r)), lf::axis<1>), std::vector<float>(rows, pairs));
  is(lf::sum(lf::rsqrt(of_columns) * weights), {pairs});
}

/// Many low columns, whose threads have few rows: over the first axis, one in the middle, and two.
template <class Space, int... A>
void check_low_columns(const test::extents& shape) {
  const auto t = test::generate<float>(shape, [&](const test::extents& at) {
    return 100 + static_cast<float>(((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * 7919 % 10007) / 10007;
  });
  const auto x = test::array_of<Space, 3>(t);
  constexpr auto a = lf::axis<A...>;
  const auto sums = test::tensor_of(lf::materialize(lf::sum(x * x, a))),
             largest = test::tensor_of(lf::materialize(lf::max(x, a))),
             spreads = test::tensor_of(lf::materialize(lf::var(x, a))),
             both = test::tensor_of(lf::materialize(lf::sum(x, a) / lf::max(x, a)));
  const auto is_reduced = [](std::size_t k) { return ((k == A) || ...); };
  std::vector<std::vector<double>> columns(sums.values.size());
  for (std::int64_t i = 0; i < std::int64_t(t.values.size()); ++i) {
    const std::int64_t at[] = {i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]};
    std::int64_t column = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if (!is_reduced(k)) column = column * shape[k] + at[k];
    columns[std::size_t(column)].push_back(t.values[std::size_t(i)]);
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::vector<double>& v = columns[c];
    double sum = 0, squares = 0, apart = 0;
    for (const double e : v) sum += e, squares += e * e;
    const double mean = sum / double(v.size()), most = *std::max_element(v.begin(), v.end());
    for (const double e : v) apart += (e - mean) * (e - mean);
    const std::string what = test::text(shape) + ", column " + std::to_string(c);
    ASSERT_NEAR(sums.values[c], squares, 4 * 0x1p-23 * squares) << what;
    ASSERT_EQ(largest.values[c], static_cast<float>(most)) << what;
    ASSERT_NEAR(spreads.values[c], apart / double(v.size()), 1e-5 * apart / double(v.size()) + 1e-9) << what;
    ASSERT_NEAR(both.values[c], sum / most, 8 * 0x1p-23 * sum / most) << what;
  }
}
TYPED_TEST(reductions, of_many_low_columns_are_those_of_plain_loops) {
  check_low_columns<TypeParam, 0>({37, 130, 150});
  check_low_columns<TypeParam, 1>({130, 49, 151});
  check_low_columns<TypeParam, 0, 1>({5, 9, 20000});
  check_low_columns<TypeParam, 0>({250, 3, 7001});
}

/// Ranges are computed where they are read, whatever their steps along the rows.
TYPED_TEST(reductions, of_rows_beside_ranges_read_these_in_their_places) {
  constexpr std::int64_t rows = 96, columns = 1024;
  const auto t = test::generate<float>(
      {rows, columns}, [](const test::extents& at) { return static_cast<float>((at[0] * 31 + at[1] * 7) % 16); });
  const auto x = test::array_of<TypeParam, 2>(t);
  const auto down = lf::arange<float>(rows)(lf::all, lf::newaxis);
  const auto back = lf::arange<float>(columns)(lf::range(lf::none, lf::none, -1));
  const auto second = lf::arange<float>(2 * columns)(lf::range(lf::none, lf::none, 2));
  const auto is_down = test::tensor_of(lf::materialize(lf::sum(x * down, lf::axis<1>))),
             is_back = test::tensor_of(lf::materialize(lf::sum(x * back, lf::axis<1>))),
             is_second = test::tensor_of(lf::materialize(lf::sum(x * second, lf::axis<1>)));
  for (std::int64_t r = 0; r < rows; ++r) {
    double wanted[3] = {};
    for (std::int64_t i = 0; i < columns; ++i) {
      const double e = t.values[std::size_t(r * columns + i)];
      wanted[0] += e * double(r);
      wanted[1] += e * double(columns - 1 - i);
      wanted[2] += e * double(2 * i);
    }
    ASSERT_EQ(is_down.values[std::size_t(r)], wanted[0]) << r;
    ASSERT_EQ(is_back.values[std::size_t(r)], wanted[1]) << r;
    ASSERT_EQ(is_second.values[std::size_t(r)], wanted[2]) << r;
  }
}

}  // namespace

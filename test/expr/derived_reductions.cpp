// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of extremes, counts, norms, averages, reductions without NaN, against NumPy's answers; a user's own reduction.
#include "support/arrays.hpp"
#include "support/coverage.hpp"
#include "support/gather.hpp"
#include "support/reference_data.hpp"
#include "support/registry.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace {

using test::within;

const test::reference_data& answers() {
  static const test::reference_data data("derived_reductions");
  return data;
}

template <class Space>
class derived_reductions : public test::on<Space> {};
TYPED_TEST_SUITE(derived_reductions, test::spaces, test::space_name);

using types = lf::list<lf::half, float, double, lf::int32, lf::uint8>;

/// The operands of one element type, and the axes a reduction is along: all, 0 or 1.
template <class Space, class T, class Axes>
struct reduction_case {
  lf::array<T, 2, Space> x, y, w, finite;
  Axes axes;
  std::string suffix;
  reduction_case(Axes a, const std::string& axis)
      : axes(a), suffix(std::string("/") + test::name_of<T>() + "/axis=" + axis) {
    const auto of = [](const char* key) {
      return test::array_of<Space, 2>(answers().get<T>(std::string(key) + "/" + test::name_of<T>()));
    };
    x = of("x");
    y = of("y");
    w = of("w");
    finite = of("finite");
  }
  /// Compares members of gathered results with the answers of these names.
  template <class E>
  void expect(const E& e, const std::vector<std::string>& names, const within& tolerance = {}) const {
    const auto got = lf::to<lf::host>(lf::materialize(e));
    member<0>(got, names, tolerance);
  }

 private:
  template <int K, class A>
  void member(const A& got, const std::vector<std::string>& names, const within& tolerance) const {
    using element = lf::value_t<A>;
    if constexpr (requires(const element& one) { lf::get<K>(one); }) {
      using R = lf::bare_t<decltype(lf::get<K>(std::declval<const element&>()))>;
      const std::string name = names.at(static_cast<std::size_t>(K)) + suffix;
      const auto want = answers().get<R>(name);
      test::tensor<R> values{want.shape};
      ASSERT_EQ(static_cast<std::size_t>(got.size()), values.values.size()) << name;
      for (std::size_t i = 0; i < values.values.size(); ++i)
        values.values[i] = static_cast<test::stored<R>>(lf::get<K>(got.data()[i]));
      const auto same = test::same(values, want, tolerance);
      EXPECT_TRUE(same) << name;
      member<K + 1>(got, names, tolerance);
    } else EXPECT_EQ(static_cast<std::size_t>(K), names.size());
  }
};
/// Family: which of the families of functions below is tested.
template <class Space, int Family, class F>
void for_each_case(F f) {
  test::for_each_type(types{}, [&](auto t) {
    using T = typename decltype(t)::value_type;
    constexpr int type = test::place_of<T>(types{});
    if constexpr (test::meets(Family, type, 0, 3)) f(reduction_case<Space, T, lf::axes<>>(lf::axes<>{}, "all"));
    if constexpr (test::meets(Family, type, 1, 3)) f(reduction_case<Space, T, lf::axes<0>>(lf::axis<0>, "0"));
    if constexpr (test::meets(Family, type, 2, 3)) f(reduction_case<Space, T, lf::axes<1>>(lf::axis<1>, "1"));
  });
}
/// What sums in any order may differ by.
template <class C>
within near(const C& c) {
  return {lf::small_real<lf::value_t<decltype(c.x)>> ? 1 : 16};
}

TYPED_TEST(derived_reductions, find_places_and_counts_as_numpys) {
  for_each_case<TypeParam, 0>([](const auto& c) {
    c.expect(lf::map(test::gather{}, lf::argmax(c.x, c.axes), lf::argmin(c.x, c.axes), lf::count_nonzero(c.x, c.axes),
                     lf::ptp(c.y, c.axes), lf::nanmax(c.x, c.axes), lf::nanmin(c.x, c.axes)),
             {"argmax", "argmin", "count_nonzero", "ptp", "nanmax", "nanmin"});
  });
}
TYPED_TEST(derived_reductions, have_numpys_norms_and_averages) {
  for_each_case<TypeParam, 1>([](const auto& c) {
    const auto norm = [&](auto p) { return lf::norm(c.y, p, c.axes); };
    c.expect(lf::map(test::gather{}, norm(lf::ord<0>), norm(lf::ord<1>), norm(lf::ord<2>), norm(lf::ord<3>),
                     norm(lf::ord<lf::inf>), lf::average(c.y, c.w, c.axes)),
             {"norm 0", "norm 1", "norm 2", "norm 3", "norm inf", "average"}, near(c));
  });
}
TYPED_TEST(derived_reductions, leave_nan_out_as_numpys) {
  for_each_case<TypeParam, 2>([](const auto& c) {
    c.expect(lf::map(test::gather{}, lf::nansum(c.finite, c.axes), lf::nanmean(c.finite, c.axes),
                     lf::nanvar(c.finite, c.axes), lf::nanstd(c.finite, c.axes)),
             {"nansum", "nanmean", "nanvar", "nanstd"}, near(c));
  });
}
TYPED_TEST(derived_reductions, keep_axes_where_asked) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({2, 3}, {3, 9, 9, 5, 1, 2}));
  EXPECT_TRUE(test::evaluates_to(lf::argmax(x, lf::axis<1>, lf::keepdims), test::tensor<std::int64_t>({2, 1}, {1, 0})));
  EXPECT_TRUE(
      test::evaluates_to(lf::argmin(lf::flip(x, lf::axis<1>), lf::axis<1>), test::tensor<std::int64_t>({2}, {2, 1})));
  EXPECT_TRUE(test::evaluates_to(lf::nanmax(x, lf::keepdims), test::tensor<float>({1, 1}, {9})));
}
TYPED_TEST(derived_reductions, run_together_in_one_pass) {
  const auto x = test::array_of<TypeParam, 1>(test::counting<float>({1000}, -3));
  lf::kernel_trace t;
  const auto [where, largest, mean, spread] = lf::materialize(lf::argmax(x), lf::max(x), lf::mean(x), lf::var(x));
  EXPECT_EQ(t.launches(), 1);
  EXPECT_EQ(where.item(), 999);
  EXPECT_EQ(largest.item(), 996);
  EXPECT_EQ(mean.item(), 496.5);
  EXPECT_NEAR(spread.item(), 83333.25, 0.05);
}
TYPED_TEST(derived_reductions, of_too_few_numbers_are_nan) {
  const auto x = test::array_of<TypeParam, 1>(test::tensor<float>({3}, {1, 2, NAN}));
  EXPECT_EQ(lf::nanvar(x, lf::ddof{1}).item(), 0.5f);
  EXPECT_TRUE(std::isnan(lf::nanvar(x, lf::ddof{2}).item()));
  EXPECT_TRUE(std::isnan(lf::nanmean(x(lf::range(2, 3))).item()));
  EXPECT_EQ(lf::nanprod(x).item(), 2);
}
TYPED_TEST(derived_reductions, take_operands_of_several_types) {
  const auto flags = test::array_of<TypeParam, 1>(test::tensor<bool>({3}, {1, 0, 0}));
  const auto w = test::array_of<TypeParam, 1>(test::tensor<std::int32_t>({3}, {1, 1, 1}));
  EXPECT_DOUBLE_EQ(lf::average(flags, w).item(), 1.0 / 3);
  EXPECT_TRUE(lf::nanmax(flags).item());
  const auto z = test::array_of<TypeParam, 1>(test::tensor<lf::complex<float>>({2}, {{3, 4}, {NAN, 0}}));
  EXPECT_EQ(lf::norm(z(lf::range(0, 1))).item(), 5);
  EXPECT_EQ(lf::nansum(z).item(), (lf::complex<float>{3, 4}));
}
TYPED_TEST(derived_reductions, of_nothing_are_refused) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({3, 0}));
  EXPECT_THROW(lf::argmax(x), lf::shape_error);
  EXPECT_THROW(lf::nanmin(x, lf::axis<1>), lf::shape_error);
  EXPECT_TRUE(test::evaluates_to(lf::argmin(x, lf::axis<0>), test::tensor<std::int64_t>({0})));
  EXPECT_TRUE(test::evaluates_to(lf::count_nonzero(x), test::tensor<std::int64_t>({}, {0})));
}

/// A range of numbers, and the smallest that holds two.
struct range_of_numbers {
  float low, high;
};
struct join {
  LAZYFUSE_HD range_of_numbers operator()(const range_of_numbers& a, const range_of_numbers& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};
struct as_range {
  LAZYFUSE_HD range_of_numbers operator()(float x) const { return {x, x}; }
};
struct exclusive_or {
  LAZYFUSE_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a ^ b; }
};
TYPED_TEST(derived_reductions, take_a_users_function_over_any_element_type) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({40, 50}, -7));
  const auto all = lf::reduce(join{}, range_of_numbers{100, 100}, lf::map(as_range{}, x)).item();
  EXPECT_EQ(all.low, -7);
  EXPECT_EQ(all.high, 1992);
  const auto bits = test::array_of<TypeParam, 1>(test::tensor<std::uint32_t>({4}, {1, 2, 4, 9}));
  EXPECT_EQ(lf::reduce(exclusive_or{}, 16u, bits).item(), 30u);
  EXPECT_EQ(lf::reduce(exclusive_or{}, 16u, bits(lf::range(2, 2))).item(), 16u);
  const auto pairs = lf::reshape(bits, {2, 2});
  EXPECT_TRUE(
      test::evaluates_to(lf::reduce(exclusive_or{}, 0, pairs, lf::axis<1>), test::tensor<std::uint32_t>({2}, {3, 13})));
}

/// As many small numbers, and their sums.
template <int N>
struct few_bytes {
  std::uint8_t part[N];
};
template <int N>
struct add_parts {
  LAZYFUSE_HD few_bytes<N> operator()(const few_bytes<N>& a, const few_bytes<N>& b) const {
    few_bytes<N> sum;
    for (int k = 0; k < N; ++k) sum.part[k] = static_cast<std::uint8_t>(a.part[k] + b.part[k]);
    return sum;
  }
};
template <int N>
struct in_parts {
  LAZYFUSE_HD few_bytes<N> operator()(std::int32_t x) const {
    few_bytes<N> parts;
    for (int k = 0; k < N; ++k) parts.part[k] = static_cast<std::uint8_t>(x * (k + 1));
    return parts;
  }
};
template <class Space, int N>
void expect_sum_of_parts() {
  const std::int32_t n = 5003, total = n * (n - 1) / 2;
  const auto x = test::array_of<Space, 1>(test::counting<std::int32_t>({n}, 0));
  const auto sum = lf::reduce(add_parts<N>{}, few_bytes<N>{}, lf::map(in_parts<N>{}, x)).item();
  for (int k = 0; k < N; ++k) EXPECT_EQ(sum.part[k], static_cast<std::uint8_t>(total * (k + 1))) << k << " of " << N;
}
TYPED_TEST(derived_reductions, take_a_users_function_over_structs_of_any_size) {
  expect_sum_of_parts<TypeParam, 2>();
  expect_sum_of_parts<TypeParam, 5>();
  expect_sum_of_parts<TypeParam, 6>();
}
TYPED_TEST(derived_reductions, find_the_first_place_beside_moments_along_turned_axes) {
  auto x = test::array_of<TypeParam, 3>(test::tensor<float>({16, 16, 64}));
  x(0, 15) = 1;
  x(1, 0) = 1;
  const auto y = lf::permute_dims<1, 0, 2>(x);  // y[15, 0] and y[0, 1] are the largest, and the latter is first
  const auto [spread, where] = lf::materialize(lf::var(y, lf::axis<0, 1>), lf::argmax(y, lf::axis<0, 1>));
  EXPECT_TRUE(lf::all(where == 1).item());
  EXPECT_TRUE(lf::all(lf::abs(spread - (2.0f / 256 - (2.0f / 256) * (2.0f / 256))) < 1e-6f).item());
}

TYPED_TEST(derived_reductions, weights_lie_along_the_axes_that_are_named) {
  // x = np.arange(12.).reshape(3, 4) ** 2; np.average(x, axis, weights)
  const auto x = lf::square(test::array_of<TypeParam, 2>(test::counting<double>({3, 4}, 0)));
  const auto weights = [](std::vector<double> w) {
    const auto n = static_cast<lf::index_t>(w.size());
    return test::array_of<TypeParam, 1>(test::tensor<double>({n}, std::move(w)));
  };
  EXPECT_TRUE(
      test::evaluates_to(lf::average(x, weights({1, 2, 5}), lf::axis<0>), test::tensor<double>({4}, {44, 57, 72, 89})));
  EXPECT_TRUE(
      test::evaluates_to(lf::average(x, weights({1, 0, 3, 4}), lf::axis<-1>), test::tensor<double>({3}, {6, 40, 106})));
  const auto cube = lf::reshape(x, {3, 2, 2});
  const auto table = lf::reshape(weights({0, 1, 2, 3, 4, 5}), {2, 3});
  EXPECT_TRUE(test::evaluates_to(lf::round(lf::average(cube, table, lf::axis<2, 0>) * 1e8) / 1e8,
                                 test::tensor<double>({2}, {43.46666667, 70.93333333})));
  EXPECT_THROW(lf::array(lf::average(x, weights({1, 2, 5}), lf::axis<1>)), lf::shape_error);
}
/// Long enough for every way in which threads share a row.
constexpr int long_row = 1 << 20;
TYPED_TEST(derived_reductions, find_the_first_place_in_long_rows) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const struct {
    float elsewhere, there;
    std::vector<int> places;
    int argmax, argmin;
  } cases[] = {{0, 1, {700001, 30, 999999}, 30, 0},
               {0, -1, {700001, 31, 999999}, 0, 31},
               {1, 1, {5}, 0, 0},
               {-infinity, -infinity, {5}, 0, 0},
               {infinity, infinity, {5}, 0, 0},
               {nan, nan, {5}, 0, 0},
               {1, nan, {900000, 65537}, 65537, 65537},
               {-infinity, 0, {long_row - 1}, long_row - 1, 0},
               {0, infinity, {131072, 65536}, 65536, 0}};
  for (const auto& c : cases) {
    lf::array<float, 1, TypeParam> x = lf::full({long_row}, c.elsewhere);
    for (const int at : c.places) x(lf::range(at, at + 1)) = c.there;
    EXPECT_EQ(lf::argmax(x).item(), c.argmax) << c.elsewhere << ' ' << c.there;
    EXPECT_EQ(lf::argmin(x).item(), c.argmin) << c.elsewhere << ' ' << c.there;
    const int last = long_row - 1;
    std::vector<int> mirrored;
    for (const int at : c.places) mirrored.push_back(last - at);
    if (c.argmax == 0) continue;
    EXPECT_EQ(lf::argmax(lf::flip(x)).item(), *std::min_element(mirrored.begin(), mirrored.end()));
  }
}
/// One element of each row is another: NaN, or the extreme of integers.
template <class T, class Space>
void expect_places_in_rows() {
  constexpr bool real = std::is_floating_point_v<T>;
  for (const lf::index_t n : {3, 4, 5, 8, 16, 33, 64, 65, 1000, 5003}) {
    const lf::index_t places[] = {0, n / 2, n - 1};
    lf::array<T, 2, lf::host> high = lf::zeros<T>({3, n}), low = lf::zeros<T>({3, n});
    for (int r = 0; r < 3; ++r) {
      high(r, lf::range(places[r], places[r] + 1)) = real ? std::numeric_limits<T>::quiet_NaN() : T(5);
      low(r, lf::range(places[r], places[r] + 1)) = real ? std::numeric_limits<T>::quiet_NaN() : T(-5);
    }
    const test::tensor<std::int64_t> want({3}, {places[0], places[1], places[2]});
    EXPECT_TRUE(test::evaluates_to(lf::argmax(lf::to<Space>(high), lf::axis<1>), want)) << n;
    EXPECT_TRUE(test::evaluates_to(lf::argmin(lf::to<Space>(low), lf::axis<1>), want)) << n;
  }
}
TYPED_TEST(derived_reductions, find_nan_wherever_it_is_in_rows_of_every_length) {
  expect_places_in_rows<float, TypeParam>();
  expect_places_in_rows<double, TypeParam>();
  expect_places_in_rows<std::int32_t, TypeParam>();
  expect_places_in_rows<std::int64_t, TypeParam>();
}
TYPED_TEST(derived_reductions, any_and_all_find_one_element_wherever_it_is) {
  for (const int at : {0, 1, 4095, 40000, long_row / 2, long_row - 1}) {
    lf::array<float, 1, TypeParam> x = lf::zeros<float>({long_row});
    EXPECT_FALSE(lf::any(x > 0.5f).item());
    EXPECT_TRUE(lf::all(x < 0.5f).item());
    x(lf::range(at, at + 1)) = 1.0f;
    const auto [some, every, total] = lf::materialize(lf::any(x > 0.5f), lf::all(x < 0.5f), lf::sum(x));
    EXPECT_TRUE(lf::any(x > 0.5f).item() && some.item()) << at;
    EXPECT_FALSE(lf::all(x < 0.5f).item() || every.item()) << at;
    EXPECT_EQ(total.item(), 1) << at;
    const auto rows = lf::reshape(x, {4, long_row / 4});
    EXPECT_TRUE(test::evaluates_to(
        lf::cast<int>(lf::any(rows > 0.5f, lf::axis<1>)),
        test::tensor<int>({4}, {at < long_row / 4, at >= long_row / 4 && at < long_row / 2,
                                at >= long_row / 2 && at < long_row / 4 * 3, at >= long_row / 4 * 3})));
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans: cumsum, cumprod, cummax, cummin, and those of a user's function; along every axis, in one kernel with what is
// around them.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace {

using lf::all, lf::axis, lf::backwards, lf::exclusive, lf::keepdims, lf::none, lf::range;

template <class Space>
class scans : public test::on<Space> {};
TYPED_TEST_SUITE(scans, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("scans");
  return data;
}

/// Along each of three axes, as named in the reference cases.
template <class T, class X, class Scan, class... Options>
void check_every_axis(const X& x, const std::string& name, const Scan& scan, const std::string& key,
                      Options... options) {
  const std::string begin = name + "/" + test::name_of<T>() + "/axis=";
  EXPECT_TRUE(test::agrees(scan(x, axis<0>, options...), answers(), begin + "0" + key));
  EXPECT_TRUE(test::agrees(scan(x, axis<1>, options...), answers(), begin + "1" + key));
  EXPECT_TRUE(test::agrees(scan(x, axis<-1>, options...), answers(), begin + "2" + key));
}
template <class Space, class T>
void check_type() {
  const auto x = test::array_of<Space, 3>(answers().get<T>(std::string("x/") + test::name_of<T>()));
  check_every_axis<T>(x, "cumsum", lf::cumsum, "");
  check_every_axis<T>(x, "cumprod", lf::cumprod, "");
  if constexpr (!lf::complex_number<T>) {
    check_every_axis<T>(x, "cummax", lf::cummax, "");
    check_every_axis<T>(x, "cummin", lf::cummin, "");
  }
}
TYPED_TEST(scans, of_every_kind_of_number_are_numpys) {
  check_type<TypeParam, std::int32_t>();
  check_type<TypeParam, std::uint8_t>();
  check_type<TypeParam, float>();
  check_type<TypeParam, double>();
  check_type<TypeParam, lf::complex<float>>();
  EXPECT_TRUE(
      test::agrees(lf::cumsum(test::array_of<TypeParam, 1>(answers().get<bool>("bool"))), answers(), "cumsum/bool"));
}
TYPED_TEST(scans, begin_at_the_end_or_leave_out_the_element_itself) {
  const auto x = test::array_of<TypeParam, 3>(answers().get<float>("x/float32"));
  check_every_axis<float>(x, "cumsum", lf::cumsum, "/backwards", backwards);
  check_every_axis<float>(x, "cummax", lf::cummax, "/backwards", backwards);
  check_every_axis<float>(x, "cumsum", lf::cumsum, "/exclusive", exclusive);
  check_every_axis<float>(x, "cumprod", lf::cumprod, "/exclusive", exclusive);
  const auto both = test::tensor_of(lf::cumsum(x, exclusive, axis<2>, backwards));
  const auto turned =
      test::tensor_of(lf::flip(lf::materialize(lf::cumsum(lf::flip(x, axis<2>), axis<2>, exclusive)), axis<2>));
  EXPECT_EQ(both.values, turned.values);
}
TYPED_TEST(scans, carry_nan_on_and_rank_zero_is_one_element) {
  const auto x = test::array_of<TypeParam, 1>(answers().get<double>("special"));
  EXPECT_TRUE(test::agrees(lf::cumsum(x), answers(), "cumsum/special"));
  EXPECT_TRUE(test::agrees(lf::cumprod(x), answers(), "cumprod/special"));
  EXPECT_TRUE(test::agrees(lf::cummax(x), answers(), "cummax/special"));
  EXPECT_TRUE(test::agrees(lf::cummin(x), answers(), "cummin/special"));
  EXPECT_TRUE(test::agrees(lf::cumsum(test::array_of<TypeParam, 0>(answers().get<double>("scalar"))), answers(),
                           "cumsum/scalar"));
}
TYPED_TEST(scans, of_nothing_are_nothing) {
  const lf::array<float, 2, TypeParam> x(lf::shape(3, 0)), y(lf::shape(0, 3));
  EXPECT_EQ(lf::materialize(lf::cumsum(x, axis<1>)).shape(), lf::shape(3, 0));
  EXPECT_EQ(lf::materialize(lf::cumsum(x, axis<0>)).shape(), lf::shape(3, 0));
  EXPECT_EQ(lf::materialize(lf::cummax(y, axis<0>)).shape(), lf::shape(0, 3));
}

/// Small numbers that differ, of which sums are exact.
template <class T>
test::tensor<T> small_numbers(const test::extents& shape) {
  test::tensor<T> t(shape);
  for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] = static_cast<T>((i * 7 + i / 13) % 11) - T(5);
  return t;
}
/// The sums up to each element of a matrix along an axis.
template <class T>
test::tensor<std::int64_t> summed(const test::tensor<T>& x, int along) {
  test::tensor<std::int64_t> s(x.shape);
  const std::size_t columns = static_cast<std::size_t>(x.shape[1]), step = along == 0 ? columns : 1;
  std::int64_t* const to = s.values.data();
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    const bool first = along == 0 ? i < columns : i % columns == 0;
    to[i] = static_cast<std::int64_t>(x.values[i]) + (first ? 0 : to[i - step]);
  }
  return s;
}
TYPED_TEST(scans, of_rows_of_every_length_around_that_of_tiles) {
  for (const std::int64_t n : {1,    2,    3,    7,    15,   16,   17,   31,    33,    100,   127,    511,   513,
                               1000, 2047, 2049, 4095, 4096, 4097, 8193, 32767, 32769, 65537, 140000, 300001})
    for (const std::int64_t rows : {1, 2, 5}) {
      const auto x = small_numbers<std::int32_t>({rows, n});
      EXPECT_TRUE(test::evaluates_to(lf::cumsum(test::array_of<TypeParam, 2>(x), axis<1>), summed(x, 1)))
          << rows << " rows of " << n;
    }
  const auto many = small_numbers<std::int32_t>({3000, 137});
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(test::array_of<TypeParam, 2>(many), axis<1>), summed(many, 1)));
  const auto long_ones = small_numbers<std::int32_t>({1500, 5000});
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(test::array_of<TypeParam, 2>(long_ones), axis<1>), summed(long_ones, 1)));
}
TYPED_TEST(scans, of_so_many_rows_or_columns_that_each_has_threads_of_its_own) {
  const auto check = []<int A>(std::int64_t rows, std::int64_t columns, lf::axes<A> along) {
    const auto t = small_numbers<std::int32_t>({rows, columns});
    const auto sums = summed(t, A);
    const auto x = test::array_of<TypeParam, 2>(t);
    EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, along), sums)) << rows << " by " << columns;
    // What is before each element, and the elements themselves: after a scan that excludes them.
    EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, along, exclusive) + x, sums)) << rows << " by " << columns;
  };
  // Threads of the host are few.
  constexpr bool on_device = lf::space_traits<TypeParam>::on_device;
  for (const std::int64_t columns : {1, 7, 8, 17, 33, 128, 300, 704, 1001, 3001})
    check(on_device ? 4301 : 701, columns, axis<1>);
  check(on_device ? 20003 : 5003, 32, axis<1>);
  for (const std::int64_t rows : {2, 3, 17, 40}) check(rows, on_device ? 135171 : 30011, axis<0>);
  const auto t = small_numbers<float>({24000, 20});
  const auto cube = lf::reshape(test::array_of<TypeParam, 2>(t), lf::shape(1000, 24, 20));
  const lf::array<std::int64_t, 3, TypeParam> sums =
      lf::cast<std::int64_t>(lf::cumsum(cube(all, all, range(1, none)), axis<2>));
  auto without_first = t;
  for (std::size_t i = 0; i < t.values.size(); i += 20) without_first.values[i] = 0;
  EXPECT_TRUE(
      test::evaluates_to(lf::reshape(sums, lf::shape(24000, 19)) + 0,
                         test::tensor_of(test::array_of<TypeParam, 2>(summed(without_first, 1))(all, range(1, none)))));
}
TYPED_TEST(scans, of_columns_of_every_length_and_number) {
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 64, 100, 1023, 1100, 40000})
    for (const std::int64_t columns : {1, 2, 5, 32, 33, 130, 257}) {
      if (!lf::space_traits<TypeParam>::on_device && n * columns > 2000000) continue;  // the same, for much longer
      const auto x = small_numbers<std::int32_t>({n, columns});
      EXPECT_TRUE(test::evaluates_to(lf::cumsum(test::array_of<TypeParam, 2>(x), axis<0>), summed(x, 0)))
          << columns << " columns of " << n;
    }
}
TYPED_TEST(scans, read_and_write_any_layout) {
  const auto t = small_numbers<float>({40, 30});
  const auto sums = summed(t, 1);
  const auto x = test::array_of<TypeParam, 2>(t);
  lf::array<float, 2, TypeParam> wide(lf::shape(40, 60));
  wide = 0.0f;
  wide(all, range(none, none, 2)) = x;
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(lf::cumsum(wide(all, range(none, none, 2)), axis<1>)), sums));
  const lf::array<float, 2, TypeParam> turned = lf::transpose(x);
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(lf::cumsum(lf::transpose(turned), axis<1>)), sums));
  const lf::array<float, 2, TypeParam> flipped = lf::flip(x, axis<1>);
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(lf::cumsum(lf::flip(flipped, axis<1>), axis<1>)), sums));
  wide(all, range(1, none, 2)) = lf::cumsum(x, axis<1>);
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(wide(all, range(1, none, 2))), sums));
  const lf::array<float, 2, TypeParam> to = lf::transpose(lf::cumsum(x, axis<1>));
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(lf::transpose(to)), sums));
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(lf::transpose(lf::cumsum(x, axis<1>))(range(3, 5), 7) + 0),
                                 test::tensor<std::int64_t>({2}, {sums[{7, 3}], sums[{7, 4}]})));
}
TYPED_TEST(scans, in_place_are_those_of_what_was_there) {
  const auto t = small_numbers<double>({700, 90});
  auto x = test::array_of<TypeParam, 2>(t);
  x = lf::cumsum(x, axis<1>);
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(x), summed(t, 1)));
  auto y = test::array_of<TypeParam, 2>(t);
  y = lf::cumsum(y, axis<0>);
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(y), summed(t, 0)));
  auto z = test::array_of<TypeParam, 2>(t);
  z = lf::flip(z, axis<1>);
  z = lf::cumsum(lf::flip(z, axis<1>), axis<1>);
  EXPECT_TRUE(test::evaluates_to(lf::cast<std::int64_t>(z), summed(t, 1)));
}

template <class E>
void expect_one_kernel(const E& e, const char* path) {
  lf::kernel_trace trace;
  const auto result = lf::materialize(e);
  ASSERT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 1);
  EXPECT_EQ(trace.kernels()[0].pattern, std::string("scan"));
  EXPECT_EQ(trace.kernels()[0].path, std::string(path));
}
TYPED_TEST(scans, are_one_kernel_with_what_they_are_computed_from_and_what_is_computed_from_them) {
  const auto x = test::array_of<TypeParam, 2>(small_numbers<float>({60, 50}));
  const auto y = test::array_of<TypeParam, 2>(small_numbers<float>({60, 50}));
  expect_one_kernel(lf::cumsum(x * x, axis<1>) * 2 + y, "rows");
  expect_one_kernel(lf::sqrt(lf::abs(lf::cumsum(x, axis<0>))), "columns");
  expect_one_kernel(lf::cumsum(x, axis<1>) / lf::cummax(lf::abs(x) + 1, axis<1>), "rows");
  expect_one_kernel(lf::cumsum(x, axis<1>) - lf::cumsum(x, axis<1>, exclusive), "rows");
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, axis<1>) - lf::cumsum(x, axis<1>, exclusive), test::tensor_of(x)));
  expect_one_kernel(lf::where(y > 0, lf::cumsum(y, axis<1>, backwards), x), "rows");
}
TYPED_TEST(scans, meet_reductions_and_other_scans) {
  const auto t = small_numbers<double>({6, 9});
  const auto x = test::array_of<TypeParam, 2>(t);
  const auto sums = summed(t, 1);
  std::vector<double> last(6), total(6);
  test::tensor<double> shares({6, 9}), twice({6, 9});
  for (std::int64_t i = 0; i < 6; ++i) {
    double all_of_them = 0, again = 0;
    for (std::int64_t j = 0; j < 9; ++j) all_of_them += static_cast<double>(sums[{i, j}]);
    for (std::int64_t j = 0; j < 9; ++j) {
      shares[{i, j}] = static_cast<double>(sums[{i, j}]) - static_cast<double>(sums[{i, 8}]);
      twice[{i, j}] = again += static_cast<double>(sums[{i, j}]);
    }
    total[static_cast<std::size_t>(i)] = all_of_them;
  }
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, axis<1>) - lf::sum(x, axis<1>, keepdims), shares));
  EXPECT_TRUE(test::evaluates_to(lf::sum(lf::cumsum(x, axis<1>), axis<1>), test::tensor<double>({6}, total)));
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(lf::cumsum(x, axis<1>), axis<1>), twice));
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(x - 0 * lf::mean(x, axis<1>, keepdims), axis<1>),
                                 test::tensor_of(lf::cast<double>(lf::cumsum(x, axis<1>)))));
  EXPECT_TRUE(test::evaluates_to(
      lf::cumsum(x, axis<1>) + lf::cumsum(x, axis<0>),
      test::tensor_of(lf::materialize(lf::cumsum(x, axis<1>)) + lf::materialize(lf::cumsum(x, axis<0>)))));
}

/// x -> a * x + b, which is associative but does not commute.
struct affine {
  std::int32_t a = 1, b = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
struct then {
  LAZYFUSE_HD affine operator()(const affine& f, const affine& g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};
TYPED_TEST(scans, of_a_users_function_keep_the_order_of_the_elements) {
  constexpr std::int64_t n = 10000;
  lf::array<affine, 1, lf::host> x(lf::shape{n});
  std::vector<affine> want(n);
  affine so_far{1, 3};
  for (std::int64_t i = 0; i < n; ++i) {
    x.data()[i] = {i % 3 == 0 ? -1 : 1, static_cast<std::int32_t>(i % 7) - 3};
    want[static_cast<std::size_t>(i)] = so_far = then{}(so_far, x.data()[i]);
  }
  const lf::array<affine, 1, TypeParam> there = lf::to<TypeParam>(x);
  const auto inclusive = lf::to<lf::host>(lf::materialize(lf::scan(then{}, affine{1, 3}, there)));
  const auto before = lf::to<lf::host>(lf::materialize(lf::scan(then{}, affine{1, 3}, there, exclusive)));
  for (std::int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(inclusive.data()[i], want[static_cast<std::size_t>(i)]) << i;
    ASSERT_EQ(before.data()[i], (i == 0 ? affine{1, 3} : want[static_cast<std::size_t>(i - 1)])) << i;
  }
}

TYPED_TEST(scans, have_the_same_bits_on_every_run) {
  const lf::array<float, 1, TypeParam> x = lf::random::uniform<float>(lf::shape(3000001), lf::seed{7});
  const auto first = test::tensor_of(lf::cumsum(x));
  const auto same = [&](const auto& again) {
    return std::memcmp(first.values.data(), again.values.data(), first.values.size() * sizeof(float)) == 0;
  };
  for (int run = 0; run < 3; ++run) ASSERT_TRUE(same(test::tensor_of(lf::cumsum(x))));
}
#if !defined(__CUDACC__)
/// Throws at an element below 0.
struct refuses {
  float operator()(float u, float v) const {
    if (v < 0) throw std::runtime_error("refused");
    return u + v;
  }
};
TEST(scans_of_the_host, end_with_the_exception_of_a_users_function) {
  lf::array<float, 1> x = lf::full({300000}, 1.0f);
  x(-1) = -1.0f;
  EXPECT_THROW((void)lf::materialize(lf::scan(refuses{}, 0.0f, x)), std::runtime_error);
}
#endif

template <class Space, int Axis>
void check_drift(const lf::shape<2>& s, std::int64_t step) {
  const lf::array<float, 2, Space> x = lf::full(s, 0.1f);
  const auto sums = test::tensor_of(lf::cumsum(x, axis<Axis>));
  for (std::int64_t i = 0; i < s[Axis]; i += 997) {
    const double exact = double(0.1f) * double(i + 1);
    ASSERT_NEAR(sums.values[static_cast<std::size_t>(i * step)], exact, 16 * exact * std::ldexp(1.0, -24)) << i;
  }
}
TYPED_TEST(scans, of_equal_numbers_do_not_drift) {
  check_drift<TypeParam, 1>({1, 1 << 22}, 1);
  check_drift<TypeParam, 0>({1 << 20, 4}, 4);
  check_drift<TypeParam, 0>({1 << 17, 32}, 32);
}

/// On the host large results go past the caches.
TYPED_TEST(scans, of_large_arrays_are_what_they_are_of_parts) {
  const lf::index_t rows = 2203, columns = 4101;
  const lf::array<float, 2, TypeParam> x =
      lf::cast<float>(lf::remainder(lf::reshape(lf::arange<int32_t>(rows * columns), {rows, columns}), 13));
  const lf::array<float, 2, TypeParam> down = lf::cumsum(x, axis<0>), along = lf::cumsum(x * 2.0f, axis<1>);
  for (const lf::index_t first : {lf::index_t{0}, lf::index_t{1000}, lf::index_t{3101}}) {
    const auto part = lf::range(first, first + 1000);
    EXPECT_TRUE(lf::array_equal(down(lf::all, part), lf::cumsum(x(lf::all, part), axis<0>))) << first;
  }
  for (const lf::index_t first : {lf::index_t{0}, lf::index_t{1203}}) {
    const auto part = lf::range(first, first + 1000);
    EXPECT_TRUE(lf::array_equal(along(part, lf::all), lf::cumsum(x(part, lf::all) * 2.0f, axis<1>))) << first;
  }
}

}  // namespace

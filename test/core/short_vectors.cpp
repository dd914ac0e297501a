// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are short vectors: operations are those on their components, which the conformance tests compare with
// NumPy's.
#include "support/arrays.hpp"

#include <cstring>
#include <sstream>
#include <tuple>

namespace {

using lf::vec;

static_assert(sizeof(vec<float, 3>) == 12 && alignof(vec<float, 3>) == 4);
static_assert(sizeof(vec<float, 4>) == 16 && alignof(vec<float, 4>) == 16);
static_assert(sizeof(vec<lf::uint8, 4>) == 4 && alignof(vec<lf::uint8, 4>) == 4);
static_assert(sizeof(vec<double, 4>) == 32 && alignof(vec<double, 4>) == 16);
static_assert(std::is_same_v<decltype(vec{1, 2, 3.0f}), vec<float, 3>>);
static_assert(!std::is_constructible_v<vec<int, 2>, float, float> &&
              !std::is_constructible_v<vec<float, 2>, int, int, int>);
static_assert((vec{1.0f, 2.0f} + 2.0f * vec{3.0f, 4.0f} - vec{1.0f, 1.0f}) / 2.0f == vec{3.0f, 4.5f});
static_assert(lf::widens_to<vec<float, 3>, vec<double, 3>> && !lf::widens_to<vec<double, 3>, vec<float, 3>> &&
              !lf::widens_to<vec<float, 3>, vec<float, 4>>);

/// x and y beside the same numbers as tables with an axis more, of the components.
template <class Case>
class short_vectors : public test::on<std::tuple_element_t<0, Case>> {
 protected:
  using space = std::tuple_element_t<0, Case>;
  using T = std::tuple_element_t<1, Case>;
  static constexpr int N = std::tuple_element_t<2, Case>::value;
  using element = vec<T, N>;

  static constexpr std::int64_t n = 1003;
  lf::array<T, 2, space> table_x = made(3), table_y = made(5);
  lf::array<element, 1, space> x = elements_of(table_x), y = elements_of(table_y);

  /// Small numbers that differ between components, none of them zero.
  static lf::array<T, 2, space> made(int seed) {
    const auto places = lf::reshape(lf::arange<lf::int32>(n), {n, 1}) * seed + 7 * lf::arange<lf::int32>(N);
    return lf::cast<T>(lf::remainder(places, 11) + 1);
  }
  static lf::array<element, 1, space> elements_of(const lf::array<T, 2, space>& table) {
    const auto from = lf::to<lf::host>(table);
    lf::array<element, 1, lf::host> to = lf::zeros<element>({n});
    std::memcpy(to.unshared(), from.data(), sizeof(T) * from.size());
    return lf::to<space>(to);
  }
  /// Compares vectors with a table, of their components along its last axis.
  template <class V, class E>
  static void expect_components(const V& vectors, const E& table) {
    using U = typename E::value_type;
    static_assert(std::is_same_v<typename V::value_type, vec<U, N>>);
    const auto got = lf::to<lf::host>(lf::materialize(vectors));
    const auto expected = lf::to<lf::host>(lf::materialize(table));
    ASSERT_EQ(got.size() * N, expected.size());
    for (std::int64_t i = 0; i < got.size(); ++i)
      for (int k = 0; k < N; ++k) ASSERT_TRUE(got.data()[i][k] == expected.data()[i * N + k]) << i << ", " << k;
  }
};
template <class Space>
using cases_of = ::testing::Types<std::tuple<Space, float, std::integral_constant<int, 3>>,
                                  std::tuple<Space, lf::half, std::integral_constant<int, 2>>,
                                  std::tuple<Space, lf::uint8, std::integral_constant<int, 4>>>;
#if defined(LAZYFUSE_CUDA)
using cases = cases_of<lf::cuda>;
#else
using cases = cases_of<lf::host>;
#endif
TYPED_TEST_SUITE(short_vectors, cases);

TYPED_TEST(short_vectors, meet_component_by_component) {
  const auto& [x, y, u, v] = std::tie(this->x, this->y, this->table_x, this->table_y);
  this->expect_components(x * y - x, u * v - u);
  this->expect_components(lf::maximum(x, y), lf::maximum(u, v));
  this->expect_components(x < y, u < v);
  this->expect_components(lf::where(x < y, lf::sqrt(x), y), lf::where(u < v, lf::sqrt(u), v));
  this->expect_components(lf::cast<double>(x) / lf::cast<double>(y), lf::cast<double>(u) / lf::cast<double>(v));
}
TYPED_TEST(short_vectors, meet_numbers_component_by_component) {
  const auto& [x, y, u, v] = std::tie(this->x, this->y, this->table_x, this->table_y);
  const lf::array<float, 1, typename TestFixture::space> w = lf::arange<float>(this->n);
  const auto column = w(lf::all, lf::newaxis);
  this->expect_components(2 * lf::pow(x, lf::c<2>) + 1, 2 * lf::pow(u, lf::c<2>) + 1);
  this->expect_components(w * x, column * u);
  this->expect_components(lf::where(w < 10, x, y), lf::where(column < 10, u, v));
}
TYPED_TEST(short_vectors, are_reduced_component_by_component) {
  const auto& [x, u] = std::tie(this->x, this->table_x);
  constexpr auto first = lf::axis<0>;
  this->expect_components(lf::sum(x), lf::sum(u, first));
  this->expect_components(lf::max(x), lf::max(u, first));
  this->expect_components(lf::min(x), lf::min(u, first));
  this->expect_components(lf::any(x > 10), lf::any(u > 10, first));
  this->expect_components(lf::mean(x), lf::mean(u, first));
  const auto x_rows = lf::reshape(x, {17, 59});
  const auto u_rows = lf::reshape(u, {17, 59, TestFixture::N});
  this->expect_components(lf::sum(x_rows, lf::axis<0>), lf::sum(u_rows, lf::axis<0>));
  this->expect_components(lf::sum(x_rows, lf::axis<1>), lf::sum(u_rows, lf::axis<1>));
}
TYPED_TEST(short_vectors, are_taken_apart_and_put_together) {
  const auto first = lf::component<0>(this->x);
  const auto second = lf::component<1>(this->y);
  EXPECT_TRUE(lf::array_equal(first, this->table_x(lf::all, 0)));
  EXPECT_TRUE(lf::array_equal(second, this->table_y(lf::all, 1)));
  const auto both = lf::materialize(lf::vec_of(first, second));
  static_assert(std::is_same_v<typename decltype(both)::value_type, vec<typename TestFixture::T, 2>>);
  EXPECT_TRUE(lf::array_equal(lf::component<1>(both), second));
}
TYPED_TEST(short_vectors, are_seen_through_views) {
  auto z = this->x;
  auto w = this->table_x;
  this->expect_components(lf::flip(z)(lf::range(3, 500, 7)), lf::flip(w, lf::axis<0>)(lf::range(3, 500, 7)));
  z(lf::range(0, 100, 2)) = this->y(lf::range(0, 100, 2));
  w(lf::range(0, 100, 2)) = this->table_y(lf::range(0, 100, 2));
  this->expect_components(z, w);
}
TYPED_TEST(short_vectors, are_written_component_by_component) {
  using T = typename TestFixture::T;
  auto z = this->x;
  auto w = this->table_x;
  const auto every_third = lf::range(0, 100, 3);
  lf::component<1>(z) = lf::component<0>(this->y);
  w(lf::all, 1) = this->table_y(lf::all, 0);
  lf::component<0>(z(every_third)) = lf::component<1>(this->y(every_third));
  w(every_third, 0) = this->table_y(every_third, 1);
  lf::component<0>(z) += lf::component<1>(z);
  w(lf::all, 0) += w(lf::all, 1);
  lf::component<1>(z)(lf::range(5, 9)) = T(3);
  w(lf::range(5, 9), 1) = T(3);
  lf::component<0>(z) = lf::component<1>(lf::flip(z));  // of elements written earlier
  w(lf::all, 0) = lf::flip(w, lf::axis<0>)(lf::all, 1);
  this->expect_components(z, w);
  this->expect_components(this->x, this->table_x);
}

template <class Space>
class vectors : public test::on<Space> {};
TYPED_TEST_SUITE(vectors, test::spaces, test::space_name);

TYPED_TEST(vectors, are_scalars_too) {
  lf::array<vec<float, 3>, 1, TypeParam> x = lf::full({4}, vec{1.0f, 2.0f, 3.0f});
  x = x * vec{2, 0, 1} + vec<double, 3>(0.5);
  EXPECT_EQ(x(3).item(), (vec{2.5f, 0.5f, 3.5f}));
  x(0) = vec{7.0f, 8.0f, 9.0f};
  x += 1;
  EXPECT_EQ(x(0).item(), (vec{8.0f, 9.0f, 10.0f}));
  EXPECT_EQ(lf::sum(x).item(), (vec{18.5f, 13.5f, 23.5f}));
  const lf::array<float, 1, TypeParam> w = lf::arange<float>(4);
  EXPECT_EQ(lf::materialize(w * vec{1, 10})(3).item(), (vec{3.0f, 30.0f}));
}
TYPED_TEST(vectors, are_what_numbers_are_assigned_to) {
  lf::array<vec<lf::uint8, 3>, 1, TypeParam> x = lf::zeros<vec<lf::uint8, 3>>({4});
  x(1) = 7;
  EXPECT_EQ(x(1).item(), (vec<lf::uint8, 3>(7)));
  EXPECT_THROW(x(0) = 300, lf::dtype_error);
  EXPECT_THROW(x = 300, lf::dtype_error);
  x = vec{1, 2, 3};
  EXPECT_EQ(x(3).item(), (vec<lf::uint8, 3>(1, 2, 3)));
  EXPECT_EQ(lf::materialize(lf::full_like(x, vec{4, 5, 6}))(2).item(), (vec<lf::uint8, 3>(4, 5, 6)));
}
TYPED_TEST(vectors, are_computed_part_by_part_without_other_memory) {
  lf::array<vec<float, 3>, 1, TypeParam> x = lf::full({1000}, vec{1.0f, 2.0f, 3.0f});
  {
    const lf::kernel_trace trace;
    lf::component<0>(x) = lf::component<1>(x) * 4 + lf::component<0>(x);
    lf::component<1>(x) += lf::component<0>(x);
    EXPECT_EQ(trace.launches(), 2);
    EXPECT_EQ(trace.allocations(), 0);
  }
  EXPECT_EQ(x(999).item(), (vec{9.0f, 11.0f, 3.0f}));
}
TYPED_TEST(vectors, have_the_name_of_their_type) {
  const lf::array<vec<float, 3>, 1, TypeParam> x = lf::zeros<vec<float, 3>>({4});
  EXPECT_NE(lf::explain(x + 1).find("vec<float32, 3>"), std::string::npos);
  EXPECT_STREQ(lf::name_of(lf::dtype_of<vec<bool, 2>>), "vec<bool, 2>");
}
TYPED_TEST(vectors, are_equal_where_all_components_are) {
  const lf::array<vec<float, 3>, 1, TypeParam> x = lf::full({4}, vec{1.0f, 2.0f, 3.0f});
  auto y = x;
  EXPECT_TRUE(lf::array_equal(x, y));
  y(2) = vec{1.0f, 2.0f, 4.0f};
  EXPECT_FALSE(lf::array_equal(x, y));
}
TYPED_TEST(vectors, are_evaluated_with_what_is_computed_together) {
  const lf::array<vec<double, 3>, 1, TypeParam> x = lf::vec_of(lf::arange<double>(50), 1.0, 2.0);
  const lf::array<vec<double, 3>, 1, TypeParam> one = lf::square(lf::sin(x)) + lf::square(lf::cos(x));  // sincos
  EXPECT_NEAR(lf::min(one).item()[0], 1, 1e-12);
  const auto parts = lf::materialize(x / lf::sum(x));  // one divisor for all
  EXPECT_NEAR(parts(49).item()[0], 0.04, 1e-12);
  EXPECT_NEAR(parts(0).item()[2], 0.02, 1e-12);
}
TYPED_TEST(vectors, widen_when_they_are_assigned) {
  const lf::array<vec<lf::uint8, 4>, 1, TypeParam> pixels = lf::full({5}, vec<lf::uint8, 4>(250, 251, 2, 3));
  const lf::array<vec<float, 4>, 1, TypeParam> colours = pixels;
  EXPECT_EQ(colours(4).item(), (vec{250.0f, 251.0f, 2.0f, 3.0f}));
  const lf::array<vec<lf::uint8, 4>, 1, TypeParam> brighter = lf::cast<lf::uint8>(colours * 1.5f);
  EXPECT_EQ(brighter(0).item(), (vec<lf::uint8, 4>(255, 255, 3, 4)));
  EXPECT_EQ(lf::sum(pixels).item(), (vec<lf::uint64, 4>(1250, 1255, 10, 15)));
}
TYPED_TEST(vectors, keep_sums_of_16_bits_in_float) {
  const lf::array<vec<lf::half, 2>, 1, TypeParam> x = lf::ones<vec<lf::half, 2>>({4096});
  EXPECT_EQ(lf::sum(x).item(), (vec<lf::half, 2>(4096.0f, 4096.0f)));
  EXPECT_EQ(lf::mean(x).item(), (vec<lf::half, 2>(1.0f, 1.0f)));
}
TYPED_TEST(vectors, meet_what_they_are_reduced_to) {
  using point = vec<double, 3>;
  const auto i = lf::arange<double>(1000);
  const lf::array<point, 2, TypeParam> x = lf::reshape(lf::vec_of(i, lf::ones<double>({1000}), -i), {4, 250});
  const lf::array<point, 2, TypeParam> centred = x - lf::mean(x, lf::axis<1>, lf::keepdims);
  EXPECT_EQ(centred(0, 0).item(), (point(-124.5, 0, 124.5)));
  EXPECT_EQ(centred(3, 249).item(), (point(124.5, 0, -124.5)));
  // of 16 bytes, which are read at once
  const lf::array<vec<double, 2>, 2, TypeParam> y = lf::reshape(lf::vec_of(i, -i), {4, 250});
  const auto centred_pairs = lf::materialize(y - lf::mean(y, lf::axis<1>, lf::keepdims));
  EXPECT_EQ(centred_pairs(2, 0).item(), (vec{-124.5, 124.5}));
}

TYPED_TEST(vectors, are_printed_and_saved_as_an_axis_more) {
  const lf::array<vec<lf::int32, 2>, 1, TypeParam> x = lf::vec_of(lf::arange<lf::int32>(3), 10);
  EXPECT_EQ(lf::format(x), "[[ 0 10]\n [ 1 10]\n [ 2 10]]");
  std::stringstream file;
  lf::save(file, x);
  const std::string bytes = file.str();
  const auto table = lf::load<lf::int32, 2>(file);
  EXPECT_TRUE(lf::array_equal(table(lf::all, 0), lf::arange<lf::int32>(3)));
  std::istringstream again(bytes), other(bytes);
  const auto y = lf::load<vec<lf::int32, 2>, 1, TypeParam>(again);
  EXPECT_TRUE(lf::all(lf::component<1>(y) == 10).item());
  EXPECT_EQ(y(2).item(), (vec{2, 10}));
  EXPECT_THROW((lf::load<vec<lf::int32, 3>, 1, TypeParam>(other)), lf::shape_error);
}

struct squared_length {
  LAZYFUSE_HD float operator()(const vec<float, 3>& x) const { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }
};
struct longer {
  LAZYFUSE_HD vec<float, 3> operator()(const vec<float, 3>& x, const vec<float, 3>& y) const {
    return squared_length{}(x) < squared_length{}(y) ? y : x;
  }
};
TYPED_TEST(vectors, are_elements_for_functions_of_ones_own) {
  const auto i = lf::arange<float>(100);
  const lf::array<vec<float, 3>, 1, TypeParam> x = lf::vec_of(i, 1 - i, 2 * i);
  EXPECT_EQ(lf::materialize(lf::map(squared_length{}, x))(2).item(), 4.0f + 1.0f + 16.0f);
  EXPECT_EQ(lf::reduce(longer{}, vec<float, 3>(0.0f), x).item(), (vec{99.0f, -98.0f, 198.0f}));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays read in another order of their axes than what is beside them, over extents that no tile fits: elementwise
// functions and reductions along every set of axes; against loops over plain numbers.
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::none, lf::range;
using std::int64_t;
using test::numbers;

template <class Space>
class other_orders : public test::on<Space> {
 protected:
  /// Where kernels are made for values.
  template <class E>
  static void expect_path(const char* path, const E& e) {
    if (!test::planned_by_values<Space> || lf::ir::checked_build) return;
    EXPECT_EQ(lf::plan(e).kernels[0].path, path);
  }
};
TYPED_TEST_SUITE(other_orders, test::spaces, test::space_name);

/// The extents without the axes A.
template <int... A>
test::extents without(const test::extents& shape) {
  test::extents left;
  for (int k = 0; k < static_cast<int>(shape.size()); ++k)
    if (!((k == A) || ...)) left.push_back(shape[static_cast<std::size_t>(k)]);
  return left;
}

/// Operands of an iteration of three axes: one in its order, one of which the first axis is the innermost, and one that
/// varies along the last two.
template <class Space, class T>
struct operands_of_three {
  test::extents shape;
  test::tensor<T> x, y, z;
  lf::array<T, 3, Space> a, b;
  lf::array<T, 2, Space> c;
  explicit operands_of_three(const test::extents& s)
      : shape(s),
        x(numbers<T>(s, 1)),
        y(numbers<T>({s[2], s[1], s[0]}, 2)),
        z(numbers<T>({s[1], s[2]}, 3)),
        a(test::array_of<Space, 3>(x)),
        b(test::array_of<Space, 3>(y)),
        c(test::array_of<Space, 2>(z)) {}
  T value(const test::extents& i) const {
    const auto number = [](const auto& v) { return static_cast<float>(v); };
    return static_cast<T>(number(x[i]) * 2 + number(y[{i[2], i[1], i[0]}]) - number(z[{i[1], i[2]}]));
  }
  auto expression() const { return a * T(2) + lf::permute_dims<2, 1, 0>(b) - c; }
};

template <int... A, class Space, class T>
void reduce(const operands_of_three<Space, T>& of) {
  const test::extents kept = without<A...>(of.shape);
  test::tensor<double> sum(kept), most(kept), squares(kept);
  std::fill(most.values.begin(), most.values.end(), -1e30);
  double count = 1;
  ((count *= static_cast<double>(of.shape[A])), ...);
  test::for_each_index(of.shape, [&](const test::extents& i) {
    const auto v = static_cast<double>(of.value(i));
    const test::extents at = without<A...>(i);
    sum[at] += v;
    squares[at] += v * v;
    most[at] = std::max(most[at], v);
  });
  const std::string text = test::text(of.shape) + " along " + test::text({A...});
  const auto e = of.expression();
  EXPECT_TRUE(test::evaluates_to(lf::sum(lf::cast<double>(e), axis<A...>), sum)) << text;
  EXPECT_TRUE(test::evaluates_to(lf::max(e, axis<A...>),
                                 test::generate<T>(kept, [&](const test::extents& i) { return T(most[i]); })))
      << text;
  // Several at once, and what follows them.
  const auto both = lf::max(e, axis<A...>) - lf::min(-e, axis<A...>);
  EXPECT_TRUE(test::evaluates_to(
      both, test::generate<T>(kept, [&](const test::extents& i) { return T(T(most[i]) + T(most[i])); })))
      << text;
  const auto variance = lf::to<lf::host>(lf::materialize(lf::var(lf::cast<double>(e), axis<A...>)));
  int64_t n = 0;
  for (const double v : variance) {
    const double mean = sum.values[static_cast<std::size_t>(n)] / count,
                 expected = squares.values[static_cast<std::size_t>(n)] / count - mean * mean;
    ASSERT_NEAR(v, expected, 1e-9 * squares.values[static_cast<std::size_t>(n)] / count) << text << " at " << n;
    ++n;
  }
}
template <class Space, class T>
void reduce_along_all(const test::extents& shape) {
  const operands_of_three<Space, T> of(shape);
  reduce<0>(of);
  reduce<1>(of);
  reduce<2>(of);
  reduce<0, 1>(of);
  reduce<0, 2>(of);
  reduce<1, 2>(of);
}
TYPED_TEST(other_orders, are_reduced_along_every_set_of_axes) {
  reduce_along_all<TypeParam, float>({50, 66, 83});
  reduce_along_all<TypeParam, std::int32_t>({29, 3, 3100});
  reduce_along_all<TypeParam, double>({1700, 5, 33});
}
TYPED_TEST(other_orders, are_reduced_by_tiles) {
  const operands_of_three<TypeParam, float> of({50, 66, 83});
  this->expect_path("tiles", lf::sum(of.expression(), axis<0>));
  this->expect_path("tiles", lf::sum(of.expression(), axis<1>));
  this->expect_path("tiles", lf::sum(of.expression(), axis<2>));
  this->expect_path("tiles", lf::sum(of.expression(), axis<0, 2>));
}
TYPED_TEST(other_orders, are_reduced_to_one_number) {
  const operands_of_three<TypeParam, float> of({97, 31, 101});
  double sum = 0;
  float most = -1e30f;
  test::for_each_index(of.shape, [&](const test::extents& i) {
    sum += static_cast<double>(of.value(i));
    most = std::max(most, of.value(i));
  });
  const lf::array<double, 0, TypeParam> all_of_it = lf::sum(lf::cast<double>(of.expression()));
  const lf::array<float, 0, TypeParam> largest = lf::max(of.expression());
  EXPECT_EQ(all_of_it.item(), sum);
  EXPECT_EQ(largest.item(), most);
}
/// Where the largest is: of several, the first.
TYPED_TEST(other_orders, have_the_first_of_several_equal_elements) {
  const test::extents shape{70, 5, 800};
  const operands_of_three<TypeParam, std::int32_t> of(shape);
  const auto e = lf::remainder(of.expression(), 7);
  const auto value = [&](const test::extents& i) { return ((of.value(i) % 7) + 7) % 7; };
  test::tensor<int64_t> of_rows({5, 800}), of_columns({70, 5});
  for (int64_t i = 0; i < 70; ++i)
    for (int64_t j = 0; j < 5; ++j)
      for (int64_t k = 0; k < 800; ++k) {
        if (value({i, j, k}) > value({of_rows[{j, k}], j, k})) of_rows[{j, k}] = i;
        if (value({i, j, k}) > value({i, j, of_columns[{i, j}]})) of_columns[{i, j}] = k;
      }
  EXPECT_TRUE(test::evaluates_to(lf::argmax(e, axis<0>), of_rows));
  EXPECT_TRUE(test::evaluates_to(lf::argmax(e, axis<2>), of_columns));
}
TYPED_TEST(other_orders, do_not_drift_however_many_are_added) {
  const lf::array<float, 2, TypeParam> a = lf::zeros<float>({20011, 37}) + 1.1f,
                                       b = lf::zeros<float>({37, 20011}) + 1.1f;
  const auto e = a + lf::transpose(b);
  const auto columns = lf::to<lf::host>(lf::materialize(lf::sum(e, axis<0>))),
             variances = lf::to<lf::host>(lf::materialize(lf::var(e, axis<0>)));
  const double each = 2 * static_cast<double>(1.1f);
  for (const float v : columns) EXPECT_NEAR(v, each * 20011, each * 20011 * 8 * 6e-8);
  const lf::array<float, 0, TypeParam> sum = lf::sum(e);
  EXPECT_NEAR(sum.item(), each * 20011 * 37, each * 20011 * 37 * 8 * 6e-8);
  for (const float v : variances) EXPECT_NEAR(v, 0, 1e-10);
}
TYPED_TEST(other_orders, repeat_their_bits) {
  const operands_of_three<TypeParam, float> of({40, 90, 97});
  const auto e = lf::sum(lf::exp(of.expression() * 0.01f), axis<0, 2>);
  const lf::array<float, 1, TypeParam> first = e;
  for (int n = 0; n < 5; ++n) EXPECT_TRUE(lf::array_equal(e, first));
}
/// Slices of larger arrays, in steps, backwards, and beside positions.
TYPED_TEST(other_orders, of_slices_are_reduced) {
  const test::extents shape{45, 60, 101};
  const auto x = numbers<float>({47, 60, 103}, 4), y = numbers<float>({101, 60, 90}, 5);
  const auto a = test::array_of<TypeParam, 3>(x), b = test::array_of<TypeParam, 3>(y);
  const auto e = a(range(1, -1), all, range(2, none)) * lf::permute_dims<2, 1, 0>(b(all, all, range(none, 45))) -
                 lf::permute_dims<2, 1, 0>(b(range(none, none, -1), all, range(45, none))) + lf::arange<float>(101);
  test::tensor<float> sum({60}), of_rows({45, 60});
  test::for_each_index(shape, [&](const test::extents& i) {
    const float v = x[{i[0] + 1, i[1], i[2] + 2}] * y[{i[2], i[1], i[0]}] - y[{100 - i[2], i[1], i[0] + 45}] +
                    static_cast<float>(i[2]);
    sum[{i[1]}] += v;
    of_rows[{i[0], i[1]}] += v;
  });
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<0, 2>), sum));
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<2>), of_rows));
}

template <class Space, class T>
void transform(const test::extents& shape) {
  const operands_of_three<Space, T> of(shape);
  const auto expected = test::generate<T>(shape, [&](const test::extents& i) { return of.value(i); });
  EXPECT_TRUE(test::evaluates_to(of.expression(), expected)) << test::text(shape);
  lf::array<T, 3, Space> in_place = of.a;
  in_place = in_place * T(2) + lf::permute_dims<2, 1, 0>(of.b) - of.c;
  EXPECT_TRUE(test::evaluates_to(in_place, expected)) << test::text(shape);
}
TYPED_TEST(other_orders, are_beside_each_other_in_elementwise_functions) {
  for (const test::extents& shape : {test::extents{33, 100, 85},
                                     {37, 123, 70},
                                     {98, 30, 90},
                                     {17, 1000, 17},
                                     {92, 1, 3000},
                                     {1500, 5, 37},
                                     {64, 2, 2100}}) {
    transform<TypeParam, float>(shape);
    transform<TypeParam, double>(shape);
    transform<TypeParam, std::int32_t>(shape);
  }
  transform<TypeParam, lf::half>({33, 100, 85});
  transform<TypeParam, std::int16_t>({33, 100, 85});

  const operands_of_three<TypeParam, float> of({33, 100, 85});
  this->expect_path("tiled", of.expression());
}
TYPED_TEST(other_orders, of_bytes_are_beside_each_other) {
  const test::extents shape{33, 100, 85};
  const auto small = [](const test::extents& s, int factor) {
    return test::generate<std::uint8_t>(
        s, [&](const test::extents& i) { return (i[0] * 3 + i[1] * factor + i[2]) % 100; });
  };
  const auto x = small(shape, 5), y = small({85, 100, 33}, 7);
  const auto a = test::array_of<TypeParam, 3>(x), b = test::array_of<TypeParam, 3>(y);
  EXPECT_TRUE(test::evaluates_to(a + lf::permute_dims<2, 1, 0>(b),
                                 test::generate<std::uint8_t>(shape, [&](const test::extents& i) {
                                   return x[i] + y[{i[2], i[1], i[0]}];
                                 })));
  EXPECT_TRUE(
      test::evaluates_to(a > lf::permute_dims<2, 1, 0>(b), test::generate<bool>(shape, [&](const test::extents& i) {
                           return x[i] > y[{i[2], i[1], i[0]}];
                         })));
}
/// Several results, four axes, and what is turned twice.
TYPED_TEST(other_orders, are_read_by_kernels_of_several_results) {
  const test::extents shape{46, 7, 29, 37};
  const auto x = numbers<float>(shape, 6), y = numbers<float>({37, 29, 7, 46}, 7),
             z = numbers<float>({29, 37, 7, 46}, 8);
  const auto a = test::array_of<TypeParam, 4>(x), b = test::array_of<TypeParam, 4>(y),
             c = test::array_of<TypeParam, 4>(z);
  const auto turned = lf::permute_dims<3, 2, 1, 0>(b), also = lf::permute_dims<3, 2, 0, 1>(c);
  const auto [sum, product] = lf::materialize(a + turned - also, a * turned);
  EXPECT_TRUE(test::evaluates_to(sum, test::generate<float>(shape, [&](const test::extents& i) {
                                   return x[i] + y[{i[3], i[2], i[1], i[0]}] - z[{i[2], i[3], i[1], i[0]}];
                                 })));
  EXPECT_TRUE(test::evaluates_to(product, test::generate<float>(shape, [&](const test::extents& i) {
                                   return x[i] * y[{i[3], i[2], i[1], i[0]}];
                                 })));
}
/// Axes before a tile and beside it, kept and reduced.
TYPED_TEST(other_orders, of_many_axes_are_reduced) {
  const test::extents shape{17, 3, 40, 5, 31};
  const auto x = numbers<std::int32_t>(shape, 10), y = numbers<std::int32_t>({31, 5, 3, 40, 17}, 11);
  const auto a = test::array_of<TypeParam, 5>(x), b = test::array_of<TypeParam, 5>(y);
  const auto e = a * 3 - lf::permute_dims<4, 2, 3, 1, 0>(b);
  const auto value = [&](const test::extents& i) { return x[i] * 3 - y[{i[4], i[3], i[1], i[2], i[0]}]; };
  const auto is = [&]<int... A>(std::integer_sequence<int, A...>) {
    test::tensor<int64_t> sum(without<A...>(shape));
    test::for_each_index(shape, [&](const test::extents& i) { sum[without<A...>(i)] += value(i); });
    EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<A...>), sum)) << test::text({A...});
  };
  is(std::integer_sequence<int, 1, 3>{});
  is(std::integer_sequence<int, 0, 1, 3>{});
  is(std::integer_sequence<int, 1, 2, 3, 4>{});
  is(std::integer_sequence<int, 0, 4>{});
  is(std::integer_sequence<int, 2>{});
  is(std::integer_sequence<int, 0, 2, 3, 4>{});
}
/// Whatever it is read for, once or for each of many positions.
TYPED_TEST(other_orders, of_small_arrays_are_read_for_large_ones) {
  const test::extents shape{9, 150, 220};
  const auto x = numbers<float>(shape, 12), y = numbers<float>({220, 150}, 13);
  const auto a = test::array_of<TypeParam, 3>(x);
  const auto b = test::array_of<TypeParam, 2>(y);
  test::tensor<float> sum({150, 220});
  test::for_each_index(shape, [&](const test::extents& i) { sum[{i[1], i[2]}] += x[i] + y[{i[2], i[1]}]; });
  EXPECT_TRUE(test::evaluates_to(lf::sum(a + lf::transpose(b), axis<0>), sum));
  this->expect_path("tiles", lf::sum(a + lf::transpose(b), axis<0>));
}
TYPED_TEST(other_orders, of_one_square_array_are_assigned_to_it) {
  const auto x = numbers<float>({517, 517}, 9);
  auto a = test::array_of<TypeParam, 2>(x);
  a = a + lf::transpose(a) * 2.0f;
  EXPECT_TRUE(test::evaluates_to(a, test::generate<float>({517, 517}, [&](const test::extents& i) {
                                   return x[i] + x[{i[1], i[0]}] * 2;
                                 })));
}

}  // namespace

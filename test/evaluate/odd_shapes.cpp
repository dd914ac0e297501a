// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays whose rows begin anywhere, of extents that no vector fits: elementwise functions beside rows and columns that
// are broadcast, slices and random numbers, and functions of columns and of axes in the middle; against loops over
// plain numbers.
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::none, lf::range;
using std::int32_t, std::int64_t;
using test::numbers;

template <class Space>
class odd_shapes : public test::on<Space> {
 protected:
  template <class T, int R>
  static lf::array<T, R, Space> of(const test::tensor<T>& t) {
    return test::array_of<Space, R>(t);
  }
  /// Where kernels are made for values.
  template <class E>
  static void expect_path(const char* path, const E& e) {
    if (!test::planned_by_values<Space> || lf::ir::checked_build) return;
    EXPECT_EQ(lf::plan(e).kernels[0].path, path);
  }
};
TYPED_TEST_SUITE(odd_shapes, test::spaces, test::space_name);

template <class Space, class T>
void broadcast_beside(const test::extents& shape) {
  const int64_t m = shape[0], n = shape[1];
  const auto x = numbers<T>(shape, 1), row = numbers<T>({n}, 2), column = numbers<T>({m, 1}, 3);
  const auto a = test::array_of<Space, 2>(x);
  const auto r = test::array_of<Space, 1>(row);
  const auto c = test::array_of<Space, 2>(column);
  const auto value = [&](const test::extents& i) {
    const auto number = [](T v) { return static_cast<float>(v); };
    return T(number(T(x[i])) > number(T(row[{i[1]}])) ? number(T(x[i])) + number(T(column[{i[0], 0}]))
                                                      : number(T(row[{i[1]}])) * 2);
  };
  const auto e = lf::where(a > r, a + c, r * T(2));
  EXPECT_TRUE(test::evaluates_to(e, test::generate<T>(shape, value))) << m << " x " << n;
  lf::array<T, 2, Space> y = a;
  y = lf::where(y > r, y + c, r * T(2));  // in place
  EXPECT_TRUE(test::evaluates_to(y, test::generate<T>(shape, value))) << m << " x " << n;
}
TYPED_TEST(odd_shapes, are_read_beside_rows_and_columns_that_are_broadcast) {
  for (const test::extents& shape : {test::extents{37, 101}, {1, 7}, {500, 29}, {3, 4097}, {1025, 3}, {129, 130}}) {
    broadcast_beside<TypeParam, float>(shape);
    broadcast_beside<TypeParam, double>(shape);
    broadcast_beside<TypeParam, int32_t>(shape);
    broadcast_beside<TypeParam, lf::half>(shape);
  }
  const auto x = this->template of<float, 2>(numbers<float>({37, 101}, 1));
  this->expect_path("unravelled", x + x(all, range(0, 1)));
}
TYPED_TEST(odd_shapes, are_read_beside_slices_positions_and_axes_in_the_middle) {
  const test::extents shape{5, 9, 31};
  const auto x = numbers<int32_t>(shape, 4), wide = numbers<int32_t>({5, 11, 33}, 5),
             middle = numbers<int32_t>({5, 1, 31}, 6);
  const auto a = this->template of<int32_t, 3>(x), w = this->template of<int32_t, 3>(wide),
             b = this->template of<int32_t, 3>(middle);
  const auto e = a * b + w(all, range(1, -1), range(2, none)) - lf::arange<int32_t>(31) + a * a;
  EXPECT_TRUE(test::evaluates_to(e, test::generate<int32_t>(shape, [&](const test::extents& i) {
                                   return x[i] * middle[{i[0], 0, i[2]}] + wide[{i[0], i[1] + 1, i[2] + 2}] -
                                          static_cast<int32_t>(i[2]) + x[i] * x[i];
                                 })));
  EXPECT_TRUE(test::evaluates_to(a - a(all, range(0, 1), range(none, none, -1)),
                                 test::generate<int32_t>(shape, [&](const test::extents& i) {
                                   return x[i] - x[{i[0], 0, 30 - i[2]}];
                                 })));
}
TYPED_TEST(odd_shapes, have_the_random_numbers_of_their_positions) {
  const auto column = this->template of<float, 2>(numbers<float>({201, 1}, 7));
  const lf::array<float, 2, TypeParam> draws = lf::random::uniform<float>({201, 333}, lf::seed{3}),
                                       zeros = lf::zeros<float>({201, 333});
  const auto e = zeros + lf::random::uniform<float>({201, 333}, lf::seed{3}) * column;
  EXPECT_TRUE(lf::array_equal(e, draws * column));
}

/// x - mean and the largest distance from it, along an axis between others.
template <class Space>
void centre_columns(const test::extents& shape) {
  const auto x = numbers<float>(shape, 8);
  const auto a = test::array_of<Space, 3>(x);
  test::tensor<float> sums({shape[0], shape[2]});
  test::for_each_index(shape, [&](const test::extents& i) { sums[{i[0], i[2]}] += x[i]; });
  const auto sum = [&](int64_t i, int64_t k) { return sums[{i, k}]; };
  const std::string text = test::text(shape);
  EXPECT_TRUE(
      test::evaluates_to(a - lf::sum(a, axis<1>, keepdims),
                         test::generate<float>(shape, [&](const test::extents& i) { return x[i] - sum(i[0], i[2]); })))
      << text;
  const auto farthest = lf::max(lf::abs(a - lf::sum(a, axis<1>, keepdims)), axis<1>);
  EXPECT_TRUE(test::evaluates_to(
      farthest, test::generate<float>({shape[0], shape[2]},
                                      [&](const test::extents& i) {
                                        float most = 0;
                                        for (int64_t j = 0; j < shape[1]; ++j)
                                          most = std::max(most, std::abs(x[{i[0], j, i[1]}] - sum(i[0], i[1])));
                                        return most;
                                      })))
      << text;
}
/// Sums along an axis in the middle: of rows that begin anywhere, of those beside whole ones, and of a few.
template <class Space>
void add_columns(const test::extents& shape) {
  const auto x = numbers<float>({shape[0], shape[1], shape[2] + 3}, 9), y = numbers<float>(shape, 10);
  const auto wide = test::array_of<Space, 3>(x), whole = test::array_of<Space, 3>(y);
  const auto view = wide(all, all, range(1, shape[2] + 1));
  test::tensor<float> of_view({shape[0], shape[2]}), of_both({shape[0], shape[2]}), most({shape[0], shape[2]});
  test::for_each_index(shape, [&](const test::extents& i) {
    const float v = x[{i[0], i[1], i[2] + 1}], both = v * y[i], sum = v + y[i];
    float& largest = most[{i[0], i[2]}];
    of_view[{i[0], i[2]}] += v;
    of_both[{i[0], i[2]}] += both;
    largest = i[1] == 0 ? sum : std::max(largest, sum);
  });
  const std::string text = test::text(shape);
  EXPECT_TRUE(test::evaluates_to(lf::sum(view, axis<1>), of_view)) << text;
  EXPECT_TRUE(test::evaluates_to(lf::sum(view * whole, axis<1>), of_both)) << text;
  EXPECT_TRUE(test::evaluates_to(lf::max(view + whole, axis<1>), most)) << text;
}
TYPED_TEST(odd_shapes, have_sums_of_any_number_of_columns) {
  for (const int64_t columns : {1, 3, 31, 33, 64, 118, 127, 128, 129, 131, 181, 250, 255, 257, 352, 383, 385, 516})
    for (const int64_t height : {1, 9, 300}) add_columns<TypeParam>({2, height, columns});
  add_columns<TypeParam>({300, 40, 130});
  // Dear ones, of so many rows that no block reads a column's at once.
  const auto x = numbers<float>({209, 1 << 14}, 11);
  const auto a = this->template of<float, 2>(x);
  test::tensor<float> sums({1 << 14});
  test::for_each_index(x.shape,
                       [&](const test::extents& i) { sums[{i[1]}] += std::floor(x[i] / 2) + std::floor(x[i] / 3); });
  EXPECT_TRUE(test::evaluates_to(lf::sum(lf::floor_divide(a, 2.0f) + lf::floor_divide(a, 3.0f), axis<0>), sums));
}

TYPED_TEST(odd_shapes, have_functions_of_columns_of_every_height) {
  for (const test::extents& shape : {test::extents{3, 1, 37},
                                     {2, 5, 333},
                                     {7, 16, 29},
                                     {2, 17, 3},
                                     {3, 122, 67},
                                     {1, 200, 45},
                                     {2, 256, 35},
                                     {9, 9, 4001},
                                     {1, 700, 400},
                                     {2, 300, 33},
                                     {5, 64, 32}})
    centre_columns<TypeParam>(shape);
  const auto a = this->template of<float, 3>(numbers<float>({3, 122, 67}, 8));
  this->expect_path("columns in registers", a - lf::sum(a, axis<1>, keepdims));
}

/// Which groups of threads have all of, several of them or one in a block.
TYPED_TEST(odd_shapes, have_functions_of_few_columns_beside_each_other) {
  for (const int64_t columns : {2, 3, 5, 8, 13, 31})
    for (const int64_t height : {3, 40, 301}) {
      const int64_t outer = 1 + (1 << 18) / (height * columns) + (test::planned_by_values<TypeParam> ? 1100 : 0);
      centre_columns<TypeParam>({outer, height, columns});
      add_columns<TypeParam>({outer, height, columns});
    }
  centre_columns<TypeParam>({600, 1100, 3});
  centre_columns<TypeParam>({541, 4096, 3});
  const auto x = numbers<float>({1200, 16, 17, 3}, 12);
  const auto a = this->template of<float, 4>(x);
  test::tensor<float> sums({1200, 3});
  test::for_each_index(x.shape, [&](const test::extents& i) { sums[{i[0], i[3]}] += x[i]; });
  EXPECT_TRUE(test::evaluates_to(a - lf::sum(a, axis<1, 2>, keepdims),
                                 test::generate<float>(x.shape, [&](const test::extents& i) {
                                   return x[i] - sums[{i[0], i[3]}];
                                 })));
  for (const test::extents& e : {test::extents{1200, 300, 3}, {6000, 24, 2}, {270, 3000, 13}}) {
    const lf::array<float, 3, TypeParam> pixels = lf::full({e[0], e[1], e[2]}, 0.5f);
    this->expect_path("columns in registers", pixels - lf::sum(pixels, axis<1>, keepdims));
  }
}

/// What is left of each element by the sum of its row, the largest of that, and the difference of two sums.
template <class Space, class T>
void centre_rows(const test::extents& shape) {
  const int64_t m = shape[0], n = shape[1];
  const auto x = numbers<T>(shape, 19), row = numbers<T>({n}, 20), column = numbers<T>({m, 1}, 21);
  const auto a = test::array_of<Space, 2>(x);
  const auto r = test::array_of<Space, 1>(row);
  const auto c = test::array_of<Space, 2>(column);
  test::tensor<T> sum({m, 1}), most({m, 1}), product({m});
  for (int64_t i = 0; i < m; ++i) {
    T all = 0, largest = 0, weighted = 0;
    for (int64_t j = 0; j < n; ++j) all += x[{i, j}];
    for (int64_t j = 0; j < n; ++j) {
      largest = std::max(largest, static_cast<T>(std::abs(x[{i, j}] - all)));
      weighted += x[{i, j}] * row[{j}];
    }
    sum[{i, 0}] = all, most[{i, 0}] = largest, product[{i}] = weighted - all;
  }
  const std::string text = test::text(shape);
  const auto apart = a - lf::sum(a, axis<1>, keepdims);
  EXPECT_TRUE(test::evaluates_to(lf::cast<T>(apart * c + r),
                                 test::generate<T>(shape,
                                                   [&](const test::extents& i) {
                                                     return (x[i] - sum[{i[0], 0}]) * column[{i[0], 0}] + row[{i[1]}];
                                                   })))
      << text;
  EXPECT_TRUE(test::evaluates_to(lf::cast<T>(lf::max(lf::abs(apart), axis<1>, keepdims)), most)) << text;
  EXPECT_TRUE(test::evaluates_to(lf::cast<T>(lf::sum(a * r, axis<1>) - lf::sum(a, axis<1>)), product)) << text;
  lf::array<T, 2, Space> y = a;
  y = lf::cast<T>(y - lf::max(lf::abs(y - lf::sum(y, axis<1>, keepdims)), axis<1>, keepdims));  // in place
  EXPECT_TRUE(test::evaluates_to(y, test::generate<T>(shape,
                                                      [&](const test::extents& i) {
                                                        return x[i] - most[{i[0], 0}];
                                                      })))
      << text;
}
TYPED_TEST(odd_shapes, have_functions_of_rows_of_every_length) {
  // On the GPU as many as have kernels of their length.
  constexpr int64_t part = std::is_same_v<TypeParam, lf::host> ? 16 : 1;
  for (const test::extents& whole : {test::extents{90000, 3}, {9101, 29}, {5600, 47}, {5500, 48}, {520, 1061}}) {
    const test::extents shape{whole[0] / part, whole[1]};
    if (shape[1] == 47) centre_rows<TypeParam, double>(shape);  // whole numbers, exactly
    else centre_rows<TypeParam, int32_t>(shape);
    const auto a = this->template of<float, 2>(numbers<float>(shape, 8));
    this->expect_path("rows in strips", a - lf::sum(a, axis<1>, keepdims));
    this->expect_path("rows in strips", lf::sum(a * a, axis<1>));
  }
}
TYPED_TEST(odd_shapes, have_functions_of_rows_of_16_bits_and_of_rows_that_lie_apart) {
  const test::extents shape{700, 401};
  const auto x = numbers<lf::half>(shape, 22);
  const auto h = this->template of<lf::half, 2>(x);
  std::vector<float> largest(static_cast<std::size_t>(shape[0]), -1000);
  test::for_each_index(shape, [&](const test::extents& i) {
    float& most = largest[static_cast<std::size_t>(i[0])];
    most = std::max(most, static_cast<float>(x[i]));
  });
  EXPECT_TRUE(test::evaluates_to(h - lf::max(h, axis<1>, keepdims),
                                 test::generate<lf::half>(shape, [&](const test::extents& i) {
                                   return lf::half(static_cast<float>(x[i]) - largest[static_cast<std::size_t>(i[0])]);
                                 })));
  const test::extents wide{60, 41, 9, 23};
  const auto y = numbers<int32_t>(wide, 23);
  const auto a = this->template of<int32_t, 4>(y);
  const auto inner = a(all, range(1, none), range(0, 8), range(2, -2));  // each row is pieces of 19
  const auto at = [&](int64_t i, int64_t j, int64_t k, int64_t l) { return y[{i, j + 1, k, l + 2}]; };
  test::tensor<int32_t> sum({60, 40, 1, 1}), most({60, 40});
  for (int64_t i = 0; i < 60; ++i)
    for (int64_t j = 0; j < 40; ++j) {
      int32_t all_of_them = 0, most_of_them = -1000;
      for (int64_t k = 0; k < 8; ++k)
        for (int64_t l = 0; l < 19; ++l) {
          all_of_them += at(i, j, k, l);
          most_of_them = std::max(most_of_them, at(i, j, k, l));
        }
      sum[{i, j, 0, 0}] = all_of_them, most[{i, j}] = most_of_them;
    }
  EXPECT_TRUE(test::evaluates_to(lf::max(inner, axis<2, 3>), most));
  EXPECT_TRUE(test::evaluates_to(lf::cast<int32_t>(inner - lf::sum(inner, axis<2, 3>, keepdims)),
                                 test::generate<int32_t>({60, 40, 8, 19}, [&](const test::extents& i) {
                                   return at(i[0], i[1], i[2], i[3]) - sum[{i[0], i[1], 0, 0}];
                                 })));
}
TYPED_TEST(odd_shapes, have_functions_of_several_axes_at_once_and_of_several_arrays) {
  const test::extents shape{3, 6, 7, 35};
  const auto x = numbers<int32_t>(shape, 9), y = numbers<int32_t>(shape, 10), w = numbers<int32_t>({6, 1, 35}, 11);
  const auto a = this->template of<int32_t, 4>(x), b = this->template of<int32_t, 4>(y);
  const auto c = this->template of<int32_t, 3>(w);
  const auto most = [&](int64_t i, int64_t l) {
    int32_t all = -10000;
    for (int64_t j = 0; j < 6; ++j)
      for (int64_t k = 0; k < 7; ++k) all = std::max(all, x[{i, j, k, l}] * 2 - y[{i, j, k, l}]);
    return all;
  };
  EXPECT_TRUE(test::evaluates_to(c * (a - lf::max(a * 2 - b, axis<1, 2>, keepdims)) + b,
                                 test::generate<int32_t>(shape, [&](const test::extents& i) {
                                   return w[{i[1], 0, i[3]}] * (x[i] - most(i[0], i[3])) + y[i];
                                 })));
}
TYPED_TEST(odd_shapes, have_softmax_and_variance_down_their_columns) {
  const test::extents shape{3, 50, 41};
  auto x = numbers<float>(shape, 12);
  for (auto& v : x.values) v *= 0.125f;
  const auto a = this->template of<float, 3>(x);
  const auto want = test::generate<float>(shape, [&](const test::extents& i) {
    double most = -1e9, sum = 0;
    for (int64_t j = 0; j < 50; ++j) most = std::max(most, double{x[{i[0], j, i[2]}]});
    for (int64_t j = 0; j < 50; ++j) sum += std::exp(double{x[{i[0], j, i[2]}]} - most);
    return static_cast<float>(std::exp(double{x[i]} - most) / sum);
  });
  EXPECT_TRUE(test::evaluates_to(lf::softmax(a, axis<1>), want, {8, 1e-12}));
  const auto variance = test::generate<float>({3, 41}, [&](const test::extents& i) {
    double mean = 0, sum = 0;
    for (int64_t j = 0; j < 50; ++j) mean += double{x[{i[0], j, i[1]}]} / 50;
    for (int64_t j = 0; j < 50; ++j) sum += (x[{i[0], j, i[1]}] - mean) * (x[{i[0], j, i[1]}] - mean);
    return static_cast<float>(sum / 50);
  });
  EXPECT_TRUE(test::evaluates_to(lf::var(a, axis<1>), variance, {8, 0}));
  const auto standard = (a - lf::mean(a, axis<1>, keepdims)) / lf::sqrt(lf::var(a, axis<1>, keepdims));
  const auto have = test::tensor_of(lf::sum(lf::square(standard), axis<1>));
  for (const float v : have.values) ASSERT_NEAR(v, 50, 1e-3);
}

/// The sum and the largest of what f says of each index, over the axes that are not kept.
template <class F>
std::pair<test::tensor<int64_t>, test::tensor<int64_t>> reduced(const test::extents& shape, const test::extents& kept,
                                                                const F& f) {
  test::extents left;
  for (const auto k : kept) left.push_back(shape[static_cast<std::size_t>(k)]);
  test::tensor<int64_t> sum(left), most(left);
  std::fill(most.values.begin(), most.values.end(), int64_t{-1000000});
  test::for_each_index(shape, [&](const test::extents& i) {
    test::extents to;
    for (const auto k : kept) to.push_back(i[static_cast<std::size_t>(k)]);
    sum[to] += f(i);
    most[to] = std::max(most[to], int64_t{f(i)});
  });
  return {sum, most};
}
TYPED_TEST(odd_shapes, are_reduced_over_several_axes_beside_what_lies_in_other_orders) {
  const test::extents shape{9, 34, 17, 77};
  const auto x = numbers<int32_t>(shape, 13), y = numbers<int32_t>({17, 77, 9, 34}, 14),
             w = numbers<int32_t>({34, 1, 77}, 15), v = numbers<int32_t>({9, 1, 17, 1}, 16);
  const auto a = this->template of<int32_t, 4>(x), c = this->template of<int32_t, 4>(y),
             u = this->template of<int32_t, 4>(v);
  const auto b = this->template of<int32_t, 3>(w);
  const auto e = lf::permute_dims<2, 3, 0, 1>(c) * b + a - u;
  const auto value = [&](const test::extents& i) {
    return y[{i[2], i[3], i[0], i[1]}] * w[{i[1], 0, i[3]}] + x[i] - v[{i[0], 0, i[2], 0}];
  };
  const auto plain = [&](const test::extents& i) { return x[i]; };
  const auto expect = [](const char* axes, const auto& sum, const auto& most, const auto& want) {
    EXPECT_TRUE(test::evaluates_to(sum, want.first)) << axes;
    EXPECT_TRUE(test::evaluates_to(lf::cast<int64_t>(most), want.second)) << axes;
  };
  expect("0, 2", lf::sum(e, axis<0, 2>), lf::max(e, axis<0, 2>), reduced(shape, {1, 3}, value));
  expect("1, 3", lf::sum(e, axis<1, 3>), lf::max(e, axis<1, 3>), reduced(shape, {0, 2}, value));
  expect("0, 1", lf::sum(e, axis<0, 1>), lf::max(e, axis<0, 1>), reduced(shape, {2, 3}, value));
  expect("0, 3", lf::sum(e, axis<0, 3>), lf::max(e, axis<0, 3>), reduced(shape, {1, 2}, value));
  expect("0, 2, 3", lf::sum(e, axis<0, 2, 3>), lf::max(e, axis<0, 2, 3>), reduced(shape, {1}, value));
  expect("0, 1, 2", lf::sum(e, axis<0, 1, 2>), lf::max(e, axis<0, 1, 2>), reduced(shape, {3}, value));
  expect("2", lf::sum(e, axis<2>), lf::max(e, axis<2>), reduced(shape, {0, 1, 3}, value));
  expect("0, 2 of one", lf::sum(a, axis<0, 2>), lf::max(a, axis<0, 2>), reduced(shape, {1, 3}, plain));
  expect("1, 3 of one", lf::sum(a, axis<1, 3>), lf::max(a, axis<1, 3>), reduced(shape, {0, 2}, plain));
  if (!test::planned_by_values<TypeParam> || lf::ir::checked_build) return;
  EXPECT_EQ(lf::plan(lf::sum(e, axis<0, 1>)).kernels[0].path, "tiles");
}
TYPED_TEST(odd_shapes, are_reduced_beside_their_transposes) {
  for (const test::extents& shape : {test::extents{701, 511}, {64, 5000}, {5000, 64}, {33, 8193}}) {
    const auto x = numbers<int32_t>(shape, 17), y = numbers<int32_t>({shape[1], shape[0]}, 18);
    const auto a = this->template of<int32_t, 2>(x), b = this->template of<int32_t, 2>(y);
    const auto want = reduced(shape, {0}, [&](const test::extents& i) {
      return 2 * x[i] - y[{i[1], i[0]}] * (i[0] % 3 == 0 ? 1 : 3);
    });
    const auto weight = lf::where(lf::remainder(lf::arange<int32_t>(static_cast<int32_t>(shape[0])), 3) == 0, 1, 3);
    const auto e = 2 * a - b.T() * weight(all, newaxis);
    EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<1>), want.first));
    EXPECT_TRUE(test::evaluates_to(lf::cast<int64_t>(lf::max(e, axis<1>)), want.second));
    lf::array<double, 2, TypeParam> d = lf::cast<double>(a);
    const lf::array<double, 2, TypeParam> dt = lf::cast<double>(b);
    const auto e_double = 2.0 * d - dt.T() * lf::cast<double>(weight)(all, newaxis);
    EXPECT_TRUE(test::evaluates_to(lf::cast<int64_t>(lf::sum(e_double, axis<1>)), want.first));
    const auto squares = reduced(shape, {0}, [&](const test::extents& i) {
      const int64_t value = 2 * x[i] - y[{i[1], i[0]}] * (i[0] % 3 == 0 ? 1 : 3);
      return value * value;
    });
    const auto n = static_cast<double>(shape[1]);
    const auto variances = test::generate<double>({shape[0]}, [&](const test::extents& i) {
      const double mean = static_cast<double>(want.first[i]) / n;
      return static_cast<double>(squares.first[i]) / n - mean * mean;
    });
    EXPECT_TRUE(test::evaluates_to(lf::var(e_double, axis<1>), variances, test::within{64, 1e-6}));
  }
}

/// An operand that is contiguous along another axis than the result, beside one that lies as the result does; in place,
/// and for two results of which one is what the other reads.
template <class Space, class T>
void turned_beside(const test::extents& shape) {
  const auto x = numbers<T>(shape, 21);
  const auto a = test::array_of<Space, 4>(x);
  const auto expect = [&]<int... To>(const auto& turned, lf::index_sequence<To...>) {
    const int to[] = {To...};
    test::extents extents, from(4);
    for (const int k : to) extents.push_back(shape[static_cast<std::size_t>(k)]);
    const auto z = numbers<T>(extents, 22);
    const auto at = [&](const test::extents& i) {
      for (std::size_t k = 0; k < 4; ++k) from[static_cast<std::size_t>(to[k])] = i[k];
      return x[from];
    };
    SCOPED_TRACE(test::text(extents));
    lf::array<T, 4, Space> b = test::array_of<Space, 4>(z), c = b;
    EXPECT_TRUE(test::evaluates_to(turned + b * T(2), test::generate<T>(extents, [&](const test::extents& i) {
                                     return T(at(i) + T(z[i] * T(2)));
                                   })));
    lf::assign(lf::tie(b, c), turned - T(1), b * T(2));
    EXPECT_TRUE(
        test::evaluates_to(b, test::generate<T>(extents, [&](const test::extents& i) { return T(at(i) - T(1)); })));
    EXPECT_TRUE(
        test::evaluates_to(c, test::generate<T>(extents, [&](const test::extents& i) { return T(z[i] * T(2)); })));
  };
  expect(lf::permute_dims<0, 3, 1, 2>(a), lf::index_sequence<0, 3, 1, 2>{});
  expect(lf::permute_dims<0, 2, 3, 1>(a), lf::index_sequence<0, 2, 3, 1>{});
  expect(lf::permute_dims<3, 2, 1, 0>(a), lf::index_sequence<3, 2, 1, 0>{});
  expect(lf::permute_dims<0, 1, 3, 2>(a), lf::index_sequence<0, 1, 3, 2>{});
}
TYPED_TEST(odd_shapes, are_turned_whichever_axis_is_contiguous) {
  for (const test::extents& shape : {test::extents{2, 40, 70, 3},
                                     {3, 37, 92, 5},
                                     {2, 41, 9, 57},
                                     {3, 1, 300, 17},
                                     {1, 16, 16, 130},
                                     {5, 2, 33, 64}}) {
    turned_beside<TypeParam, int32_t>(shape);
    turned_beside<TypeParam, double>(shape);
    turned_beside<TypeParam, lf::half>(shape);
  }
}

/// What would be read a few bytes of a line at a time goes through shared memory, or is copied in the order of the
/// others.
TYPED_TEST(odd_shapes, are_reduced_beside_large_arrays_that_lie_across_the_results) {
  const test::extents shape{35, 61, 23, 24};
  const auto x = numbers<int32_t>(shape, 23), y = numbers<int32_t>({24, 61, 35, 23}, 24);
  const auto a = this->template of<int32_t, 4>(x), b = this->template of<int32_t, 4>(y);
  const auto want = reduced({24, 61, 35, 23}, {0, 2, 3}, [&](const test::extents& i) {
    return y[i] - 3 * x[{i[2], i[1], i[3], i[0]}];
  });
  const auto e = b - 3 * lf::permute_dims<3, 1, 0, 2>(a);
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<1>), want.first));
  EXPECT_TRUE(test::evaluates_to(lf::cast<int64_t>(lf::max(e, axis<1>)), want.second));
  this->expect_path("tiles", lf::sum(e, axis<1>));
  const auto of_rows = lf::max(e, axis<1>, keepdims) - e;
  const auto distances = test::generate<int32_t>({24, 61, 35, 23}, [&](const test::extents& i) {
    return static_cast<int32_t>(want.second[{i[0], i[2], i[3]}]) - (y[i] - 3 * x[{i[2], i[1], i[3], i[0]}]);
  });
  EXPECT_TRUE(test::evaluates_to(of_rows, distances));
}

/// Kernels that read what is broadcast once for a tile add moments up, too.
TYPED_TEST(odd_shapes, have_the_variance_of_pairs) {
  const auto x = numbers<int32_t>({701}, 19), y = numbers<int32_t>({511}, 20);
  const lf::array<double, 1, TypeParam> a = lf::cast<double>(this->template of<int32_t, 1>(x)),
                                        b = lf::cast<double>(this->template of<int32_t, 1>(y));
  double sum = 0, squares = 0;
  for (const int32_t v : y.values) sum += v, squares += double(v) * v;
  const double mean = sum / 511, variance = squares / 511 - mean * mean;
  const auto of_pairs = lf::var(a(all, newaxis) - b(newaxis, all), axis<1>);
  EXPECT_TRUE(lf::all(lf::abs(of_pairs - variance) < 1e-6).item());
}

/// Extents of rows, and of columns beside each other, that registers, strips, blocks, clusters and all blocks together
/// have; on the host there are fewer.
const test::extents of_rows[] = {{90000, 3}, {16400, 17}, {8200, 32},  {6500, 41}, {5500, 48}, {2800, 96}, {2100, 128},
                                 {900, 300}, {260, 1024}, {200, 1344}, {64, 4097}, {30, 9001}, {6, 50257}, {2, 400000}};
const test::extents of_columns[] = {{9000, 10, 3}, {900, 300, 3}, {100, 1500, 7},
                                    {20, 300, 64}, {3, 70000, 5}, {2, 9001, 260}};

template <class Space>
constexpr int64_t some(int64_t all) {
  return std::is_same_v<Space, lf::host> ? std::max<int64_t>(all / 16, 2) : all;
}

/// Whose mean is rounded: it may be none of them.
TYPED_TEST(odd_shapes, have_a_variance_of_0_where_all_are_equal) {
  for (const float c : {0.1f, 1.8132702f, -300.1f}) {
    for (const test::extents& e : of_rows) {
      const lf::array<float, 2, TypeParam> x = lf::full({some<TypeParam>(e[0]), e[1]}, c);
      const lf::array<float, 1, TypeParam> v = lf::var(x, axis<1>);
      EXPECT_TRUE(lf::all(v == 0).item()) << test::text(e) << " of " << c;
      const lf::array<float, 2, TypeParam> spread = x + lf::sqrt(lf::var(x, axis<1>, keepdims));
      EXPECT_TRUE(lf::all(spread == c).item()) << test::text(e) << " of " << c;
      const lf::array<float, 2, TypeParam> scores = lf::layer_norm(x);
      EXPECT_TRUE(lf::all(scores == 0).item()) << test::text(e) << " of " << c;
    }
    for (const test::extents& e : of_columns) {
      const lf::array<float, 3, TypeParam> x = lf::full({some<TypeParam>(e[0]), e[1], e[2]}, c);
      const lf::array<float, 2, TypeParam> v = lf::var(x, axis<1>);
      EXPECT_TRUE(lf::all(v == 0).item()) << test::text(e) << " of " << c;
      const lf::array<float, 3, TypeParam> spread = x + lf::sqrt(lf::var(x, axis<1>, keepdims));
      EXPECT_TRUE(lf::all(spread == c).item()) << test::text(e) << " of " << c;
    }
  }
}
/// Which is no variance of 0.
TYPED_TEST(odd_shapes, have_no_finite_variance_where_squares_overflow) {
  for (const test::extents& e : of_rows) {
    const auto places = lf::cast<float>(lf::remainder(lf::arange<int32_t>(static_cast<int32_t>(e[1])), 2));
    const lf::array<float, 2, TypeParam> far = lf::full({some<TypeParam>(e[0]), e[1]}, 1e20f) * (1 - 2 * places);
    const lf::array<float, 2, TypeParam> of_each = 0 * far + lf::var(far, axis<1>, keepdims);
    EXPECT_FALSE(lf::any(lf::isfinite(of_each)).item()) << test::text(e);
  }
}
/// A unit in the last place, or few.
TYPED_TEST(odd_shapes, have_the_variance_of_numbers_that_differ_by_little) {
  const float c = 300.1f, unit = std::nextafter(c, 1000.0f) - c;
  const auto variance = [&](int64_t n) {  // of 0, 1, 2, 0, 1, ... units
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) sum += double(i % 3), squares += double(i % 3) * double(i % 3);
    return static_cast<float>((squares - sum * sum / double(n)) / double(n) * unit * unit);
  };
  const auto near = [](const auto& v, float want) { return lf::all(lf::abs(v - want) < 1e-3f * want).item(); };
  for (const test::extents& e : of_rows) {
    const auto places = lf::cast<float>(lf::remainder(lf::arange<int32_t>(static_cast<int32_t>(e[1])), 3));
    const lf::array<float, 2, TypeParam> x = lf::full({some<TypeParam>(e[0]), e[1]}, c) + unit * places;
    const lf::array<float, 1, TypeParam> v = lf::var(x, axis<1>);
    EXPECT_TRUE(near(v, variance(e[1]))) << test::text(e);
    const lf::array<float, 2, TypeParam> of_each = 0 * x + lf::var(x, axis<1>, keepdims);
    EXPECT_TRUE(near(of_each, variance(e[1]))) << test::text(e);
  }
  for (const test::extents& e : of_columns) {
    const auto places = lf::cast<float>(lf::remainder(lf::arange<int32_t>(static_cast<int32_t>(e[1])), 3));
    const lf::array<float, 3, TypeParam> x =
        lf::full({some<TypeParam>(e[0]), e[1], e[2]}, c) + unit * places(all, newaxis);
    const lf::array<float, 2, TypeParam> v = lf::var(x, axis<1>);
    EXPECT_TRUE(near(v, variance(e[1]))) << test::text(e);
    const lf::array<float, 3, TypeParam> of_each = 0 * x + lf::var(x, axis<1>, keepdims);
    EXPECT_TRUE(near(of_each, variance(e[1]))) << test::text(e);
  }
}
/// So that threads and blocks, which add up some places each, have unlike means, and the last ones fewer places.
TYPED_TEST(odd_shapes, have_the_variance_of_rows_and_columns_of_which_few_places_are_far_from_the_others) {
  const test::extents of_one_row[] = {{7, 4001}, {2, 300007}};
  const test::extents of_one_column[] = {{7, 4001, 5}, {3, 70001, 5}, {2, 9001, 260}, {1, 100003, 40}, {40, 3001, 46}};
  const test::extents of_two_axes[] = {{9, 30, 2001}, {70, 6, 1030}, {12, 20, 512}, {40, 7, 96}};
  for (int at = 0; at < 3; ++at)
    for (int32_t few : {1, 2, 37}) {
      const auto first_of = [&](int32_t n) { return at == 0 ? 0 : at == 1 ? n / 3 : n - few; };
      const auto numbers = [&](int32_t n) {
        const auto place = lf::arange<int32_t>(n);
        const auto is_far = lf::logical_and(place >= first_of(n), place < first_of(n) + few);
        return lf::cast<float>(lf::where(is_far, 1000, lf::remainder(place, 3)));
      };
      const auto error = [&](const auto& v, int32_t n) {
        double sum = 0, squares = 0;
        for (int32_t i = 0; i < n; ++i) {
          const double x = i >= first_of(n) && i < first_of(n) + few ? 1000 : i % 3;
          sum += x, squares += x * x;
        }
        const double want = squares / n - sum / n * (sum / n);
        return lf::max(lf::abs(lf::cast<double>(v) - want)).item() / want;
      };
      for (const test::extents& e : of_one_row) {
        const auto n = static_cast<int32_t>(e[1]);
        const lf::array<float, 2, TypeParam> x = lf::full({e[0], e[1]}, 0.0f) + numbers(n);
        const lf::array<float, 1, TypeParam> v = lf::var(x, axis<1>);
        EXPECT_LT(error(v, n), 1e-6) << test::text(e) << ", " << few << ", " << at;
      }
      for (const test::extents& e : of_one_column) {
        const auto n = static_cast<int32_t>(e[1]);
        const lf::array<float, 1, TypeParam> one = numbers(n);
        const lf::array<float, 3, TypeParam> x = lf::full({e[0], e[1], e[2]}, 0.0f) + one(all, newaxis);
        const lf::array<float, 2, TypeParam> v = lf::var(x, axis<1>);
        EXPECT_LT(error(v, n), 1e-6) << test::text(e) << ", " << few << ", " << at;
      }
      for (const test::extents& e : of_two_axes) {
        const auto n = static_cast<int32_t>(e[2]);
        const lf::array<float, 3, TypeParam> x = lf::full({e[0], e[1], e[2]}, 0.0f) + numbers(n);
        const lf::array<float, 1, TypeParam> v = lf::var(x, axis<0, 2>);
        EXPECT_LT(error(v, n), 1e-6) << test::text(e) << ", " << few << ", " << at;
      }
    }
}
/// Fewer blocks than a block has lines of threads, some of which find nothing to merge; alone and beside a sum.
template <class Space, class T>
void vary_dear_columns(const test::extents& e, double tolerance) {
  const auto n = static_cast<int32_t>(e[1]);
  const lf::array<T, 1, Space> place = lf::cast<T>(lf::remainder(lf::arange<int32_t>(n), 7));
  const lf::array<T, 3, Space> x = lf::full({e[0], e[1], e[2]}, T(0)) + place(all, newaxis);
  const auto dear = lf::tanh(x / (lf::square(x) + T(0.5))) + x;
  double sum = 0, squares = 0;
  for (int32_t i = 0; i < n; ++i) {
    const double p = i % 7, y = std::tanh(p / (p * p + 0.5)) + p;
    sum += y, squares += y * y;
  }
  const double want = squares / n - sum / n * (sum / n);
  const auto error = [](const auto& found, double wanted) {
    return lf::max(lf::abs(lf::cast<double>(found) - wanted)).item() / wanted;
  };
  const lf::array<T, 2, Space> alone = lf::var(dear, axis<1>);
  EXPECT_LT(error(alone, want), tolerance) << test::text(e);
  const auto [variance, total] = lf::materialize(lf::var(dear, axis<1>), lf::sum(dear, axis<1>));
  EXPECT_LT(error(variance, want), tolerance) << test::text(e);
  EXPECT_LT(error(total, sum), tolerance) << test::text(e);
}
TYPED_TEST(odd_shapes, have_the_variance_of_dear_columns_that_few_blocks_share) {
  for (const test::extents& e : {test::extents{150, 352, 61}, {60, 700, 181}, {200, 100, 45}}) {
    vary_dear_columns<TypeParam, float>(e, 1e-6);
    vary_dear_columns<TypeParam, double>(e, 1e-13);
  }
}
TYPED_TEST(odd_shapes, have_columns_of_which_one_number_is_none) {
  const int64_t n = 9001;
  for (const int64_t columns : {181, 260})
    for (const int64_t at : {int64_t{0}, n / 2, n - 1})
      for (const float odd : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        lf::array<float, 2, TypeParam> x = lf::full({n, columns}, 1.0f);
        x(at, 7) = odd;
        const lf::array<float, 1, TypeParam> v = lf::var(x, axis<0>), log_of_sum = lf::logsumexp(x, axis<0>);
        EXPECT_EQ(lf::count_nonzero(v == 0).item(), columns - 1);
        EXPECT_TRUE(std::isnan(v(7).item()));
        EXPECT_FALSE(std::isfinite(log_of_sum(7).item()));
        EXPECT_EQ(lf::count_nonzero(lf::isfinite(log_of_sum)).item(), columns - 1);
      }
}
/// Several results of columns that are merged in different ways.
TYPED_TEST(odd_shapes, have_unlike_reductions_of_columns_in_one_pass) {
  const lf::array<float, 1, TypeParam> place = lf::cast<float>(lf::arange<int32_t>(9001));
  const lf::array<float, 2, TypeParam> x = lf::remainder(place, 3)(all, newaxis) + lf::full({9001, 260}, 0.0f);
  const auto [variance, sum, first_two, log_of_sum] =
      lf::materialize(lf::var(x, axis<0>), lf::sum(x, axis<0>), lf::argmax(x, axis<0>), lf::logsumexp(x, axis<0>));
  const double twos = 3000, ones = 3000, n = 9001, mean = (2 * twos + ones) / n;
  EXPECT_TRUE(lf::all(lf::abs(variance - float((4 * twos + ones) / n - mean * mean)) < 1e-6f).item());
  EXPECT_TRUE(lf::all(sum == float(2 * twos + ones)).item());
  EXPECT_TRUE(lf::all(first_two == 2).item());
  EXPECT_TRUE(lf::all(lf::abs(log_of_sum - float(std::log(3001 + 3000 * std::exp(1.0) + 3000 * std::exp(2.0)))) < 4e-6f)
                  .item());
}
TYPED_TEST(odd_shapes, have_the_normal_form_of_short_rows) {
  for (const int64_t n : {1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 47, 49, 64, 65, 70}) {
    const int64_t rows = 300;
    const lf::array<float, 2, TypeParam> same = lf::full({rows, n}, 0.1f);
    EXPECT_TRUE(lf::all(lf::layer_norm(same) == 0).item()) << n;
    EXPECT_TRUE(lf::all(lf::var(same, axis<1>) == 0).item()) << n;
    lf::array<float, 2, TypeParam> x = lf::full({rows, n}, 0.0f) + lf::cast<float>(lf::arange<int32_t>(int32_t(n)));
    const double variance = (double(n) * double(n) - 1) / 12;
    const lf::array<float, 1, TypeParam> v = lf::var(x, axis<1>);
    EXPECT_TRUE(lf::all(lf::abs(v - float(variance)) <= float(1e-6 * variance)).item()) << n;
    x(17, n - 1) = std::numeric_limits<float>::quiet_NaN();
    x(19, 0) = std::numeric_limits<float>::infinity();
    const lf::array<float, 2, TypeParam> z = lf::layer_norm(x);
    EXPECT_EQ(lf::count_nonzero(z != z).item(), 2 * n) << n;
  }
}

}  // namespace

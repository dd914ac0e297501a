// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of what is broadcast along kept axes go tile by tile: of any number of rows, columns and elements to add
// up, in any layout, against loops over plain numbers.
#include "support/host_threads.hpp"
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace {

using lf::all, lf::axis, lf::newaxis, lf::range;
using std::int64_t;
using test::numbers, test::of;

template <class E>
std::string path_of(const E& e) {
  return lf::plan(e).kernels[0].path;
}
/// What adding f(row, column, k) for all k gives.
template <class T, class F>
test::tensor<T> added_up(int64_t rows, int64_t columns, int64_t depth, const F& f) {
  return test::generate<T>({rows, columns}, [&](const test::extents& at) {
    T sum{};
    for (int64_t k = 0; k < depth; ++k) sum += f(at[0], at[1], k);
    return sum;
  });
}

TEST(tiles, of_any_number_of_rows_and_columns_and_depth) {
  for (const int64_t columns : {16, 17, 31, 33, 70})
    for (const int64_t depth : {2, 15, 17, 63, 64, 65, 130}) {
      const int64_t rows = 2048 / columns + 3;
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " x " + std::to_string(depth));
      const auto a = numbers<float>({rows, depth}, 1), b = numbers<float>({columns, depth}, 2);
      const auto x = of<float, 2>(a), y = of<float, 2>(b);
      const auto product = lf::sum(x(all, newaxis) * y(newaxis) + 1.0f, axis<2>);  // alone a library has it
      EXPECT_EQ(path_of(product), "tiles");
      EXPECT_TRUE(test::evaluates_to(product, added_up<float>(rows, columns, depth, [&](auto r, auto c, auto k) {
                                       return a[{r, k}] * b[{c, k}] + 1.0f;
                                     })));
      // The operand that differs from column to column first: rows and columns are exchanged.
      const auto offset = numbers<float>({rows, columns}, 3);
      const auto turned = lf::sum(y(newaxis) - x(all, newaxis) * 2.0f, axis<2>) + of<float, 2>(offset);
      EXPECT_EQ(path_of(turned), "tiles");
      auto want = added_up<float>(rows, columns, depth, [&](auto r, auto c, auto k) {
        return b[{c, k}] - a[{r, k}] * 2.0f;
      });
      for (std::size_t i = 0; i < want.values.size(); ++i) want.values[i] += offset.values[i];
      EXPECT_TRUE(test::evaluates_to(turned, want));
    }
}

TEST(tiles, of_operands_in_any_layout) {
  const int64_t rows = 67, columns = 45, depth = 70;
  const auto a = numbers<double>({depth, rows}, 1), b = numbers<double>({2 * depth, columns}, 2);
  const auto x = of<double, 2>(a), y = of<double, 2>(b);
  const auto turned = lf::transpose(x)(range(lf::none, lf::none, -1));  // rows backwards, along columns of memory
  const auto odd = lf::transpose(y(range(1, lf::none, 2)))(range(lf::none, lf::none, -1));  // every second line
  const auto sums = 2.0 * lf::sum(lf::abs(turned(all, newaxis) - odd(newaxis)), axis<2>) - 1.0;
  EXPECT_EQ(path_of(sums), "tiles");
  const auto want = test::generate<double>({rows, columns}, [&](const test::extents& at) {
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += std::abs(a[{k, rows - 1 - at[0]}] - b[{2 * k + 1, columns - 1 - at[1]}]);
    return 2 * sum - 1;
  });
  EXPECT_TRUE(test::evaluates_to(sums, want));
}

TEST(tiles, of_batches_over_several_reduced_axes) {
  const auto a = numbers<int>({3, 40, 5, 7}, 1), b = numbers<int>({3, 33, 5, 7}, 2);
  const auto x = of<int, 4>(a), y = of<int, 4>(b);
  const auto most = lf::max(x(all, all, newaxis) + y(all, newaxis), axis<3, 4>);  // y differs in all axes that are kept
  EXPECT_TRUE(test::evaluates_to(most, test::generate<int>({3, 40, 33}, [&](const test::extents& at) {
                                   int best = std::numeric_limits<int>::min();
                                   for (int64_t i = 0; i < 5; ++i)
                                     for (int64_t j = 0; j < 7; ++j)
                                       best = std::max(best, a[{at[0], at[1], i, j}] + b[{at[0], at[2], i, j}]);
                                   return best;
                                 })));
  const auto z = of<int, 3>(numbers<int>({33, 5, 7}, 3));
  const auto c = numbers<int>({33, 5, 7}, 3);
  const auto shared = lf::max(x(all, all, newaxis) + z(newaxis, newaxis), axis<3, 4>);
  EXPECT_EQ(path_of(shared), "tiles");
  EXPECT_TRUE(test::evaluates_to(shared, test::generate<int>({3, 40, 33}, [&](const test::extents& at) {
                                   int best = std::numeric_limits<int>::min();
                                   for (int64_t i = 0; i < 5; ++i)
                                     for (int64_t j = 0; j < 7; ++j)
                                       best = std::max(best, a[{at[0], at[1], i, j}] + c[{at[2], i, j}]);
                                   return best;
                                 })));
}

// Rows of two axes that are no one axis, of which the last blocks are not whole.
TEST(tiles, of_rows_along_several_axes) {
  for (const int64_t across : {2, 5, 8, 13}) {
    const auto a = numbers<float>({30, across + 1, 19}, 1), b = numbers<float>({40, 19}, 2);
    const auto x = of<float, 3>(a)(all, range(1, lf::none));
    const auto y = of<float, 2>(b);
    const auto want = test::generate<float>({30, across, 40}, [&](const test::extents& at) {
      float sum = 0;
      for (int64_t k = 0; k < 19; ++k) sum += std::abs(a[{at[0], at[1] + 1, k}] - b[{at[2], k}]);
      return sum;
    });
    const auto distances = lf::sum(lf::abs(x(all, all, newaxis) - y(newaxis, newaxis)), axis<3>);
    EXPECT_EQ(path_of(distances), "tiles");
    EXPECT_TRUE(test::evaluates_to(distances, want));
    EXPECT_TRUE(test::evaluates_to(lf::sum(lf::abs(y(newaxis, newaxis) - x(all, all, newaxis)), axis<3>), want));
  }
}

struct quotient {
  int operator()(int a, int b) const { return a / b; }
};
// Columns beyond the last one are computed, too: not from memory that nobody wrote, in which a divisor may be 0.
TEST(tiles, divide_integers_by_nothing_that_is_not_there) {
  const int64_t rows = 70, columns = 33, depth = 4;
  const auto a = numbers<int>({rows, depth}, 1);
  const auto b = test::generate<int>({columns, depth}, [](const test::extents& at) { return int(at[0] % 5) + 1; });
  const auto x = of<int, 2>(a), y = of<int, 2>(b);
  const auto most = lf::max(lf::map(quotient{}, x(all, newaxis), y(newaxis)), axis<2>);
  EXPECT_EQ(path_of(most), "tiles");
  EXPECT_TRUE(test::evaluates_to(most, test::generate<int>({rows, columns}, [&](const test::extents& at) {
                                   int best = std::numeric_limits<int>::min();
                                   for (int64_t k = 0; k < depth; ++k)
                                     best = std::max(best, a[{at[0], k}] / b[{at[1], k}]);
                                   return best;
                                 })));
}

TEST(tiles, of_several_reductions_and_what_is_computed_from_them) {
  const int64_t rows = 64, columns = 50, depth = 37;
  const auto a = numbers<double>({rows, depth}, 1), b = numbers<double>({columns, depth}, 2),
             w = numbers<double>({rows, columns}, 3);
  const auto x = of<double, 2>(a), y = of<double, 2>(b), z = of<double, 2>(w);
  const auto product = x(all, newaxis) * y(newaxis);
  const auto e = lf::sum(product, axis<2>) * z + lf::max(product + z(all, all, newaxis), axis<2>);
  ASSERT_EQ(lf::plan(e).kernels.size(), 1u);
  EXPECT_EQ(path_of(e), "tiles");
  const auto want = test::generate<double>({rows, columns}, [&](const test::extents& at) {
    double sum = 0, most = -1e9;
    for (int64_t k = 0; k < depth; ++k) {
      sum += a[{at[0], k}] * b[{at[1], k}];
      most = std::max(most, a[{at[0], k}] * b[{at[1], k}] + w[{at[0], at[1]}]);
    }
    return sum * w[{at[0], at[1]}] + most;
  });
  EXPECT_TRUE(test::evaluates_to(e, want));
  lf::array<double, 2, lf::host> in_place = z + 0.0;
  in_place = lf::sum(product, axis<2>) * in_place + lf::max(product + in_place(all, all, newaxis), axis<2>);
  EXPECT_TRUE(test::evaluates_to(in_place, want));
}

TEST(tiles, of_pairs_of_one_array) {
  const int64_t n = 2101;
  const auto a = numbers<float>({n}, 1);
  const auto x = of<float, 1>(a);
  const auto near = lf::sum(lf::cast<float>(lf::abs(x(all, newaxis) - x(newaxis)) < 3.0f), axis<1>);
  EXPECT_EQ(path_of(near), "tiles");
  EXPECT_TRUE(test::evaluates_to(near, test::generate<float>({n}, [&](const test::extents& at) {
                                   float count = 0;
                                   for (int64_t k = 0; k < n; ++k)
                                     count += std::abs(a[{at[0]}] - a[{k}]) < 3 ? 1.0f : 0.0f;
                                   return count;
                                 })));
}

TEST(tiles, keep_nan) {
  auto a = numbers<float>({70, 20}, 1);
  a[{5, 7}] = std::numeric_limits<float>::quiet_NaN();
  const auto x = of<float, 2>(a), y = of<float, 2>(numbers<float>({40, 20}, 2));
  const auto most = test::tensor_of(lf::max(x(all, newaxis) + y(newaxis), axis<2>));
  for (int64_t r = 0; r < 70; ++r)
    for (int64_t c = 0; c < 40; ++c) EXPECT_EQ(std::isnan(most[{r, c}]), r == 5) << r << ", " << c;
}

TEST(tiles, do_not_drift) {
  const int64_t rows = 50, columns = 50, depth = 9001;
  const auto all_of = [&](int64_t lines, float value) {
    return of<float, 2>(test::generate<float>({lines, depth}, [=](const test::extents&) { return value; }));
  };
  const auto x = all_of(rows, 0.1f), y = all_of(columns, 1.7f);
  const auto sums = lf::sum(lf::abs(x(all, newaxis) * y(newaxis)), axis<2>);
  ASSERT_EQ(path_of(sums), "tiles");
  const double want = double(0.1f * 1.7f) * double(depth);
  for (const float got : test::tensor_of(sums).values)
    ASSERT_LE(std::abs(double(got) - want), 4 * double(std::numeric_limits<float>::epsilon()) * want);
}

TEST(tiles, have_the_same_bits_with_any_number_of_threads) {
  const auto x = of<float, 2>(
                 test::generate<float>({301, 77}, [](const auto&at) { return std::sin(float(at[0] * 77 + at[1])); })),
             y = of<float, 2>(
                 test::generate<float>({205, 77}, [](const auto&at) { return std::cos(float(at[0] * 77 + at[1])); }));
  const auto product = lf::sum(lf::abs(x(all, newaxis) * y(newaxis)), axis<2>);
  const auto first = test::tensor_of(product);
  const test::same_threads_after these;
  for (const int threads : {1, 2, 3, 8}) {
    omp_set_num_threads(threads);
    EXPECT_TRUE(test::same(test::tensor_of(product), first)) << threads << " threads";
  }
}

// What is read once is not copied first, nor for few results, most of which would be computed for nothing.
TEST(tiles, are_not_for_what_is_not_broadcast_nor_for_a_part_of_a_tile) {
  const auto x = of<float, 2>(numbers<float>({300, 400}, 1));
  const auto y = of<float, 1>(numbers<float>({400}, 2));
  EXPECT_EQ(path_of(lf::sum(x * x, axis<1>)), "rows");
  EXPECT_EQ(path_of(lf::sum(lf::abs(x * y(newaxis)), axis<1>)), "rows");
  EXPECT_EQ(path_of(lf::sum(x * x, axis<0>)), "columns");
  const auto z = of<float, 1>(numbers<float>({40}, 3));
  EXPECT_EQ(path_of(lf::sum(lf::abs(z(all, newaxis) * y(newaxis)), axis<1>)), "rows");
  EXPECT_EQ(path_of(lf::sum(lf::abs(y(all, newaxis) * z(newaxis)), axis<1>)), "tiles");
}

// Of three sums of many operands several turns of the lanes are added up at once, for which those that repeat are
// written out; of many rows they go by tiles.
TEST(repeated_operands, of_dear_programs_stand_for_several_turns) {
  for (const int64_t rows : {9, 96, 600})
    for (const int64_t n : {1, 2, 3, 31, 32, 66, 127, 128, 129, 300, 700, 5000}) {
      if (rows * n > 1'000'000) continue;
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(n));
      const auto a = numbers<float>({rows}, 1), b = numbers<float>({n}, 2), c = numbers<float>({n}, 3);
      const auto x = of<float, 1>(a), y = of<float, 1>(b), z = of<float, 1>(c);
      const auto d = y(newaxis) - x(all, newaxis), e = z(newaxis) - x(all, newaxis);
      const auto weight = lf::exp(-(d * d + e * e) * 0.125f) * y(newaxis);
      auto [first, second, third] =
          lf::materialize(lf::sum(weight * d, axis<1>), lf::sum(weight * e, axis<1>), lf::sum(weight, axis<1>));
      const auto want = [&](const auto& f) {
        return test::generate<float>({rows}, [&](const test::extents& at) {
          double sum = 0;
          for (int64_t k = 0; k < n; ++k) {
            const double p = b[{k}] - a[{at[0]}], q = c[{k}] - a[{at[0]}];
            sum += std::exp(-(p * p + q * q) * 0.125) * b[{k}] * f(p, q);
          }
          return float(sum);
        });
      };
      const test::within bound{64, 1e-3, false};
      EXPECT_TRUE(test::same(test::tensor_of(first), want([](double p, double) { return p; }), bound));
      EXPECT_TRUE(test::same(test::tensor_of(second), want([](double, double q) { return q; }), bound));
      EXPECT_TRUE(test::same(test::tensor_of(third), want([](double, double) { return 1.0; }), bound));
    }
}

// Rows of up to 256 elements have what repeats along them written out, longer ones do not; an operand that begins where
// another one does, but goes on elsewhere, is not that one.
TEST(repeated_operands, are_told_from_those_that_begin_where_they_do) {
  for (const int64_t n : {1, 63, 64, 65, 255, 256, 257, 700}) {
    const auto a = numbers<float>({9, 1}, 1), b = numbers<float>({9, n}, 2);
    const auto x = of<float, 2>(a), y = of<float, 2>(b);
    const auto first = lf::broadcast_to(x(range(0, 1)), lf::shape(9, n));  // begins where x does, and stays there
    const auto e = x * y + first * x - x * 2.0f + first;
    EXPECT_TRUE(test::evaluates_to(e, test::generate<float>({9, n},
                                                            [&](const test::extents& at) {
                                                              const float v = a[{at[0], 0}], u = a[{0, 0}];
                                                              return v * b[{at[0], at[1]}] + u * v - v * 2 + u;
                                                            })))
        << n;
    const auto square = of<float, 2>(numbers<float>({40, 40}, 4));
    const auto d = numbers<float>({40, 40}, 4);
    EXPECT_TRUE(test::evaluates_to(lf::transpose(square) * 2.0f + square - lf::transpose(square),
                                   test::generate<float>({40, 40}, [&](const test::extents& at) {
                                     return d[{at[1], at[0]}] + d[{at[0], at[1]}];
                                   })));
  }
}

}  // namespace

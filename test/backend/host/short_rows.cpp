// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of few elements are taken several at once, and copied next to each other where they lie otherwise: of any length
// and in any layout, against loops over plain numbers. Elements of all sizes are copied, and results back.
#include "support/host_threads.hpp"
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

namespace {

using lf::all, lf::axis, lf::newaxis, lf::range;
using std::int64_t;
using test::numbers, test::of;

constexpr int64_t lengths[] = {1, 2, 3, 7, 8, 31, 57, 141, 255, 256, 257, 300};

template <class T>
struct short_rows : testing::Test {};
using sizes = testing::Types<std::int8_t, std::int16_t, float, double, lf::complex<double>>;
TYPED_TEST_SUITE(short_rows, sizes);

TYPED_TEST(short_rows, beside_columns_and_rows_that_are_repeated) {
  using T = TypeParam;
  for (const int64_t n : lengths) {
    SCOPED_TRACE(n);
    const int64_t rows = 1500 / n + 2;
    const auto a = numbers<T>({3, rows, n}, 1), b = numbers<T>({3, rows, 1}, 2), c = numbers<T>({n}, 3);
    const auto x = of<T, 3>(a), y = of<T, 3>(b);
    const auto z = of<T, 1>(c);
    EXPECT_TRUE(test::evaluates_to((x - y) + (z + y), test::generate<T>({3, rows, n}, [&](const test::extents& at) {
                                     return T(a[at] + c[{at[2]}]);
                                   })));
  }
}

TYPED_TEST(short_rows, that_are_turned_or_go_backwards_or_leave_elements_out) {
  using T = TypeParam;
  for (const int64_t n : lengths) {
    SCOPED_TRACE(n);
    const int64_t rows = 1500 / n + 2;
    const auto a = numbers<T>({n, rows}, 1), b = numbers<T>({2 * rows, 3 * n}, 2), c = numbers<T>({rows, 1}, 3);
    const auto x = of<T, 2>(a), y = of<T, 2>(b), z = of<T, 2>(c);
    const auto odd = y(range(1, lf::none, 2), range(lf::none, lf::none, -3));
    EXPECT_TRUE(
        test::evaluates_to(lf::transpose(x) - z + odd, test::generate<T>({rows, n}, [&](const test::extents& at) {
                             const T left = T(a[{at[1], at[0]}] - c[{at[0], 0}]);
                             return T(left + b[{2 * at[0] + 1, 3 * n - 1 - 3 * at[1]}]);
                           })));
  }
}

TYPED_TEST(short_rows, into_results_that_have_gaps) {
  using T = TypeParam;
  for (const int64_t n : lengths) {
    SCOPED_TRACE(n);
    const int64_t rows = 1500 / n + 2;
    const auto a = numbers<T>({rows, 2, n}, 1), b = numbers<T>({rows, 1, 1}, 2);
    const auto before = numbers<T>({rows, 4, 2 * n}, 3);
    const auto x = of<T, 3>(a), y = of<T, 3>(b);
    auto to = of<T, 3>(before);
    to(all, range(1, lf::none, 2), range(lf::none, lf::none, 2)) = x - y;
    EXPECT_TRUE(test::evaluates_to(to, test::generate<T>({rows, 4, 2 * n}, [&](const test::extents& at) {
                                     if (at[1] % 2 == 0 || at[2] % 2 == 1) return before[at];
                                     return T(a[{at[0], at[1] / 2, at[2] / 2}] - b[{at[0], 0, 0}]);
                                   })));
  }
}

// Sums of these are exact, whichever elements share a lane.
TEST(rows_taken_together, are_reduced_in_any_layout) {
  for (const int64_t n : lengths) {
    SCOPED_TRACE(n);
    const int64_t rows = 2000 / n + 2;
    const auto a = numbers<float>({2, n, rows}, 1), b = numbers<float>({2, rows, 1}, 2), c = numbers<float>({n}, 3);
    const auto x = of<float, 3>(a), y = of<float, 3>(b);
    const auto z = of<float, 1>(c);
    const auto term = [&](const test::extents& at, int64_t k) {
      return (a[{at[0], k, at[1]}] + b[{at[0], at[1], 0}]) * c[{k}];
    };
    const auto turned = lf::permute_dims<0, 2, 1>(x);
    EXPECT_TRUE(test::evaluates_to(lf::sum((turned + y) * z, axis<2>),
                                   test::generate<float>({2, rows}, [&](const test::extents& at) {
                                     float sum = 0;
                                     for (int64_t k = 0; k < n; ++k) sum += term(at, k);
                                     return sum;
                                   })));
    // With the kept operands once more, and a result beside it.
    const auto most = lf::max((turned + y) * z, axis<2>);
    EXPECT_TRUE(test::evaluates_to(most - lf::sum(y, axis<2>), test::generate<float>({2, rows}, [&](const auto& at) {
                                     float best = term(at, 0);
                                     for (int64_t k = 1; k < n; ++k) best = std::max(best, term(at, k));
                                     return best - b[{at[0], at[1], 0}];
                                   })));
  }
}

// So many that there are several tasks, for any number of threads, and not the same rows in each.
TEST(rows_taken_together, of_many_tasks) {
  const int64_t n = 40, rows = 3 * 32768 / n + 7;
  const auto a = numbers<float>({rows, n}, 1), b = numbers<float>({rows, 1}, 2);
  const auto x = of<float, 2>(a), y = of<float, 2>(b);
  const test::same_threads_after these;
  for (const int some : {1, 3}) {
    omp_set_num_threads(some);
    EXPECT_TRUE(test::evaluates_to(x - 2.0f * y, test::generate<float>({rows, n}, [&](const test::extents& at) {
                                     return a[at] - 2 * b[{at[0], 0}];
                                   })));
    EXPECT_TRUE(
        test::evaluates_to(lf::max(x - 2.0f * y, axis<1>), test::generate<float>({rows}, [&](const test::extents& at) {
                             float best = a[{at[0], 0}];
                             for (int64_t k = 1; k < n; ++k) best = std::max(best, a[{at[0], k}]);
                             return best - 2 * b[{at[0], 0}];
                           })));
    const lf::lazy_array<float, 2, lf::host> larger = lf::where(x > y, x, y);
    EXPECT_TRUE(test::evaluates_to(larger, test::generate<float>({rows, n}, [&](const test::extents& at) {
                                     return std::max(a[at], b[{at[0], 0}]);
                                   })));
  }
}

TEST(rows_taken_together, in_place_and_for_several_results) {
  const int64_t n = 33, rows = 500;
  const auto a = numbers<float>({rows, n}, 1), b = numbers<float>({rows, 1}, 2), c = numbers<float>({rows, 2 * n}, 3);
  auto x = of<float, 2>(a), z = of<float, 2>(c);
  const auto y = of<float, 2>(b);
  const auto odd = range(1, lf::none, 2);
  lf::assign(lf::tie(x, z(all, odd)), z(all, odd) - y, x + y(range(lf::none, lf::none, -1)));
  EXPECT_TRUE(test::evaluates_to(x, test::generate<float>({rows, n}, [&](const test::extents& at) {
                                   return c[{at[0], 2 * at[1] + 1}] - b[{at[0], 0}];
                                 })));
  EXPECT_TRUE(test::evaluates_to(z, test::generate<float>({rows, 2 * n}, [&](const test::extents& at) {
                                   if (at[1] % 2 == 0) return c[at];
                                   return a[{at[0], at[1] / 2}] + b[{rows - 1 - at[0], 0}];
                                 })));
}

struct three {
  float a, b, c;
};
struct added {
  float operator()(const three& x, float y) const { return x.a + x.b + x.c + y; }
};
TEST(rows_taken_together, of_elements_of_twelve_bytes) {
  const int64_t n = 35, rows = 200;
  const auto b = numbers<float>({rows, n}, 1);
  lf::array<three, 2, lf::host> x(lf::shape{n, rows});
  for (int64_t i = 0; i < n * rows; ++i) x.data()[i] = {float(i % 7), float(i % 5), float(i % 3)};
  const auto y = of<float, 2>(b);
  EXPECT_TRUE(test::evaluates_to(lf::map(added{}, lf::transpose(x)(range(lf::none, lf::none, -1)), y),
                                 test::generate<float>({rows, n}, [&](const test::extents& at) {
                                   const int64_t i = at[1] * rows + rows - 1 - at[0];
                                   return float(i % 7) + float(i % 5) + float(i % 3) + b[at];
                                 })));
}

// Views that begin at one address, sources that have none, and constants are told apart.
TEST(rows_taken_together, of_operands_that_are_alike_and_not_equal) {
  const int64_t n = 48;
  const auto a = numbers<float>({n, n}, 1);
  const auto x = of<float, 2>(a);
  EXPECT_TRUE(test::evaluates_to(x + 3.0f * lf::transpose(x) - 2.0f * x(range(0, 1)),
                                 test::generate<float>({n, n}, [&](const test::extents& at) {
                                   return a[at] + 3 * a[{at[1], at[0]}] - 2 * a[{0, at[1]}];
                                 })));
  const auto up = lf::arange<float>(n), twice = lf::arange<float>(0, 2 * n, 2);
  EXPECT_TRUE(test::evaluates_to((x + up) * (twice - up(all, newaxis)),
                                 test::generate<float>({n, n}, [&](const test::extents& at) {
                                   return (a[at] + float(at[1])) * (2 * float(at[1]) - float(at[0]));
                                 })));
}

// One array, read seven times: types cannot tell, what is walked over is one operand.
TEST(rows_taken_together, of_arrays_that_are_read_many_times) {
  const int64_t n = 41;
  const auto a = numbers<float>({30, n}, 1), b = numbers<float>({30, 1}, 2);
  const auto x = of<float, 2>(a), y = of<float, 2>(b);
  const auto larger = lf::where(x > y, x, 2.0f * y);
  const auto again = lf::where(larger > x, larger, y - x);
  EXPECT_TRUE(test::evaluates_to(again, test::generate<float>({30, n}, [&](const test::extents& at) {
                                   const float u = a[at], v = b[{at[0], 0}], larger_one = u > v ? u : 2 * v;
                                   return larger_one > u ? larger_one : v - u;
                                 })));
}

// A graph goes through blocks of rows, or pieces of one.
TEST(rows_taken_together, of_graphs_and_their_pieces) {
  for (const int64_t n : {1, 3, 57, 257, 5000}) {
    SCOPED_TRACE(n);
    const int64_t rows = 3000 / n + 3;
    const auto a = numbers<float>({2, rows, n}, 1), b = numbers<float>({2, rows, 1}, 2),
               c = numbers<float>({n, rows}, 3);
    const auto x = of<float, 3>(a), y = of<float, 3>(b);
    const auto z = of<float, 2>(c);
    const lf::lazy_array<float, 3, lf::host> shifted = x - y;
    const lf::lazy_array<float, 3, lf::host> masked = lf::where(shifted > lf::transpose(z), shifted, x);
    const auto want = test::generate<float>({2, rows, n}, [&](const test::extents& at) {
      const float s = a[at] - b[{at[0], at[1], 0}];
      return s > c[{at[2], at[1]}] ? s : a[at];
    });
    EXPECT_TRUE(test::evaluates_to(masked, want));
    auto backwards = of<float, 3>(numbers<float>({2, rows, n}, 4));
    backwards(all, all, range(lf::none, lf::none, -1)) = masked;
    EXPECT_TRUE(test::evaluates_to(backwards, test::generate<float>({2, rows, n}, [&](const test::extents& at) {
                                     return want[{at[0], at[1], n - 1 - at[2]}];
                                   })));
  }
}

/// The place of the largest by `beyond`: NaN before numbers, then the first.
template <class T, class F>
test::tensor<int64_t> places(const test::tensor<T>& rows, int64_t first, int64_t step, int64_t n, const F& beyond) {
  return test::generate<int64_t>({rows.shape[0]}, [&](const test::extents& at) {
    const auto value = [&](int64_t i) { return rows[{at[0], first + i * step}]; };
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i)
      if (value(best) == value(best) && (value(i) != value(i) || beyond(value(i), value(best)))) best = i;
    return best;
  });
}
template <class T>
void expect_right_places() {
  for (const int64_t n :
       {1, 7, 8, 9, 15, 31, 32, 33, 63, 64, 65, 84, 127, 128, 160, 161, 1023, 1024, 1025, 1060, 2100}) {
    SCOPED_TRACE(n);
    int64_t drawn = 0;
    const auto a = test::generate<T>({70, 2 * n}, [&](const test::extents& at) {
      const auto d = ++drawn * 7919 % 10007;
      if (std::is_floating_point_v<T> && at[0] % 3 == 0 && d % n == 0)
        return T(std::copysign(std::numeric_limits<double>::quiet_NaN(), d % 2 ? -1.0 : 1.0));
      if (std::is_floating_point_v<T> && at[0] % 3 == 1) return d % 2 ? T(-0.0) : T(0);
      return at[0] == 2 ? std::numeric_limits<T>::max() : T(d % (n + 2) - n / 2);
    });
    const auto x = of<T, 2>(a);
    const std::less<T> less;
    const std::greater<T> greater;
    const auto part = x(all, range(0, n)), backwards = x(all, range(lf::none, lf::none, -1)),
               odd = x(all, range(1, lf::none, 2));
    EXPECT_TRUE(test::evaluates_to(lf::argmin(part, axis<1>), places(a, 0, 1, n, less)));
    EXPECT_TRUE(test::evaluates_to(lf::argmax(part, axis<1>), places(a, 0, 1, n, greater)));
    EXPECT_TRUE(test::evaluates_to(lf::argmin(backwards, axis<1>), places(a, 2 * n - 1, -1, 2 * n, less)));
    EXPECT_TRUE(test::evaluates_to(lf::argmax(odd, axis<1>), places(a, 1, 2, n, greater)));
  }
}
TEST(rows_taken_together, places_of_extremes_in_rows_of_any_length) {
  expect_right_places<float>();
  expect_right_places<double>();
  expect_right_places<std::int32_t>();
  expect_right_places<int64_t>();
}

// What is left of their rows is computed as a whole turn of the lanes, of elements that were added before, too.
TEST(rows_taken_together, what_is_left_of_rows_of_dear_programs) {
  for (const int64_t n : {5, 31, 32, 33, 47, 63, 65, 90, 127, 129, 143, 160, 300, 4100}) {
    SCOPED_TRACE(n);
    const auto a = numbers<float>({40, n}, 1), b = numbers<float>({40, 1}, 2);
    const auto x = of<float, 2>(a), y = of<float, 2>(b);
    const auto part = lf::sqrt(lf::square(x - y)) / (0.0f * y + 4.0f);
    const auto added = [&](const auto& value) {
      return test::generate<float>({40}, [&](const test::extents& at) {
        float sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += value(std::abs(a[{at[0], i}] - b[{at[0], 0}]), a[{at[0], i}]);
        return sum;
      });
    };
    lf::array<float, 1, lf::host> first(lf::shape(40)), second(lf::shape(40)), third(lf::shape(40));
    lf::assign(lf::tie(first, second, third), lf::sum(part, axis<1>), lf::sum(part * x, axis<1>),
               lf::max(part, axis<1>));
    EXPECT_TRUE(test::evaluates_to(first, added([](float d, float) { return d / 4; })));
    EXPECT_TRUE(test::evaluates_to(second, added([](float d, float v) { return d / 4 * v; })));
    EXPECT_TRUE(test::evaluates_to(third, test::generate<float>({40}, [&](const test::extents& at) {
                                     float most = 0;
                                     for (int64_t i = 0; i < n; ++i)
                                       most = std::max(most, std::abs(a[{at[0], i}] - b[{at[0], 0}]) / 4);
                                     return most;
                                   })));
    const auto share = lf::softmax(0.125f * x - y, axis<1>);
    EXPECT_TRUE(test::evaluates_to(lf::sum(share, axis<1>), test::generate<float>({40}, [](const auto&) { return 1; }),
                                   test::within{0, 1e-5}));
  }
}

}  // namespace

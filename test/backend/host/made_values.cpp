// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not cheap to compute is computed for several rows at once, by whole vectors, before it is combined;
// elementwise rows end with whole vectors, too. In any layout and of any length, against loops over plain numbers.
#include "support/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using lf::all, lf::axis, lf::range;
using std::int64_t;
using test::numbers, test::of;

constexpr int64_t lengths[] = {1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 47, 64, 65, 133, 255, 600, 1025, 2100};

/// Whole numbers, whose sums are exact, by a function that is called.
template <class X, class Y, class Z>
auto costly(const X& x, const Y& y, const Z& z) {
  return lf::floor(lf::sqrt(lf::abs(x + y))) + lf::floor(8.5f + lf::tanh(z) * 4.0f) -
         lf::floor(99.0f / (2.0f + lf::abs(x)));
}
float costly_of(float x, float y, float z) {
  return std::floor(std::sqrt(std::abs(x + y))) + std::floor(8.5f + std::tanh(z) * 4.0f) -
         std::floor(99.0f / (2.0f + std::abs(x)));
}

constexpr int64_t few = 3;

/// The operands: x of (3, rows, n), y without its second axis, z without its last one.
struct operands {
  int64_t rows, n;
  test::tensor<float> a = numbers<float>({few, rows, n}, 1), b = numbers<float>({few, 1, n}, 2),
                      c = numbers<float>({few, rows, 1}, 3);
  std::vector<float> term = terms();
  std::vector<float> terms() const {
    return test::generate<float>({few, rows, n},
                                 [&](const test::extents& at) {
                                   return costly_of(a[at], b[{at[0], 0, at[2]}], c[{at[0], at[1], 0}]);
                                 })
        .values;
  }
  /// The same elements in an order of their own.
  template <int... Axes>
  auto turned() const {
    const lf::array<float, 3, lf::host> x = lf::permute_dims<Axes...>(of<float, 3>(a));
    return x;
  }
  auto within_more() const {
    lf::array<float, 3, lf::host> more = lf::full(lf::shape{few + 1, rows + 2, n + 3}, 1000.0f);
    more(range(1, lf::none), range(1, rows + 1), range(2, n + 2)) = of<float, 3>(a);
    return more;
  }
};

/// All terms combined along the axes that are true.
template <class F>
test::tensor<float> combined(const operands& o, const F& combine, float first, bool i, bool j, bool k) {
  test::extents kept;
  for (const auto& [reduced, n] : {std::pair{i, few}, std::pair{j, o.rows}, std::pair{k, o.n}})
    if (!reduced) kept.push_back(n);
  auto found = test::generate<float>(kept, [&](const test::extents&) { return first; });
  for (int64_t p = 0; p < few; ++p)
    for (int64_t q = 0; q < o.rows; ++q)
      for (int64_t r = 0; r < o.n; ++r) {
        int64_t at = i ? 0 : p;
        if (!j) at = at * o.rows + q;
        if (!k) at = at * o.n + r;
        float& one = found.values[static_cast<std::size_t>(at)];
        one = combine(one, o.term[static_cast<std::size_t>((p * o.rows + q) * o.n + r)]);
      }
  return found;
}

template <class E>
void expect_reductions_of(const E& e, const operands& o) {
  const auto add = [](float x, float y) { return x + y; };
  const auto most = [](float x, float y) { return std::max(x, y); };
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<2>), combined(o, add, 0, false, false, true)));
  EXPECT_TRUE(test::evaluates_to(lf::max(e, axis<2>), combined(o, most, -1e9f, false, false, true)));
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<1>), combined(o, add, 0, false, true, false)));
  EXPECT_TRUE(test::evaluates_to(lf::max(e, axis<0, 1>), combined(o, most, -1e9f, true, true, false)));
  EXPECT_TRUE(test::evaluates_to(lf::sum(e, axis<1, 2>), combined(o, add, 0, false, true, true)));
  EXPECT_TRUE(test::evaluates_to(lf::sum(e), combined(o, add, 0, true, true, true)));
  // Two of one expression, and back over the rows.
  const auto largest = combined(o, most, -1e9f, false, false, true), sum = combined(o, add, 0, false, false, true);
  EXPECT_TRUE(test::evaluates_to(e * lf::max(e, axis<2>, lf::keepdims) - lf::sum(e, axis<2>, lf::keepdims),
                                 test::generate<float>({few, o.rows, o.n}, [&](const test::extents& at) {
                                   const test::extents kept{at[0], at[1]};
                                   const auto i = static_cast<std::size_t>((at[0] * o.rows + at[1]) * o.n + at[2]);
                                   return o.term[i] * largest[kept] - sum[kept];
                                 })));
}

TEST(made_values, are_reduced_in_any_layout) {
  for (const int64_t n : lengths) {
    SCOPED_TRACE(n);
    const operands o{600 / n + 3, n};
    const auto x = of<float, 3>(o.a), y = of<float, 3>(o.b), z = of<float, 3>(o.c);
    expect_reductions_of(costly(x, y, z), o);
    const auto more = o.within_more();
    expect_reductions_of(costly(more(range(1, lf::none), range(1, o.rows + 1), range(2, n + 2)), y, z), o);
    const auto first_last = o.turned<2, 1, 0>(), last_first = o.turned<1, 2, 0>();
    expect_reductions_of(costly(lf::permute_dims<2, 1, 0>(first_last), y, z), o);
    expect_reductions_of(costly(lf::permute_dims<2, 0, 1>(last_first), y, z), o);
  }
}

// So many that there are several tasks and blocks.
TEST(made_values, of_many_rows_and_of_long_ones) {
  for (const operands& o : {operands{2500, 47}, operands{3, 40000}}) {
    SCOPED_TRACE(o.n);
    const auto x = of<float, 3>(o.a), y = of<float, 3>(o.b), z = of<float, 3>(o.c);
    expect_reductions_of(costly(x, y, z), o);
    const auto last_first = o.turned<1, 2, 0>();
    expect_reductions_of(costly(lf::permute_dims<2, 0, 1>(last_first), y, z), o);
  }
}

// Kept axes are read in the order in which memory lies; results are where they were asked for.
TEST(made_values, of_operands_whose_kept_axes_lie_otherwise) {
  for (const int64_t n : {1, 4, 5, 33, 64, 200}) {
    SCOPED_TRACE(n);
    const auto a = numbers<float>({9, n, 17}, 1), b = numbers<float>({9, n, 17}, 2), c = numbers<float>({17, n, 9}, 3);
    const auto x = lf::permute_dims<2, 1, 0>(of<float, 3>(a)), y = lf::permute_dims<2, 1, 0>(of<float, 3>(b));
    const auto z = of<float, 3>(c);
    const auto sums = [&](const auto& term) {
      return test::generate<float>({17, 9}, [&](const test::extents& at) {
        float sum = 0;
        for (int64_t k = 0; k < n; ++k) sum += term(a[{at[1], k, at[0]}], b[{at[1], k, at[0]}], c[{at[0], k, at[1]}]);
        return sum;
      });
    };
    const auto all_three = sums([](float u, float v, float w) { return u * v - w; });
    EXPECT_TRUE(test::evaluates_to(lf::sum(x, axis<1>), sums([](float u, float, float) { return u; })));
    EXPECT_TRUE(test::evaluates_to(lf::sum(x * y - z, axis<1>), all_three));
    EXPECT_TRUE(test::evaluates_to(
        lf::sum(lf::reshape(z, lf::shape(17, 1, n, 9)) - x(all, lf::newaxis), axis<2>),
        test::tensor<float>{{17, 1, 9}, sums([](float u, float, float w) { return w - u; }).values}));
    auto wide = of<float, 2>(numbers<float>({17, 20}, 4));
    wide(range(lf::none, lf::none, -1), range(1, 19, 2)) = lf::sum(x * y - z, axis<1>);
    EXPECT_TRUE(test::evaluates_to(wide(range(lf::none, lf::none, -1), range(1, 19, 2)), all_three));
    EXPECT_TRUE(test::evaluates_to(wide(all, range(0, 20, 2)), test::generate<float>({17, 10}, [&](const auto& at) {
                                     return numbers<float>({17, 20}, 4)[{at[0], 2 * at[1]}];
                                   })));
  }
}

// The elements at the end of a row are read before those before them are stored.
TEST(made_values, are_stored_where_operands_are) {
  for (const int64_t n : lengths) {
    SCOPED_TRACE(n);
    const int64_t rows = 7;
    const auto a = numbers<float>({rows, n}, 1), b = numbers<float>({rows, 1}, 2);
    auto x = of<float, 2>(a);
    const auto y = of<float, 2>(b);
    x = costly(x, y, x);
    EXPECT_TRUE(test::evaluates_to(x, test::generate<float>({rows, n}, [&](const test::extents& at) {
                                     return costly_of(a[at], b[{at[0], 0}], a[at]);
                                   })));
    auto wide = of<float, 2>(numbers<float>({rows, n + 4}, 1));
    const auto before = numbers<float>({rows, n + 4}, 1);
    wide(all, range(1, n + 1)) = costly(wide(all, range(1, n + 1)), y, y);
    EXPECT_TRUE(test::evaluates_to(wide, test::generate<float>({rows, n + 4}, [&](const test::extents& at) {
                                     if (at[1] < 1 || at[1] > n) return before[at];
                                     return costly_of(before[at], b[{at[0], 0}], b[{at[0], 0}]);
                                   })));
  }
}

}  // namespace

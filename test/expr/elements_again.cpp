// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What repeat, tile and kron read comes again evenly: results of several axes, views of them and what surrounds them.
#include "support/arrays.hpp"

#include <string>

namespace {

using lf::all, lf::axis, lf::newaxis, lf::none, lf::range;
using std::int64_t;

template <class Space>
class elements_again : public ::testing::Test {
 protected:
  static auto counted(int64_t rows, int64_t columns) {
    const lf::array<float, 1, Space> x = lf::cast<float>(lf::remainder(lf::arange<int64_t>(rows * columns), 251));
    return lf::array<float, 2, Space>(lf::reshape(x, {rows, columns}));
  }
  /// What element (i, j) of a matrix of so many columns is.
  static float value(int64_t columns, int64_t i, int64_t j) { return static_cast<float>((i * columns + j) % 251); }
  template <class E, class F>
  static void expect(const char* text, const E& e, const F& f) {
    const auto s = e.shape();
    const auto want = test::generate<float>(test::extents{s[0], s[1]},
                                            [&](const test::extents& i) { return static_cast<float>(f(i[0], i[1])); });
    EXPECT_TRUE(test::evaluates_to(e, want)) << text << " of " << s[0] << " x " << s[1];
  }
};
TYPED_TEST_SUITE(elements_again, test::spaces, test::space_name);

const test::extents shapes[] = {{3, 5}, {37, 101}, {64, 256}, {1, 77}, {40, 1}, {6, 32}};

TYPED_TEST(elements_again, are_of_tiles_along_each_axis) {
  for (const auto& s : shapes) {
    const int64_t m = s[0], n = s[1];
    const auto x = this->counted(m, n);
    const auto at = [&](int64_t i, int64_t j) { return this->value(n, i % m, j % n); };
    this->expect("tile(x, {2, 3})", lf::tile(x, {2, 3}), at);
    this->expect("tile(x, {5, 1})", lf::tile(x, {5, 1}), at);
    this->expect("tile(x, {1, 7})", lf::tile(x, {1, 7}), at);
    this->expect("tile of a tile", lf::tile(lf::tile(x, {2, 2}), {3, 2}), at);
    this->expect("a part of a tile", lf::tile(x, {3, 3})(range(1, none), range(2, none)),
                 [&](int64_t i, int64_t j) { return at(i + 1, j + 2); });
    this->expect("a whole part of a tile", lf::tile(x, {3, 3})(range(m, none), range(n, none)), at);
    this->expect("every other of a tile", lf::tile(x, {2, 2})(all, range(none, none, 2)),
                 [&](int64_t i, int64_t j) { return at(i, 2 * j); });
    this->expect("a tile from its end", lf::flip(lf::tile(x, {2, 3})),
                 [&](int64_t i, int64_t j) { return at(2 * m - 1 - i, 3 * n - 1 - j); });
    this->expect("a tile turned", lf::tile(x, {2, 3}).T(), [&](int64_t i, int64_t j) { return at(j, i); });
    this->expect("a tile of what is turned", lf::tile(x.T(), {2, 3}),
                 [&](int64_t i, int64_t j) { return this->value(n, j % m, i % n); });
  }
}
TYPED_TEST(elements_again, are_of_elements_repeated) {
  for (const auto& s : shapes) {
    const int64_t m = s[0], n = s[1];
    const auto x = this->counted(m, n);
    const auto by = [&](int64_t rows, int64_t columns) {
      return [=, this](int64_t i, int64_t j) { return this->value(n, i / rows, j / columns); };
    };
    this->expect("rows", lf::repeat(x, 4, axis<0>), by(4, 1));
    this->expect("columns", lf::repeat(x, 3, axis<1>), by(1, 3));
    this->expect("columns, often", lf::repeat(x, 40, axis<1>), by(1, 40));
    this->expect("both", lf::repeat(lf::repeat(x, 2, axis<0>), 3, axis<1>), by(2, 3));
    this->expect("both, often", lf::repeat(lf::repeat(x, 32, axis<1>), 5, axis<0>), by(5, 32));
    this->expect("one twice", lf::repeat(lf::repeat(x, 2, axis<1>), 3, axis<1>), by(1, 6));
    this->expect("tiles of them", lf::tile(lf::repeat(x, 2, axis<0>), {2, 3}),
                 [&](int64_t i, int64_t j) { return this->value(n, i % (2 * m) / 2, j % n); });
    this->expect("of tiles", lf::repeat(lf::tile(x, {2, 3}), 2, axis<0>),
                 [&](int64_t i, int64_t j) { return this->value(n, i / 2 % m, j % n); });
  }
}
TYPED_TEST(elements_again, are_of_products_of_all_pairs) {
  for (const auto& s : shapes)
    for (const test::extents& t : {test::extents{2, 2}, {1, 3}, {4, 33}, {3, 64}}) {
      const int64_t m = t[0], n = t[1];
      const auto x = this->counted(s[0], s[1]);
      const auto y = this->counted(m, n);
      const auto at = [&](int64_t i, int64_t j) {
        return this->value(s[1], i / m, j / n) * this->value(n, i % m, j % n);
      };
      this->expect("kron(x, y)", lf::kron(x, y), at);
      this->expect("kron(y, x)", lf::kron(y, x), [&](int64_t i, int64_t j) {
        return this->value(n, i / s[0], j / s[1]) * this->value(s[1], i % s[0], j % s[1]);
      });
      this->expect("kron(x, y) + 1 of what lies beside it", lf::kron(x, y) + lf::ones<float>({1, s[1] * n}),
                   [&](int64_t i, int64_t j) { return at(i, j) + 1; });
    }
}
TYPED_TEST(elements_again, stand_beside_other_operands) {
  for (const auto& s : shapes) {
    const int64_t m = s[0], n = s[1];
    const auto x = this->counted(m, n);
    const auto y = this->counted(3 * m, 4 * n);
    const auto column = this->counted(3 * m, 1);
    const auto of_tile = [&](int64_t i, int64_t j) { return this->value(n, i % m, j % n); };
    const auto of_both = [&](int64_t i, int64_t j) { return this->value(n, i / 3, j / 4); };
    const auto of_y = [&](int64_t i, int64_t j) { return this->value(4 * n, i, j); };
    this->expect("an array, and a column", lf::tile(x, {3, 4}) * 2 + y - column,
                 [&](int64_t i, int64_t j) { return of_tile(i, j) * 2 + of_y(i, j) - this->value(1, i, 0); });
    this->expect("what comes again otherwise", lf::tile(x, {3, 4}) + lf::repeat(lf::repeat(x, 3, axis<0>), 4, axis<1>),
                 [&](int64_t i, int64_t j) { return of_tile(i, j) + of_both(i, j); });
    this->expect("a column that is tiled", lf::tile(column, {1, 4 * n}) + y,
                 [&](int64_t i, int64_t j) { return this->value(1, i, 0) + of_y(i, j); });
    lf::array<float, 2, TypeParam> z = this->counted(3 * m + 1, 8 * n + 3);
    z(range(1, none), range(3, none, 2)) = lf::tile(x, {3, 4}) + 1;
    this->expect("a result of which others stay", z, [&](int64_t i, int64_t j) {
      return i < 1 || j < 3 || j % 2 == 0 ? this->value(8 * n + 3, i, j) : of_tile(i - 1, (j - 3) / 2) + 1;
    });
  }
}
TYPED_TEST(elements_again, of_three_axes) {
  const lf::array<float, 1, TypeParam> numbers = lf::remainder(lf::arange<float>(5 * 7 * 33), 251);
  const lf::array<float, 3, TypeParam> x = lf::reshape(numbers, {5, 7, 33});
  const auto want = [](int64_t i, int64_t j, int64_t k) { return static_cast<float>(((i * 7 + j) * 33 + k) % 251); };
  const auto expect = [&](const auto& e, const auto& f) {
    const auto s = e.shape();
    EXPECT_TRUE(
        test::evaluates_to(e, test::generate<float>(test::extents{s[0], s[1], s[2]},
                                                    [&](const test::extents& i) { return f(i[0], i[1], i[2]); })));
  };
  expect(lf::tile(x, {2, 3, 4}), [&](int64_t i, int64_t j, int64_t k) { return want(i % 5, j % 7, k % 33); });
  expect(lf::repeat(x, 2, axis<1>), [&](int64_t i, int64_t j, int64_t k) { return want(i, j / 2, k); });
  expect(lf::kron(x, lf::ones<float>({2, 1, 3})),
         [&](int64_t i, int64_t j, int64_t k) { return want(i / 2, j, k / 3); });
  expect(lf::permute_dims<2, 0, 1>(lf::tile(x, {2, 1, 1})),
         [&](int64_t i, int64_t j, int64_t k) { return want(j % 5, k, i); });
}
/// The other way divides each position for an index, 20 instructions of a thread or more.
TYPED_TEST(elements_again, are_views_to_kernels) {
  if (!lf::space_traits<TypeParam>::on_device) GTEST_SKIP() << "the host copies pieces";
  const auto x = this->counted(30, 64), y = this->counted(4, 32);
  const auto is_view = [](const std::string& text) { return text.find("take") == std::string::npos; };
  EXPECT_TRUE(is_view(lf::explain(lf::tile(x, {2, 3})))) << lf::explain(lf::tile(x, {2, 3}));
  EXPECT_TRUE(is_view(lf::explain(lf::kron(x, y)))) << lf::explain(lf::kron(x, y));
  EXPECT_TRUE(is_view(lf::explain(lf::repeat(x, 3, axis<0>)))) << lf::explain(lf::repeat(x, 3, axis<0>));
  EXPECT_FALSE(is_view(lf::explain(lf::repeat(x, 3, axis<1>)))) << "runs of three are folded";
}
TYPED_TEST(elements_again, of_nothing_are_nothing) {
  const auto x = this->counted(0, 5), y = this->counted(3, 4);
  EXPECT_EQ(lf::materialize(lf::tile(x, {2, 3})).shape(), lf::shape(0, 15));
  EXPECT_EQ(lf::materialize(lf::tile(y, {0, 3})).shape(), lf::shape(0, 12));
  EXPECT_EQ(lf::materialize(lf::repeat(y, 0, axis<1>)).shape(), lf::shape(3, 0));
  EXPECT_EQ(lf::materialize(lf::kron(y, x)).shape(), lf::shape(0, 20));
}
/// Prepared kernels look for their operands where these begin: positions stay folded.
TYPED_TEST(elements_again, are_prepared) {
  const auto x = this->counted(37, 101);
  lf::array<float, 2, TypeParam> y;
  auto step = lf::prepare(y, lf::tile(x, {2, 3}) + 1);
  step();
  this->expect("step()", y, [&](int64_t i, int64_t j) { return this->value(101, i % 37, j % 101) + 1; });
}
/// The kernels of large results: rows that begin anywhere, short runs along the last axis, what is cut where it turns
/// or changes, and axes along which more comes again than the cache keeps.
TYPED_TEST(elements_again, of_large_results) {
  const bool on_device = lf::space_traits<TypeParam>::on_device;
  const int64_t m = on_device ? 2001 : 21, n = on_device ? 1503 : 15;
  const auto x = this->counted(m, n);
  const auto at = [&](int64_t i, int64_t j) { return this->value(n, i, j); };
  const auto tiled = [&](int64_t i, int64_t j) { return at(i % m, j % n); };
  this->expect("both twice", lf::repeat(lf::repeat(x, 2, axis<0>), 2, axis<1>),
               [&](int64_t i, int64_t j) { return at(i / 2, j / 2); });
  this->expect("rows", lf::repeat(x, 3, axis<0>), [&](int64_t i, int64_t j) { return at(i / 3, j); });
  this->expect("a tile", lf::tile(x, {2, 3}), tiled);
  const auto y = this->counted(2 * m, 3 * n);
  const auto of_y = [&](int64_t i, int64_t j) { return this->value(3 * n, i, j); };
  this->expect("a tile beside a roll", lf::tile(x, {2, 3}) + lf::roll(y, 1, axis<0>),
               [&](int64_t i, int64_t j) { return tiled(i, j) + of_y((i + 2 * m - 1) % (2 * m), j); });
  this->expect("a tile behind another array", lf::concat<0>(y, lf::tile(x, {2, 3})),
               [&](int64_t i, int64_t j) { return i < 2 * m ? of_y(i, j) : tiled(i - 2 * m, j); });
  const lf::array<float, 3, TypeParam> z = lf::broadcast_to(x(all, newaxis) * 2, {m, 3, n}) - x(all, newaxis);
  for (const lf::index_t k : {0, 2}) this->expect("along a short axis", z(all, k, all), at);
  const lf::array<float, 4, TypeParam> w = lf::broadcast_to(x(newaxis, all, newaxis), {2, m, 3, n}) + 0.0f;
  this->expect("along two axes", w(1, all, 2, all), at);
  this->expect("along two axes", w(0, all, 1, all), at);
}

}  // namespace

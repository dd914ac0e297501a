// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of many short rows, of many low columns, and of few columns beside each other, which on a GPU have kernels of
// their own: small whole numbers, whose sums are exact in float, against plain loops.
#include "support/arrays.hpp"

#include <cstdint>
#include <string>

namespace {

using lf::axis, lf::backwards, lf::exclusive;

template <class Space>
class short_scans : public test::on<Space> {
 protected:
  static constexpr bool on_device = lf::space_traits<Space>::on_device;
};
TYPED_TEST_SUITE(short_scans, test::spaces, test::space_name);

/// A cube, and what is scanned along its axis in the middle.
template <class T>
struct cube {
  std::int64_t outer, length, inner;
  test::tensor<T> elements;
  cube(std::int64_t o, std::int64_t n, std::int64_t i) : outer(o), length(n), inner(i), elements({o, n, i}) {
    std::size_t k = 0;
    for (T& e : elements.values) {
      e = static_cast<T>(static_cast<double>((k * 7 + k / 13) % 11) - 5);
      ++k;
    }
  }
  /// f(what is added up before, element, whether it is the first) for all along the middle axis, in order.
  template <class F>
  test::tensor<T> scanned(const F& f, bool from_the_end = false) const {
    test::tensor<T> all(elements.shape);
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        T before = T(0);
        for (std::int64_t n = 0; n < length; ++n) {
          const auto at = static_cast<std::size_t>((o * length + (from_the_end ? length - 1 - n : n)) * inner + i);
          all.values[at] = f(before, elements.values[at], n == 0);
        }
      }
    return all;
  }
};

template <class Space, class T>
void check(std::int64_t outer, std::int64_t length, std::int64_t inner) {
  const cube<T> c(outer, length, inner);
  const auto x = test::array_of<Space, 3>(c.elements);
  const std::string what =
      std::to_string(outer) + " x " + std::to_string(length) + " x " + std::to_string(inner) + ", along the middle";
  const auto sum = [](T& before, T e, bool) { return before = static_cast<T>(before + e); };
  const auto sum_before = [](T& before, T e, bool) {
    const T is = before;
    before = static_cast<T>(before + e);
    return static_cast<T>(is * T(2) + e);
  };
  const auto greatest = [](T& before, T e, bool first) { return before = first || before < e ? e : before; };
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, axis<1>), c.scanned(sum))) << what;
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, axis<1>, backwards), c.scanned(sum, true))) << what << ", backwards";
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, axis<1>, exclusive) * 2 + x, c.scanned(sum_before))) << what;
  EXPECT_TRUE(test::evaluates_to(lf::cummax(x, axis<1>), c.scanned(greatest))) << what << ", cummax";
}

TYPED_TEST(short_scans, of_rows) {
  for (const std::int64_t length : {2, 3, 5, 9, 17, 31, 33, 63, 100, 300})
    check<TypeParam, float>(TestFixture::on_device ? 20003 + (1 << 19) / length : 1031, length, 1);
  check<TypeParam, double>(TestFixture::on_device ? 60013 : 517, 19, 1);
}
TYPED_TEST(short_scans, of_low_columns) {
  constexpr std::int64_t outer = TestFixture::on_device ? 30011 : 311;
  for (const std::int64_t length : {2, 5, 17, 40})
    for (const std::int64_t inner : {2, 3, 7}) check<TypeParam, float>(outer, length, inner);
  check<TypeParam, float>(TestFixture::on_device ? 301 : 31, 5, 301);
  check<TypeParam, double>(outer, 17, 3);
}
TYPED_TEST(short_scans, of_few_columns) {
  for (const std::int64_t inner : {2, 3, 5, 7})
    for (const std::int64_t length : {41, 1000, 16385, 300007})
      check<TypeParam, float>(1, TestFixture::on_device ? length : length / 10 + 1, inner);
  check<TypeParam, double>(3, TestFixture::on_device ? 100003 : 1003, 3);
  check<TypeParam, float>(1001, 100, 3);
}
/// Several counts at once, of elements that are smaller than these by far.
TYPED_TEST(short_scans, of_few_columns_of_a_byte) {
  constexpr std::int64_t length = TestFixture::on_device ? 300007 : 3001, columns = 3;
  test::tensor<bool> a({length, columns}), b({length, columns});
  test::tensor<std::int64_t> want({length, columns});
  std::int64_t before[2][columns] = {};
  for (std::int64_t k = 0; k < length * columns; ++k) {
    const auto at = static_cast<std::size_t>(k);
    a.values[at] = k * 7 % 11 < 4;
    b.values[at] = k * 5 % 13 < 6;
    want.values[at] = (before[0][k % columns] += a.values[at]) - 3 * (before[1][k % columns] += b.values[at]);
  }
  const auto x = test::array_of<TypeParam, 2>(a), y = test::array_of<TypeParam, 2>(b);
  EXPECT_TRUE(test::evaluates_to(lf::cumsum(x, axis<0>) - lf::cumsum(y, axis<0>) * 3, want));
}
/// Rows that lie apart, from either end.
TYPED_TEST(short_scans, of_rows_that_lie_apart) {
  const std::int64_t rows = TestFixture::on_device ? 50021 : 501;
  const cube<float> c(rows, 21, 2);
  const auto x = test::array_of<TypeParam, 3>(c.elements);
  const auto one = x(lf::all, lf::all, lf::range(1, 2)),
             turned = x(lf::all, lf::range(lf::none, lf::none, -1), lf::range(1, 2));
  const auto want = c.scanned([](float&before, float e, bool) { return before += e; }),
             from_the_end = c.scanned([](float&before, float e, bool) { return before += e; }, true);
  const auto got = test::tensor_of(lf::materialize(lf::cumsum(one, axis<1>) * 2 + one)),
             got_turned = test::tensor_of(lf::materialize(lf::cumsum(turned, axis<1>)));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t k = 0; k < 21; ++k) {
      const auto at = static_cast<std::size_t>(r * 21 + k), mirrored = static_cast<std::size_t>(r * 21 + 20 - k);
      ASSERT_EQ(got.values[at], 2 * want.values[2 * at + 1] + c.elements.values[2 * at + 1]) << r << ", " << k;
      ASSERT_EQ(got_turned.values[at], from_the_end.values[2 * mirrored + 1]) << r << ", " << k;
    }
}

}  // namespace

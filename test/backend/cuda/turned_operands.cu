// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands that are contiguous across rows, in programs of every cost: cheap ones have a kernel for them, dear ones
// share one with other layouts, and threads take from sixteen elements to one.
#include "support/arrays.hpp"

namespace {

template <class T, int R>
using array = lf::array<T, R, lf::cuda>;

/// e, at so many times the cost of a sine, a hyperbolic tangent and a few more.
template <int Times, class E>
auto dear(const E& e) {
  if constexpr (Times == 0) return e;
  else {
    constexpr float factor = 0.25F * Times;  // other programs each time
    return dear<Times - 1>(e) + 0 * (lf::sin(e * factor) + lf::tanh(e + factor) + lf::exp(e * -factor));
  }
}
/// 1000 i + j, which float has exactly.
template <class T>
array<T, 2> numbered(lf::index_t rows, lf::index_t columns) {
  return lf::cast<T>(lf::arange(rows)(lf::all, lf::newaxis) * 1000 + lf::arange(columns));
}
/// Whether transpose(x) + y, of which x is turned, is what it must be.
template <class T, int Times>
void turns(lf::index_t rows, lf::index_t columns) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(Times));
  const array<T, 2> x = numbered<T>(columns, rows), y = numbered<T>(rows, columns);
  const array<T, 2> z = dear<Times>(lf::transpose(x) + y);
  const array<double, 2> expected =
      lf::cast<double>((lf::arange(rows)(lf::all, lf::newaxis) + lf::arange(columns)) * 1001);
  EXPECT_EQ(lf::max(lf::abs(lf::cast<double>(z) - expected)).item(), 0);
}
template <class T, int... Times>
void turns_at_every_cost() {
  const lf::index_t sizes[][2] = {{64, 64}, {65, 63}, {128, 129}, {100, 100}, {17, 1000}, {1000, 17}, {331, 257}};
  for (const auto& [rows, columns] : sizes) (turns<T, Times>(rows, columns), ...);
}

TEST(turned_operands, of_float) { turns_at_every_cost<float, 0, 1, 2, 4, 8>(); }
TEST(turned_operands, of_double) { turns_at_every_cost<double, 0, 2, 5>(); }

TEST(turned_operands, of_two_types_in_three_axes) {
  const lf::index_t planes = 3, rows = 70, columns = 45;
  const auto number = lf::reshape(lf::arange(planes * rows * columns), {planes, columns, rows});
  const array<float, 3> x = lf::cast<float>(number);
  const array<double, 3> y = lf::cast<double>(number);
  const auto turned = [](const auto& a) { return lf::permute_dims<0, 2, 1>(a); };
  const array<double, 3> cheap = turned(x) + turned(y), costly = dear<4>(turned(x) + turned(y));
  const array<double, 3> expected = lf::cast<double>(2 * turned(number));
  EXPECT_EQ(lf::max(lf::abs(cheap - expected)).item(), 0);
  EXPECT_EQ(lf::max(lf::abs(costly - expected)).item(), 0);
}

TEST(turned_operands, of_more_shared_memory_than_is_there_without_asking) {
  const lf::index_t n = 150;
  const array<double, 2> a = numbered<double>(n, n), b = a + 1, c = a + 2, d = a + 3;
  const auto t = [](const auto& x) { return lf::transpose(x); };
  const array<double, 2> z = t(a) + t(b) + t(c) + t(d) + a, w = dear<4>(t(a) + t(b) + t(c) + t(d) + a);
  const array<double, 2> sum = 4 * a + 6, expected = lf::to<lf::cuda>(lf::transpose(lf::to<lf::host>(sum))) + a;
  EXPECT_EQ(lf::max(lf::abs(z - expected)).item(), 0);
  EXPECT_EQ(lf::max(lf::abs(w - expected)).item(), 0);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of libraries and products, on the host, by every compiler: what nvcc hands to that of the host is text of
// its own, in which types are spelled in other ways. Values are NumPy's.
#include <lazyfuse/fft.hpp>
#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/linalg.hpp>
#include <lazyfuse/sort.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace lf = lazyfuse;

namespace {

const lf::array<double, 2, lf::host>& matrix() {
  static const lf::array<double, 2, lf::host> a{{1, 2}, {3, 4}};
  return a;
}
const lf::array<double, 1, lf::host>& vector() {
  static const lf::array<double, 1, lf::host> v{5, 6};
  return v;
}
template <class E, class... V>
void expect(const E& e, V... values) {
  const auto x = lf::materialize(e);
  const double expected[] = {double(values)...};
  ASSERT_EQ(x.size(), lf::index_t(sizeof...(V)));
  for (lf::index_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x.data()[i], expected[i], 1e-12);
}

TEST(by_every_compiler, products) {
  const auto& a = matrix();
  const auto& v = vector();
  expect(lf::matmul(a, a), 7, 10, 15, 22);
  expect(lf::matmul(a, v), 17, 39);
  expect(lf::einsum<"ij,kj->ik">(a, a), 5, 11, 11, 25);
  expect(lf::tensordot(a, a, lf::axes<0>{}, lf::axes<0>{}), 10, 14, 14, 20);
  expect(lf::inner(a, v), 17, 39);
  expect(lf::outer(v, v), 25, 30, 30, 36);
  expect(lf::vecdot(a, a), 5, 25);
  expect(lf::trace(a), 5);
}
TEST(by_every_compiler, linear_algebra) {
  using namespace lf::linalg;
  const auto& a = matrix();
  const auto& v = vector();
  expect(solve(a, v), -4, 4.5);
  expect(det(a), -2);
  expect(inv(a), -2, 1, 1.5, -0.5);
  expect(matrix_norm(a), std::sqrt(30.0));
  expect(matrix_norm(a, lf::ord<1>), 6);
  expect(matrix_norm(a, lf::ord<lf::inf>), 7);
  expect(matrix_power(a, 2), 7, 10, 15, 22);
  expect(matrix_norm(a, lf::ord<2>), 5.464985704219043);
}
TEST(by_every_compiler, order_and_spectra) {
  const auto& a = matrix();
  expect(lf::sort(-a), -2, -1, -4, -3);
  expect(lf::topk(a, 1).values, 2, 4);
  expect(lf::real(lf::fft::fft(a)), 3, -1, 7, -1);
}

}  // namespace

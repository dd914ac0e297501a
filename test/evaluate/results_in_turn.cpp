// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that lie in turn along a last axis, as the channels of pixels do, are written in one kernel; whatever the
// types, the lengths of rows and where they begin.
#include "support/arrays.hpp"

#include <utility>

namespace {

using lf::all, lf::range;

template <class Space>
class results_in_turn : public test::on<Space> {};
TYPED_TEST_SUITE(results_in_turn, test::spaces, test::space_name);

struct picture {
  lf::index_t rows, columns, left_out;  ///< pixels at the end of each row of the memory
};
constexpr picture pictures[] = {{1, 1, 0},  {3, 5, 0},   {7, 64, 0},   {64, 66, 0},   {5, 1023, 1},
                                {5, 66, 3}, {300, 4, 0}, {2, 4096, 0}, {1, 70001, 0}, {33, 130, 2}};

template <class T, class Space>
using image = lf::array<T, 3, Space>;

/// Channel c of pixel i is i mod 40 times c + 1, and c; where nothing is assigned, what was there.
template <class Space, class T, int Channels>
void channels_are_those_of_pixels(const auto& assign) {
  for (const picture& p : pictures) {
    const lf::index_t wide = p.columns + p.left_out;
    image<T, Space> z = lf::full({p.rows, wide, Channels}, T(111));
    const lf::array<T, 2, Space> x =
        lf::cast<T>(lf::reshape(lf::remainder(lf::arange<int>(p.rows * p.columns), 40), {p.rows, p.columns}));
    const lf::kernel_trace trace;
    assign([&](lf::index_t c) { return z(all, range(0, p.columns), c); }, x);
    EXPECT_EQ(trace.launches(), 1);
    const lf::array<double, 3, lf::host> got = lf::to<lf::host>(lf::materialize(lf::cast<double>(z)));
    int wrong = 0;
    for (lf::index_t i = 0; i < p.rows; ++i)
      for (lf::index_t j = 0; j < wide; ++j)
        for (lf::index_t c = 0; c < Channels; ++c) {
          const lf::index_t value = (i * p.columns + j) % 40;
          const double want = j < p.columns ? static_cast<double>(value * (c + 1) + c) : 111.0;
          wrong += std::as_const(got).data()[(i * wide + j) * Channels + c] != want;
        }
    EXPECT_EQ(wrong, 0) << p.rows << " x " << p.columns << ", " << p.left_out << " left out";
  }
}

TYPED_TEST(results_in_turn, three_of_float) {
  channels_are_those_of_pixels<TypeParam, float, 3>([](const auto& channel, const auto& x) {
    lf::assign(lf::tie(channel(0), channel(1), channel(2)), x, x * 2 + 1, x * 3 + 2);
  });
}
TYPED_TEST(results_in_turn, two_of_double_in_any_order) {
  channels_are_those_of_pixels<TypeParam, double, 2>(
      [](const auto& channel, const auto& x) { lf::assign(lf::tie(channel(0), channel(1)), x, x * 2 + 1); });
  channels_are_those_of_pixels<TypeParam, double, 2>(
      [](const auto& channel, const auto& x) { lf::assign(lf::tie(channel(1), channel(0)), x * 2 + 1, x); });
}
TYPED_TEST(results_in_turn, four_of_sixteen_bits) {
  channels_are_those_of_pixels<TypeParam, lf::half, 4>([](const auto& channel, const auto& x) {
    lf::assign(lf::tie(channel(0), channel(1), channel(2), channel(3)), x, x * 2 + 1, x * 3 + 2, x * 4 + 3);
  });
}
TYPED_TEST(results_in_turn, three_of_a_byte) {
  channels_are_those_of_pixels<TypeParam, lf::uint8, 3>([](const auto& channel, const auto& x) {
    lf::assign(lf::tie(channel(0), channel(1), channel(2)), x, x * 2 + 1, x * 3 + 2);
  });
}
TYPED_TEST(results_in_turn, parts_of_complex_numbers_that_are_read_too) {
  lf::array<lf::complex<float>, 1, TypeParam> z = lf::zeros<lf::complex<float>>({1001});
  lf::real(z) = lf::arange<float>(1001);
  lf::assign(lf::tie(lf::real(z), lf::imag(z)), lf::imag(z) + 1, lf::real(z) * 2);
  EXPECT_TRUE(test::evaluates_to(lf::real(std::as_const(z)), test::counting<float>({1001}, 1, 0)));
  EXPECT_TRUE(test::evaluates_to(lf::imag(std::as_const(z)), test::counting<float>({1001}, 0, 2)));
}

}  // namespace

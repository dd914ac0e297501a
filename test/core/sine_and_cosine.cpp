// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sine and the cosine of one argument are computed together, on the host by the library's own function. Compared
// with libm's of double. Compiled once more for each set of instructions that takes another way through
// core/sincos.hpp.
#include "support/arrays.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace {

template <class Space>
class sine_and_cosine : public test::on<Space> {
 protected:
  /// Of both, in one pass, whatever the sign of the angles.
  static void expect_within(const test::within& tolerance, std::vector<float> angles) {
    for (std::size_t n = angles.size(); n-- > 0;) angles.push_back(-angles[n]);
    const test::extents shape{static_cast<std::int64_t>(angles.size())};
    test::tensor<float> sine(shape), cosine(shape);
    for (std::size_t n = 0; n < angles.size(); ++n) {
      sine.values[n] = static_cast<float>(std::sin(static_cast<double>(angles[n])));
      cosine.values[n] = static_cast<float>(std::cos(static_cast<double>(angles[n])));
    }
    const auto x = test::array_of<Space, 1>(test::tensor<float>(shape, std::move(angles)));
    const auto [s, c] = lf::materialize(lf::sin(x), lf::cos(x));
    EXPECT_TRUE(test::evaluates_to(s, sine, tolerance));
    EXPECT_TRUE(test::evaluates_to(c, cosine, tolerance));
  }
};
TYPED_TEST_SUITE(sine_and_cosine, test::spaces, test::space_name);

/// Every so many-th float of [first, last], which are not negative.
std::vector<float> floats_between(float first, float last, std::uint32_t every) {
  std::uint32_t from, to;
  std::memcpy(&from, &first, sizeof from);
  std::memcpy(&to, &last, sizeof to);
  std::vector<float> x;
  for (std::uint64_t bits = from; bits <= to; bits += every) {
    const auto narrow = static_cast<std::uint32_t>(bits);
    std::memcpy(&x.emplace_back(), &narrow, sizeof narrow);
  }
  return x;
}

TYPED_TEST(sine_and_cosine, are_within_three_ulps_up_to_1e4) {
  this->expect_within({3}, floats_between(0, 1e4f, 1009));
}

TYPED_TEST(sine_and_cosine, are_within_six_ulps_beyond) {
  this->expect_within({6}, floats_between(1e4f, std::numeric_limits<float>::max(), 997));
}

TYPED_TEST(sine_and_cosine, are_as_good_beside_quarter_turns) {
  std::vector<float> near;
  for (int quarters = 0; quarters <= 6367; ++quarters) {
    float x = static_cast<float>(quarters * 1.57079632679489661923);
    for (int n = 0; n < 3; ++n) x = std::nextafter(x, 0.0f);
    for (int n = 0; n < 7; ++n, x = std::nextafter(x, 1e5f)) near.push_back(x);
  }
  this->expect_within({3}, near);
}

/// Of all large floats these come nearest to where the quarter turns that belong to one change.
TYPED_TEST(sine_and_cosine, are_as_good_beside_eighths_of_a_turn) {
  this->expect_within({6},
                      {0x1.9a48dep14f, 0x1.e768f6p23f, 0x1.27a94ap28f, 0x1.184b06p29f, 0x1.b7a65ep31f, 0x1.47d0fep33f,
                       0x1.b2c236p37f, 0x1.7d499ap38f, 0x1.628d4cp39f, 0x1.ce01eap43f, 0x1.3559b6p67f, 0x1.cc0182p71f});
}

TYPED_TEST(sine_and_cosine, of_angles_near_and_far_and_none_side_by_side) {
  const float strange[] = {0.0f,
                           1e30f,
                           1.0f,
                           std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::denorm_min(),
                           std::numeric_limits<float>::quiet_NaN(),
                           0x1.f37c8ap95f,  // 1.6e-9 from a multiple of pi/2: no large float is nearer
                           std::numeric_limits<float>::max()};
  std::vector<float> x;
  for (int shift = 0; shift < 64; ++shift)  // in every lane of a vector
    for (int n = 0; n < 7; ++n) x.push_back(strange[(n + shift * (shift + 1) / 2) % 8]);
  this->expect_within({6}, x);
}

TYPED_TEST(sine_and_cosine, of_one_vector_keep_the_sign_of_zero) {
  this->expect_within({}, std::vector<float>(40, 0.0f));
}

/// Whether a sine or cosine has the same bits by itself and beside the other, for every number of 16 bits.
template <class T, class Space>
void expect_same_bits_alone() {
  test::tensor<T> every({65536});
  for (std::size_t n = 0; n < every.values.size(); ++n) every.values[n].bits = static_cast<std::uint16_t>(n);
  const auto x = test::array_of<Space, 1>(every);
  const auto [s, c] = lf::materialize(lf::sin(x), lf::cos(x));
  EXPECT_TRUE(test::evaluates_to(s, test::tensor_of(lf::sin(x))));
  EXPECT_TRUE(test::evaluates_to(c, test::tensor_of(lf::cos(x))));
}

TYPED_TEST(sine_and_cosine, of_16_bits_are_the_same_alone) {
  expect_same_bits_alone<lf::half, TypeParam>();
  expect_same_bits_alone<lf::bfloat16, TypeParam>();
}

}  // namespace

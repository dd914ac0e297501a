// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is reduced along one set of axes and broadcast back, or reduced again, is one kernel that reads each operand
// once: the functions of statistics and normalization.
#include "support/row_kernels.hpp"

namespace {

using lf::axis, lf::keepdims;

template <class Space>
class rows : public test::row_kernels<Space> {};
TYPED_TEST_SUITE(rows, test::spaces, test::space_name);

template <class Test, class A>
void check_functions_of_one(const Test& t, A a) {
  const auto& x = t.x;
  t.expect_one(lf::softmax(x, a), t.bytes, "softmax");
  t.expect_one(lf::log_softmax(x, a), t.bytes, "log_softmax");
  t.expect_one(lf::logsumexp(x, a), t.bytes, "logsumexp");
  t.expect_one(lf::layer_norm(x, a), t.bytes, "layer_norm");
  t.expect_one(lf::rms_norm(x, a), t.bytes, "rms_norm");
  t.expect_one(lf::normalize(x, a), t.bytes, "normalize");
  t.expect_one(lf::standardize(x, a), t.bytes, "standardize");
}
TYPED_TEST(rows, are_the_functions_of_one_operand) {
  check_functions_of_one(*this, axis<1>);
  check_functions_of_one(*this, axis<0>);
  this->expect_one(lf::standardize(this->x), this->bytes, "standardize all");
  this->expect_one(lf::logsumexp(this->x), this->bytes, "logsumexp of all");
  this->expect_one(lf::normalize(this->w), 4 * this->width, "normalize a vector");
}

TYPED_TEST(rows, are_the_functions_with_weights) {
  const auto &x = this->x, &y = this->y;
  const auto& w = this->w;
  const auto bytes = this->bytes, weights = 4 * this->width;
  this->expect_one(lf::layer_norm(x, w), bytes + weights, "layer_norm, weight");
  this->expect_one(lf::layer_norm(x, w, w + 1), bytes + weights, "layer_norm, weight and bias");
  this->expect_one(lf::layer_norm(x, y, lf::cast<float>(y), axis<0>), 2 * bytes, "layer_norm, a matrix of weights");
  this->expect_one(lf::rms_norm(x, w), bytes + weights, "rms_norm, weight");
  this->expect_one(lf::batch_norm(x, w, w), bytes + weights, "batch_norm");
  const auto images = test::array_from<TypeParam, 4>(test::any_numbers(1, {2, 3, 4, 5}));
  const auto channel = test::array_from<TypeParam, 1>(test::any_numbers(2, {3}));
  this->expect_one(lf::batch_norm(images), 480, "batch_norm of images");
  this->expect_one(lf::batch_norm(images, channel, channel), 480 + 12, "batch_norm of images, weight and bias");
}

}  // namespace

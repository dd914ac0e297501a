// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of several operands, of expressions, and written by hand: one kernel that reads each operand once.
#include "support/row_kernels.hpp"

namespace {

using lf::axis, lf::keepdims;

template <class Space>
class rows_of_expressions : public test::row_kernels<Space> {};
TYPED_TEST_SUITE(rows_of_expressions, test::spaces, test::space_name);

TYPED_TEST(rows_of_expressions, are_the_functions_of_two_operands) {
  const auto &x = this->x, &y = this->y;
  const auto bytes = this->bytes;
  this->expect_one(lf::cross_entropy(x, y), 2 * bytes, "cross_entropy of probabilities");
  this->expect_one(lf::cross_entropy(x, y, axis<0>), 2 * bytes, "cross_entropy along columns");
  const auto classes = test::array_from<TypeParam, 1, std::int32_t>(test::real_tensor({this->height}));
  this->expect_one(lf::cross_entropy(x, classes), bytes + 4 * this->height, "cross_entropy of classes");
  this->expect_one(lf::cov(x, y, axis<1>), 2 * bytes, "cov");
  this->expect_one(lf::cov(x, y, axis<0>), 2 * bytes, "cov along columns");
  this->expect_one(lf::corrcoef(x, y, axis<1>), 2 * bytes, "corrcoef");
  // Nothing is broadcast back: plain reductions.
  this->expect_one(lf::cosine_similarity(x, y), 2 * bytes, "cosine_similarity", "reduce");
  this->expect_one(lf::kl_div(x, y), 2 * bytes, "kl_div", "reduce");
  this->expect_one(lf::var(x, axis<1>), bytes, "var", "reduce");
}

TYPED_TEST(rows_of_expressions, are_the_functions_of_expressions) {
  const auto &x = this->x, &y = this->y;
  const auto bytes = this->bytes;
  this->expect_one(lf::softmax(x * y), 2 * bytes, "softmax(x * y)");
  this->expect_one(lf::softmax(x * 2 + y, axis<0>), 2 * bytes, "softmax(x * 2 + y)");
  this->expect_one(lf::layer_norm(x * y), 2 * bytes, "layer_norm(x * y)");
  this->expect_one(lf::standardize(x * y), 2 * bytes, "standardize(x * y)");
  this->expect_one(lf::standardize(2.0f * x + y), 2 * bytes, "standardize(2 * x + y)");
  this->expect_one(lf::layer_norm(2.0f * x, this->w), bytes + 4 * this->width, "layer_norm(2 * x, w)");
  this->expect_one(lf::rms_norm(x + y, this->w), 2 * bytes + 4 * this->width, "rms_norm(x + y, w)");
  this->expect_one(lf::cross_entropy(x * y, y), 2 * bytes, "cross_entropy(x * y, y)");
  this->expect_one(x + lf::softmax(x) * y, 2 * bytes, "x + softmax(x) * y");
  this->expect_one(x + lf::layer_norm(x), bytes, "x + layer_norm(x)");
  this->expect_one(lf::softmax(lf::softmax(x)), bytes, "softmax(softmax(x))");
  this->expect_one(lf::sum(lf::softmax(x) * y, axis<1>), 2 * bytes, "sum(softmax(x) * y)");
}

template <class Test, class A>
void check_by_hand(const Test& t, A a) {
  const auto& x = t.x;
  const auto e = lf::exp(x - lf::max(x, a, keepdims));
  t.expect_one(e / lf::sum(e, a, keepdims), t.bytes, "softmax");
  const auto d = x - lf::mean(x, a, keepdims);
  t.expect_one(d / lf::sqrt(lf::mean(d * d, a, keepdims) + 1e-5), t.bytes, "layer_norm");
  t.expect_one(d / lf::std(x, a, keepdims), t.bytes, "(x - mean) / std");
  t.expect_one(lf::mean(lf::square(d), a), t.bytes, "var");
  t.expect_one(x / lf::sqrt(lf::sum(x * x, a, keepdims)), t.bytes, "x / norm(x)");
  const auto low = lf::min(x, a, keepdims);
  const auto high = lf::max(x, a, keepdims);
  t.expect_one((x - low) / (high - low), t.bytes, "(x - min) / (max - min)");
}
TYPED_TEST(rows_of_expressions, are_what_is_written_by_hand) {
  check_by_hand(*this, axis<1>);
  check_by_hand(*this, axis<0>);
  const auto& w = this->w;
  this->expect_one(w / lf::sqrt(lf::sum(w * w)), 4 * this->width, "a vector over its length");
  this->expect_one((this->x - lf::mean(this->x, axis<0>)) / lf::std(this->x, axis<0>), this->bytes, "columns");
}

TYPED_TEST(rows_of_expressions, are_functions_of_different_arrays_of_one_type_in_fuse) {
  const auto &x = this->x, &y = this->y;
  const auto over_the_sum = lf::fuse([](auto a, auto b) { return a / lf::sum(b, axis<1>, keepdims); });
  const auto divergence = lf::fuse([](auto p, auto q) { return lf::kl_div(lf::softmax(p), lf::softmax(q)); });
  const auto weighted = lf::fuse([](auto p) { return p / lf::sum(p, axis<0>); });
  this->expect_one(over_the_sum(x, y), 2 * this->bytes, "x / sum(y)");
  this->expect_one(over_the_sum(x * y, y * 2), 2 * this->bytes, "x * y / sum(y * 2)");
  this->expect_one(divergence(x, y), 2 * this->bytes, "kl_div of softmax");
  this->expect_one(weighted(x * y), 2 * this->bytes, "x * y / sum(x * y)");
}

TYPED_TEST(rows_of_expressions, need_no_memory_for_an_assignment_of_other_arrays) {
  auto x = this->x;
  x += 0;  // memory of its own
  lf::kernel_trace trace;
  x = lf::softmax(this->y);
  x(lf::all, lf::range(0, 8)) = lf::softmax(this->y(lf::all, lf::range(8, 16)));
  EXPECT_EQ(trace.launches(), 2);
  EXPECT_EQ(trace.allocations(), 0);
}

}  // namespace

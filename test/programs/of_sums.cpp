// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of docs/examples/programs whose results are sums.
#include "examples/programs/cronbach.hpp"
#include "examples/programs/euclidean_distance_square.hpp"
#include "examples/programs/l1norm.hpp"
#include "examples/programs/l2norm.hpp"
#include "examples/programs/log_likelihood.hpp"
#include "examples/programs/lstsqr.hpp"
#include "examples/programs/nn.hpp"
#include "examples/programs/pairwise.hpp"
#include "support/program.hpp"

namespace {

template <class Space>
class programs_of_sums : public test::program<Space> {};
TYPED_TEST_SUITE(programs_of_sums, test::spaces, test::space_name);

TYPED_TEST(programs_of_sums, cronbach_is_three_kernels_of_as_many_items_as_answers) {
  const auto square = this->matrix("square"), x = this->matrix("m");
  this->expect("cronbach", 3, [&] { return programs::cronbach(square); }, {0, 1e-12});
  this->expect("cronbach of 37 x 23", 5, [&] { return programs::cronbach(x); }, {0, 1e-12});
}
TYPED_TEST(programs_of_sums, euclidean_distance_square_is_two_kernels) {
  const auto x1 = this->matrix("row"), x2 = this->matrix("m");
  this->expect("euclidean_distance_square", 2, [&] { return programs::euclidean_distance_square(x1, x2); }, {0, 1e-13});
}
TYPED_TEST(programs_of_sums, l1norm_is_one_kernel) {
  const auto x = this->matrix("square"), y = this->matrix("other");
  this->expect("l1norm", 1, [&] { return programs::l1norm(x, y); }, {64});
}
TYPED_TEST(programs_of_sums, l2norm_is_one_kernel) {
  const auto x = this->matrix("m");
  this->expect("l2norm", 1, [&] { return programs::l2norm(x); }, {16});
}
TYPED_TEST(programs_of_sums, log_likelihood_is_one_kernel) {
  const auto x = this->line("x");
  this->expect("log_likelihood", 1, [&] { return programs::log_likelihood(x, 0.1, 1.1); }, {64});
}
TYPED_TEST(programs_of_sums, lstsqr_is_two_kernels_with_two_results_each) {
  const auto x = this->line("x"), y = this->line("y");
  lf::kernel_trace trace;
  const auto [slope, intercept] = programs::lstsqr(x, y);
  EXPECT_LE(trace.launches(), 2);
  this->expect("lstsqr slope", 0, [&, &s = slope] { return s; }, {0, 1e-14});
  this->expect("lstsqr intercept", 0, [&, &i = intercept] { return i; }, {0, 1e-14});
}
TYPED_TEST(programs_of_sums, nn_is_one_kernel_for_each_round_with_weights_that_stay_on_the_device) {
  const auto x = this->line("x"), y = this->line("y");
  lf::array<double, 0, TypeParam> weight = lf::full(lf::shape<0>{}, 0.5), bias = lf::full(lf::shape<0>{}, 0.25);
  lf::kernel_trace trace;
  programs::nn(weight, bias, x, y, 0.1, 7);
  EXPECT_LE(trace.launches(), 7);
  this->expect("nn weight", 0, [&] { return weight; }, {0, 1e-14});
  this->expect("nn bias", 0, [&] { return bias; }, {0, 1e-14});
}
TYPED_TEST(programs_of_sums, pairwise_is_one_kernel) {
  const auto x = this->matrix("m");
  this->expect("pairwise", 1, [&] { return programs::pairwise(x); }, {64});
}

}  // namespace

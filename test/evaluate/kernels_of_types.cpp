// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernels<E>: what a type promises is what plan(e) finds, for reductions along the same axes; which these are, is a
// value.
#include "support/arrays.hpp"

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::range;

template <class Space>
class kernels_of_types : public test::on<Space> {
 protected:
  template <class E>
  static void expect(int kernels, const char* what, const E& e) {
    expect(kernels, kernels, what, e);
  }
  template <class E>
  static void expect(int kernels, int planned, const char* what, const E& e) {
    EXPECT_EQ(lf::kernels<E>, kernels) << what;
    EXPECT_EQ(int(lf::plan(e).kernels.size()), planned) << what;
  }
};
TYPED_TEST_SUITE(kernels_of_types, test::spaces, test::space_name);

TYPED_TEST(kernels_of_types, are_those_of_the_plan) {
  const auto x = test::array_of<TypeParam, 2>(test::counting<float>({30, 50}));
  const auto y = test::array_of<TypeParam, 2>(test::counting<float>({30, 50}));
  const auto v = test::array_of<TypeParam, 1>(test::counting<float>({50}));
  this->expect(1, "an array", x);
  this->expect(1, "elementwise", lf::sin(x) * 2 + lf::transpose(lf::transpose(y)) + v);
  this->expect(1, "numbers alone", lf::arange<float>(10) * 2 + lf::ones<float>({10}));
  this->expect(1, "a reduction", lf::sum(x * y, axis<1>));
  this->expect(1, "a reduction of a reduction's kernel", lf::sqrt(lf::sum(x * x, axis<1>)) + lf::max(x, axis<1>));
  this->expect(1, "of everything", lf::mean(x) / lf::std(x));
  this->expect(1, "a view of a reduction", lf::transpose(lf::sum(x, axis<1>, keepdims)));
  this->expect(1, "rows", lf::exp(x) / lf::sum(lf::exp(x), axis<1>, keepdims));
  this->expect(1, "softmax", lf::softmax(x, axis<1>));
  this->expect(1, "a row from rows", lf::sum(lf::square(x - lf::mean(x, axis<1>, keepdims)), axis<1>));
  this->expect(1, 3, "reductions along two axes", lf::sum(x, axis<1>, keepdims) + lf::sum(x, axis<0>, keepdims));
  this->expect(2, "a sum over what is reduced along another axis", lf::sum(lf::max(x, axis<1>)));
  this->expect(1, 5, "softmax of a softmax along the other axis", lf::softmax(lf::softmax(x, axis<0>), axis<1>));
  this->expect(2, "a barrier", lf::barrier(lf::sin(x)) + y);
  this->expect(2, "a barrier in a reduction", lf::sum(lf::barrier(lf::sin(x)) + y, axis<1>));
  this->expect(1, "elements moved around", lf::roll(lf::sin(x) * y, 3, axis<1>) + x);
  this->expect(1, "a scan", lf::cumsum(x * x, axis<1>) * 2);
  this->expect(2, "a scan beside a reduction", lf::cumsum(x, axis<1>) / lf::sum(x, axis<1>, keepdims));
  this->expect(3, "scans along two axes", lf::cumsum(x, axis<1>) + lf::cumsum(x, axis<0>));
  this->expect(2, "a scan of a reduction", lf::cumsum(lf::sum(x, axis<1>), axis<0>));
}

TYPED_TEST(kernels_of_types, are_a_contract_for_code) {
  const lf::array<float, 2, TypeParam> x(lf::shape{3, 4});
  const auto e = lf::softmax(x * 2, axis<1>) + 1;
  static_assert(lf::kernels<decltype(e)> == 1);
  static_assert(lf::kernels<decltype(lf::barrier(e) * e)> == 2);
}

}  // namespace

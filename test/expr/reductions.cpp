// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reduction over every subset of three axes, against NumPy's answers; kept axes, empty arrays, rank 0.
#include "support/reductions.hpp"
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Space>
class reductions : public test::on<Space> {};
TYPED_TEST_SUITE(reductions, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("reductions");
  return data;
}

/// Reduces over the axes A... as named in the reference cases.
template <class Op, class T, int... A, class X>
void check(const X& x, const std::string& key) {
  std::string axes;
  ((axes += (axes.empty() ? "" : ",") + std::to_string(A)), ...);
  const std::string name = std::string(Op::name) + "/" + test::name_of<T>() + key + "/axis=" + axes;
  EXPECT_TRUE(test::agrees(test::call<Op>{}(x, lf::axis<A...>), answers(), name));
}

/// NumPy's axis=None.
template <class Op, class T, class X>
void check_all(const X& x, const std::string& key) {
  const std::string name = std::string(Op::name) + "/" + test::name_of<T>() + key + "/axis=all";
  EXPECT_TRUE(test::agrees(test::call<Op>{}(x), answers(), name));
}

template <class Space, class Op, class T>
auto input() {
  return test::array_of<Space, 3>(answers().get<T>(std::string("x/") + Op::name + "/" + test::name_of<T>()));
}

template <class Space, class Op>
void check_every_subset_of_axes() {
  const auto x = input<Space, Op, float>();
  check_all<Op, float>(x, "");
  check<Op, float, 0>(x, "");
  check<Op, float, 1>(x, "");
  check<Op, float, 2>(x, "");
  check<Op, float, -1>(x, "");
  check<Op, float, -3>(x, "");
  check<Op, float, 0, 1>(x, "");
  check<Op, float, 0, 2>(x, "");
  check<Op, float, 1, 2>(x, "");
  check<Op, float, 0, -1>(x, "");
  check<Op, float, -2, -3>(x, "");
  check<Op, float, 0, 1, 2>(x, "");
}
TYPED_TEST(reductions, sum_over_every_subset_of_axes_is_numpys) {
  check_every_subset_of_axes<TypeParam, lf::op::sum>();
}
TYPED_TEST(reductions, max_over_every_subset_of_axes_is_numpys) {
  check_every_subset_of_axes<TypeParam, lf::op::max>();
}
TYPED_TEST(reductions, mean_over_every_subset_of_axes_is_numpys) {
  check_every_subset_of_axes<TypeParam, test::mean>();
}

template <class Space, class Op>
void check_keepdims() {
  const auto x = input<Space, Op, float>();
  const auto reduce = [&](auto axes) { return test::call<Op>{}(x, axes, lf::keepdims); };
  const std::string name = std::string(Op::name) + "/float32/axis=";
  EXPECT_TRUE(test::agrees(reduce(lf::axis<>), answers(), name + "all/keepdims"));
  EXPECT_TRUE(test::agrees(reduce(lf::axis<1>), answers(), name + "1/keepdims"));
  EXPECT_TRUE(test::agrees(reduce(lf::axis<0, -1>), answers(), name + "0,-1/keepdims"));
}
TYPED_TEST(reductions, keepdims_leaves_axes_of_extent_one) {
  check_keepdims<TypeParam, lf::op::sum>();
  check_keepdims<TypeParam, test::mean>();
  check_keepdims<TypeParam, lf::op::any>();
  const lf::array<float, 2, TypeParam> x(lf::shape(3, 2));
  EXPECT_EQ(lf::sum(x, lf::keepdims, lf::axis<1>).shape(), lf::shape(3, 1)) << "options stand in any order";
}

TYPED_TEST(reductions, of_an_empty_axis_between_others_is_the_identity) {
  const auto x = test::array_of<TypeParam, 3>(test::tensor<float>({4, 0, 2}));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<1>), test::tensor<float>({4, 2})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0>), test::tensor<float>({0, 2})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0, 1>), test::tensor<float>({2})));
  EXPECT_TRUE(test::evaluates_to(lf::prod(lf::transpose(x), lf::axis<1>), test::counting<float>({2, 4}, 1, 0)));
}
TYPED_TEST(reductions, of_rank_zero_are_the_element) {
  const auto x = test::array_of<TypeParam, 0>(test::tensor<float>({}, {7}));
  check_all<lf::op::sum, float>(x, "/rank0");
  check_all<lf::op::prod, float>(x, "/rank0");
  check_all<lf::op::max, float>(x, "/rank0");
  check_all<test::mean, float>(x, "/rank0");
  check_all<lf::op::any, float>(x, "/rank0");
}

}  // namespace

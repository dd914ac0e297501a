// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reduction over every subset of three axes, against NumPy's answers; special values, empty arrays, rank 0.
#include "support/reductions.hpp"
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Space>
class reductions : public test::on<Space> {};
TYPED_TEST_SUITE(reductions, test::device_spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("reductions");
  return data;
}

/// Reduces over the axes A... as named in the reference cases.
template <class Op, class T, int... A, class X>
void check(const X& x, const std::string& key) {
  using R = test::reduced<Op, T>;
  const std::string type = test::name_of<T>();
  std::string axes;
  ((axes += (axes.empty() ? "" : ",") + std::to_string(A)), ...);
  const std::string name = std::string(Op::name) + "/" + type + key + "/axis=" + axes;
  EXPECT_TRUE(test::evaluates_to(Op{}(x, lf::axis<A...>), answers().get<R>(name))) << name;
}

/// NumPy's axis=None.
template <class Op, class T, class X>
void check_all(const X& x, const std::string& key, const std::string& keepdims = "") {
  using R = test::reduced<Op, T>;
  const std::string name = std::string(Op::name) + "/" + test::name_of<T>() + key + "/axis=all" + keepdims;
  if (keepdims.empty()) EXPECT_TRUE(test::evaluates_to(Op{}(x), answers().get<R>(name))) << name;
  else EXPECT_TRUE(test::evaluates_to(Op{}(x, lf::axis<>, lf::keepdims), answers().get<R>(name))) << name;
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
TYPED_TEST(reductions, sum_over_every_subset_of_axes_is_numpys) { check_every_subset_of_axes<TypeParam, test::sum>(); }
TYPED_TEST(reductions, max_over_every_subset_of_axes_is_numpys) { check_every_subset_of_axes<TypeParam, test::max>(); }
TYPED_TEST(reductions, mean_over_every_subset_of_axes_is_numpys) {
  check_every_subset_of_axes<TypeParam, test::mean>();
}

template <class Space, class Op>
void check_keepdims() {
  using R = test::reduced<Op, float>;
  const auto x = input<Space, Op, float>();
  const std::string name = std::string(Op::name) + "/float32/axis=";
  check_all<Op, float>(x, "", "/keepdims");
  EXPECT_TRUE(test::evaluates_to(Op{}(x, lf::axis<1>, lf::keepdims), answers().get<R>(name + "1/keepdims")));
  EXPECT_TRUE(test::evaluates_to(Op{}(x, lf::axis<0, -1>, lf::keepdims), answers().get<R>(name + "0,-1/keepdims")));
}
TYPED_TEST(reductions, keepdims_leaves_axes_of_extent_one) {
  check_keepdims<TypeParam, test::sum>();
  check_keepdims<TypeParam, test::mean>();
  check_keepdims<TypeParam, test::any>();
}

template <class Space, class Op>
void check_special_values() {
  const auto f = test::array_of<Space, 2>(answers().get<float>("special/float32"));
  const auto d = test::array_of<Space, 2>(answers().get<double>("special/float64"));
  const std::string key = "/special/axis=1";
  // whether a sum of -0.0 is -0.0 depends on its identity
  EXPECT_TRUE(test::evaluates_to(
      Op{}(f, lf::axis<1>), answers().get<test::reduced<Op, float>>(Op::name + ("/float32" + key)), test::any_zero))
      << Op::name;
  EXPECT_TRUE(test::evaluates_to(
      Op{}(d, lf::axis<1>), answers().get<test::reduced<Op, double>>(Op::name + ("/float64" + key)), test::any_zero))
      << Op::name;
}
TYPED_TEST(reductions, nan_and_infinity_go_where_numpys_go) {
  check_special_values<TypeParam, test::sum>();
  check_special_values<TypeParam, test::prod>();
  check_special_values<TypeParam, test::min>();
  check_special_values<TypeParam, test::max>();
  check_special_values<TypeParam, test::any>();
  check_special_values<TypeParam, test::all>();
}

TYPED_TEST(reductions, of_an_empty_axis_is_the_identity) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({3, 0}));
  check_all<test::sum, float>(x, "/3x0");
  check<test::sum, float, 0>(x, "/3x0");
  check<test::sum, float, 1>(x, "/3x0");
  check_all<test::prod, float>(x, "/3x0");
  check<test::prod, float, 1>(x, "/3x0");
  check_all<test::any, float>(x, "/3x0");
  check<test::any, float, 1>(x, "/3x0");
  check<test::all, float, 1>(x, "/3x0");
  check<test::max, float, 0>(x, "/3x0");
  check<test::mean, float, 0>(x, "/3x0");
}
TYPED_TEST(reductions, of_an_empty_axis_between_others_is_the_identity) {
  const auto x = test::array_of<TypeParam, 3>(test::tensor<float>({4, 0, 2}));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<1>), test::tensor<float>({4, 2})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0>), test::tensor<float>({0, 2})));
  EXPECT_TRUE(test::evaluates_to(lf::sum(x, lf::axis<0, 1>), test::tensor<float>({2})));
  EXPECT_TRUE(test::evaluates_to(lf::prod(lf::transpose(x), lf::axis<1>), test::counting<float>({2, 4}, 1, 0)));
}
TYPED_TEST(reductions, without_identity_refuse_an_empty_axis) {
  const auto x = test::array_of<TypeParam, 2>(test::tensor<float>({3, 0}));
  EXPECT_THROW(lf::materialize(lf::max(x)), lf::error);
  EXPECT_THROW(lf::materialize(lf::max(x, lf::axis<1>)), lf::error);
  EXPECT_THROW(lf::materialize(lf::min(x, lf::axis<-1>)), lf::error);
}
TYPED_TEST(reductions, of_rank_zero_are_the_element) {
  const auto x = test::array_of<TypeParam, 0>(test::tensor<float>({}, {7}));
  check_all<test::sum, float>(x, "/rank0");
  check_all<test::prod, float>(x, "/rank0");
  check_all<test::max, float>(x, "/rank0");
  check_all<test::mean, float>(x, "/rank0");
  check_all<test::any, float>(x, "/rank0");
}

}  // namespace

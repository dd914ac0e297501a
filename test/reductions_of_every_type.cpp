// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reduction of every element type over all, leading, middle and last axes, against NumPy's answers.
#include "support/arrays.hpp"
#include "support/reductions.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Space>
class reductions_of_every_type : public test::on<Space> {};
TYPED_TEST_SUITE(reductions_of_every_type, test::device_spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("reductions");
  return data;
}

template <class Space, class Op, class T>
void check_type() {
  using R = test::reduced<Op, T>;
  const std::string name = std::string(Op::name) + "/" + test::name_of<T>();
  const auto x = test::array_of<Space, 3>(answers().get<T>(std::string("x/") + name));
  EXPECT_TRUE(test::evaluates_to(Op{}(x), answers().get<R>(name + "/axis=all"))) << name;
  EXPECT_TRUE(test::evaluates_to(Op{}(x, lf::axis<0>), answers().get<R>(name + "/axis=0"))) << name;
  EXPECT_TRUE(test::evaluates_to(Op{}(x, lf::axis<1>), answers().get<R>(name + "/axis=1"))) << name;
  EXPECT_TRUE(test::evaluates_to(Op{}(x, lf::axis<-1>), answers().get<R>(name + "/axis=-1"))) << name;
}
template <class Space, class Op>
void check() {
  check_type<Space, Op, bool>();
  check_type<Space, Op, std::int32_t>();
  check_type<Space, Op, std::int64_t>();
  check_type<Space, Op, float>();
  check_type<Space, Op, double>();
}
TYPED_TEST(reductions_of_every_type, sum_is_numpys) { check<TypeParam, test::sum>(); }
TYPED_TEST(reductions_of_every_type, prod_is_numpys) { check<TypeParam, test::prod>(); }
TYPED_TEST(reductions_of_every_type, min_is_numpys) { check<TypeParam, test::min>(); }
TYPED_TEST(reductions_of_every_type, max_is_numpys) { check<TypeParam, test::max>(); }
TYPED_TEST(reductions_of_every_type, mean_is_numpys) { check<TypeParam, test::mean>(); }
TYPED_TEST(reductions_of_every_type, any_is_numpys) { check<TypeParam, test::any>(); }
TYPED_TEST(reductions_of_every_type, all_is_numpys) { check<TypeParam, test::all>(); }

}  // namespace

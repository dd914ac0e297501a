// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reduction of every element type over all, leading, middle and last axes, of special values and of nothing,
// against NumPy's answers. They come from the registry, so nothing is to be added here.
#include "support/arrays.hpp"
#include "support/reductions.hpp"
#include "support/reference_data.hpp"

namespace {

template <class Case>
class reductions_of_every_type : public test::on<typename Case::space> {
 protected:
  using op = test::call<typename Case::operation>;
  static const test::reference_data& answers() {
    static const test::reference_data data("reductions");
    return data;
  }
};
TYPED_TEST_SUITE(reductions_of_every_type, test::on_the_device<test::all_reductions>, test::operation_name);

TYPED_TEST(reductions_of_every_type, are_numpys) {
  test::for_each_type(test::element_types{}, [&](auto t) {
    using T = typename decltype(t)::value_type;
    using op = typename TestFixture::op;
    const auto& answers = this->answers();
    const std::string name = std::string(op::name) + "/" + test::name_of<T>();
    const auto x = test::array_of<typename TypeParam::space, 3>(answers.template get<T>("x/" + name));
    EXPECT_TRUE(test::agrees(op{}(x), answers, name + "/axis=all"));
    EXPECT_TRUE(test::agrees(op{}(x, lf::axis<0>), answers, name + "/axis=0"));
    EXPECT_TRUE(test::agrees(op{}(x, lf::axis<1>), answers, name + "/axis=1"));
    EXPECT_TRUE(test::agrees(op{}(x, lf::axis<-1>), answers, name + "/axis=-1"));
  });
}

TYPED_TEST(reductions_of_every_type, take_nan_and_infinity_where_numpys_do) {
  test::for_each_type(lf::list<float, double>{}, [&](auto t) {
    using T = typename decltype(t)::value_type;
    using op = typename TestFixture::op;
    const auto& answers = this->answers();
    const std::string type = test::name_of<T>();
    const auto x = test::array_of<typename TypeParam::space, 2>(answers.template get<T>("special/" + type));
    // whether a sum of -0.0 is -0.0 depends on its identity
    EXPECT_TRUE(
        test::agrees(op{}(x, lf::axis<1>), answers, op::name + ("/" + type + "/special/axis=1"), test::any_zero));
  });
}

TYPED_TEST(reductions_of_every_type, of_nothing_are_the_identity_or_refused) {
  using op = typename TestFixture::op;
  const auto& answers = this->answers();
  const auto x = test::array_of<typename TypeParam::space, 2>(test::tensor<float>({3, 0}));
  const std::string name = op::name + std::string("/float32/3x0/axis=");
  EXPECT_TRUE(test::agrees(op{}(x, lf::axis<0>), answers, name + "0"));
  if constexpr (!std::is_same_v<typename TypeParam::operation, test::mean>) {
    if constexpr (TypeParam::operation::has_identity) {
      EXPECT_TRUE(test::agrees(op{}(x), answers, name + "all"));
      EXPECT_TRUE(test::agrees(op{}(x, lf::axis<1>), answers, name + "1"));
    } else {
      EXPECT_THROW(lf::materialize(op{}(x)), lf::error);
      EXPECT_THROW(lf::materialize(op{}(x, lf::axis<1>)), lf::error);
    }
  }
}

}  // namespace

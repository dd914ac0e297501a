// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rms_norm and normalize against NumPy's answers in double. Precision is in epsilons of the element type.
#include "support/rows.hpp"

namespace {

template <class Space>
class norms : public test::on<Space> {};
TYPED_TEST_SUITE(norms, test::spaces, test::space_name);

const test::reference_data& answers() {
  static const test::reference_data data("normalization");
  return data;
}

// A sum of positive terms, a root, a reciprocal and a product.
constexpr test::precision norm_precision{32};

const auto rms_norm = [](const auto& x, const auto& y, auto a) {
  if constexpr (std::is_same_v<decltype(a), lf::axes<-1>>)
    return lf::rms_norm(x, a, y(lf::range(0, 1), lf::all), lf::epsilon{1e-6});
  else return lf::rms_norm(x, a, y(lf::all, lf::range(0, 1)), lf::epsilon{1e-6});
};
const auto normalize = [](const auto& x, const auto&, auto a) { return lf::normalize(x, a); };

TYPED_TEST(norms, rms_norm_of_rows_of_every_length_and_layout_is_numpys) {
  test::check_rows<TypeParam, float, false>(answers(), "rms_norm", rms_norm, norm_precision);
  test::check_rows<TypeParam, double, false>(answers(), "rms_norm", rms_norm, norm_precision);
}
TYPED_TEST(norms, normalize_of_rows_of_every_length_and_layout_is_numpys) {
  test::check_rows<TypeParam, float, true>(answers(), "normalize/2", normalize, norm_precision);
  test::check_rows<TypeParam, double, false>(answers(), "normalize/2", normalize, norm_precision);
}
TYPED_TEST(norms, normalize_knows_the_sum_and_the_maximum_of_absolute_values) {
  const auto sum = [](const auto& x, const auto&, auto a) { return lf::normalize(x, lf::ord<1>, a); };
  const auto largest = [](const auto& x, const auto&, auto a) { return lf::normalize(x, lf::ord<lf::inf>, a); };
  test::check_rows<TypeParam, float, false>(answers(), "normalize/1", sum, norm_precision);
  test::check_rows<TypeParam, float, false>(answers(), "normalize/inf", largest, norm_precision);
}
TYPED_TEST(norms, written_by_hand_are_the_same) {
  const auto f = [](const auto& x, const auto&, auto a) { return x / lf::sqrt(lf::sum(x * x, a, lf::keepdims)); };
  test::check_rows<TypeParam, float, false>(answers(), "normalize/2", f, norm_precision);
}
TYPED_TEST(norms, of_rows_with_infinities_nan_and_huge_numbers_are_numpys) {
  const auto check = [](const char* name, auto f) {
    test::check_special_rows<TypeParam>(answers(), name, f, norm_precision);
  };
  check("rms_norm", [](const auto& x) { return lf::rms_norm(x, lf::epsilon{1e-6}); });
  check("normalize/1", [](const auto& x) { return lf::normalize(x, lf::ord<1>); });
  check("normalize/2", [](const auto& x) { return lf::normalize(x); });
  check("normalize/inf", [](const auto& x) { return lf::normalize(x, lf::ord<lf::inf>); });
}
TYPED_TEST(norms, of_several_axes) {
  const auto x = test::array_of<TypeParam, 3>(test::between_tensor<float>(5, {3, 4, 5}));
  EXPECT_TRUE(test::is_near<float>(lf::rms_norm(x, lf::axis<0, 2>, lf::epsilon{1e-6}),
                                   answers().get<double>("rms_norm/axis=0,2"), norm_precision));
}

}  // namespace

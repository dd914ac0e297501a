// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reduction of every element type over all, leading, middle and last axes, of special values and of nothing,
// against NumPy's answers. They come from the registry, so nothing is to be added here.
#include "support/arrays.hpp"
#include "support/coverage.hpp"
#include "support/gather.hpp"
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
    constexpr int a = test::place_of<typename TypeParam::operation>(test::all_reductions{}),
                  b = test::place_of<T>(test::element_types{});
    if constexpr (test::meets(a, b, 0, 4)) {
      EXPECT_TRUE(test::agrees(op{}(x), answers, name + "/axis=all"));
    }
    if constexpr (test::meets(a, b, 1, 4)) {
      EXPECT_TRUE(test::agrees(op{}(x, lf::axis<0>), answers, name + "/axis=0"));
    }
    if constexpr (test::meets(a, b, 2, 4)) {
      EXPECT_TRUE(test::agrees(op{}(x, lf::axis<1>), answers, name + "/axis=1"));
    }
    if constexpr (test::meets(a, b, 3, 4)) {
      EXPECT_TRUE(test::agrees(op{}(x, lf::axis<-1>), answers, name + "/axis=-1"));
    }
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

template <class Space>
class reductions_together : public test::on<Space> {};
TYPED_TEST_SUITE(reductions_together, test::spaces, test::space_name);

/// Compares the K-th member of every gathered element with NumPy's answer of that name.
template <int K, class T, class E>
void expect_member(const lf::array<E, 1, lf::host>& got, const std::string& operation, int axis,
                   const test::within& tolerance) {
  static const test::reference_data answers("reductions");
  using R = lf::bare_t<decltype(lf::get<K>(std::declval<const E&>()))>;
  test::tensor<R> values{{got.size()}};
  for (std::size_t i = 0; i < values.values.size(); ++i)
    values.values[i] = static_cast<test::stored<R>>(lf::get<K>(got.data()[i]));
  const std::string name = "every/" + operation + "/" + test::name_of<T>() + "/axis=" + std::to_string(axis);
  const auto same = test::same(values, answers.get<R>(name), tolerance);
  EXPECT_TRUE(same) << name;
}

template <class Space, class T, int Axis>
void check_reductions() {
  static const test::reference_data answers("reductions");
  const auto x = test::array_of<Space, 2>(answers.get<T>(std::string("every/x/") + test::name_of<T>()));
  constexpr auto a = lf::axis<Axis>;
  const test::within near{lf::small_real<T> ? 1 : 16};
  constexpr int type = test::place_of<T>(test::every_element_type{});
  if constexpr (test::meets(type, 0, Axis, 2)) {
    const auto common = lf::to<lf::host>(lf::materialize(
        lf::map(test::gather{}, lf::sum(x, a), lf::prod(x, a), lf::all(x, a), lf::any(x, a), lf::mean(x, a))));
    expect_member<0, T>(common, "sum", Axis, {});
    expect_member<1, T>(common, "prod", Axis, test::any_zero);
    expect_member<2, T>(common, "all", Axis, {});
    expect_member<3, T>(common, "any", Axis, {});
    expect_member<4, T>(common, "mean", Axis, near);
  }
  if constexpr (test::meets(type, 1, Axis, 2)) {
    const auto spread = lf::to<lf::host>(lf::materialize(lf::map(test::gather{}, lf::var(x, a), lf::std(x, a))));
    expect_member<0, T>(spread, "var", Axis, near);
    expect_member<1, T>(spread, "std", Axis, near);
  }
  if constexpr (!lf::complex_number<T> && test::meets(type, 0, Axis, 2)) {
    const auto extremes = lf::to<lf::host>(lf::materialize(lf::map(test::gather{}, lf::max(x, a), lf::min(x, a))));
    expect_member<0, T>(extremes, "max", Axis, {});
    expect_member<1, T>(extremes, "min", Axis, {});
  }
}
TYPED_TEST(reductions_together, of_every_element_type_along_rows_and_columns_are_numpys) {
  test::for_each_type(test::every_element_type{}, [](auto t) {
    using T = typename decltype(t)::value_type;
    check_reductions<TypeParam, T, 0>();
    check_reductions<TypeParam, T, 1>();
  });
}

}  // namespace

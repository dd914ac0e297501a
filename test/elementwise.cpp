// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations are called: functions, operators and in-place forms mean the same. Their values:
// conformance_of_*.cpp.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"
#include "support/registry.hpp"

#include <calls.hpp>

namespace {

const test::reference_data& answers() {
  static const test::reference_data data("elementwise");
  return data;
}

template <class Case>
class elementwise : public test::on<typename Case::space> {};
TYPED_TEST_SUITE(elementwise, test::on_the_device<lf::op::all_elementwise>, test::operation_name);

/// Whether the function and the operator build the operation's node.
template <class Op, class Space, int... I>
constexpr bool one_meaning(lf::index_sequence<I...>) {
  const auto same = []<class... X>(lf::list<X...>) {
    using built = decltype(lf::map<Op>(std::declval<const X&>()...));
    constexpr bool function = std::is_same_v<decltype(test::call<Op>{}(std::declval<const X&>()...)), built>;
    if constexpr (*Op::symbol == 0) return function;
    else return function && std::is_same_v<decltype(test::call<Op>::infix(std::declval<const X&>()...)), built>;
  };
  using T = std::conditional_t<Op::rule::template accepts<float>, float, lf::int32>;
  return same(lf::list<lf::array<test::operand_type<Op, I, T>, 1, Space>...>{});
}
TYPED_TEST(elementwise, is_what_its_function_and_its_operator_mean) {
  using op = typename TypeParam::operation;
  constexpr bool same = one_meaning<op, typename TypeParam::space>(lf::make_index_sequence<test::arity<op>>{});
  EXPECT_TRUE(same);
}

template <class Space>
class beyond_the_registry : public test::on<Space> {};
TYPED_TEST_SUITE(beyond_the_registry, test::spaces, test::space_name);

TYPED_TEST(beyond_the_registry, in_place_forms_are_the_operators) {
  const auto a = answers().get<double>("a/float64"), b = answers().get<double>("b/float64");
  const auto y = test::array_of<TypeParam, 2>(b);
  auto x = test::array_of<TypeParam, 2>(a);
  x += y;
  EXPECT_TRUE(test::agrees(x, answers(), "add/float64"));
  x = test::array_of<TypeParam, 2>(a);
  x -= y;
  EXPECT_TRUE(test::agrees(x, answers(), "subtract/float64"));
  x = test::array_of<TypeParam, 2>(a);
  x *= y;
  EXPECT_TRUE(test::agrees(x, answers(), "multiply/float64"));
  x = test::array_of<TypeParam, 2>(a);
  x /= y;
  EXPECT_TRUE(test::agrees(x, answers(), "divide/float64"));
}
TYPED_TEST(beyond_the_registry, negative_powers_of_integers_are_truncated) {
  // NumPy refuses these
  const auto x = test::array_of<TypeParam, 1>(test::tensor<std::int64_t>({8}, {1, 1, -1, -1, -1, 2, -3, 0}));
  const auto y = test::array_of<TypeParam, 1>(test::tensor<std::int64_t>({8}, {-1, -8, -1, -2, -7, -1, -2, -1}));
  EXPECT_TRUE(test::evaluates_to(lf::pow(x, y), test::tensor<std::int64_t>({8}, {1, 1, -1, 1, -1, 0, 0, 0})));
}

}  // namespace

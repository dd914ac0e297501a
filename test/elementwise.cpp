// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the registry, of every element type that it accepts, against NumPy's answers: at special values
// and in its domain. An operation without reference data fails, so nothing is to be added here.
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

/// Operand I, where all but a condition are of type T: the operation's own if it has a domain, else that of all.
template <class Space, class Op, class T, int I>
auto operand() {
  constexpr int place = test::arity<Op> - I;
  const std::string name = std::string(test::arity<Op> == 1 ? "x"
                                       : place == 3         ? "condition"
                                       : place == 2         ? "a"
                                                            : "b") +
                           "/" + test::name_of<T>();
  const std::string own = std::string(Op::name) + "/" + name;
  return test::array_of<Space, 1>(answers().get<test::operand_type<Op, I, T>>(answers().has(own) ? own : name));
}

/// Calls f with the operands of an operation.
template <class Space, class Op, class T, int... I, class F>
void with_operands(lf::indices<I...>, F f) {
  f(operand<Space, Op, T, I>()...);
}

TYPED_TEST(elementwise, is_numpys) {
  using op = typename TypeParam::operation;
  using space = typename TypeParam::space;
  // which of two zeros of unlike sign is the larger is anyone's choice
  constexpr bool sign_of_zero = !std::is_same_v<op, lf::op::maximum> && !std::is_same_v<op, lf::op::minimum>;
  constexpr test::within tolerance{op::ulp, 0, sign_of_zero};
  test::for_each_type(test::element_types{}, [&](auto t) {
    using T = typename decltype(t)::value_type;
    if constexpr (op::rule::template accepts<T>)
      with_operands<space, op, T>(lf::make_indices<test::arity<op>>{}, [&](const auto&... x) {
        const std::string name = std::string(op::name) + "/" + test::name_of<T>();
        EXPECT_TRUE(test::agrees(test::call<op>{}(x...), answers(), name, tolerance));
      });
  });
}

/// Whether the function and the operator build the operation's node.
template <class Op, class Space, int... I>
constexpr bool one_meaning(lf::indices<I...>) {
  const auto same = []<class... X>(lf::list<X...>) {
    using built = decltype(lf::map<Op>(std::declval<const X&>()...));
    constexpr bool function = std::is_same_v<decltype(test::call<Op>{}(std::declval<const X&>()...)), built>;
    if constexpr (*Op::symbol == 0) return function;
    else return function && std::is_same_v<decltype(test::call<Op>::infix(std::declval<const X&>()...)), built>;
  };
  return same(lf::list<lf::array<test::operand_type<Op, I, float>, 1, Space>...>{});
}
TYPED_TEST(elementwise, is_what_its_function_and_its_operator_mean) {
  using op = typename TypeParam::operation;
  constexpr bool same = one_meaning<op, typename TypeParam::space>(lf::make_indices<test::arity<op>>{});
  EXPECT_TRUE(same);
}

template <class Space>
class beyond_the_registry : public test::on<Space> {};
TYPED_TEST_SUITE(beyond_the_registry, test::spaces, test::space_name);

TYPED_TEST(beyond_the_registry, in_place_forms_are_the_operators) {
  const auto a = answers().get<double>("a/float64"), b = answers().get<double>("b/float64");
  const auto y = test::array_of<TypeParam, 1>(b);
  auto x = test::array_of<TypeParam, 1>(a);
  x += y;
  EXPECT_TRUE(test::agrees(x, answers(), "add/float64"));
  x = test::array_of<TypeParam, 1>(a);
  x -= y;
  EXPECT_TRUE(test::agrees(x, answers(), "subtract/float64"));
  x = test::array_of<TypeParam, 1>(a);
  x *= y;
  EXPECT_TRUE(test::agrees(x, answers(), "multiply/float64"));
  x = test::array_of<TypeParam, 1>(a);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the registry, of one element type, in every layout of its operands, against NumPy's answers. They
// are evaluated eight at a time, gathered in one element of an array, so that a compiler makes one kernel of eight.
#pragma once

#include "arrays.hpp"
#include "gather.hpp"
#include "reference_data.hpp"
#include "registry.hpp"

#include <calls.hpp>

#include <iostream>

namespace test {

inline const reference_data& elementwise_answers() {
  static const reference_data data("elementwise");
  return data;
}

/// How operands lie in memory.
enum class layout { dense, reversed_and_strided, transposed, misaligned };
inline constexpr layout every_layout[] = {layout::dense, layout::reversed_and_strided, layout::transposed,
                                          layout::misaligned};
inline const char* name_of(layout l) {
  constexpr const char* names[] = {"dense", "reversed and strided", "transposed", "misaligned"};
  return names[static_cast<int>(l)];
}

/// An expression of rank 2 with the tensor's elements: a view of an array that is laid out so.
template <class Space, class T>
auto laid_out(const tensor<T>& t, layout l) {
  const std::int64_t rows = t.shape[0], columns = t.shape[1];
  const auto put = [&](const extents& whole, auto where) {
    tensor<T> to{whole};
    for_each_index(t.shape, [&](const extents& i) { to[where(i[0], i[1])] = t[i]; });
    return array_of<Space, 2>(to);
  };
  using lf::all;
  using lf::none;
  using lf::range;
  switch (l) {
    case layout::reversed_and_strided:
      return put({rows, 2 * columns}, [&](auto i, auto j) {
        return extents{rows - 1 - i, 2 * j + 1};
      })(range(none, none, -1), range(1, none, 2));
    case layout::transposed:
      return lf::permute_dims<1, 0>(put({columns, rows}, [](auto i, auto j) {
        return extents{j, i};
      })(range(none, none, 1), range(0, none, 1)));
    case layout::misaligned:
      return put({rows, columns + 3}, [](auto i, auto j) {
        return extents{i, j + 1};
      })(range(none, none, 1), range(1, -2, 1));
    default:
      return put(t.shape, [](auto i, auto j) { return extents{i, j}; })(range(none, none, 1), range(0, none, 1));
  }
}

/// Operand I of an operation, where all but conditions and exponents are of type T.
template <class Op, class T, int I>
tensor<operand_type<Op, I, T>> operand_tensor() {
  if constexpr (has_condition<Op> && I == 0) return elementwise_answers().get<bool>("condition");
  else if constexpr (has_exponent<Op> && I == 1) return elementwise_answers().get<lf::int32>("exponent");
  else {
    const bool first_is_x = arity<Op> != 2 && !has_condition<Op>;
    const std::string letter = I == 0 && (first_is_x || has_exponent<Op>) ? "x" : arity<Op> - I == 2 ? "a" : "b";
    const std::string own = std::string(Op::name) + "/" + letter + "/" + name_of<T>();
    return elementwise_answers().get<T>(elementwise_answers().has(own) ? own : letter + "/" + name_of<T>());
  }
}

/// How far a result of Op may be from NumPy's.
template <class Op, class T>
constexpr within tolerance_of() {
  // which of two zeros of unlike sign is the larger is anyone's choice, and NumPy's own varies with the type
  namespace op = lf::op;
  using extremes = lf::list<op::maximum, op::minimum, op::fmax, op::fmin, op::clip, op::relu, op::nextafter>;
  constexpr bool sign_of_zero = !lf::contains<Op, extremes>;
  if constexpr (lf::complex_number<T>) return {Op::complex_ulp, 0, sign_of_zero};
  else {
    constexpr double unit = std::is_same_v<T, float>                               ? 0x1p-23
                            : std::is_floating_point_v<T> || std::is_integral_v<T> ? 0x1p-52
                                                                                   : 0;
    return {lf::small_real<T> ? (Op::ulp > 0 ? 1 : 0) : Op::ulp, Op::ulp_of_one * unit, sign_of_zero};
  }
}

template <class Op, class Space, class T, int... I>
auto applied(layout l, lf::index_sequence<I...>) {
  return call<Op>{}(laid_out<Space>(operand_tensor<Op, T, I>(), l)...);
}

/// How many cells of the table operation x element type x layout were compared.
inline int cells = 0;

template <class Space, class T, class... Op, int... K>
void check_together(lf::list<Op...>, lf::index_sequence<K...>) {
  for (const layout l : every_layout) {
    const auto all = lf::map(gather{}, applied<Op, Space, T>(l, lf::make_index_sequence<arity<Op>>{})...);
    using element = lf::value_t<decltype(all)>;
    const lf::array<element, 2, lf::host> got = lf::to<lf::host>(lf::materialize(all));
    const auto check = [&]<class O, int N>(lf::list<O>, lf::index_sequence<N>) {
      using R = lf::bare_t<decltype(lf::get<N>(std::declval<const element&>()))>;
      static_assert(std::is_same_v<R, result_type<O, T>>);
      tensor<R> values{{got.shape()[0], got.shape()[1]}};
      for (std::size_t i = 0; i < values.values.size(); ++i)
        values.values[i] = static_cast<stored<R>>(lf::get<N>(got.data()[i]));
      const std::string name = std::string(O::name) + "/" + name_of<T>();
      const auto same_as_numpys = same(values, elementwise_answers().get<R>(name), tolerance_of<O, T>());
      EXPECT_TRUE(same_as_numpys) << name << ", " << name_of(l);
      ++cells;
    };
    (check(lf::list<Op>{}, lf::index_sequence<K>{}), ...);
  }
}

/// The operations of a list that accept T, eight at a time.
template <class Space, class T, class... Found>
void check_all(lf::list<>, lf::list<Found...> found) {
  if constexpr (sizeof...(Found) > 0) check_together<Space, T>(found, lf::make_index_sequence<sizeof...(Found)>{});
}
template <class Space, class T, class Op, class... Rest, class... Found>
void check_all(lf::list<Op, Rest...>, lf::list<Found...> found) {
  if constexpr (sizeof...(Found) == 8) {
    check_together<Space, T>(found, lf::make_index_sequence<8>{});
    check_all<Space, T>(lf::list<Op, Rest...>{}, lf::list<>{});
  } else if constexpr (Op::rule::template accepts<T>)
    check_all<Space, T>(lf::list<Rest...>{}, lf::list<Found..., Op>{});
  else check_all<Space, T>(lf::list<Rest...>{}, found);
}

/// How many operations accept elements of type T.
template <class T, class... Op>
constexpr int accepting(lf::list<Op...>) {
  return (0 + ... + int(Op::rule::template accepts<T>));
}

template <class Case>
class conformance : public on<typename Case::space> {
 protected:
  static void TearDownTestSuite() { std::cout << "conformance: " << cells << " cells so far\n"; }
};

/// A case of the typed suite.
template <class Space, class T>
struct element_case {
  using space = Space;
  using element = T;
};
template <class Space, class... T>
auto element_cases(lf::list<T...>, ::testing::Types<Space>) -> ::testing::Types<element_case<Space, T>...>;
struct element_case_name {
  template <class Case>
  static std::string GetName(int) {
    return std::string(Case::space::name) + "_" + name_of<typename Case::element>();
  }
};

TYPED_TEST_SUITE_P(conformance);
TYPED_TEST_P(conformance, every_operation_in_every_layout_is_numpys) {
  const int before = cells;
  check_all<typename TypeParam::space, typename TypeParam::element>(lf::op::all_elementwise{}, lf::list<>{});
  EXPECT_EQ(cells - before, accepting<typename TypeParam::element>(lf::op::all_elementwise{}) * 4);
}
REGISTER_TYPED_TEST_SUITE_P(conformance, every_operation_in_every_layout_is_numpys);

}  // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what is made from the registry of operations:
//   operations page FILE    docs/operations.md, which generate.py reads too
//   operations check FILE   fails unless FILE is that page
//   operations calls FILE   a header with the function and the operator of each operation, for the tests
#include "../support/registry.hpp"

#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

/// "bool, integers, reals": the element types that f tells to be accepted.
template <class Accepts>
std::string kinds(Accepts accepts) {
  std::string text;
  const auto add = [&](bool accepted, const char* kind) {
    if (accepted) text += (text.empty() ? "" : ", ") + std::string(kind);
  };
  add(accepts(test::type_tag<bool>{}), "bool");
  add(accepts(test::type_tag<lf::int32>{}) && accepts(test::type_tag<lf::int64>{}), "integers");
  add(accepts(test::type_tag<float>{}) && accepts(test::type_tag<double>{}), "reals");
  return text;
}

/// The result's type for each operand's type, in words.
std::string words(const std::vector<std::array<std::string, 2>>& from_to) {
  bool one = true;
  std::string changed, to;
  for (const auto& [operand, result] : from_to) {
    one = one && result == from_to[0][1];
    if (operand == result) continue;
    changed += (changed.empty() ? "" : ", ") + operand;
    if (!to.empty() && to != result) throw std::logic_error("no words for such results");
    to = result;
  }
  if (changed.empty()) return "as x";
  return one ? to : to + " of " + changed + "; else as x";
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

template <class Op>
std::string operation_row() {
  const auto accepts = [](auto t) { return Op::rule::template accepts<typename decltype(t)::value_type>; };
  std::vector<std::array<std::string, 2>> results;
  test::for_each_type(test::element_types{}, [&](auto t) {
    using T = typename decltype(t)::value_type;
    if constexpr (Op::rule::template accepts<T>)
      results.push_back({test::name_of<T>(), test::name_of<test::result_type<Op, T>>()});
  });
  std::ostringstream row;
  row << "| " << code(Op::name) << " | " << code(Op::symbol) << " | " << code(test::numpy_name<Op>()) << " | "
      << test::arity<Op> << " | " << (test::has_condition<Op> ? "condition; " : "") << kinds(accepts) << " | "
      << words(results) << " | " << Op::ulp << " | ";
  if (Op::domain.low == lf::real_line.low && Op::domain.high == lf::real_line.high) row << "all";
  else row << Op::domain.low << " to " << Op::domain.high;
  row << " |\n";
  return row.str();
}

template <class M>
std::string monoid_row() {
  std::vector<std::array<std::string, 2>> results;
  test::for_each_type(test::element_types{}, [&](auto t) {
    using T = typename decltype(t)::value_type;
    results.push_back({test::name_of<T>(), test::name_of<typename M::template accumulator<T>>()});
  });
  std::ostringstream row;
  row << "| " << code(M::name) << " | " << code(test::numpy_name<M>()) << " | " << words(results) << " | ";
  if (M::has_identity) row << std::boolalpha << M::template identity<typename M::template accumulator<lf::int64>>();
  else row << "none";
  row << " |\n";
  return row.str();
}

template <class... Op, class... M>
std::string page(lf::list<Op...>, lf::list<M...>) {
  std::string text = R"(<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Written by test/data/operations.cpp from include/lazyfuse/op: cmake --build --preset host --target operations_page -->
# Operations

All of them exist in both spaces, in expressions of any shape, and fuse. Each is a function of namespace `lazyfuse` and,
where the table names one, an operator. The tests compare every row with NumPy's answers, for every element type.

## Element by element

Operands are broadcast and meet in their promoted type, which is x below. A C++ scalar takes the type of the arrays it
meets. *Integers* are int32 and int64, and wrap around; *reals* are float32 and float64. bool and numbers do not mix
without a `cast`, but in `logical_and` and `logical_or`. A *condition* is bool. A C++ integer as exponent of `pow` stays
an integer and is multiplied out.

The error is that of a real result in either space, in units in the last place; 0 means NumPy's bits, but for the sign
of a zero that `maximum` and `minimum` choose from zeros of both signs. It is tested at special values, wherever they
lie, and at random ones in the domain.

| operation | operator | NumPy | operands | element types | result | error, ulp | domain |
|---|---|---|---|---|---|---|---|
)";
  text += (operation_row<Op>() + ...);
  text += R"(
`cast<T>(x)` converts: towards zero from reals to integers, saturating at the ends, NaN to 0.

## Reductions

Over all axes or some: `sum(x)`, `sum(x, axis<0, -1>)`, `sum(x, axis<1>, keepdims)`. Operands are of any element type.
Without an identity a reduction of no elements throws `shape_error`. `mean` is a sum and a division, in float64 for
integers and bool.

| reduction | NumPy | result | identity |
|---|---|---|---|
)";
  text += (monoid_row<M>() + ...);
  return text;
}

template <class Op>
std::string specialisation() {
  const std::string name = Op::name;
  return "\ntemplate <>\nstruct call<lazyfuse::op::" + name + "> {\n  static constexpr const char* name = \"" + name +
         "\";\n  template <class... X>\n  auto operator()(const X&... x) const {\n    return lazyfuse::" + name +
         "(x...);\n  }\n";
}
template <class Op>
std::string operation_call() {
  const std::string symbol = Op::symbol;
  if (symbol.empty()) return specialisation<Op>() + "};\n";
  return specialisation<Op>() +
         (test::arity<Op> == 1
              ? "  template <class X>\n  static auto infix(const X& x) {\n    return " + symbol + "x;\n  }\n};\n"
              : "  template <class X, class Y>\n  static auto infix(const X& x, const Y& y) {\n    return x " + symbol +
                    " y;\n  }\n};\n");
}

template <class... Op, class... M>
std::string calls(lf::list<Op...>, lf::list<M...>) {
  return "// Written by test/data/operations.cpp.\n#pragma once\n\nnamespace test {\n" + (operation_call<Op>() + ...) +
         ((specialisation<M>() + "};\n") + ...) + "\n}  // namespace test\n";
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count == 3 ? arguments[1] : "";
  if (what != "page" && what != "check" && what != "calls") {
    std::cerr << "operations page|check|calls FILE\n";
    return 2;
  }
  const std::string text = what == "calls" ? calls(lf::op::all_elementwise{}, lf::op::all_monoids{})
                                           : page(lf::op::all_elementwise{}, lf::op::all_monoids{});
  if (what == "check") {
    std::ifstream in(arguments[2], std::ios::binary);
    if (std::string(std::istreambuf_iterator<char>(in), {}) == text) return 0;
    std::cerr << arguments[2] << " is not what the registry says; to write it anew:\n"
              << "cmake --build --preset host --target operations_page\n";
    return 1;
  }
  std::ofstream out(arguments[2], std::ios::binary);
  return out << text << std::flush ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a header with the function and the operator of each operation of the registry, for the tests: calls FILE
#include "../support/registry.hpp"

#include <fstream>
#include <iostream>

namespace {

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
  return "// Written by test/data/calls.cpp.\n#pragma once\n\nnamespace test {\n" + (operation_call<Op>() + ...) +
         ((specialisation<M>() + "};\n") + ...) + "\n}  // namespace test\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "calls FILE\n";
    return 2;
  }
  std::ofstream out(arguments[1], std::ios::binary);
  return out << calls(lf::op::all_elementwise{}, lf::op::all_monoids{}) << std::flush ? 0 : 1;
}

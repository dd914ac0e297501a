// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what is made from the registry of operations:
//   operations page FILE         docs/operations.md, which generate.py reads too
//   operations numpy FILE        docs/numpy.md
//   operations check page FILE   fails unless FILE is that page; check numpy FILE likewise
//   operations check names FILE  fails unless docs/numpy.md has all names of that file
//   operations spellings FILE    a program that compiles what docs/numpy.md says is lazyfuse
#include "../support/registry.hpp"
#include "numpy_page.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

/// "bool, integers, reals, complex": the element types that f tells to be accepted.
template <class Accepts>
std::string kinds(Accepts accepts) {
  std::string text;
  const auto add = [&](bool accepted, const char* kind) {
    if (accepted) text += (text.empty() ? "" : ", ") + std::string(kind);
  };
  add(accepts(test::type_tag<bool>{}), "bool");
  add(accepts(test::type_tag<lf::int32>{}), "integers");
  add(accepts(test::type_tag<float>{}), "reals");
  add(accepts(test::type_tag<lf::complex<float>>{}), "complex");
  return text;
}

/// What f tells of element types of one kind, in words: a type, "as x", or "as its parts".
template <class F, class... T>
std::string result_of_kind(F f, lf::list<T...>) {
  const std::vector<std::array<std::string, 3>> all = {
      {test::name_of<T>(), test::name_of<lf::part_t<T>>(), f(test::type_tag<T>{})}...};
  const auto every = [&](auto holds) { return std::all_of(all.begin(), all.end(), holds); };
  if (all[0][2].empty()) return "";
  if (every([](const auto& a) { return a[2] == a[0]; })) return "as x";
  if (every([&](const auto& a) { return a[2] == all[0][2]; })) return all[0][2];
  if (every([](const auto& a) { return a[2] == a[1]; })) return "as its parts";
  std::string each;
  for (const auto& a : all)
    if (each.find(a[2]) == std::string::npos) each += (each.empty() ? "" : " or ") + a[2];
  return each;
}

/// The result's type for each kind of operand's type, in words; f tells it of one type, or nothing.
template <class F>
std::string words(F f) {
  std::string results[] = {result_of_kind(f, lf::list<bool>{}), result_of_kind(f, test::integer_types{}),
                           result_of_kind(f, test::real_types{}), result_of_kind(f, test::complex_types{})};
  const char* const names[] = {"bool", "integers", "reals", "complex"};
  std::string text, common;
  bool one = true;
  if (results[1] == "bool" && results[0] == "as x") results[0] = "bool";
  for (const auto& r : results)
    if (!r.empty()) {
      if (common.empty()) common = r;
      one = one && r == common;
    }
  if (one) return common;
  for (int k = 0; k < 4; ++k) {
    if (results[k].empty() || results[k] == "as x") continue;
    text += (text.empty() ? "" : ", ") + results[k] + " of ";
    int last = k;
    while (last + 1 < 4 && results[last + 1] == results[k]) ++last;
    for (int n = k; n <= last; ++n) text += (n > k ? (n == last ? " and " : ", ") : "") + std::string(names[n]);
    k = last;
  }
  for (const auto& r : results)
    if (r == "as x") return text + "; else as x";
  return text;
}

std::string code(const std::string& text) {
  if (text.empty()) return "";
  return text == "|" ? "`\\|`" : "`" + text + "`";
}

template <class Op>
std::string operation_row() {
  const auto accepts = [](auto t) { return Op::rule::template accepts<typename decltype(t)::value_type>; };
  const auto result = [](auto t) -> std::string {
    using T = typename decltype(t)::value_type;
    if constexpr (Op::rule::template accepts<T>) return test::name_of<test::result_type<Op, T>>();
    else return "";
  };
  std::ostringstream row;
  row << "| " << code(Op::name) << " | " << code(Op::symbol) << " | "
      << code(std::string("-") == test::numpy_name<Op>() ? "" : test::numpy_name<Op>()) << " | "
      << test::arity<Op> << " | "
      << (test::has_condition<Op>  ? "condition; "
          : test::has_exponent<Op> ? "exponent; "
                                   : "")
      << kinds(accepts) << " | " << words(result) << " | " << Op::ulp
      << (Op::ulp_of_one > 0 ? " (" + std::to_string(Op::ulp_of_one) + " of 1)" : "") << " | "
      << (accepts(test::type_tag<lf::complex<float>>{}) ? std::to_string(Op::complex_ulp) : "") << " | ";
  if (Op::domain.low == lf::real_line.low && Op::domain.high == lf::real_line.high) row << "all";
  else row << Op::domain.low << " to " << Op::domain.high;
  row << " |\n";
  return row.str();
}

template <class M>
std::string monoid_row() {
  const auto result = [](auto t) -> std::string {
    using T = typename decltype(t)::value_type;
    if constexpr (lf::complex_number<T> && requires { M::of_numbers(T{}, T{}); }) return "";
    else return test::name_of<typename M::template result<T>>();
  };
  std::ostringstream row;
  row << "| " << code(M::name) << " | " << code(test::numpy_name<M>()) << " | " << words(result) << " | ";
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
meets; scalars alone keep theirs, or meet as in C++. *Integers* are int8 to int64 and uint8 to uint64, and wrap
around; *reals* are float16, bfloat16, float32 and float64; *complex* are complex64 and complex128. bool and numbers
do not mix without a `cast`, but in logical operations. A *condition* is bool, an *exponent* int32. A C++ integer as
exponent of `pow` stays an integer and is multiplied out.

The error is that of a float32 or float64 result in either space, in units in the last place; 0 means NumPy's bits, but
for the sign of a zero that `maximum` and `minimum` choose from zeros of both signs. 16-bit reals are computed in
float32 and rounded once: half a unit more, or none where the error is 0. That of a complex result counts from the
length of the number; one *of 1* is that beside 1 where the result is near zero. It is tested at special values, wherever they lie, and at random ones in the domain; complex operations at finite numbers.

| operation | operator | NumPy | operands | element types | result | error, ulp | error of complex | domain |
|---|---|---|---|---|---|---|---|---|
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

}  // namespace

int main(int count, char** arguments) {
  const bool check = count == 4 && std::string(arguments[1]) == "check";
  const std::string what = count == 3 || check ? arguments[count - 2] : "";
  const char* const file = arguments[count - 1];
  if (check && what == "names") {
    std::ifstream in(file);
    const std::string missing = missing_of(std::string(std::istreambuf_iterator<char>(in), {}));
    if (!missing.empty()) std::cerr << "docs/numpy.md says nothing of" << missing << "\n";
    return missing.empty() ? 0 : 1;
  }
  std::string text;
  if (what == "page") text = page(lf::op::all_elementwise{}, lf::op::all_monoids{});
  else if (what == "numpy") text = numpy_page();
  else if (what == "spellings") text = numpy_spellings();
  else {
    std::cerr << "operations [check] page|numpy|names|spellings FILE\n";
    return 2;
  }
  if (check) {
    std::ifstream in(file, std::ios::binary);
    if (std::string(std::istreambuf_iterator<char>(in), {}) == text) return 0;
    std::cerr << file << " is not what the registry says; to write it anew:\n"
              << "cmake --build --preset host --target operations_page\n";
    return 1;
  }
  std::ofstream out(file, std::ios::binary);
  return out << text << std::flush ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs in words: their codes, which are the same whoever compiled them, and what people read.
#include "program/text.hpp"

#include "support/arrays.hpp"

#include <lazyfuse/op/components.hpp>
#include <lazyfuse/program/code.hpp>
#include <lazyfuse/program/scans.hpp>
#include <lazyfuse/program/stages.hpp>

#include <string>
#include <vector>

namespace {

using namespace lazyfuse;
using namespace lazyfuse::ir;
using op::add, op::multiply, op::subtract, op::divide, op::negative, op::exp, op::sin, op::cast;

using x = arg<0>;
using y = arg<1>;
using z = arg<2>;
template <class Op, class... P>
using of = apply<Op, P...>;
template <class P>
using sum_of = reduction<op::sum, P>;

template <class... P>
const char* code_of_all = code_of<list<P...>>.text;

struct program {
  const char* code;
  std::string is;             ///< the code itself
  std::string in_full;        ///< as explain shows it
  std::string in_short = {};  ///< as a profiler shows it, if that is another
};
void expect(const std::vector<program>& table) {
  for (const program& p : table) {
    EXPECT_EQ(p.code, p.is);
    EXPECT_EQ(program_text(p.code), p.in_full) << p.is;
    EXPECT_EQ(short_program_text(p.code), p.in_short.empty() ? p.in_full : p.in_short) << p.is;
  }
}

TEST(program_text, has_operators_between_their_operands_and_functions_before_them) {
  expect({
      {code_of_all<x>, "x0 ", "x0"},
      {code_of_all<arg<128>>, "x128 ", "x128"},
      {code_of_all<of<add, x, y>>, "x0 x1 +/2 ", "(x0 + x1)", "x0 + x1"},
      {code_of_all<of<negative, x>>, "x0 -/1 ", "-x0"},
      {code_of_all<of<negative, of<add, x, y>>>, "x0 x1 +/2 -/1 ", "-(x0 + x1)"},
      {code_of_all<of<sin, of<add, x, y>>>, "x0 x1 +/2 sin/1 ", "sin((x0 + x1))", "sin(x0 + x1)"},
      {code_of_all<of<op::where, of<op::less, x, y>, x, y>>, "x0 x1 </2 x0 x1 where/3 ", "where((x0 < x1), x0, x1)",
       "where(x0 < x1, x0, x1)"},
      {code_of_all<of<op::vec_of, x, y, z, x, y>>, "x0 x1 x2 x0 x1 vec_of/5 ", "vec_of(x0, x1, x2, x0, x1)"},
      {code_of_all<of<op::abs, of<op::conj, x>>>, "x0 conj/1 abs/1 ", "abs(conj(x0))"},
      {code_of_all<x, of<exp, y>>, "x0 x1 exp/1 ", "x0, exp(x1)"},
      {code_of_all<>, "", ""},
  });
}
TEST(program_text, has_the_parentheses_that_are_needed_or_all) {
  expect({
      {code_of_all<of<add, of<multiply, x, y>, z>>, "x0 x1 */2 x2 +/2 ", "((x0 * x1) + x2)", "x0 * x1 + x2"},
      {code_of_all<of<multiply, of<add, x, y>, z>>, "x0 x1 +/2 x2 */2 ", "((x0 + x1) * x2)", "(x0 + x1) * x2"},
      {code_of_all<of<subtract, x, of<subtract, y, z>>>, "x0 x1 x2 -/2 -/2 ", "(x0 - (x1 - x2))", "x0 - (x1 - x2)"},
      {code_of_all<of<subtract, of<subtract, x, y>, z>>, "x0 x1 -/2 x2 -/2 ", "((x0 - x1) - x2)", "x0 - x1 - x2"},
      {code_of_all<of<divide, x, of<multiply, y, z>>>, "x0 x1 x2 */2 //2 ", "(x0 / (x1 * x2))", "x0 / (x1 * x2)"},
      {code_of_all<of<op::bitwise_or, of<op::bitwise_and, x, y>, z>>, "x0 x1 &/2 x2 |/2 ", "((x0 & x1) | x2)",
       "x0 & x1 | x2"},
  });
}
TEST(program_text, has_numbers_as_short_as_they_can_be) {
  expect({
    {code_of_all<literal<float, 2>>, "2#11 ", "2"}, {code_of_all<literal<float, 2U>>, "2#11 ", "2"},
        {code_of_all<literal<double, -30L>>, "-30#12 ", "-30"},
        {code_of_all<literal<int8, static_cast<signed char>(-128)>>, "-128#1 ", "-128"},
        {code_of_all<literal<uint8, static_cast<unsigned char>(200)>>, "200#5 ", "200"},
        {code_of_all<literal<int64, (-0x7fffffffffffffffLL - 1)>>, "-9223372036854775808#4 ", "-9223372036854775808"},
        {code_of_all<literal<uint64, 0xffffffffffffffffULL>>, "18446744073709551615#8 ", "18446744073709551615"},
        {code_of_all<literal<complex<float>, 0>>, "0#13 ", "0"}, {code_of_all<literal<bool, true>>, "true#0 ", "true"},
        {code_of_all<literal<bool, false>>, "false#0 ", "false"},
        {code_of_all<of<op::pow, x, literal<int64, 7>>>, "x0 7#4 pow/2 ", "pow(x0, 7)"},
#if !defined(__clang__) || __clang_major__ >= 18  // older clang has no floating-point template arguments
        {code_of_all<literal<float, 0.1F>>, "~f1036831949#11 ", "0.1"},
        {code_of_all<literal<float, 0.1>>, "~d4591870180066957722#11 ", "0.1"},
        {code_of_all<literal<double, -1e300>>, "~d18318360957983683996#12 ", "-1e+300"},
        {code_of_all<literal<lf::half, 1.5F>>, "~f1069547520#9 ", "1.5"},
#endif
  });
}
TEST(program_text, has_the_element_types_that_numpy_has) {
  expect({
      {code_of_all<of<cast<float>, x>>, "x0 @11 ", "float32(x0)"},
      {code_of_all<of<cast<int64>, x>>, "x0 @4 ", "int64(x0)"},
      {code_of_all<of<cast<bool>, x>>, "x0 @0 ", "bool(x0)"},
      {code_of_all<of<cast<lf::half>, x>>, "x0 @9 ", "float16(x0)"},
      {code_of_all<of<cast<bfloat16>, x>>, "x0 @10 ", "bfloat16(x0)"},
      {code_of_all<of<cast<complex<double>>, of<add, x, y>>>, "x0 x1 +/2 @14 ", "complex128((x0 + x1))",
       "complex128(x0 + x1)"},
  });
}
TEST(program_text, has_reductions_and_scans_by_their_names) {
  struct longer {};
  using functions = op::folded<longer>;
  expect({
      {code_of_all<sum_of<of<multiply, x, x>>>, "x0 x0 */2 sum/1 ", "sum((x0 * x0))", "sum(x0 * x0)"},
      {code_of_all<reduction<functions, of<op::existing, x>>>, "x0 'existing/1 'reduce<longer>/1 ",
       "reduce<longer>(existing(x0))"},
      {code_of_all<stage<scanned<op::sum, false>, x>>, "x0 cumsum/1 ", "cumsum(x0)"},
      {code_of_all<stage<scanned<op::max, true>, x>>, "x0 cummax,exclusive/1 ", "cummax(x0, exclusive)"},
      {code_of_all<stage<scanned<functions, false>, x>>, "x0 'scan<longer>/1 ", "scan<longer>(x0)"},
      {code_of_all<stage<scanned<functions, true>, x>>, "x0 'scan<longer>,exclusive/1 ", "scan<longer>(x0, exclusive)"},
      {code_of_all<of<divide, x, sum_of<x>>, sum_of<x>>, "x0 x0 sum/1 //2 x0 sum/1 ", "(x0 / sum(x0)), sum(x0)",
       "x0 / sum(x0), sum(x0)"},
  });
}
TEST(program_text, has_what_rewrites_put_in_place_of_others_as_it_was) {
  using both = of<op::sincos, of<add, x, y>>;
  expect({
      {code_of_all<of<op::divide_by, x, of<op::divisor, y>>>, "x0 x1 //2 ", "(x0 / x1)", "x0 / x1"},
      {code_of_all<of<op::sine_of, both>>, "x0 x1 +/2 sincos/1 sine_of/1 ", "sine_of(sincos((x0 + x1)))",
       "sin(x0 + x1)"},
      {code_of_all<of<op::cosine_of, both>>, "x0 x1 +/2 sincos/1 cosine_of/1 ", "cosine_of(sincos((x0 + x1)))",
       "cos(x0 + x1)"},
  });
}

/// The passes of a program over rows.
template <class... Root>
std::vector<std::string> passes_of(list<Root...>) {
  using plan = staged<list<Root...>, list<memory<float>, memory<float>, constant<float>>>;
  return pass_texts(run_detail::code_of_passes<plan>(make_index_sequence<plan::count>{}));
}
TEST(program_text, has_stages_by_the_names_that_they_got_where_they_were_computed) {
  using top = reduction<op::max, x>;
  using shifted = of<exp, of<subtract, x, top>>;
  using other = sum_of<of<multiply, y, of<subtract, x, top>>>;  // of the pass of sum_of<shifted>
  EXPECT_EQ(passes_of(list<of<add, x, y>>{}), (std::vector<std::string>{"(x0 + x1)"}));
  EXPECT_EQ(
      passes_of(list<of<multiply, shifted, of<op::reciprocal, sum_of<shifted>>>>{}),
      (std::vector<std::string>{"r0 = max(x0)", "r1 = sum(exp((x0 - r0)))", "(exp((x0 - r0)) * reciprocal(r1))"}));
  EXPECT_EQ(passes_of(list<of<add, sum_of<shifted>, other>, of<subtract, y, sum_of<y>>>{}),
            (std::vector<std::string>{"r0 = max(x0), r1 = sum(x1)",
                                      "r2 = sum(exp((x0 - r0))), r3 = sum((x1 * (x0 - r0)))", "(r2 + r3), (x1 - r1)"}));
}
TEST(program_text, tells_reductions_by_functions_without_names_apart) {
  using longest = reduction<op::folded<decltype([](float a, float b) { return a > b ? a : b; })>, x>;
  using shortest = reduction<op::folded<decltype([](float a, float b) { return a < b ? a : b; })>, x>;
  EXPECT_EQ(passes_of(list<of<subtract, longest, shortest>>{}),
            (std::vector<std::string>{"r0 = reduce<lambda>(x0), r1 = reduce<lambda>(x0)", "(r0 - r1)"}));
}
TEST(program_text, in_one_line_has_what_stages_compute) {
  constexpr const char* code = code_of<list<of<divide, x, sum_of<of<subtract, x, reduction<op::max, x>>>>>,
                                       list<reduction<op::max, x>>, list<sum_of<of<subtract, x, reduction<op::max, x>>>>>.text;
  expect({{code, "x0 max/1 | x0 r0 -/2 sum/1 | x0 r1 //2 ", "(x0 / sum((x0 - max(x0))))", "x0 / sum(x0 - max(x0))"}});
}

template <int N>
struct doubled {
  using type = of<add, typename doubled<N - 1>::type, typename doubled<N - 1>::type>;
};
template <>
struct doubled<0> {
  using type = x;
};
TEST(program_text, of_what_repeats_itself_without_end_is_abbreviated) {
  const std::string code = code_of_all<doubled<12>::type>;
  EXPECT_LT(code.size(), 6000);
  EXPECT_NE(program_text(code.c_str()).find("..."), std::string::npos);
  EXPECT_EQ(short_program_text(code_of_all<doubled<8>::type>).size(), 100);
}

/// All that are registered: each by its symbol or its name.
template <class... Op>
void expect_each(list<Op...>) {
  const auto one = [](const std::string& code, const std::string& name, const std::string& symbol) {
    EXPECT_EQ(code, "x0 x1 " + (symbol.empty() ? name : symbol) + "/2 ");
    EXPECT_EQ(program_text(code.c_str()), symbol.empty() ? name + "(x0, x1)" : "(x0 " + symbol + " x1)");
  };
  (one(code_of_all<of<Op, x, y>>, Op::name, Op::symbol), ...);
}
TEST(program_text, has_every_operation) { expect_each(op::all_elementwise{}); }

template <class T>
struct halved {
  T operator()(T v) const { return v / 2; }
};
TEST(program_text, of_a_callable_is_that_of_map_with_the_callable_as_an_operand) {
  const array<float, 1> a({3});
  const std::string text = explain(map(halved<float>{}, a) + map([](float v) { return v; }, a));
  EXPECT_NE(text.find("(map(x0, x1) + map(x2, x3))\n"), std::string::npos) << text;
  EXPECT_NE(text.find("x0: halved constant\n"), std::string::npos) << text;
  EXPECT_NE(text.find("x2: lambda constant\n"), std::string::npos) << text;
}
TEST(program_text, has_a_name_for_each_type_that_has_one) {
  struct local {};
  EXPECT_STREQ(type_name<local>.text, "local");
  EXPECT_STREQ(type_name<halved<halved<float>>>.text, "halved");
  const auto nameless = [](auto v) { return v; };
  EXPECT_STREQ(type_name<decltype(nameless)>.text, "lambda");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmt::format("{:.3f}", e) evaluates e; also next to fmt's own formatter of ranges, which host arrays are.
#include "support/arrays.hpp"

#include <lazyfuse/interop/fmt.hpp>

#include <fmt/ranges.h>

namespace {

const lf::array<double, 1, lf::host> thirds = lf::arange<double>(3) / 3;

template <class E>
std::string streamed(const E& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}

TEST(fmt_formatter, shows_what_a_stream_shows) {
  const lf::array<float, 2, lf::host> x{{1, 2}, {3, 4}};
  EXPECT_EQ(fmt::format("{}", x), streamed(x));
  EXPECT_EQ(fmt::format("x = {};", thirds), "x = [0.         0.33333333 0.66666667];");
  EXPECT_EQ(fmt::format("{} and {:}", lf::sum(x), lf::array<bool, 1, lf::host>{true, false}), "10.0 and [ True False]");
}
TEST(fmt_formatter, evaluates_expressions_and_views) {
  const lf::array<int, 1, lf::host> x{1, 2, 3};
  lf::array<int, 1, lf::host> y = x;
  EXPECT_EQ(fmt::format("{}", x * 2 + 1), "[3 5 7]");
  EXPECT_EQ(fmt::format("{}", y(lf::range(1, lf::end))), "[2 3]");
  EXPECT_EQ(fmt::format("{}", lf::ones<lf::half>({2})), "[1. 1.]");
  std::vector<double> v{1, 2};
  EXPECT_EQ(fmt::format("{} {}", lf::borrow(v), v), "[1. 2.] [1, 2]") << "ranges of others stay ranges";
}
TEST(fmt_formatter, takes_a_precision_and_a_notation) {
  EXPECT_EQ(fmt::format("{:.3}", thirds), "[0.    0.333 0.667]");
  EXPECT_EQ(fmt::format("{:.3f}", thirds), "[0.000 0.333 0.667]");
  EXPECT_EQ(fmt::format("{:.2e}", thirds), "[0.00e+00 3.33e-01 6.67e-01]");
  EXPECT_EQ(fmt::format("{:e}", lf::array<float, 1, lf::host>{0.5f}), "[5.00000000e-01]");
  EXPECT_EQ(fmt::format("{:f}", lf::sum(thirds)), "1.00000000");
  EXPECT_EQ(fmt::format("{:.1f}", lf::array<lf::complex<float>, 1, lf::host>{{1, -2}, {0.25, 3}}),
            "[1.0-2.0j 0.2+3.0j]");
  EXPECT_EQ(fmt::format("{:.12}", thirds(1)), "0.333333333333");
}
TEST(fmt_formatter, has_the_current_options_for_the_rest) {
  const lf::print_scope scope({.precision = 2, .threshold = 4, .edgeitems = 1});
  EXPECT_EQ(fmt::format("{}", thirds), "[0.   0.33 0.67]");
  EXPECT_EQ(fmt::format("{:.1f}", lf::arange<double>(9)), "[0.0 ... 8.0]");
}
TEST(fmt_formatter, refuses_other_specifications) {
  const lf::array<int, 1, lf::host> n{1};
  for (const char* spec : {"{:x}", "{:.f}", "{:.3d}", "{:10}", "{:.3ff}", "{:.99999}"})
    EXPECT_THROW((void)fmt::format(fmt::runtime(spec), thirds), fmt::format_error) << spec;
  for (const char* spec : {"{:.3}", "{:f}", "{:d}"})
    EXPECT_THROW((void)fmt::format(fmt::runtime(spec), n), fmt::format_error) << spec;
}

}  // namespace

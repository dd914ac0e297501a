// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays on the GPU in a file that a C++ compiler compiles: every kernel is made when the program runs. Kernels are
// compiled for the stand-in's device, and launched, but not run.
#include "support/standin_cudart.hpp"

#include <lazyfuse/cuda.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

namespace {

namespace lf = lazyfuse;
using lf::axis, lf::newaxis, lf::range, lf::end, lf::all;
template <int R, class T = float>
using array = lf::array<T, R>;
static_assert(std::is_same_v<array<1>::space, lf::cuda>);

class without_nvcc : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("LAZYFUSE_CACHE", "off", 1);
    standin::reset();
  }
};

std::string launched_now() {
  std::string names;
  for (const std::string& name : standin::launches()) names += (names.empty() ? "" : " ") + name;
  standin::reset();
  return names;
}
template <int R, class T = float>
array<R, T> of(const lf::shape<R>& s) {
  return array<R, T>(s);
}

TEST_F(without_nvcc, all_patterns_are_made) {
  const auto x = of(lf::shape(1000)), y = of(lf::shape(1000));
  const auto a = of(lf::shape(100, 100)), b = of(lf::shape(100, 100));
  const auto u = of(lf::shape(20, 30, 40));
  const auto i = of<1, int>(lf::shape(1000));
  const auto c = of<1, lf::complex<float>>(lf::shape(1000));
  const auto h = of<2, lf::half>(lf::shape(64, 256));
  auto r = of(lf::shape(1000));
  auto m = of(lf::shape(100, 100));
  auto row = of(lf::shape(100));
  array<0> one;
  const auto inner = range(1, -1);
  const struct {
    const char* kernels;
    std::function<void()> evaluate;
  } table[] = {
      {"transform_flat", [&] { r = x + 1; }},
      {"transform_flat", [&] { r = 2.5f; }},
      {"transform_flat", [&] { r = lf::where(x > y, lf::sqrt(x), lf::exp(-y)); }},
      {"transform_flat", [&] { r += lf::arange<float>(1000) * lf::linspace(0.0f, 1.0f, 1000); }},
      {"transform_flat", [&] { lf::array z = lf::conj(c) * c; }},
      {"transform_flat", [&] { lf::array z = lf::bitwise_and(i, 7) == 3; }},
      {"transform_flat", [&] { r = lf::random::normal<float>({1000}, lf::seed{42}); }},
      {"transform_flat", [&] { r = x * lf::random::uniform<float>({1000}, lf::seed{42}); }},
      {"transform_strided", [&] { m = lf::transpose(a) + b; }},
      {"transform_strided", [&] { m = a + x(range(0, 100)); }},
      {"transform_flat", [&] { m = lf::roll(a, 3, axis<1>) - a; }},
      {"transform_strided",
       [&] { m(inner, inner) = a(range(0, -2), inner) + a(range(2, end), inner) - b(inner, inner); }},
      {"transform_stencil",
       [&] {
         m(inner, inner) = a(range(0, -2), inner) + a(range(2, end), inner) + a(inner, range(0, -2)) +
                           a(inner, range(2, end)) - 4 * a(inner, inner);
       }},
      {"reduce_rows", [&] { one = lf::sum(x); }},
      {"reduce_rows", [&] { one = lf::sum(a * b + 1); }},
      {"reduce_rows", [&] { (void)lf::max(a).item(); }},
      {"reduce_rows", [&] { row = lf::mean(a, axis<1>); }},
      {"reduce_columns", [&] { row = lf::sum(a, axis<0>); }},
      {"reduce_rows", [&] { lf::array z = lf::argmax(u, axis<2>); }},
      {"reduce_rows", [&] { auto [low, high] = lf::materialize(lf::min(x), lf::max(x)); }},
      {"transform_flat", [&] { auto [s, t] = lf::materialize(x + y, x - y); }},
      {"rows_in_registers", [&] { m = lf::softmax(a, axis<1>); }},
      {"rows_in_registers", [&] { lf::array z = lf::softmax(h, axis<1>); }},
      {"rows_in_registers", [&] { m = lf::softmax(a, axis<1>) + lf::softmax(b, axis<1>); }},
      {"rows_in_registers", [&] { m = (a - lf::mean(a, axis<1>, lf::keepdims)) / lf::std(a, axis<1>, lf::keepdims); }},
      {"reduce_columns transform_strided", [&] { m = a - lf::sum(a, axis<0>); }},
  };
  for (const auto& [kernels, evaluate] : table) {
    const long before = lf::kernels_compiled();
    standin::reset();
    evaluate();
    EXPECT_EQ(launched_now(), kernels);
    const long compiled = lf::kernels_compiled() - before;
    EXPECT_GT(compiled, 0) << kernels;
    evaluate();
    EXPECT_EQ(launched_now(), kernels);
    EXPECT_EQ(lf::kernels_compiled(), before + compiled) << kernels << " is there already";
  }
}

}  // namespace

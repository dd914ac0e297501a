// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cuBLASLt computes of products before it stores them, by the stand-ins for it and for the runtime: which
// expressions are one call of it, and what that call is told. Nothing but that library computes anything here.
#pragma once

#include "support/standin_cudart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace {

namespace lf = lazyfuse;
using lf::all, lf::newaxis, lf::none, lf::range;
using std::int64_t;

/// Whether plans are made of values, and not of types.
constexpr bool by_values = std::is_same_v<lf::kernel_space<lf::cuda>, lf::made_in<lf::cuda>>;
constexpr int64_t rows = 96, columns = 80, depth = 64;

/// Small whole numbers, and an array of them on the device.
float number(int64_t i, int64_t j, int seed) { return static_cast<float>((i * 7 + j * 13 + seed * 5) % 11 - 5) / 4; }
template <class T, int R>
lf::array<T, R, lf::cuda> numbers(const lf::shape<R>& s, int seed) {
  lf::array<T, R, lf::host> x = lf::zeros<T>(s);
  const int64_t last = s[R - 1];
  for (int64_t i = 0; i < s.size(); ++i) x.data()[i] = T(number(i / last, i % last, seed));
  return lf::to<lf::cuda>(x);
}

template <class T>
struct operands {
  lf::array<T, 2, lf::cuda> x = numbers<T, 2>({rows, depth}, 1), y = numbers<T, 2>({depth, columns}, 2),
                            c = numbers<T, 2>({rows, columns}, 3);
  lf::array<T, 1, lf::cuda> row = numbers<T, 1>({columns}, 4), column = numbers<T, 1>({rows}, 5);

  static double sum(int64_t i, int64_t j) {
    double all = 0;
    for (int64_t k = 0; k < depth; ++k) all += double(number(i, k, 1)) * double(number(k, j, 2));
    return all;
  }
};
double relu(double x) { return x > 0 ? x : 0; }
double gelu(double x) { return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

/// How far a result is from what it is to be, in parts of 1 and it.
template <class T>
constexpr double tolerance = std::is_same_v<T, float> || std::is_same_v<T, double> ? 1e-5
                             : std::is_same_v<T, lf::half>                         ? 1e-3
                                                                                   : 8e-3;

/// Evaluates e; whether no kernel was launched, and the results are f(i, j).
template <class T, class F>
void expect_one_call(const char* what, const lf::array<T, 2, lf::cuda>& z, const F& f) {
  EXPECT_EQ(standin::launches().size(), 0u)
      << what << ": " << (standin::launches().empty() ? "" : standin::launches()[0]);
  const lf::array<T, 2, lf::host> got = lf::to<lf::host>(z);
  int wrong = 0;
  for (int64_t i = 0; i < got.shape()[0] && wrong < 3; ++i)
    for (int64_t j = 0; j < got.shape()[1] && wrong < 3; ++j) {
      const double want = f(i, j), here = static_cast<double>(static_cast<float>(got(i, j).item()));
      if (std::abs(here - want) <= tolerance<T> * (1 + std::abs(want))) continue;
      ++wrong;
      ADD_FAILURE() << what << " at " << i << ", " << j << ": " << here << ", not " << want;
    }
}
template <class T, class E, class F>
void expect_one_call(const char* what, const char* path, const E& e, const F& f) {
  standin::reset();
  const lf::array<T, 2, lf::cuda> z = e;
  expect_one_call<T>(what, z, f);
  if constexpr (by_values) {
    const auto p = lf::plan(e);
    ASSERT_EQ(p.kernels.size(), 1u) << what;
    EXPECT_EQ(p.kernels[0].path, path) << what;
  }
}

class around_products : public ::testing::Test {
 protected:
  void SetUp() override {
    standin::reset();
    before_ = lf::current_jit();
    lf::use_jit(lf::jit::always);
  }
  void TearDown() override {
    lf::use_jit(before_);
    lf::use_tf32(false);
  }

 private:
  lf::jit before_;
};

template <class T>
void check_bias_relu_scale_and_residual() {
  const operands<T> of;
  const auto& [x, y, c, row, column] = of;
  const auto xy = [](int64_t i, int64_t j) { return operands<T>::sum(i, j); };
  const auto C = [](int64_t i, int64_t j) { return double(number(i, j, 3)); };
  const auto b = [](int64_t j) { return double(number(0, j, 4)); };
  const T two(2.0f), half(0.5f), zero(0.0f);
  expect_one_call<T>("a product", "library", lf::matmul(x, y), xy);
  expect_one_call<T>("bias", "library with bias", lf::matmul(x, y) + row,
                     [&](int64_t i, int64_t j) { return xy(i, j) + b(j); });
  expect_one_call<T>("bias first", "library with bias", row + lf::matmul(x, y),
                     [&](int64_t i, int64_t j) { return xy(i, j) + b(j); });
  expect_one_call<T>("relu", "library with relu", lf::relu(lf::matmul(x, y)),
                     [&](int64_t i, int64_t j) { return relu(xy(i, j)); });
  expect_one_call<T>("at least 0", "library with bias and relu", lf::maximum(lf::matmul(x, y) + row, zero),
                     [&](int64_t i, int64_t j) { return relu(xy(i, j) + b(j)); });
  expect_one_call<T>("a factor", "library with a factor", two * lf::matmul(x, y),
                     [&](int64_t i, int64_t j) { return 2 * xy(i, j); });
  expect_one_call<T>("negated", "library with a factor", -lf::matmul(x, y),
                     [&](int64_t i, int64_t j) { return -xy(i, j); });
  expect_one_call<T>("an array", "library with an array added", lf::matmul(x, y) + c,
                     [&](int64_t i, int64_t j) { return xy(i, j) + C(i, j); });
  expect_one_call<T>("subtracted from an array", "library with a factor and an array added", c - lf::matmul(x, y),
                     [&](int64_t i, int64_t j) { return C(i, j) - xy(i, j); });
  expect_one_call<T>("all", "library with a factor, an array added, bias and relu",
                     lf::relu(lf::matmul(x, y) * half + c * two + row),
                     [&](int64_t i, int64_t j) { return relu(xy(i, j) / 2 + 2 * C(i, j) + b(j)); });
  const lf::array<T, 2, lf::cuda> xt = numbers<T, 2>({depth, rows}, 1);
  expect_one_call<T>("columns of the first factor", "library with bias", lf::matmul(xt.T(), y) + row,
                     [&](int64_t i, int64_t j) {
                       double all = b(j);
                       for (int64_t k = 0; k < depth; ++k) all += double(number(k, i, 1)) * double(number(k, j, 2));
                       return all;
                     });
}

TEST_F(around_products, bias_relu_scale_and_residual_are_the_call_of_float) {
  check_bias_relu_scale_and_residual<float>();
}
TEST_F(around_products, bias_relu_scale_and_residual_are_the_call_of_half) {
  if constexpr (by_values) check_bias_relu_scale_and_residual<lf::half>();
}

TEST_F(around_products, gelu_is_the_call_where_it_is_as_exact_as_a_kernel) {
  const auto check = [](auto one, const char* path) {
    using T = decltype(one);
    const operands<T> of;
    expect_one_call<T>("gelu", path, lf::gelu_tanh(lf::matmul(of.x, of.y) + of.row),
                       [](int64_t i, int64_t j) { return gelu(operands<T>::sum(i, j) + double(number(0, j, 4))); });
  };
  check(lf::bfloat16(), "library with bias and gelu");
  lf::use_tf32(true);
  check(float(), "library with bias and gelu");
  lf::use_tf32(false);
  const operands<float> of;
  standin::reset();
  const lf::array<float, 2, lf::cuda> z = lf::gelu_tanh(lf::matmul(of.x, of.y) + of.row);
  EXPECT_EQ(standin::launches().size(), 1u) << "a kernel of float";
  standin::reset();
  const lf::array<float, 2, lf::cuda> exact = lf::gelu(lf::matmul(of.x, of.y) + of.row);
  EXPECT_EQ(standin::launches().size(), 1u) << "another function";
}

TEST_F(around_products, scale_and_residual_are_the_call_of_double) {
  const operands<double> of;
  expect_one_call<double>("double", "library with a factor and an array added", 2.0 * lf::matmul(of.x, of.y) - of.c,
                          [&](int64_t i, int64_t j) { return 2 * of.sum(i, j) - double(number(i, j, 3)); });
  if constexpr (!by_values) return;
  standin::reset();
  const lf::array<double, 2, lf::cuda> biased = lf::matmul(of.x, of.y) + of.row;
  EXPECT_EQ(standin::launches().size(), 1u) << "the library has no bias of double";
}

TEST_F(around_products, results_may_be_what_is_added) {
  const operands<float> of;
  lf::array<float, 2, lf::cuda> c = numbers<float, 2>({rows, columns}, 3);
  standin::reset();
  const float* const before = c.data();
  c += lf::matmul(of.x, of.y);
  EXPECT_EQ(c.data(), before) << "in place";
  expect_one_call<float>("+=", c, [&](int64_t i, int64_t j) { return of.sum(i, j) + double(number(i, j, 3)); });
}

TEST_F(around_products, results_lie_anywhere) {
  const operands<float> of;
  const auto want = [&](int64_t i, int64_t j) { return of.sum(i, j) + double(number(0, j, 4)); };
  lf::array<float, 2, lf::cuda> wide = numbers<float, 2>({rows + 2, columns + 3}, 9);
  standin::reset();
  wide(range(2, none), range(3, none)) = lf::matmul(of.x, of.y) + of.row;
  EXPECT_EQ(standin::launches().size(), 0u);
  const lf::array<float, 2, lf::host> got = lf::to<lf::host>(wide);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) ASSERT_EQ(got(i + 2, j + 3).item(), static_cast<float>(want(i, j)));
  EXPECT_EQ(got(1, 4).item(), number(1, 4, 9)) << "beside the part";
}

TEST_F(around_products, of_batches_have_a_bias_each_or_one) {
  constexpr int64_t count = 3;
  const auto x = numbers<float, 3>({count, rows, depth}, 1), y = numbers<float, 3>({count, depth, columns}, 2);
  const auto one = numbers<float, 1>({columns}, 4);
  const auto each = numbers<float, 3>({count, 1, columns}, 6);
  const auto value = [](int64_t b, int64_t i, int64_t j) {
    double all = 0;
    for (int64_t k = 0; k < depth; ++k) all += double(number(b * rows + i, k, 1)) * double(number(b * depth + k, j, 2));
    return all;
  };
  const auto check = [&](const char* what, const auto& e, const auto& more) {
    standin::reset();
    const lf::array<float, 3, lf::cuda> z = e;
    EXPECT_EQ(standin::launches().size(), 0u) << what;
    const lf::array<float, 3, lf::host> got = lf::to<lf::host>(z);
    for (int64_t b = 0; b < count; ++b)
      for (int64_t i = 0; i < rows; i += 5)
        for (int64_t j = 0; j < columns; j += 3)
          ASSERT_NEAR(got(b, i, j).item(), value(b, i, j) + more(b, j), 1e-3) << what << b << " " << i << " " << j;
  };
  check("one", lf::matmul(x, y) + one, [](int64_t, int64_t j) { return double(number(0, j, 4)); });
  check("each", lf::matmul(x, y) + each, [](int64_t b, int64_t j) { return double(number(b, j, 6)); });
}

TEST_F(around_products, of_batches_may_have_two_axes_that_are_not_one) {
  constexpr int64_t outer = 2, inner = 3;
  const auto heads = numbers<float, 4>({outer, rows, inner, depth}, 1),
             y = numbers<float, 4>({outer, inner, depth, columns}, 2);
  const auto bias = numbers<float, 4>({outer, 1, 1, columns}, 6);
  const lf::array<float, 4, lf::host> hx = lf::to<lf::host>(heads), hy = lf::to<lf::host>(y);
  standin::reset();
  const lf::array<float, 4, lf::cuda> z = lf::matmul(lf::permute_dims<0, 2, 1, 3>(heads), y) + bias;
  EXPECT_EQ(standin::launches().size(), 0u);
  const lf::array<float, 4, lf::host> got = lf::to<lf::host>(z);
  for (int64_t b = 0; b < outer; ++b)
    for (int64_t h = 0; h < inner; ++h)
      for (int64_t i = 0; i < rows; i += 19)
        for (int64_t j = 0; j < columns; j += 7) {
          double want = double(number(b, j, 6));
          for (int64_t k = 0; k < depth; ++k) want += double(hx(b, i, h, k).item()) * double(hy(b, h, k, j).item());
          ASSERT_NEAR(got(b, h, i, j).item(), want, 1e-3) << b << " " << h << " " << i << " " << j;
        }
}

TEST_F(around_products, copy_first_what_lies_as_no_library_reads_it) {
  if constexpr (by_values) {
    const auto x = numbers<float, 2>({2 * rows, 2 * depth}, 1), y = numbers<float, 2>({depth, columns}, 2);
    const auto every_other = x(range(none, none, 2), range(none, none, 2));
    const auto row = numbers<float, 1>({columns}, 4);
    for (const auto& p : {lf::plan(lf::matmul(every_other, y) + row),
                          lf::plan(lf::matmul(every_other, y(range(none, none, -1), range(none, none, -1))) + row)}) {
      ASSERT_GE(p.kernels.size(), 2u);
      EXPECT_EQ(p.kernels.back().path, "library with bias");
    }
  }
}

TEST_F(around_products, what_the_library_has_not_is_a_kernel) {
  const operands<float> of;
  const auto& [x, y, c, row, column] = of;
  const auto kernels = [](const auto& e) {
    standin::reset();
    const auto z = lf::materialize(e);
    return standin::launches();
  };
  EXPECT_EQ(kernels(lf::matmul(x, y) + column(all, newaxis)).size(), 1u) << "a bias of rows";
  EXPECT_EQ(kernels(lf::relu(lf::matmul(x, y) + row) + c).size(), 1u) << "an array after an activation";
  if constexpr (by_values) {
    EXPECT_EQ(kernels((lf::matmul(x, y) + row) * 2.0f).size(), 1u) << "a factor of the sum";
    EXPECT_EQ(kernels(lf::matmul(x, y) - row).size(), 1u) << "a bias taken away";
    EXPECT_EQ(kernels(lf::maximum(lf::matmul(x, y), 1.0f)).size(), 1u) << "at least 1";
    EXPECT_EQ(kernels(lf::matmul(x, y) + 0.0f * c).size(), 1u) << "NaN of what is multiplied by 0";
  }
}

}  // namespace

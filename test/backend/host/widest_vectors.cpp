// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are compiled for several kinds of processors, and chosen when a program runs.
#include "support/arrays.hpp"

#include <lazyfuse/sort.hpp>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis;

/// Vectors of so many bytes until it ends.
class in_vectors_of {
 public:
  explicit in_vectors_of(int bytes) { lf::host_detail::bytes_of_vectors = bytes; }
  ~in_vectors_of() { lf::host_detail::bytes_of_vectors = before_; }
  in_vectors_of(const in_vectors_of&) = delete;
  in_vectors_of& operator=(const in_vectors_of&) = delete;

 private:
  int before_ = lf::host_detail::bytes_of_vectors;
};
const int widest_vectors = lf::host_detail::bytes_of_vectors;

template <class T>
auto real_of(double x) {
  return static_cast<decltype(T().re)>(x);
}
template <class T, int R>
lf::array<T, R, lf::host> noise(const test::extents& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> fraction(-1, 1);
  return test::array_of<lf::host, R>(test::generate<T>(shape, [&](const test::extents&) {
    const double x = fraction(random);
    if constexpr (lf::complex_number<T>) return T(real_of<T>(x), real_of<T>(fraction(random)));
    else if constexpr (lf::integer<T>) return static_cast<T>(1000 * x);
    else return static_cast<T>(static_cast<float>(x));
  }));
}

template <class E>
void expect_equal_bits(const std::string& what, const E& e) {
  const int widest = lf::host_detail::bytes_of_vectors;
  const auto want = test::tensor_of(e);
  for (int bytes = 16; bytes < widest; bytes *= 2) {
    const in_vectors_of here(bytes);
    EXPECT_TRUE(test::same(test::tensor_of(e), want)) << what << ", vectors of " << bytes << " and " << widest;
  }
}

const test::extents shapes[] = {{3, 70001}, {257, 129}, {5003, 11}, {40, 1}};

/// What the loops of every type are.
template <class T>
void expect_equal_bits_of_type(const std::string& type) {
  for (const test::extents& shape : shapes) {
    SCOPED_TRACE(type + " " + test::text(shape));
    const auto x = noise<T, 2>(shape, 1), y = noise<T, 2>(shape, 2), column = noise<T, 2>({shape[0], 1}, 3);
    expect_equal_bits("products and sums", x * y + column * x - y);
    expect_equal_bits("turned around", lf::flip(x));
    expect_equal_bits("sums of rows", lf::sum(x * y, axis<1>));
    expect_equal_bits("sums of columns", lf::sum(x * y, axis<0>));
  }
}

TEST(widest_vectors, change_no_bits_of_patterns) {
  if (!lf::host_detail::chooses_vectors) GTEST_SKIP() << "compiled for one kind of processors";
  for (const test::extents& shape : shapes) {
    SCOPED_TRACE(test::text(shape));
    const auto x = noise<float, 2>(shape, 1), y = noise<float, 2>(shape, 2), column = noise<float, 2>({shape[0], 1}, 3);
    expect_equal_bits("a choice of transposed operands", lf::where(lf::transpose(x) > 0.0f, lf::transpose(y), 2.0f));
    expect_equal_bits("sum of everything", lf::sum(x * y));
    expect_equal_bits("the largest of rows", lf::max(x * y, axis<1>));
    expect_equal_bits("the place of the smallest", lf::argmin(x * y, axis<0>));
    expect_equal_bits("running sums of rows", lf::cumsum(x * y, axis<1>));
    expect_equal_bits("running sums of columns", lf::cumsum(x * y, axis<0>));
    expect_equal_bits("standardized rows",
                      (x - lf::mean(x, axis<1>, keepdims)) / lf::sqrt(lf::var(x, axis<1>, keepdims) + 0.1f));
    expect_equal_bits("standardized columns", (x - lf::mean(x, axis<0>, keepdims)) / lf::std(x, axis<0>, keepdims));
    expect_equal_bits("spread of rows of double", lf::var(lf::cast<double>(x) * y, axis<1>));
    const lf::lazy_array<float, 2, lf::host> lazy = x * y + column;
    expect_equal_bits("a lazy array", lazy - x);
  }
  const auto a = noise<float, 2>({61, 150}, 4), b = noise<float, 2>({93, 150}, 5);
  expect_equal_bits("a product of matrices", lf::sum(a(all, newaxis) * b(newaxis), axis<2>));
}

TEST(widest_vectors, change_no_bits_of_types) {
  if (!lf::host_detail::chooses_vectors) GTEST_SKIP() << "compiled for one kind of processors";
  expect_equal_bits_of_type<lf::half>("half");
  expect_equal_bits_of_type<int>("int");
  expect_equal_bits_of_type<lf::complex<float>>("complex of float");
#if !defined(__CUDACC__)  // g++ has the same loops of them from nvcc as of float
  expect_equal_bits_of_type<double>("double");
  expect_equal_bits_of_type<lf::complex<double>>("complex of double");
#endif
}

TEST(widest_vectors, are_those_of_the_processor_unless_narrow_ones_are_asked_for) {
  const char* const asked = std::getenv("LAZYFUSE_VECTORS");
  const std::string text = asked ? asked : "";
  const int most = text == "16" ? 16 : text == "32" ? 32 : 64;
#if defined(__x86_64__)
  const bool has_64 = __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const int has = has_64 ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
  EXPECT_EQ(lf::host_detail::bytes_of_vectors, std::min(has, most));
#else
  EXPECT_EQ(lf::host_detail::bytes_of_vectors, 16);
#endif
}

/// Lines of lengths around those that one, eight and sixteen vectors hold, and of few values.
template <class T>
void expect_sorted() {
  std::mt19937_64 random(5);
  for (const int values : {0, 3})
    for (const lf::index_t n : {1,   7,   8,   15,  16,  17,  31,  32,   33,   63,     64,     65,
                                127, 128, 129, 255, 256, 257, 300, 1000, 2048, 20'001, 70'000, 300'001}) {
      std::vector<T> all(static_cast<std::size_t>(n));
      for (T& x : all) x = static_cast<T>(values ? random() % static_cast<unsigned>(values) : random());
      if (n > 8) all[3] = std::numeric_limits<T>::max(), all[5] = std::numeric_limits<T>::min();
      std::vector<T> ascending = all;
      std::sort(ascending.begin(), ascending.end());
      const auto x = lf::from<lf::host>(all);
      for (int bytes = 16; bytes <= widest_vectors; bytes *= 2) {
        const in_vectors_of here(bytes);
        const auto sorted = test::tensor_of(lf::sort(x)), parted = test::tensor_of(lf::partition(x, n / 3));
        EXPECT_TRUE(std::equal(ascending.begin(), ascending.end(), sorted.values.begin())) << n << ", " << bytes;
        const auto at = static_cast<std::size_t>(n / 3);
        EXPECT_EQ(parted.values[at], ascending[at]) << n << ", " << bytes;
        EXPECT_LE(*std::max_element(parted.values.begin(), parted.values.begin() + n / 3 + 1), ascending[at]);
        EXPECT_GE(*std::min_element(parted.values.begin() + n / 3, parted.values.end()), ascending[at]);
      }
    }
}
TEST(widest_vectors, sort_lines_of_any_length) {
  expect_sorted<std::int8_t>();
  expect_sorted<std::int16_t>();
  expect_sorted<std::int32_t>();
  expect_sorted<std::uint32_t>();
  expect_sorted<std::int64_t>();
  expect_sorted<std::uint64_t>();
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of rows against NumPy's answers: rows of every length, in memory of every order. The inputs are functions
// of their index, which data/generate.py has too, so that only answers are stored.
#pragma once

#include "coverage.hpp"
#include "reference_data.hpp"

#include <algorithm>

namespace test {

/// The i-th whole number of a stream, from 0 to 4095.
inline int grid(std::uint32_t stream, std::int64_t i) {
  const auto scramble = [](std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
  };
  return static_cast<int>(scramble(static_cast<std::uint32_t>(i) + scramble(stream)) >> 20);
}
/// Numbers from -8 to 8, exact in float.
inline double between(std::uint32_t stream, std::int64_t i) { return (grid(stream, i) - 2048) / 256.0; }
inline double positive(std::uint32_t stream, std::int64_t i) { return (grid(stream, i) + 1) / 4096.0; }
using indexed_numbers = double (*)(std::uint32_t, std::int64_t);

/// A small tensor of between.
template <class T>
tensor<T> between_tensor(std::uint32_t stream, const extents& shape) {
  tensor<T> t{shape};
  for (std::size_t i = 0; i < t.values.size(); ++i)
    t.values[i] = static_cast<stored<T>>(between(stream, static_cast<std::int64_t>(i)));
  return t;
}

/// How far a value may be from the exact one, in units of the element type's epsilon: so much of the value itself, and
/// so much of 1.
struct precision {
  double relative, absolute = 0;
};
template <class T>
double allowance(const precision& p, double want) {
  return double(std::numeric_limits<T>::epsilon()) * (p.relative * std::abs(want) + p.absolute);
}
template <class T>
bool near(double got, double want, const precision& p) {
  if (std::isnan(want) || std::isinf(want)) return got == want || (std::isnan(got) && std::isnan(want));
  return std::abs(got - want) <= allowance<T>(p, want);
}

/// Whether an expression has elements of type T, and the shape and values of an answer in double.
template <class T, class E>
::testing::AssertionResult is_near(const E& e, const tensor<double>& want, const precision& p) {
  static_assert(std::is_same_v<element_of<E>, T>);
  const auto got = tensor_of(e);
  if (got.shape != want.shape)
    return ::testing::AssertionFailure() << "shape is " << text(got.shape) << ", expected " << text(want.shape);
  for (std::size_t n = 0; n < want.values.size(); ++n)
    if (!near<T>(double(got.values[n]), want.values[n], p))
      return ::testing::AssertionFailure()
             << "element " << n << " is " << got.values[n] << ", expected " << want.values[n];
  return ::testing::AssertionSuccess();
}

enum class row_layout { dense, transposed, every_second, backwards };

/// Rows of numbers, laid out in memory as told: what is between them is NaN.
template <class T, class Space>
struct row_maker {
  std::int64_t rows, n;
  row_layout order;
  indexed_numbers of;

  /// (rows, n), the same view type for every layout.
  auto along_last(std::uint32_t stream) const {
    const bool wide = order == row_layout::every_second, turned = order == row_layout::transposed;
    const lf::index_t step = turned ? rows : wide ? 2 : order == row_layout::backwards ? -1 : 1;
    const lf::index_t pitch = turned ? 1 : wide ? 2 * n : n, start = step < 0 ? n - 1 : 0;
    const auto base = filled(turned ? lf::shape(n, rows) : lf::shape(rows, wide ? 2 * n : n), [&](T* to) {
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < n; ++i) to[start + r * pitch + i * step] = static_cast<T>(of(stream, r * n + i));
    });
    const auto straight = base(lf::all, lf::range(lf::none, lf::none, step < 0 ? -1 : wide ? 2 : 1));
    return turned ? lf::transpose(base) : straight;
  }
  /// (n, rows).
  auto along_first(std::uint32_t stream) const { return lf::transpose(along_last(stream)); }
  /// (2, n, rows / 2).
  auto along_middle(std::uint32_t stream) const {
    const std::int64_t depth = rows / 2, step = order == row_layout::every_second ? 2 : 1;
    const auto base = filled(lf::shape(2, step * n, depth), [&](T* to) {
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t at = order == row_layout::backwards ? n - 1 - i : i;
          to[(r / depth * step * n + at * step) * depth + r % depth] = static_cast<T>(of(stream, r * n + i));
        }
    });
    return base(lf::all, lf::range(lf::none, lf::none, order == row_layout::backwards ? -1 : step), lf::all);
  }

 private:
  template <int R, class Fill>
  static lf::array<T, R, Space> filled(const lf::shape<R>& s, Fill fill) {
    lf::array<T, R, lf::host> x(s);
    std::fill_n(x.data(), x.size(), std::numeric_limits<T>::quiet_NaN());
    fill(x.data());
    if constexpr (std::is_same_v<Space, lf::host>) return x;
    else return lf::to<Space>(x);
  }
};

/// Whether what e evaluates to is the answer: one value per row, or values of rows at four positions and a sum with
/// weights. Element i of row r is at(r, i).
template <class T, class E, class At>
::testing::AssertionResult rows_agree(const E& e, std::int64_t rows, std::int64_t n, const tensor<double>& want,
                                      const precision& p, At at) {
  static_assert(std::is_same_v<element_of<E>, T>);
  const auto result = lf::to<lf::host>(lf::materialize(e));
  const T* got = result.data();
  const auto wrong = [](const char* what, std::int64_t r, double is, double should) {
    return ::testing::AssertionFailure() << what << " of row " << r << " is " << is << ", expected " << should;
  };
  if (result.size() != (want.shape.size() == 1 ? rows : rows * n))
    return ::testing::AssertionFailure() << "there are " << result.size() << " elements";
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto* expected = want.values.data() + r * product(want.shape) / rows;
    if (want.shape.size() == 1) {
      if (!near<T>(got[r], *expected, p)) return wrong("the value", r, got[r], *expected);
      continue;
    }
    const std::int64_t places[] = {0, n / 3, n / 2, n - 1};
    for (int k = 0; k < 4; ++k)
      if (!near<T>(got[at(r, places[k])], expected[k], p)) return wrong("one", r, got[at(r, places[k])], expected[k]);
    double sum = 0, allowed = 1e-12;
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = got[at(r, i)], weight = (grid(9, i) - 2048) / 2048.0;
      sum += value * weight;
      allowed += allowance<T>(p, value) * std::abs(weight);
    }
    if (!(std::abs(sum - expected[4]) <= allowed)) return wrong("the sum", r, sum, expected[4]);
  }
  return ::testing::AssertionSuccess();
}

inline constexpr std::int64_t row_lengths[] = {1,    2,    31,   32,   33,    127,   128,    129,
                                               1000, 1024, 4096, 8192, 12345, 32768, 262144, 1 << 20};
/// Some more layouts for the lengths at which kernels differ.
inline std::vector<row_layout> layouts_for(std::int64_t n) {
  if (n == 2 || n == 33 || n == 1000 || n == 12345)
    return {row_layout::dense, row_layout::transposed, row_layout::every_second, row_layout::backwards};
  return {row_layout::dense};
}

/// f(x, y, axis) along the last axis and the first of a matrix, and (Middle) along the middle one of three, for rows of
/// every length; x and y are rows of two streams. Without test::full, double has the last axis alone.
template <class Space, class T, bool Middle, class F>
void check_rows(const reference_data& answers, const std::string& name, F f, const precision& p,
                indexed_numbers of_x = between, indexed_numbers of_y = between) {
  constexpr bool every_axis = full || std::is_same_v<T, float>;
  for (const std::int64_t n : row_lengths) {
    const std::string key = name + "/" + std::to_string(n);
    if (!answers.has(key)) continue;
    const auto want = answers.get<double>(key);
    const std::int64_t rows = n < 20000 ? 4 : 2;
    for (const row_layout order : layouts_for(n)) {
      const row_maker<T, Space> x{rows, n, order, of_x}, y{rows, n, order, of_y};
      const auto where = key + ", layout " + std::to_string(static_cast<int>(order));
      EXPECT_TRUE(rows_agree<T>(f(x.along_last(0), y.along_last(1), lf::axis<-1>), rows, n, want, p,
                                [&](std::int64_t r, std::int64_t i) { return r * n + i; }))
          << where << ", axis last";
      if constexpr (every_axis) {
        if (n <= 32768) {
          EXPECT_TRUE(rows_agree<T>(f(x.along_first(0), y.along_first(1), lf::axis<0>), rows, n, want, p,
                                    [&](std::int64_t r, std::int64_t i) { return i * rows + r; }))
              << where << ", axis first";
        }
      }
      if constexpr (Middle && every_axis) {
        if (n <= 12345 && order != row_layout::transposed) {
          EXPECT_TRUE(rows_agree<T>(
              f(x.along_middle(0), y.along_middle(1), lf::axis<1>), rows, n, want, p,
              [&](std::int64_t r, std::int64_t i) { return (r / (rows / 2) * n + i) * (rows / 2) + r % (rows / 2); }))
              << where << ", axis in the middle";
        }
      }
    }
  }
}

/// f(x) along the last axis of rows with NaN, infinities, equal or huge elements.
template <class Space, class F>
void check_special_rows(const reference_data& answers, const std::string& name, F f, const precision& p) {
  const auto x = array_of<Space, 2>(answers.get<float>("special/x"));
  EXPECT_TRUE(is_near<float>(f(x), answers.get<double>("special/" + name), p)) << name;
}

/// Whether making the expression throws shape_error with these words.
template <class Make>
void expect_refusal(Make make, const std::string& words) {
  try {
    (void)make();
    FAIL() << "taken: " << words;
  } catch (const lf::shape_error& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

}  // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of unlike shapes as one expression, with a value where an array has no element.
#include <lazyfuse/batch.hpp>

#include "support/arrays.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/observe/trace.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::none, lf::range;
using std::int64_t;

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class Space>
class padded_batches : public test::on<Space> {
 protected:
  using matrices = std::vector<lf::array<float, 2, Space>>;
  using rows = std::vector<lf::array<float, 1, Space>>;

  static std::vector<int64_t> lengths() { return {5, 0, 1, 100, 33, 64, 257, 31}; }
  /// Element k of row b.
  static float value(int64_t b, int64_t k) { return static_cast<float>((b * 37 + k * 11) % 101 - 50); }
  static rows some_rows() {
    rows all_rows;
    for (const int64_t n : lengths()) {
      const auto b = static_cast<int64_t>(all_rows.size());
      all_rows.push_back(test::array_of<Space, 1>(
          test::generate<float>(test::extents{n}, [&](const test::extents& i) { return value(b, i[0]); })));
    }
    return all_rows;
  }
  template <class E, class F>
  static void expect(int kernels, const char* text, const E& e, const test::extents& s, const F& f,
                     const test::within& tolerance = {}) {
    lf::kernel_trace trace;
    const auto result = lf::materialize(e);
    EXPECT_EQ(trace.launches(), kernels) << text;
    EXPECT_TRUE(test::evaluates_to(result, test::generate<lf::value_t<E>>(s, f), tolerance)) << text;
  }
  /// f(b, k) of what exists, fill of what does not, over all rows.
  template <class F>
  static auto or_fill(float fill, const F& f) {
    return
        [=](const test::extents& i) { return i[1] < lengths()[static_cast<std::size_t>(i[0])] ? f(i[0], i[1]) : fill; };
  }
  static constexpr int64_t count = 8, longest = 257;
};
TYPED_TEST_SUITE(padded_batches, test::spaces, test::space_name);

TYPED_TEST(padded_batches, have_the_value_where_an_array_has_no_element) {
  const auto x = lf::batch(this->some_rows(), -1.0f);
  static_assert(lf::rank_of<decltype(x)> == 2);
  const test::extents s{this->count, this->longest};
  const auto value = [this](int64_t b, int64_t k) { return this->value(b, k); };
  this->expect(1, "x", x, s, this->or_fill(-1, value));
  this->expect(1, "x * 2 + 1", x * 2 + 1, s,
               this->or_fill(-1, [&](int64_t b, int64_t k) { return value(b, k) * 2 + 1; }));
  this->expect(1, "x by rows and columns from their ends", lf::flip(x), s, [&](const test::extents& i) {
    return this->or_fill(-1, value)({this->count - 1 - i[0], this->longest - 1 - i[1]});
  });
  this->expect(1, "x turned", x.T(), {this->longest, this->count}, [&](const test::extents& i) {
    return this->or_fill(-1, value)({i[1], i[0]});
  });
  this->expect(1, "every third from the second on", x(all, range(1, none, 3)), {this->count, 86},
               [&](const test::extents& i) {
                 return this->or_fill(-1, value)({i[0], 1 + 3 * i[1]});
               });
  const auto known = lf::batch(this->some_rows(), std::nanf(""));
  this->expect(1, "one batch twice", lf::where(lf::isnan(known), 5.0f, known * known), s,
               this->or_fill(5, [&](int64_t b, int64_t k) { return value(b, k) * value(b, k); }));
  this->expect(1, "of numbers that are not", lf::isnan(lf::batch(this->some_rows(), std::nanf(""))), s,
               [&](const test::extents& i) { return i[1] >= this->lengths()[static_cast<std::size_t>(i[0])]; });
}
TYPED_TEST(padded_batches, are_reduced_and_scanned_in_one_kernel) {
  const auto all_rows = this->some_rows();
  const auto n = this->lengths();
  const auto of_row = [&](int64_t b, float first, const auto& step) {
    float r = first;
    for (int64_t k = 0; k < n[static_cast<std::size_t>(b)]; ++k) r = step(r, this->value(b, k));
    return r;
  };
  const auto greater = [](float a, float b) { return std::max(a, b); };
  const auto x = lf::batch(all_rows, 0), lowest = lf::batch(all_rows, -infinity);
  this->expect(1, "sum(x, axis<1>)", lf::sum(x, axis<1>), {this->count},
               [&](const test::extents& i) { return of_row(i[0], 0, std::plus<float>()); });
  this->expect(1, "max(x, axis<1>)", lf::max(lowest, axis<1>), {this->count},
               [&](const test::extents& i) { return of_row(i[0], -infinity, greater); });
  this->expect(1, "sum(x, axis<0>)", lf::sum(x, axis<0>), {this->longest}, [&](const test::extents& i) {
    float r = 0;
    for (int64_t b = 0; b < this->count; ++b) r += i[0] < n[static_cast<std::size_t>(b)] ? this->value(b, i[0]) : 0.0f;
    return r;
  });
  this->expect(1, "cumsum(x, axis<1>)", lf::cumsum(x, axis<1>), {this->count, this->longest},
               [&](const test::extents& i) {
                 float r = 0;
                 for (int64_t k = 0; k <= std::min(i[1], n[static_cast<std::size_t>(i[0])] - 1); ++k)
                   r += this->value(i[0], k);
                 return r;
               });
  // Of a row without elements softmax is of nothing but -inf: not a number.
  const auto whole = lowest(range(2, none));
  this->expect(
      1, "softmax(x, axis<1>)", lf::exp(whole - lf::max(whole, axis<1>, keepdims)), {this->count - 2, this->longest},
      [&](const test::extents& i) {
        return this->or_fill(0, [&](int64_t b, int64_t k) {
          return std::exp(this->value(b, k) - of_row(b, -infinity, greater));
        })({i[0] + 2, i[1]});
      },
      test::four_ulps);
}
TYPED_TEST(padded_batches, are_of_matrices_and_of_views) {
  typename TestFixture::matrices xs;
  const std::vector<std::pair<int64_t, int64_t>> shapes{{3, 7}, {5, 2}, {1, 64}, {0, 9}, {4, 1}, {5, 64}};
  for (const auto& [m, n] : shapes)
    xs.push_back(test::array_of<TypeParam, 2>(test::generate<float>(
        test::extents{m, n}, [](const test::extents& i) { return static_cast<float>(i[0] * 100 + i[1]); })));
  const auto element = [&](int64_t b, int64_t i, int64_t j) {
    const auto& [m, n] = shapes[static_cast<std::size_t>(b)];
    return i < m && j < n ? static_cast<float>(i * 100 + j) : 7.0f;
  };
  this->expect(1, "x", lf::batch(xs, 7), {6, 5, 64}, [&](const test::extents& i) { return element(i[0], i[1], i[2]); });
  this->expect(1, "x + y[:, None, :]", lf::batch(xs, 7) + lf::batch(xs, 7)(all, 0)(all, newaxis), {6, 5, 64},
               [&](const test::extents& i) { return element(i[0], i[1], i[2]) + element(i[0], 0, i[2]); });
  std::vector<std::remove_cvref_t<decltype(std::as_const(xs[0])(range(1, none), range(none, none, 2)))>> views;
  for (const auto& one : xs)
    views.push_back(one(range(std::min<int64_t>(1, one.extent(0)), none), range(none, none, 2)));
  this->expect(1, "x[1:, ::2] of each", lf::batch(views, 7), {6, 4, 32},
               [&](const test::extents& i) { return element(i[0], i[1] + 1, 2 * i[2]); });
  std::vector<std::remove_cvref_t<decltype(std::as_const(xs[0]).T())>> turned;
  for (const auto& one : {xs[0], xs[5]}) turned.push_back(one.T());
  EXPECT_THROW((void)lf::batch(turned, 7), lf::shape_error) << "columns are 7 and 64 elements apart";
  turned[1] = std::as_const(xs[0]).T();
  this->expect(1, "x.T of each", lf::batch(turned, 7), {2, 7, 3},
               [&](const test::extents& i) { return element(0, i[2], i[1]); });
}
TYPED_TEST(padded_batches, are_of_what_is_broadcast) {
  const auto one =
      test::array_of<TypeParam, 1>(test::generate<float>(test::extents{1}, [](const test::extents&) { return 3.0f; }));
  const auto x = lf::broadcast_to(one, {5}), y = lf::broadcast_to(one, {2});
  this->expect(1, "3 five times, 3 twice", lf::batch(std::vector{x, y}, 7), {2, 5},
               [](const test::extents& i) { return i[0] == 0 || i[1] < 2 ? 3.0f : 7.0f; });
}
TYPED_TEST(padded_batches, of_few_that_count_have_the_value_in_the_place_of_others) {
  auto images = this->some_rows();
  for (std::size_t b = 3; b < images.size(); ++b) images[b] = {};
  this->expect(1, "three of eight", lf::batch(images, 9), {this->count, 5}, [&](const test::extents& i) {
    return i[0] < 3 && i[1] < this->lengths()[static_cast<std::size_t>(i[0])] ? this->value(i[0], i[1]) : 9.0f;
  });
}
TYPED_TEST(padded_batches, of_many_arrays_are_one_kernel) {
  typename TestFixture::rows many;
  const auto parts = this->some_rows();
  for (int64_t b = 0; b < 3000; ++b) many.push_back(parts[static_cast<std::size_t>(b % this->count)]);
  const auto sums = lf::sum(lf::cast<double>(lf::batch(many, 0)), axis<1>);
  this->expect(1, "sums", sums, {3000}, [&](const test::extents& i) {
    const int64_t b = i[0] % this->count;
    double r = 0;
    for (int64_t k = 0; k < this->lengths()[static_cast<std::size_t>(b)]; ++k) r += this->value(b, k);
    return r;
  });
}
TYPED_TEST(padded_batches, of_any_element) {
  const auto check = [&]<class T>(T fill) {
    std::vector<lf::array<T, 1, TypeParam>> xs;
    for (const int64_t n : {3, 40, 17})
      xs.push_back(test::array_of<TypeParam, 1>(test::generate<T>(
          test::extents{n}, [](const test::extents& i) { return static_cast<T>(static_cast<float>(i[0])); })));
    const auto want = test::generate<T>(test::extents{3, 40}, [&](const test::extents& i) {
      return i[1] < (i[0] == 0 ? 3 : i[0] == 1 ? 40 : 17) ? static_cast<T>(static_cast<float>(i[1])) : fill;
    });
    EXPECT_TRUE(test::evaluates_to(lf::batch(xs, fill), want));
  };
  check(std::int8_t{-3});
  check(std::uint16_t{60000});
  check(int64_t{1} << 40);
  check(lf::half(0.5f));
  check(0.25);
}
TYPED_TEST(padded_batches, keep_the_values_that_their_arrays_had) {
  auto xs = this->some_rows();
  const auto x = lf::batch(xs, 0);
  for (auto& one : xs) one = lf::zeros<float>({2});
  this->expect(1, "x", x, {this->count, this->longest},
               this->or_fill(0, [this](int64_t b, int64_t k) { return this->value(b, k); }));
}
TYPED_TEST(padded_batches, of_nothing_have_no_elements) {
  typename TestFixture::rows nothing;
  EXPECT_EQ(lf::batch(nothing, 0).shape(), lf::shape(0, 0));
  EXPECT_EQ(lf::materialize(lf::batch(nothing, 0)).size(), 0);
  nothing.resize(3);
  EXPECT_EQ(lf::batch(nothing, 0).shape(), lf::shape(3, 0));
  EXPECT_EQ(lf::materialize(lf::sum(lf::batch(nothing, 0), axis<1>)).size(), 3);
}
TYPED_TEST(padded_batches, name_their_mistakes) {
  std::vector<lf::array<std::int8_t, 1, TypeParam>> bytes(2);
  EXPECT_THROW((void)lf::batch(bytes, 300), lf::dtype_error);
  const auto message = [&] {
    try {
      (void)lf::batch(this->some_rows());
    } catch (const lf::shape_error& e) {
      return std::string(e.what());
    }
    return std::string();
  }();
  EXPECT_NE(message.find("batch(arrays, fill)"), std::string::npos) << message;
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element type x layout of operands and destination, against plain loops: contiguous, sliced, transposed, reversed,
// broadcast, borrowed at odd addresses, empty, rank 0 to 8, odd sizes.
#include "support/arrays.hpp"

#include <vector>

namespace {

using lf::all, lf::none, lf::range;
using test::extents;

template <class Space>
class layouts : public test::on<Space> {};
TYPED_TEST_SUITE(layouts, test::spaces, test::space_name);

/// A small repeating pattern, exact in every element type.
template <class T>
test::tensor<T> pattern(const extents& shape, int seed) {
  int n = seed;
  return test::generate<T>(shape, [&](const extents&) {
    n = (n * 5 + 3) % 23;
    return std::is_same_v<T, bool> ? n % 2 : n - 11;
  });
}

/// 2 x - y for numbers, x and not y for bool: every operand counts.
struct combine {
  template <class X, class Y>
  auto operator()(const X& x, const Y& y) const {
    if constexpr (std::is_same_v<test::element_of<X>, bool>) return lf::logical_and(x, lf::logical_not(y));
    else return x * 2 - y;
  }
};
template <class T>
test::tensor<T> combined(const test::tensor<T>& a, const test::tensor<T>& b) {
  return test::zip<T>(
      a, b, [](auto x, auto y) { return std::is_same_v<T, bool> ? decltype(x)(x && !y) : decltype(x)(x * 2 - y); });
}

template <class Space, class T>
void check_matrices() {
  constexpr combine f;
  const extents shapes[] = {{1, 1},    {1, 7},    {7, 1},    {3, 5}, {31, 33}, {64, 64},
                            {65, 127}, {2, 1000}, {1000, 3}, {0, 4}, {4, 0}};
  for (const extents& s : shapes) {
    const std::string where = std::string(test::name_of<T>()) + " " + test::text(s);
    const auto a = pattern<T>(s, 1), b = pattern<T>(s, 2), at = pattern<T>({s[1], s[0]}, 3);
    const auto padded = pattern<T>({s[0] + 3, s[1] + 2}, 4);
    const auto x = test::array_of<Space, 2>(a), y = test::array_of<Space, 2>(b), t = test::array_of<Space, 2>(at),
               p = test::array_of<Space, 2>(padded);
    const std::int64_t rows = s[0], columns = s[1];

    EXPECT_TRUE(test::evaluates_to(f(x, y), combined(a, b))) << where << " contiguous";
    EXPECT_TRUE(test::evaluates_to(f(x, p(range(2, rows + 2), range(1, columns + 1))),
                                   combined(a, test::slice(padded, {{2, 1, rows}, {1, 1, columns}}))))
        << where << " sliced";
    EXPECT_TRUE(test::evaluates_to(f(x, lf::transpose(t)), combined(a, test::permute(at, {1, 0}))))
        << where << " transposed";
    EXPECT_TRUE(test::evaluates_to(f(lf::transpose(t), lf::transpose(t)),
                                   combined(test::permute(at, {1, 0}), test::permute(at, {1, 0}))))
        << where << " all transposed";
    EXPECT_TRUE(test::evaluates_to(f(x, lf::flip(y)),
                                   combined(a, test::slice(b, {{rows - 1, -1, rows}, {columns - 1, -1, columns}}))))
        << where << " reversed";
    EXPECT_TRUE(test::evaluates_to(f(lf::flip(x), lf::flip(y)),
                                   test::slice(combined(a, b), {{rows - 1, -1, rows}, {columns - 1, -1, columns}})))
        << where << " all reversed";
    EXPECT_TRUE(test::evaluates_to(f(x, p(lf::newaxis, 0, range(0, columns))),
                                   combined(a, test::slice(padded, {{0, 1, 1}, {0, 1, columns}}))))
        << where << " broadcast row";
    EXPECT_TRUE(test::evaluates_to(f(x, p(range(0, rows), range(1, 2))),
                                   combined(a, test::slice(padded, {{0, 1, rows}, {1, 1, 1}}))))
        << where << " broadcast column";
    const std::int64_t half = (columns + 1) / 2;
    EXPECT_TRUE(test::evaluates_to(
        f(x(all, range(none, none, 2)), y(all, range(none, none, 2))),
        combined(test::slice(a, {{0, 1, rows}, {0, 2, half}}), test::slice(b, {{0, 1, rows}, {0, 2, half}}))))
        << where << " every second";
  }
}
TYPED_TEST(layouts, of_matrices_of_float) { check_matrices<TypeParam, float>(); }
TYPED_TEST(layouts, of_matrices_of_double) { check_matrices<TypeParam, double>(); }
TYPED_TEST(layouts, of_matrices_of_int32) { check_matrices<TypeParam, std::int32_t>(); }
TYPED_TEST(layouts, of_matrices_of_int64) { check_matrices<TypeParam, std::int64_t>(); }
TYPED_TEST(layouts, of_matrices_of_bool) { check_matrices<TypeParam, bool>(); }

template <class Space, class T>
void check_destinations() {
  for (const extents& s : {extents{5, 7}, extents{33, 70}, extents{64, 128}}) {
    const std::string where = std::string(test::name_of<T>()) + " " + test::text(s);
    const auto a = pattern<T>(s, 1);
    const auto x = test::array_of<Space, 2>(a);
    const std::int64_t rows = s[0], columns = s[1];
    const auto background = pattern<T>({rows + 2, columns + 3}, 9);

    auto z = test::array_of<Space, 2>(background);
    z(range(1, rows + 1), range(2, columns + 2)) = x;
    EXPECT_TRUE(test::evaluates_to(z, test::generate<T>(background.shape,
                                                        [&](const extents& i) {
                                                          const bool inside = i[0] >= 1 && i[0] <= rows && i[1] >= 2 &&
                                                                              i[1] < columns + 2;
                                                          return inside ? a[{i[0] - 1, i[1] - 2}] : background[i];
                                                        })))
        << where << " sliced";

    z = test::array_of<Space, 2>(background);
    z(range(rows - 1, none, -1), range(0, columns)) = x;
    EXPECT_TRUE(test::evaluates_to(
        z, test::generate<T>(background.shape,
                             [&](const extents& i) {
                               return i[0] < rows && i[1] < columns ? a[{rows - 1 - i[0], i[1]}] : background[i];
                             })))
        << where << " reversed rows";

    auto wide = test::array_of<Space, 2>(pattern<T>({rows, 2 * columns}, 9));
    wide(all, range(1, none, 2)) = x;
    EXPECT_TRUE(test::evaluates_to(wide(all, range(1, none, 2)), a)) << where << " every second";
    EXPECT_TRUE(test::evaluates_to(wide(all, range(0, none, 2)),
                                   test::slice(pattern<T>({rows, 2 * columns}, 9), {{0, 1, rows}, {0, 2, columns}})))
        << where << " the others";
  }
}
TYPED_TEST(layouts, of_destinations) {
  check_destinations<TypeParam, float>();
  check_destinations<TypeParam, double>();
  check_destinations<TypeParam, bool>();
}

/// Borrowed memory whose first element lies at any multiple of the element size, for operands and destination.
template <class Space, class T>
void check_misaligned() {
  constexpr combine f;
  constexpr int width = 20;  // more than a 16-byte vector holds of any type but bool, whose borders 17 and 3 cross
  for (const std::int64_t n : {1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 100, 1001, 4099})
    for (const auto& [of_x, of_y, of_z] :
         {std::array{0, 0, 0}, std::array{1, 0, 0}, std::array{0, 3, 0}, std::array{0, 0, 1}, std::array{1, 1, 1},
          std::array{3, 2, 1}, std::array{17, 5, 3}}) {
      const auto a = pattern<T>({n + width}, 1), b = pattern<T>({n + width}, 2),
                 background = pattern<T>({n + width}, 3);
      auto x = test::array_of<Space, 1>(a), y = test::array_of<Space, 1>(b), z = test::array_of<Space, 1>(background);
      const auto bx = lf::borrow<Space>(x.data() + of_x, {n}), by = lf::borrow<Space>(y.data() + of_y, {n}),
                 bz = lf::borrow<Space>(z.data() + of_z, {n});
      lf::into(bz) = f(bx, by);
      const auto want = combined(test::slice(a, {{of_x, 1, n}}), test::slice(b, {{of_y, 1, n}}));
      const auto whole = test::generate<T>({n + width}, [&, of = of_z](const extents& i) {
        return i[0] >= of && i[0] < of + n ? want[{i[0] - of}] : background[i];
      });
      EXPECT_TRUE(test::evaluates_to(z, whole))
          << test::name_of<T>() << " " << n << " elements at " << of_x << ", " << of_y << " to " << of_z;
    }
}
TYPED_TEST(layouts, of_borrowed_memory_at_any_address) {
  check_misaligned<TypeParam, float>();
  check_misaligned<TypeParam, double>();
  check_misaligned<TypeParam, bool>();
}

TYPED_TEST(layouts, of_rank_zero) {
  constexpr combine f;
  const auto x = test::array_of<TypeParam, 0>(test::tensor<float>({}, {3}));
  const auto y = test::array_of<TypeParam, 0>(test::tensor<float>({}, {5}));
  EXPECT_TRUE(test::evaluates_to(f(x, y), test::tensor<float>({}, {1})));
  const auto m = test::array_of<TypeParam, 2>(test::counting<float>({2, 2}));
  EXPECT_TRUE(test::evaluates_to(f(m, y), test::tensor<float>({2, 2}, {-5, -3, -1, 1})));
  EXPECT_TRUE(test::evaluates_to(f(x, m(1, 1)), test::tensor<float>({}, {3})));
}

template <class Space, int R>
void check_rank() {
  extents s;
  for (int k = 0; k < R; ++k) s.push_back(k % 3 == 0 ? 3 : k % 3 == 1 ? 2 : 4);
  const auto a = pattern<float>(s, 1), b = pattern<float>(s, 2);
  const auto x = test::array_of<Space, R>(a), y = test::array_of<Space, R>(b);
  std::vector<test::strided> backwards;
  std::vector<int> reversed;
  for (int k = 0; k < R; ++k)
    backwards.push_back({s[static_cast<std::size_t>(k)] - 1, -1, s[static_cast<std::size_t>(k)]}),
        reversed.push_back(R - 1 - k);
  constexpr combine f;
  EXPECT_TRUE(test::evaluates_to(f(x, y), combined(a, b))) << "rank " << R;
  EXPECT_TRUE(test::evaluates_to(f(x, lf::flip(y)), combined(a, test::slice(b, backwards)))) << "rank " << R;
  EXPECT_TRUE(test::evaluates_to(f(lf::transpose(x), lf::transpose(lf::flip(y))),
                                 test::permute(combined(a, test::slice(b, backwards)), reversed)))
      << "rank " << R;
  // the transposed operand meets an untransposed one
  const auto c = pattern<float>(test::permute(a, reversed).shape, 3);
  const auto z = test::array_of<Space, R>(c);
  EXPECT_TRUE(test::evaluates_to(f(lf::transpose(x), z), combined(test::permute(a, reversed), c))) << "rank " << R;
}
TYPED_TEST(layouts, of_ranks_up_to_eight) {
  check_rank<TypeParam, 1>();
  check_rank<TypeParam, 2>();
  check_rank<TypeParam, 3>();
  check_rank<TypeParam, 4>();
  check_rank<TypeParam, 5>();
  check_rank<TypeParam, 6>();
  check_rank<TypeParam, 7>();
  check_rank<TypeParam, 8>();
}

TYPED_TEST(layouts, of_vectors_of_odd_lengths) {
  constexpr combine f;
  for (const std::int64_t n : {1,  2,  3,   4,   5,   7,   8,    9,    15,   16,   17,    31,    32,     33,
                               63, 65, 127, 129, 255, 257, 1023, 1025, 4095, 4097, 65535, 65537, 1000003}) {
    const auto a = pattern<float>({n}, 1), b = pattern<float>({n}, 2);
    EXPECT_TRUE(test::evaluates_to(f(test::array_of<TypeParam, 1>(a), test::array_of<TypeParam, 1>(b)), combined(a, b)))
        << n;
  }
}

TYPED_TEST(layouts, of_operands_of_unlike_width_in_one_expression) {
  const std::int64_t n = 1037;
  const auto f = pattern<float>({n}, 1);
  const auto d = pattern<double>({n}, 2);
  const auto i = pattern<std::int32_t>({n}, 3);
  const auto l = pattern<std::int64_t>({n}, 4);
  const auto b = pattern<bool>({n}, 5);
  const auto e =
      lf::where(test::array_of<TypeParam, 1>(b), test::array_of<TypeParam, 1>(f) + test::array_of<TypeParam, 1>(d),
                lf::cast<double>(test::array_of<TypeParam, 1>(i) * test::array_of<TypeParam, 1>(l)));
  EXPECT_TRUE(test::evaluates_to(
      e, test::generate<double>({n}, [&](const extents& k) { return b[k] ? f[k] + d[k] : double(i[k] * l[k]); })));
}

TYPED_TEST(layouts, tiles_of_transposed_operands_have_ragged_edges) {
  for (const extents& s :
       {extents{31, 1}, extents{1, 33}, extents{32, 32}, extents{33, 31}, extents{100, 257}, extents{513, 129}}) {
    const auto a = pattern<float>(s, 1);
    const auto b = pattern<float>({s[1], s[0]}, 2);
    const auto x = test::array_of<TypeParam, 2>(a), y = test::array_of<TypeParam, 2>(b);
    EXPECT_TRUE(test::evaluates_to(x + lf::transpose(y), test::generate<float>(s,
                                                                               [&](const extents& i) {
                                                                                 return a[i] + b[{i[1], i[0]}];
                                                                               })))
        << test::text(s);
  }
  const auto a = pattern<float>({5, 37, 43}, 1);
  const auto x = test::array_of<TypeParam, 3>(a);
  EXPECT_TRUE(test::evaluates_to(lf::permute_dims<0, 2, 1>(x) * 2,
                                 test::transform<float>(test::permute(a, {0, 2, 1}), [](float v) { return 2 * v; })));
  EXPECT_TRUE(test::evaluates_to(lf::permute_dims<2, 0, 1>(x) * 2,
                                 test::transform<float>(test::permute(a, {2, 0, 1}), [](float v) { return 2 * v; })));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils of any number of points, axes and arrays: on the GPU these are kernels made at run time, in which a thread
// reads what its elements share once. The elements are small integers, so every sum is exact, and the definition,
// written as loops, is the answer.
#include "support/arrays.hpp"

namespace {

using lf::all, lf::index_t, lf::range;

/// Element `n` of array `which`.
int element(int which, std::int64_t n) { return static_cast<int>((n * 31 + n / 7 + which * 13) % 61) - 30; }

template <class T>
test::tensor<T> numbers(int which, const test::extents& shape) {
  test::tensor<T> x(shape);
  for (std::int64_t n = 0; n < x.size(); ++n) x.values[static_cast<std::size_t>(n)] = static_cast<T>(element(which, n));
  return x;
}
/// f(index) for each index of a shape.
template <class T, class F>
test::tensor<T> computed(const test::extents& shape, const F& f) {
  test::tensor<T> y(shape);
  test::for_each_index(shape, [&](const test::extents& i) { y[i] = static_cast<T>(f(i)); });
  return y;
}

/// The inner part of x, moved by so much along each axis.
template <class X, class... By>
auto moved(const X& x, int border, By... by) {
  int axis = 0;
  const auto along = [&](int b) {
    const index_t n = x.shape()[axis++];
    return range(border + b, n - border + b);
  };
  // In braces, so that the axes are counted from the left.
  const auto part = std::tuple{along(by)...};
  return std::apply([&](const auto&... r) { return x(r...); }, part);
}
template <class X>
auto plane(const X& x, int i) {
  const auto row = [&](int j) { return moved(x, 1, i, j, -1) + 2 * moved(x, 1, i, j, 0) - moved(x, 1, i, j, 1); };
  return row(-1) - 3 * row(0) + row(1);
}
template <class T, class Space>
void check_cube(const test::extents& shape) {
  const auto a = numbers<T>(0, shape);
  const auto x = test::array_of<Space, 3>(a);
  const auto expected = computed<T>({shape[0] - 2, shape[1] - 2, shape[2] - 2}, [&](const test::extents& at) {
    constexpr int walk[] = {1, 4, -1}, line[] = {1, -3, 1}, column[] = {1, 2, -1};
    double sum = 0;
    test::for_each_index({3, 3, 3}, [&](const test::extents& o) {
      sum += walk[o[0]] * line[o[1]] * column[o[2]] *
             element(0, ((at[0] + o[0]) * shape[1] + at[1] + o[1]) * shape[2] + at[2] + o[2]);
    });
    return sum;
  });
  EXPECT_TRUE(test::evaluates_to(plane(x, -1) + 4 * plane(x, 0) - plane(x, 1), expected))
      << test::name_of<T>() << ", " << shape[0] << " x " << shape[1] << " x " << shape[2];
}

template <class Space>
class stencils_of_many_points : public test::on<Space> {};
TYPED_TEST_SUITE(stencils_of_many_points, test::spaces, test::space_name);

TYPED_TEST(stencils_of_many_points, are_sums_over_the_neighbours_in_cubes_of_any_extents) {
  for (const test::extents& shape : {test::extents{3, 3, 3},
                                     {4, 3, 130},
                                     {10, 12, 131},
                                     {9, 35, 66},
                                     {67, 6, 9},
                                     {19, 70, 4},
                                     {3, 5, 700},
                                     {6, 40, 70},
                                     {40, 8, 90}}) {
    check_cube<float, TypeParam>(shape);
    check_cube<double, TypeParam>(shape);
  }
  check_cube<std::int16_t, TypeParam>({12, 21, 47});
  check_cube<std::int16_t, TypeParam>({12, 21, 90});
  check_cube<lf::complex<double>, TypeParam>({12, 21, 47});
}

TYPED_TEST(stencils_of_many_points, may_be_flipped_and_turned_and_skip_planes) {
  const test::extents shape{23, 14, 40};
  const auto a = numbers<float>(0, shape);
  const auto x = test::array_of<TypeParam, 3>(a);
  const auto cross = [](const auto& y) {
    return moved(y, 1, 1, 0, 0) + 2 * moved(y, 1, -1, 0, 0) + 3 * moved(y, 1, 0, 1, 0) + 4 * moved(y, 1, 0, -1, 0) +
           5 * moved(y, 1, 0, 0, 1) + 6 * moved(y, 1, 0, 0, -1) - 7 * moved(y, 1, 0, 0, 0);
  };
  // at(i, j, k): the element of the view that has this index.
  const auto expected = [&](const test::extents& extents, const auto& at) {
    return computed<float>({extents[0] - 2, extents[1] - 2, extents[2] - 2}, [&](const test::extents& o) {
      const std::int64_t i = o[0] + 1, j = o[1] + 1, k = o[2] + 1;
      return at(i + 1, j, k) + 2 * at(i - 1, j, k) + 3 * at(i, j + 1, k) + 4 * at(i, j - 1, k) + 5 * at(i, j, k + 1) +
             6 * at(i, j, k - 1) - 7 * at(i, j, k);
    });
  };
  using index = std::int64_t;
  EXPECT_TRUE(test::evaluates_to(cross(lf::flip(x, lf::axis<0>)), expected(shape, [&](index i, index j, index k) {
                                   return float(a[{22 - i, j, k}]);
                                 })));
  EXPECT_TRUE(test::evaluates_to(cross(lf::flip(x, lf::axis<1, 2>)), expected(shape, [&](index i, index j, index k) {
                                   return float(a[{i, 13 - j, 39 - k}]);
                                 })));
  EXPECT_TRUE(test::evaluates_to(cross(lf::transpose(x)), expected({40, 14, 23}, [&](index i, index j, index k) {
                                   return float(a[{k, j, i}]);
                                 })));
  EXPECT_TRUE(
      test::evaluates_to(cross(x(range(0, 23, 2), all, all)), expected({12, 14, 40}, [&](index i, index j, index k) {
                           return float(a[{2 * i, j, k}]);
                         })));
}

TYPED_TEST(stencils_of_many_points, of_several_arrays_and_scalars_are_written_into_one_of_them) {
  const test::extents shape{21, 18, 75};
  const auto a = numbers<float>(0, shape), b = numbers<float>(1, shape), c = numbers<float>(2, {16, 73});
  const auto u = test::array_of<TypeParam, 3>(a);
  auto v = test::array_of<TypeParam, 3>(b);
  const auto k = test::array_of<TypeParam, 2>(c);
  // A step of a wave, with a speed that does not depend on the first axis.
  v(range(1, -1), range(1, -1), range(1, -1)) =
      2.0f * moved(u, 1, 0, 0, 0) - moved(v, 1, 0, 0, 0) +
      k * (moved(u, 1, 1, 0, 0) + moved(u, 1, -1, 0, 0) + moved(u, 1, 0, 1, 0) + moved(u, 1, 0, -1, 0) +
           moved(u, 1, 0, 0, 1) + moved(u, 1, 0, 0, -1) - 6.0f * moved(u, 1, 0, 0, 0));
  const auto expected = computed<float>(shape, [&](const test::extents& o) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (o[axis] == 0 || o[axis] == shape[axis] - 1) return float(b[o]);
    const auto at = [&](int i, int j, int l) { return float(a[{o[0] + i, o[1] + j, o[2] + l}]); };
    return 2 * at(0, 0, 0) - b[o] +
           c[{o[1] - 1, o[2] - 1}] *
               (at(1, 0, 0) + at(-1, 0, 0) + at(0, 1, 0) + at(0, -1, 0) + at(0, 0, 1) + at(0, 0, -1) - 6 * at(0, 0, 0));
  });
  EXPECT_TRUE(test::evaluates_to(v, expected));
}

TYPED_TEST(stencils_of_many_points, of_matrices_may_have_axes_in_front) {
  const test::extents shape{4, 5, 33, 70};
  const auto a = numbers<std::int32_t>(0, shape);
  // Parts of both, so that they stay two.
  const auto all_of_it = test::array_of<TypeParam, 4>(a);
  const auto x = all_of_it(range(1, 3), range(0, 5, 2), all, all);
  const auto at = [&](int j, int k) { return x(all, all, range(2 + j, 31 + j), range(2 + k, 68 + k)); };
  const auto expected = computed<std::int32_t>({2, 3, 29, 66}, [&](const test::extents& o) {
    const auto e = [&](int j, int k) { return a[{o[0] + 1, 2 * o[1], o[2] + 2 + j, o[3] + 2 + k}]; };
    return e(-2, -2) + 2 * e(-2, 2) + 3 * e(0, 0) + 4 * e(2, -2) * e(2, 2) + e(-1, 0) - e(1, 1);
  });
  EXPECT_TRUE(test::evaluates_to(
      at(-2, -2) + 2 * at(-2, 2) + 3 * at(0, 0) + 4 * at(2, -2) * at(2, 2) + at(-1, 0) - at(1, 1), expected));
}

/// Inside of a border, whose width says where a row of results begins in memory.
template <class T, class Space>
void check_cross(const test::extents& shape, int border = 1) {
  const auto a = numbers<T>(0, shape);
  const auto x = test::array_of<Space, 2>(a);
  const auto plus = moved(x, border, 1, 0) + moved(x, border, -1, 0);
  const auto times = moved(x, border, 0, 1) * moved(x, border, 0, -1) - 4 * moved(x, border, 0, 0);
  const test::extents inner{shape[0] - 2 * border, shape[1] - 2 * border};
  lf::array<T, 2, Space> sum(lf::shape{inner[0], inner[1]}), product = sum;
  lf::assign(lf::tie(sum, product), plus + times, plus * times);
  using wide = std::conditional_t<std::floating_point<T>, double, std::int64_t>;  // of which integers wrap around to T
  const auto e = [&](const test::extents& o, int i, int j) {
    return static_cast<wide>(a[{o[0] + border + i, o[1] + border + j}]);
  };
  const auto p = [&](const test::extents& o) { return e(o, 1, 0) + e(o, -1, 0); };
  const auto t = [&](const test::extents& o) { return e(o, 0, 1) * e(o, 0, -1) - 4 * e(o, 0, 0); };
  EXPECT_TRUE(test::evaluates_to(sum, computed<T>(inner, [&](const auto& o) { return p(o) + t(o); })))
      << test::name_of<T>();
  EXPECT_TRUE(test::evaluates_to(product, computed<T>(inner, [&](const auto& o) { return p(o) * t(o); })))
      << test::name_of<T>();
}

/// Of the elements from `first` on: 1, 2, ... times so many neighbours, and the product of another array's ends less
/// all of them.
template <class T, class Space, int... K>
void check_line(std::int64_t length, std::int64_t first, std::integer_sequence<int, K...>) {
  constexpr int points = sizeof...(K);
  const auto a = numbers<T>(0, {length + first}), b = numbers<T>(1, {length + first + 1});
  const auto x = test::array_of<Space, 1>(a), y = test::array_of<Space, 1>(b);
  const std::int64_t inner = length - points + 1;
  const auto near = [&](const auto& of, std::int64_t k) { return of(range(first + k, first + k + inner)); };
  const auto beside = [&](std::int64_t k) { return y(range(first + 1 + k, first + 1 + k + inner)); };
  const std::string what = test::name_of<T>() + (", " + std::to_string(points)) + " points, " + std::to_string(length) +
                           " elements from " + std::to_string(first);
  const auto sum = [&](std::int64_t i) { return (0.0 + ... + ((K + 1) * element(0, i + first + K))); };
  EXPECT_TRUE(test::evaluates_to((T(0) + ... + (T(K + 1) * near(x, K))),
                                 computed<T>({inner}, [&](const auto& i) { return sum(i[0]); })))
      << what;
  if constexpr (!std::is_arithmetic_v<T>) return;  // whose products have zeros of both signs
  const auto ends = [&](std::int64_t i) { return double(element(1, i + first + 1)) * element(1, i + first + points); };
  EXPECT_TRUE(test::evaluates_to(
      beside(0) * beside(points - 1) - (... + near(x, K)),
      computed<T>({inner}, [&](const auto& i) { return ends(i[0]) - (0.0 + ... + element(0, i[0] + first + K)); })))
      << what << ", two arrays";
}
TYPED_TEST(stencils_of_many_points, of_one_line_have_any_length_and_begin_anywhere) {
  for (const std::int64_t length : {9, 130, 1000, 1001, 1002, 1003, 4099})
    for (const std::int64_t first : {0, 1, 2, 3}) {
      check_line<float, TypeParam>(length, first, std::make_integer_sequence<int, 3>{});
      check_line<float, TypeParam>(length, first, std::make_integer_sequence<int, 5>{});
    }
  // Of fewer elements nothing is gained by another kernel.
  const std::int64_t many = std::is_same_v<TypeParam, lf::host> ? 1000 : (1 << 20) + 16;
  for (const std::int64_t first : {0, 1, 3}) {
    check_line<float, TypeParam>(many + first, first, std::make_integer_sequence<int, 3>{});
    check_line<float, TypeParam>(many + 5 - first, 2 * first, std::make_integer_sequence<int, 5>{});
  }
  check_line<float, TypeParam>(many, 0, std::make_integer_sequence<int, 9>{});
  check_line<double, TypeParam>(many + 1, 1, std::make_integer_sequence<int, 5>{});
  check_line<std::int16_t, TypeParam>(many + 2, 3, std::make_integer_sequence<int, 4>{});
  check_line<std::int16_t, TypeParam>(many + 3, 1, std::make_integer_sequence<int, 5>{});
  check_line<lf::half, TypeParam>(many + 7, 2, std::make_integer_sequence<int, 5>{});
  check_line<lf::complex<double>, TypeParam>(many, 1, std::make_integer_sequence<int, 3>{});
}
TYPED_TEST(stencils_of_many_points, of_one_line_may_be_written_to_the_line_itself) {
  const std::int64_t n = (1 << 20) + 3;
  const auto a = numbers<float>(0, {n});
  auto x = test::array_of<TypeParam, 1>(a);
  x(range(1, n - 1)) = x(range(0, n - 2)) - 2 * x(range(1, n - 1)) + x(range(2, n));
  EXPECT_TRUE(test::evaluates_to(x + 0, computed<float>({n}, [&](const auto& i) {
                                   const auto k = i[0];
                                   return k == 0 || k == n - 1
                                              ? double(a[{k}])
                                              : double(a[{k - 1}]) - 2 * double(a[{k}]) + double(a[{k + 1}]);
                                 })));
}

TYPED_TEST(stencils_of_many_points, of_matrices_have_any_number_of_columns) {
  for (const test::extents& shape : {test::extents{300, 7}, {1000, 18}, {35, 130}, {4, 500}, {257, 1030}}) {
    check_cross<float, TypeParam>(shape);
    check_cross<double, TypeParam>(shape);
  }
}

TYPED_TEST(stencils_of_many_points, of_small_elements_have_rows_that_begin_anywhere) {
  for (const int border : {1, 2, 3, 4}) {  // of 8, 4 and 2 elements to a vector, where rows of results have whole ones
    check_cross<std::uint8_t, TypeParam>({20, 136}, border);
    check_cross<std::int16_t, TypeParam>({20, 68}, border);
    check_cross<float, TypeParam>({20, 66}, border);
    check_cross<double, TypeParam>({20, 36}, border);
  }
}

TYPED_TEST(stencils_of_many_points, beside_arrays_of_other_types_are_written_as_another) {
  const test::extents shape{24, 66}, inner{22, 64};
  const auto a = numbers<float>(0, shape);
  const auto m = numbers<std::uint8_t>(1, inner);
  const auto x = test::array_of<TypeParam, 2>(a);
  const auto mask = test::array_of<TypeParam, 2>(m);
  const auto near =
      moved(x, 1, 1, 0) + moved(x, 1, -1, 0) + moved(x, 1, 0, 1) + moved(x, 1, 0, -1) - 4 * moved(x, 1, 0, 0);
  EXPECT_TRUE(test::evaluates_to(lf::cast<double>(near) * lf::cast<double>(mask),
                                 computed<double>(inner, [&](const test::extents& o) {
                                   const auto e = [&](int i, int j) { return double(a[{o[0] + 1 + i, o[1] + 1 + j}]); };
                                   return (e(1, 0) + e(-1, 0) + e(0, 1) + e(0, -1) - 4 * e(0, 0)) * double(m[o]);
                                 })));
}

}  // namespace

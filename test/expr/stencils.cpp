// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stencils: operands that are one array a few rows and columns apart, over shapes around the edges of a GPU's tiles.
// The elements are small integers, so every sum is exact and the definition, written as loops, is the answer.
#include "support/arrays.hpp"

#include <array>
#include <vector>

namespace {

using lf::none, lf::range;

struct offset {
  int row, column, weight;
};
using five_points = std::array<offset, 5>;

template <class Space>
class stencils : public test::on<Space> {
 protected:
  /// Element (i, j) of a matrix with this many columns.
  static int element(std::int64_t i, std::int64_t j) { return static_cast<int>((i * 31 + j * 17) % 251) - 120; }

  template <class T>
  static test::tensor<T> matrix(std::int64_t rows, std::int64_t columns) {
    test::tensor<T> x({rows, columns});
    for (std::int64_t n = 0; n < x.size(); ++n)
      x.values[static_cast<std::size_t>(n)] = static_cast<T>(element(n / columns, n % columns));
    return x;
  }

  /// The weighted sum of the points over the inner part that all of them reach, border elements away from the edges.
  template <class T, class X>
  static auto weighted(const X& x, const five_points& p, int border) {
    const auto at = [&](const offset& o) {
      const auto along = [&](int axis, int by) { return range(border + by, x.extent(axis) - border + by); };
      return x(along(0, o.row), along(1, o.column));
    };
    return at(p[0]) * T(p[0].weight) + at(p[1]) * T(p[1].weight) + at(p[2]) * T(p[2].weight) +
           at(p[3]) * T(p[3].weight) + at(p[4]) * T(p[4].weight);
  }
  template <class T>
  static test::tensor<T> expected(std::int64_t rows, std::int64_t columns, const five_points& p, int border) {
    test::tensor<T> sums({rows - 2 * border, columns - 2 * border});
    std::size_t n = 0;
    for (std::int64_t i = border; i < rows - border; ++i)
      for (std::int64_t j = border; j < columns - border; ++j) {
        int sum = 0;
        for (const offset& o : p) sum += o.weight * element(i + o.row, j + o.column);
        sums.values[n++] = static_cast<T>(sum);
      }
    return sums;
  }
  template <class T>
  static void check(const five_points& p, int border, std::int64_t rows, std::int64_t columns) {
    const auto x = test::array_of<Space, 2>(matrix<T>(rows, columns));
    EXPECT_TRUE(test::evaluates_to(weighted<T>(x, p, border), expected<T>(rows, columns, p, border)))
        << test::name_of<T>() << ", " << rows << " x " << columns;
  }
  /// How the one kernel of an evaluation ran.
  template <class E>
  static std::string path_of(const E& e) {
    lf::kernel_trace trace;
    (void)lf::materialize(e);
    return trace.launches() == 1 ? trace.kernels()[0].path : std::to_string(trace.launches()) + " kernels";
  }
};
TYPED_TEST_SUITE(stencils, test::spaces, test::space_name);

constexpr five_points cross = {{{0, 0, -4}, {-1, 0, 1}, {1, 0, 1}, {0, -1, 1}, {0, 1, 1}}};
constexpr five_points diagonal = {{{-2, -2, 1}, {-1, 1, 2}, {0, 0, 3}, {1, -1, 4}, {2, 2, 5}}};
constexpr five_points far_apart = {{{0, 0, 1}, {-8, 0, 1}, {8, 0, 1}, {0, -8, 1}, {0, 8, 1}}};
constexpr five_points row = {{{0, -2, 1}, {0, -1, 4}, {0, 0, 6}, {0, 1, 4}, {0, 2, 1}}};

TYPED_TEST(stencils, of_every_shape_around_a_tile) {
  for (const std::int64_t rows : {3, 10, 34, 67})
    for (const std::int64_t columns : {8, 64, 130, 132, 256, 260, 516}) {
      this->template check<float>(cross, 1, rows, columns);
      this->template check<std::int32_t>(cross, 1, rows, columns);
      this->template check<double>(cross, 1, rows, columns);
    }
}
TYPED_TEST(stencils, of_points_in_any_direction) {
  for (const std::int64_t columns : {64, 129, 260, 272}) {
    this->template check<float>(diagonal, 2, 41, columns);
    this->template check<float>(far_apart, 8, 75, columns);
    this->template check<double>(far_apart, 8, 75, columns);
    this->template check<std::int64_t>(row, 2, 41, columns);
  }
}
TYPED_TEST(stencils, written_back_into_the_inner_part_see_the_old_values) {
  auto x = test::array_of<TypeParam, 2>(this->template matrix<float>(50, 260));
  x(range(1, -1), range(1, -1)) = this->template weighted<float>(x, cross, 1);
  const lf::array<float, 2, TypeParam> inner = x(range(1, -1), range(1, -1));
  EXPECT_TRUE(test::evaluates_to(inner, this->template expected<float>(50, 260, cross, 1)));
}
TYPED_TEST(stencils, of_borrowed_memory_do_not_need_what_lies_between_its_rows) {
  // A part of a larger matrix: the window may read between the rows, never before the first or after the last element.
  // Here the last element is the last of the memory.
  const auto whole = test::array_of<TypeParam, 2>(this->template matrix<float>(81, 264));
  const auto part = lf::borrow<TypeParam>(whole.data() + 264 + 4, {80, 260}, {264, 1});
  const auto at = [&](int i, int j) { return part(range(1 + i, 79 + i), range(1 + j, 259 + j)); };
  const auto sum = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0);
  const lf::array<float, 2, TypeParam> same =
      this->template weighted<float>(whole, cross, 1)(range(1, none), range(4, none));
  EXPECT_TRUE(lf::array_equal(sum, same));
  EXPECT_EQ(this->path_of(sum), (std::is_same_v<TypeParam, lf::host> ? "loop" : test::small_stencils));
}
TYPED_TEST(stencils, of_points_too_far_apart_run_without_a_window) {
  constexpr five_points nine_rows = {{{0, 0, 1}, {-9, 0, 1}, {0, -1, 1}, {0, 1, 1}, {1, 0, 1}}};
  this->template check<float>(nine_rows, 9, 75, 260);
  const auto x = test::array_of<TypeParam, 2>(this->template matrix<float>(75, 260));
  const std::string on_gpu[] = {test::small_stencils, "strided"};
  const five_points* points[] = {&far_apart, &nine_rows};
  for (int k = 0; k < 2; ++k)
    EXPECT_EQ(this->path_of(this->template weighted<float>(x, *points[k], 9)),
              (std::is_same_v<TypeParam, lf::host> ? "loop" : on_gpu[k]));
}
TYPED_TEST(stencils, read_where_they_write_are_evaluated_in_place) {
  auto x = test::array_of<TypeParam, 2>(this->template matrix<float>(70, 260));
  const auto cubes = lf::materialize(x * x * x);
  lf::kernel_trace trace;
  x(range(1, -1), range(1, -1)) =
      x(range(1, -1), range(1, -1)) * x(range(1, -1), range(1, -1)) * x(range(1, -1), range(1, -1));
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_TRUE(lf::array_equal(x(range(1, -1), range(1, -1)), cubes(range(1, -1), range(1, -1))));
}
TYPED_TEST(stencils, are_one_kernel_that_reads_the_array_through_a_window_on_the_gpu) {
  const auto x = test::array_of<TypeParam, 2>(this->template matrix<float>(200, 260));
  lf::array<float, 2, TypeParam> z(lf::shape{198, 258});
  lf::kernel_trace trace;
  z = this->template weighted<float>(x, cross, 1);
  ASSERT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_EQ(trace.kernels()[0].path, (std::is_same_v<TypeParam, lf::host> ? "loop" : test::small_stencils));
}

}  // namespace

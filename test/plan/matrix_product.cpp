// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which sums of products are products of matrices that a library can compute, from extents and steps alone.
#include <lazyfuse/plan/matrix_product.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using lazyfuse::index_t, lazyfuse::planning::matrix_product, lazyfuse::planning::matrix_product_of;

/// Extents of kept axes and of one reduced axis, and the steps of both operands.
struct sum_of_products {
  std::vector<index_t> extents, first, second;
  int reduced = 1;
  matrix_product found() const {
    const int rank = static_cast<int>(extents.size());
    return matrix_product_of(extents.data(), rank - reduced, rank, first.data(), second.data());
  }
};
struct expected {
  const char* name;
  sum_of_products of;
  int rows, columns, depth;
  index_t left_pitch, right_pitch;
  bool left_turned, right_turned, swapped;
};

TEST(matrix_product, has_its_axes_in_any_order_and_its_operands_in_either_layout) {
  const expected all[] = {
      {"both row by row", {{5, 7, 3}, {3, 0, 1}, {0, 1, 7}}, 0, 1, 2, 3, 7, false, false, false},
      {"the second column by column", {{5, 7, 3}, {3, 0, 1}, {0, 3, 1}}, 0, 1, 2, 3, 3, false, true, false},
      {"the first column by column", {{5, 7, 3}, {1, 0, 5}, {0, 1, 7}}, 0, 1, 2, 5, 7, true, false, false},
      {"both column by column", {{5, 7, 3}, {1, 0, 5}, {0, 3, 1}}, 0, 1, 2, 5, 3, true, true, false},
      {"the first has the columns", {{5, 7, 3}, {0, 3, 1}, {1, 0, 5}}, 0, 1, 2, 5, 3, true, true, true},
      {"parts of larger matrices", {{5, 7, 3}, {100, 0, 1}, {0, 1, 90}}, 0, 1, 2, 100, 90, false, false, false},
      {"a batch of both", {{4, 5, 7, 3}, {15, 3, 0, 1}, {21, 0, 1, 7}}, 1, 2, 3, 3, 7, false, false, false},
      {"one matrix for a batch", {{4, 5, 7, 3}, {0, 3, 0, 1}, {21, 0, 1, 7}}, 1, 2, 3, 3, 7, false, false, false},
      {"a batch backwards", {{4, 5, 7, 3}, {-15, 3, 0, 1}, {21, 0, 1, 7}}, 1, 2, 3, 3, 7, false, false, false},
      {"a batch last", {{5, 7, 4, 3}, {3, 0, 15, 1}, {0, 1, 21, 7}}, 0, 1, 3, 3, 7, false, false, false},
      {"rows of two axes", {{2, 5, 7, 3}, {40, 3, 0, 1}, {0, 0, 1, 7}}, 1, 2, 3, 3, 7, false, false, false},
      {"axes of one element",
       {{1, 5, 1, 7, 1, 3}, {9, 3, 0, 0, 0, 1}, {0, 0, 8, 1, 0, 7}, 2},
       1,
       3,
       5,
       3,
       7,
       false,
       false,
       false},
  };
  for (const expected& e : all) {
    SCOPED_TRACE(e.name);
    const matrix_product p = e.of.found();
    ASSERT_TRUE(bool(p));
    EXPECT_EQ(p.rows, e.rows);
    EXPECT_EQ(p.columns, e.columns);
    EXPECT_EQ(p.depth, e.depth);
    EXPECT_EQ(p.left.pitch, e.left_pitch);
    EXPECT_EQ(p.right.pitch, e.right_pitch);
    EXPECT_EQ(p.left.turned, e.left_turned);
    EXPECT_EQ(p.right.turned, e.right_turned);
    EXPECT_EQ(p.swapped, e.swapped);
  }
}

TEST(matrix_product, is_none_where_a_library_cannot_read_it) {
  constexpr index_t large = index_t{1} << 31;
  const struct {
    const char* name;
    sum_of_products of;
  } all[] = {
      {"a sum of all", {{3}, {1}, {1}}},
      {"a vector and a matrix", {{7, 3}, {0, 1}, {1, 7}}},
      {"rows with rows", {{5, 3}, {3, 1}, {3, 1}}},
      {"of one row", {{1, 7, 3}, {0, 0, 1}, {0, 1, 7}}},
      {"of one product", {{5, 7, 1}, {1, 0, 0}, {0, 1, 0}}},
      {"of no product", {{5, 7, 0}, {0, 0, 1}, {0, 1, 7}}},
      {"of no result", {{0, 5, 7, 3}, {15, 3, 0, 1}, {21, 0, 1, 7}}},
      {"strided along both axes", {{5, 7, 3}, {6, 0, 2}, {0, 1, 7}}},
      {"backwards", {{5, 7, 3}, {3, 0, -1}, {0, 1, 7}}},
      {"lines backwards", {{5, 7, 3}, {-3, 0, 1}, {0, 1, 7}}},
      {"windows of a vector", {{5, 7, 3}, {1, 0, 1}, {0, 1, 7}}},
      {"one row for all products", {{5, 7, 3}, {3, 0, 0}, {0, 1, 7}}},
      {"two reduced axes", {{5, 7, 2, 3}, {9, 0, 4, 1}, {0, 1, 30, 7}, 2}},
      {"an operand in all axes", {{5, 7, 3}, {21, 3, 1}, {0, 1, 7}}},
      {"lines too far apart", {{5, 7, 3}, {large, 0, 1}, {0, 1, 7}}},
      {"too many rows", {{large, 7, 3}, {3, 0, 1}, {0, 1, 7}}},
      {"nothing kept, nothing reduced", {{5, 7}, {1, 0}, {0, 1}, 0}},
  };
  for (const auto& each : all) EXPECT_FALSE(bool(each.of.found())) << each.name;
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices in memory: which axes they have, and how their operands lie.
#include "plan/matrix_layout.hpp"

#include <limits>
#include <utility>

namespace lazyfuse::planning {

namespace {
constexpr index_t most = std::numeric_limits<int>::max();
}  // namespace

std::optional<matrix_layout> matrix_layout_of(const index_t* extents, const index_t* steps, int rows, int columns) {
  const auto lies = [&](int line, int along) {
    return steps[along] == 1 && steps[line] >= extents[along] && steps[line] <= most;
  };
  if (lies(rows, columns)) return matrix_layout{steps[rows], false};
  if (lies(columns, rows)) return matrix_layout{steps[columns], true};
  return std::nullopt;
}

namespace {

/// Among the kept axes along which `own` moves and `other` does not, the longest of which the operand is a matrix with
/// `depth`; the others are part of the batch. -1: there is none.
int axis_of(const index_t* extents, int kept, int depth, const index_t* own, const index_t* other) {
  int found = -1;
  for (int k = 0; k < kept; ++k)
    if (extents[k] > 1 && extents[k] <= most && own[k] != 0 && other[k] == 0 &&
        (found < 0 || extents[k] > extents[found]) && matrix_layout_of(extents, own, k, depth))
      found = k;
  return found;
}

}  // namespace

matrix_product matrix_product_of(const index_t* extents, int kept, int rank, const index_t* first,
                                 const index_t* second) {
  if (kept == rank) return {};
  for (int k = 0; k < kept; ++k)
    if (extents[k] == 0) return {};
  const int depth = rank - 1;
  for (int k = kept; k < depth; ++k)
    if (extents[k] != 1) return {};
  if (extents[depth] < 2 || extents[depth] > most) return {};
  const int of_first = axis_of(extents, kept, depth, first, second),
            of_second = axis_of(extents, kept, depth, second, first);
  if (of_first < 0 || of_second < 0) return {};

  matrix_product p{of_first, of_second, depth, {}, {}, of_first > of_second};
  if (p.swapped) {
    std::swap(first, second);
    std::swap(p.rows, p.columns);
  }
  p.left = *matrix_layout_of(extents, first, p.rows, depth);
  p.right = *matrix_layout_of(extents, second, depth, p.columns);
  return p;
}

matrix_product vector_product_of(const index_t* extents, const index_t* first, const index_t* second) {
  const bool swapped = first[0] == 0;
  if (swapped) std::swap(first, second);
  if (second[0] != 0 || second[1] < 1 || second[1] > most || extents[0] > most || extents[1] > most) return {};
  const std::optional<matrix_layout> lies = matrix_layout_of(extents, first, 0, 1);
  return lies ? matrix_product{0, -1, 1, *lies, {second[1], false}, swapped} : matrix_product{};
}

}  // namespace lazyfuse::planning

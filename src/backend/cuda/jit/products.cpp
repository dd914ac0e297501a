// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are products of matrices: which axes are their rows, columns and depth.
#include "backend/cuda/jit/products.hpp"

#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

/// The two arrays whose products are added up.
std::optional<ir::program_graph::factors> factors_of(const exact_plan& p, const ir::program_graph& g) {
  if (p.targets != 1 || p.count != 2) return {};
  const dtype type = p.type_of(0).element, result = p.type().results[0];
  for (int i = 0; i < 2; ++i)
    if (p.type_of(i).kind != ir::source_kind::memory || p.type_of(i).element != type) return {};
  const bool small = type == dtype_of<half> || type == dtype_of<bfloat16>;
  const std::optional<ir::program_graph::factors> f = g.sum_of_products();
  return f && f->widened == small && products_per_us(type, result) > 0 ? f : std::nullopt;
}

/// A matrix of these axes, and `batch`, of which there may be none; false if neither rows nor columns are contiguous.
bool lies_as_matrix(const exact_plan& p, const operand_info& o, int row, int column, int batch, matrix& m) {
  m = {o.data, o.steps[row], o.steps[column], batch < 0 ? 0 : o.steps[batch]};
  return m.row_step >= 1 && m.column_step >= 1 && m.next >= 0 &&
         ((m.row_step == 1 && m.column_step >= p.extents[row]) ||
          (m.column_step == 1 && m.row_step >= p.extents[column]));
}

}  // namespace

std::optional<matrix_product> matrix_product_of(const exact_plan& p, const ir::program_graph& graph) {
  if (p.type().pattern != std::string_view("reduce") || p.rank != p.kept + 1) return {};
  const std::optional<ir::program_graph::factors> f = factors_of(p, graph);
  if (!f) return {};
  const operand_info &x = p.operand(f->x), &y = p.operand(f->y), &to = p.info[0];
  int row = -1, column = -1, batch = -1;
  for (int k = 0; k < p.kept; ++k) {
    int& axis = x.steps[k] != 0 && y.steps[k] != 0 ? batch : x.steps[k] != 0 ? row : column;
    if (axis >= 0 && batch >= 0) return {};
    if (axis >= 0) batch = axis;  // one of the matrices is that of all
    axis = k;
  }
  if (row < 0 || column < 0) return {};
  const int depth = p.rank - 1;
  matrix_product m{p.type_of(0).element,
                   p.type().results[0],
                   p.extents[row],
                   p.extents[column],
                   p.extents[depth],
                   batch < 0 ? 1 : p.extents[batch],
                   {},
                   {},
                   {}};
  if (!lies_as_matrix(p, x, row, depth, batch, m.x) || !lies_as_matrix(p, y, depth, column, batch, m.y) ||
      !lies_as_matrix(p, to, row, column, batch, m.to))
    return {};
  return m;
}

}  // namespace lazyfuse::cuda_detail

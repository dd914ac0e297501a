// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are products of matrices: which axes are their rows, columns and depth.
#include "backend/cuda/jit/products.hpp"

#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

/// The operand that a factor is, which sums of 16-bit reals widen first; -1: it is none.
int operand_of(const ir::program_graph& g, int node, bool widened) {
  const ir::program_node* n = &g.nodes[static_cast<std::size_t>(node)];
  if (widened && n->type == "op::cast<float>") n = &g.nodes[static_cast<std::size_t>(n->arguments[0])];
  return n->type.empty() ? n->arguments[0] : -1;
}

struct factors {
  int x, y;
};
/// The two operands whose products are added up, and rounded to 16 bits if they are of so many.
std::optional<factors> factors_of(const exact_plan& p, const ir::program_graph& g) {
  if (p.targets != 1 || p.count != 2 || g.roots.size() != 1) return {};
  const auto node = [&](int i) -> const ir::program_node& { return g.nodes[static_cast<std::size_t>(i)]; };
  const dtype type = p.type_of(0).element, result = p.type().results[0];
  const bool small = type == dtype_of<half> || type == dtype_of<bfloat16>;
  int at = g.roots[0];
  if (small && result == type && node(at).type.starts_with("op::cast<")) at = node(at).arguments[0];
  if (node(at).type != "op::sum" || !node(at).is_stage) return {};
  at = node(at).arguments[0];
  if (node(at).type != "op::multiply") return {};
  const factors f{operand_of(g, node(at).arguments[0], small), operand_of(g, node(at).arguments[1], small)};
  const bool in_memory = f.x >= 0 && f.y >= 0 && f.x != f.y && p.type_of(0).kind == ir::source_kind::memory &&
                         p.type_of(1).kind == ir::source_kind::memory && p.type_of(1).element == type;
  return in_memory && can_multiply(type, result) ? std::optional(f) : std::nullopt;
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
  const std::optional<factors> f = factors_of(p, graph);
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

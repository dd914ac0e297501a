// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are products of matrices, as the library is told of them.
#include "backend/cuda/jit/products.hpp"

#include "plan/matrix_layout.hpp"

#include <string_view>
#include <utility>

namespace lazyfuse::cuda_detail {

namespace {

/// Products that the library adds up in float, at most, where nothing rounds the sum to less: of equal ones it loses 10
/// epsilons of 20,000. Deeper sums go by tiles, which lose no more of any depth.
constexpr index_t most_depth = 1 << 16;
/// Products of a batch, which the library counts in 32 bits.
constexpr index_t most_count = 0x7fffffff;
bool rounds_deep_sums(dtype type) { return type == dtype_of<float> || type == dtype_of<complex<float>>; }

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

}  // namespace

std::optional<products_of_matrices> products_of(const exact_plan& p, const ir::program_graph& graph) {
  if (p.type().pattern != std::string_view("reduce")) return {};
  const std::optional<ir::program_graph::factors> f = factors_of(p, graph);
  if (!f) return {};
  const operand_info* left = &p.operand(f->x);
  const operand_info* right = &p.operand(f->y);
  const matrix_product axes = matrix_product_of(p.extents, p.kept, p.rank, left->steps, right->steps);
  if (!axes || (rounds_deep_sums(p.type().results[0]) && p.extents[axes.depth] > most_depth)) return {};
  if (axes.swapped) std::swap(left, right);
  const operand_info& to = p.info[0];
  const std::optional<matrix_layout> result = matrix_layout_of(p.extents, to.steps, axes.rows, axes.columns);
  if (!result) return {};
  products_of_matrices m{p.type_of(0).element,       p.type().results[0],          p.extents[axes.rows],
                         p.extents[axes.columns],    p.extents[axes.depth],        1,
                         {left->data, axes.left, 0}, {right->data, axes.right, 0}, {to.data, *result, 0}};
  for (int k = 0; k < p.kept; ++k) {
    if (k == axes.rows || k == axes.columns || p.extents[k] == 1) continue;
    if (m.count > 1 || p.extents[k] > most_count || left->steps[k] < 0 || right->steps[k] < 0 || to.steps[k] <= 0)
      return {};
    m.count = p.extents[k];
    m.x.next = left->steps[k];
    m.y.next = right->steps[k];
    m.to.next = to.steps[k];
  }
  return m;
}

}  // namespace lazyfuse::cuda_detail

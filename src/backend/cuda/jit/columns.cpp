// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of columns that stay in registers: where rows of memory begin anywhere, so that nothing is read in vectors.
#include "backend/cuda/jit/columns.hpp"

#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/launch/memory.hpp"

#include <algorithm>

namespace lazyfuse::cuda_detail {

namespace {

constexpr int most_lines = column_threads / 32;

/// Elements of a column that a thread holds, of 4, 8 and 16: those with which most threads' elements exist, but no more
/// than registers take.
int held_of(index_t height, int bytes) {
  int best = 0;
  double most = 0;
  for (const int held : {16, 8, 4}) {
    const index_t lines = ceil_div(height, held);
    if (lines > most_lines || held * bytes > 128) continue;
    const double used = static_cast<double>(height) / static_cast<double>(lines * held);
    if (used > most + 0.1) {
      best = held;
      most = used;
    }
  }
  return best;
}

}  // namespace

std::optional<column_layout> column_layout_of(const exact_plan& p, bool in_vectors) {
  if (!p.columns || in_vectors) return {};
  index_t height = 1, columns = p.extents[p.rank - 1];
  for (int k = 0; k < p.kept; ++k) columns *= p.extents[k];
  for (int k = p.kept; k < p.rank - 1; ++k) height *= p.extents[k];
  int bytes = 0;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (p.type_of(i).kind == ir::source_kind::other) return {};
    if (o.element_size > 0 && o.steps) bytes += std::max(o.element_size, 4);
  }
  if (height > most_lines * 16) return {};
  const int held = held_of(height, bytes);
  if (held == 0) return {};
  const int lines = static_cast<int>(ceil_div(height, held)), groups = std::max(1, 8 / lines);
  return column_layout{held, lines, groups, static_cast<int>(height), columns};
}

made_kernel* column_kernel(const exact_plan& p, exact_program& program, const column_layout& g) {
  std::string facts = std::to_string(g.held);
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    bool same = o.steps;
    for (int k = p.kept; k < p.rank - 1 && same; ++k) same = o.steps[k] == 0;
    facts += same ? ", true" : ", false";
  }
  return variant_of(program, p, "columns in registers", facts,
                    [&] { return columns_source(p, *program.graph, facts); });
}

bool start_columns(const exact_plan& p, const made_kernel& made, const column_layout& g) {
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  with_rank<0, max_rank - 2>(p.kept, [&]<int K>() {
    with_rank<K + 2, max_rank>(p.rank, [&]<int R>() {
      index_t kept[K + 1];
      std::copy_n(p.extents, K, kept);
      kept[K] = p.extents[R - 1];
      to.put(column_numbers<K, R>{.kept = walk_of<K + 1>(kept),
                                  .down = walk_of<R - 1 - K>(p.extents + K),
                                  .columns = g.columns,
                                  .height = g.height,
                                  .lines = g.lines,
                                  .groups = g.groups,
                                  .one_result = p.plan.rows.one_result});
    });
  });
  if (!to.fits()) return false;
  const index_t blocks = ceil_div(g.columns, index_t{32} * g.groups);
  start(made, static_cast<unsigned>(blocks), 0, to, static_cast<unsigned>(32 * g.lines * g.groups));
  return true;
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are made at run time, of rows and of columns.
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/plan/axes.hpp>

namespace lazyfuse::cuda_detail {

namespace {

constexpr int most_kept = max_rank - 1, most_axes = max_rank;
constexpr const char *all_dense = "dense_layout", *not_known = "layout_facts<>";

/// What a kernel may rely on: that all of its operands are vectors, or what is known of each if some are the same along
/// the inner axis.
std::string facts_of(const exact_plan& p, int inner, const reduce_geometry& g) {
  const auto is_same = [&](int i) {
    const operand_info& o = p.operand(i);
    return o.element_size > 0 && o.steps && o.steps[inner] == 0;
  };
  std::string facts;
  bool some_same = false;
  for (int i = 0; i < p.count; ++i) {
    some_same = some_same || is_same(i);
    const bool is_wide = g.consecutive && has_bit(g.wide, i);
    facts += std::string(i > 0 ? ", " : "") + (is_same(i) ? "same" : is_wide ? "vectors" : "not_known");
  }
  if (some_same) return "layout_facts<" + facts + ">";
  return g.consecutive && g.dense && g.wide != 0 ? all_dense : not_known;
}

}  // namespace

bool start_reduction(const exact_plan& p, exact_program& program) {
  if (p.kept > most_kept || p.rank > most_axes) return false;
  const bool along_kept = runs_along_kept(p.extents, p.kept, p.rank, p.info + p.targets, p.count);
  const char* const path = along_kept ? "columns" : "rows";
  const auto lay_out = [&](int width, int depth, index_t resident) {
    return plan_reduce(p.extents, p.kept, p.rank, p.info + p.targets, p.count, along_kept, {width, depth}, resident);
  };
  const int width = vector_width(p, false);
  const auto find = [&](const std::string& facts) {
    return variant_of(program, p, path, facts, [&] { return reduce_source(p, *program.graph, path, facts); });
  };
  const std::string facts = facts_of(p, along_kept ? p.kept - 1 : p.rank - 1, lay_out(width, 1, 1));
  made_kernel* made = find(facts);
  if (!made && facts == all_dense && !has_compiler()) made = find(not_known);  // a bundle may have that one
  if (!made || made->choices[0] != width) return false;
  const reduce_geometry g = lay_out(width, made->choices[along_kept ? 2 : 1], made->resident.of(made->kernel));
  scratch room;
  if (g.splits > 1) {
    const std::size_t per_tile = along_kept ? static_cast<std::size_t>(g.lanes * width) : 1;
    room = scratch_for(static_cast<std::size_t>(made->choices[3]) * g.tiles * g.splits * per_tile);
  }
  parameters to;
  put_bound(to, p, 0, p.rank, p.kept);
  with_rank<0, most_kept>(p.kept, [&]<int K>() {
    with_rank<K + 1, most_axes>(p.rank, [&]<int R>() {
      reduce_numbers<K, R> numbers = numbers_of_reduce<K, R>(g, p.extents, along_kept, width);
      numbers.tickets = room.tickets;
      numbers.partial = room.partial;
      to.put(numbers);
    });
  });
  if (!to.fits()) return false;
  start(*made, g.tiles * g.splits, 0, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

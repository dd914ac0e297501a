// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of rows that are made at run time: those whose rows stay in registers.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/plan/axes.hpp>

namespace lazyfuse::cuda_detail {

namespace {
constexpr int most_outer = 3;
}

bool may_stay(const exact_plan& p) {
  // Of operands that types have several times, each counts once here: only now it is known where memory is contiguous.
  return p.rank == p.kept + 1 && p.kept <= most_outer && p.extents[p.rank - 1] <= longest_row &&
         (p.kept == 0 || !runs_along_kept(p.extents, p.kept, p.rank, p.info, p.targets + p.count));
}

made_rows rows_of(const exact_plan& p, exact_program& program) {
  if (!may_stay(p)) return {};
  const int width = vector_width(p, true);
  const index_t length = p.extents[p.rank - 1];
  const auto lay_out = [&](int held) {
    return plan_rows(p.extents, p.rank, p.kept, false, p.info, p.targets, p.targets + p.count,
                     {.width = width, .held = held, .accumulators = 0, .again = 0, .held_steps = 0, .depth = 1});
  };
  made_rows rows{.geometry = lay_out(row_tuning::most_register_elements)};
  const bool one_vector = rows.geometry.one_vector;
  rows.made = variant_of(program, p, one_vector ? "vectors" : "registers", "",
                         [&] { return rows_source(p, *program.graph, one_vector); });
  if (!rows.made || rows.made->choices[0] != width) return {};
  const int held = rows.made->choices[1];
  if (length > index_t{row_tuning::register_threads} * held) return {};
  if (held != row_tuning::most_register_elements) rows.geometry = lay_out(held);
  return rows;
}

bool start_rows(const exact_plan& p, exact_program& program) {
  const made_rows rows = rows_of(p, program);
  if (!rows.made) return false;
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  with_rank<0, most_outer>(p.kept, [&]<int K>() {
    to.put(numbers_of_registers<K>(rows.geometry, p.extents, p.extents[K], p.plan.rows.one_result));
  });
  if (!to.fits()) return false;
  start(*rows.made, static_cast<unsigned>(rows.geometry.grid), 0, to, static_cast<unsigned>(rows.geometry.threads));
  return true;
}

}  // namespace lazyfuse::cuda_detail

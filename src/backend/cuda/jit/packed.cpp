// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of many arrays that are made at run time.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/backend/cuda/launch/pack_table.hpp>

namespace lazyfuse::cuda_detail {

bool start_packed(const exact_plan& p, exact_program& program) {
  made_kernel* const made = variant_of(program, p, "packed", "", [&] { return packed_source(p, *program.graph); });
  if (!made) return false;
  short columns[most_distinct + most_results];
  int count = 0, in_memory = 0;
  short column_of[most_given];
  for (int i = 0; i < p.type().operands; ++i)
    column_of[i] = static_cast<short>(p.type().types[i].kind == ir::source_kind::memory ? in_memory++ : -1);
  for (int i = 0; i < p.count; ++i)
    if (const short column = column_of[p.first[i]]; column >= 0) columns[count++] = column;
  for (int i = 0; i < p.targets; ++i) columns[count++] = static_cast<short>(in_memory + i);

  const pack_table table(*p.plan.arrays, columns, count, {made->choices[0], made->choices[1]});
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  to.put(table.numbers);
  if (!to.fits()) return false;
  start(*made, table.blocks, 0, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

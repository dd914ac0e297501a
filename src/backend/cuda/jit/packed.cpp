// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of many arrays that are made at run time.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/backend/cuda/launch/pack_table.hpp>

#include <string_view>

namespace lazyfuse::cuda_detail {

bool start_packed(const exact_plan& p, exact_program& program) {
  const bool rows = p.type().pattern == std::string_view("packed_rows");
  made_kernel* const made =
      rows ? variant_of(program, p, "packed rows", "", [&] { return packed_rows_source(p, *program.graph); })
           : variant_of(program, p, "packed", "", [&] { return packed_source(p, *program.graph); });
  if (!made) return false;
  short columns[most_distinct + most_results], column_of[most_given];
  int count = 0, in_memory = 0;
  for (int i = 0; i < p.type().operands; ++i)
    column_of[i] = static_cast<short>(p.type().types[i].kind == ir::source_kind::memory ? in_memory++ : -1);
  for (int i = 0; i < p.count; ++i)
    if (const short column = column_of[p.first[i]]; column >= 0) columns[count++] = column;
  for (int i = 0; i < p.targets; ++i) columns[count++] = static_cast<short>(in_memory + i);

  const thread_share share{made->choices[0], made->choices[1]};
  const planning::pack& arrays = *p.plan.arrays;
  const pack_table table(arrays, columns, count, rows ? 0 : packed_part(share));
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  if (!rows) {
    to.put(table.numbers);
    if (!to.fits()) return false;
    start(*made, table.blocks, 0, to);
    return true;
  }
  const kept_rounds kept = keep_rounds(arrays, index_t{share.width} * share.depth * row_tuning::team_threads,
                                       made->choices[2], made->choices[3]);
  packed_row_numbers numbers;
  static_cast<packed_numbers&>(numbers) = table.numbers;
  numbers.kept = kept.rounds;
  to.put(numbers);
  if (!to.fits()) return false;
  if (kept.shared_bytes > unasked_shared_bytes) allow_shared(made->kernel, kept.shared_bytes);
  start(*made, table.blocks, kept.shared_bytes, to, row_tuning::team_threads);
  return true;
}

}  // namespace lazyfuse::cuda_detail

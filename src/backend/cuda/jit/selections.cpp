// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections that are made at run time.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/backend/cuda/launch/select_geometry.hpp>

namespace lazyfuse::cuda_detail {

bool start_selection(const exact_plan& p, exact_program& program) {
  made_kernel* const made = variant_of(program, p, "select", "", [&] { return select_source(p, *program.graph); });
  if (!made) return false;
  const select_geometry g =
      plan_selection(p.extents, p.rank, p.info, p.targets, p.targets + p.count, {made->choices[0], made->choices[1]});
  const select_room room(g);
  parameters to;
  put_bound(to, p, 0, p.rank, 1);
  with_rank<1, max_rank>(p.rank, [&]<int R>() { to.put(numbers_of_selection<R>(g, p.extents, room)); });
  if (!to.fits()) return false;
  start(*made, g.blocks, 0, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps with which other extents walk the same elements.
#include <lazyfuse/expr/reshape.hpp>

namespace lazyfuse::view_detail {

bool reshape_steps(const index_t* from, const index_t* steps, int rank, const index_t* to, int to_rank,
                   index_t* to_steps) {
  index_t size = 1;
  for (int k = 0; k < rank; ++k) size *= from[k];
  if (size == 0) {
    for (int k = 0; k < to_rank; ++k) to_steps[k] = 0;
    return true;
  }
  index_t old_extents[max_rank], old_steps[max_rank];
  int n = 0;
  for (int k = 0; k < rank; ++k)
    if (from[k] != 1) old_extents[n] = from[k], old_steps[n++] = steps[k];
  // Runs of old axes and of new axes with the same number of elements must each be one walk.
  int o = 0, k = 0;
  while (k < to_rank) {
    if (to[k] == 1) {
      to_steps[k++] = 0;
      continue;
    }
    if (o >= n) return false;
    index_t old_count = old_extents[o], new_count = to[k];
    int o_end = o + 1, k_end = k + 1;
    while (old_count != new_count) {
      if (old_count < new_count) old_count *= old_extents[o_end++];
      else new_count *= to[k_end++];
    }
    for (int i = o; i + 1 < o_end; ++i)
      if (old_steps[i] != old_steps[i + 1] * old_extents[i + 1]) return false;
    index_t step = old_steps[o_end - 1];
    for (int i = k_end - 1; i >= k; --i) {
      to_steps[i] = step;
      step *= to[i];
    }
    o = o_end;
    k = k_end;
  }
  return true;
}

}  // namespace lazyfuse::view_detail

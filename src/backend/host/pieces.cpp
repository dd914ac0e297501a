// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of arrays, for threads.
#include <lazyfuse/backend/host/packed.hpp>

namespace lazyfuse::host_detail {

pieces_of_arrays::pieces_of_arrays(const planning::pack& arrays, index_t most, bool cut) {
  pieces.reserve(static_cast<std::size_t>(arrays.groups));
  index_t of_task = block_elements;
  for (index_t group = 0; group < arrays.groups; ++group) {
    if (!cut && arrays.sizes[group] > most) continue;
    for (index_t first = 0; first < arrays.sizes[group]; first += most) {
      const index_t left = arrays.sizes[group] - first, count = left < most ? left : most;
      if (of_task + count > block_elements) {
        begins.push_back(static_cast<index_t>(pieces.size()));
        of_task = 0;
      }
      pieces.push_back({group, first, count});
      of_task += count;
    }
  }
  begins.push_back(static_cast<index_t>(pieces.size()));
}

}  // namespace lazyfuse::host_detail

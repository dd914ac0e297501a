// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of arrays, for threads.
#include <lazyfuse/backend/host/packed.hpp>

namespace lazyfuse::host_detail {

void for_pieces(const planning::pack& arrays, index_t most, bool cut, double cost,
                void (*use)(void* context, const array_piece& piece), void* context) {
  std::vector<array_piece> pieces;
  std::vector<std::size_t> begins;  // of tasks
  pieces.reserve(static_cast<std::size_t>(arrays.groups));
  index_t of_task = block_elements;
  for (index_t group = 0; group < arrays.groups; ++group) {
    if (!cut && arrays.sizes[group] > most) continue;
    for (index_t first = 0; first < arrays.sizes[group]; first += most) {
      const index_t left = arrays.sizes[group] - first, count = left < most ? left : most;
      if (of_task + count > block_elements) {
        begins.push_back(pieces.size());
        of_task = 0;
      }
      pieces.push_back({group, first, count});
      of_task += count;
    }
  }
  const auto tasks = static_cast<index_t>(begins.size());
  begins.push_back(pieces.size());
  for_tasks(tasks, cost, [&](index_t task) {
    const auto t = static_cast<std::size_t>(task);
    for (std::size_t i = begins[t]; i < begins[t + 1]; ++i) use(context, pieces[i]);
  });
}

}  // namespace lazyfuse::host_detail

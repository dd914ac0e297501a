// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes that shapes broadcast to.
#include <lazyfuse/expr/leaf.hpp>

#include <algorithm>

namespace lazyfuse::tree {

void broadcast_extents(const char* operation, const index_t* a, int rank_a, const index_t* b, int rank_b, index_t* to) {
  const int rank = std::max(rank_a, rank_b);
  for (int axis = 0; axis < rank; ++axis) {
    const int in_a = axis - (rank - rank_a), in_b = axis - (rank - rank_b);
    const index_t n = in_a < 0 ? 1 : a[in_a], m = in_b < 0 ? 1 : b[in_b];
    if (n != m && n != 1 && m != 1) throw_shapes(operation, a, rank_a, b, rank_b, "do not broadcast");
    to[axis] = n == 1 ? m : n;
  }
  // Two arrays that fit make one that does not only by an outer product of large ones.
  index_t size = 1;
  bool fits = true;
  for (int axis = 0; axis < rank; ++axis) fits = fits && !__builtin_mul_overflow(size, to[axis], &size);
  if (!fits && std::find(to, to + rank, index_t{0}) == to + rank)
    throw_shapes(operation, a, rank_a, b, rank_b, "broadcast to more elements than can be counted");
}

}  // namespace lazyfuse::tree

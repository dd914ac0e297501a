// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the offsets of windows are made of.
#include <lazyfuse/error.hpp>
#include <lazyfuse/expr/window.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace lazyfuse::gather_detail {

namespace {

/// Bits of a number that may be negative.
index_t bits_of(index_t largest) { return std::bit_width(static_cast<uint64>(largest)) + 1; }

}  // namespace

window_form form_of_window(const index_t* whole, const index_t* extents, const index_t* steps, int rank, int axis,
                           index_t first, const ir::stretch& reach) {
  window_form f{64, extents[axis], 0, {}};
  index_t inner = 1, farthest = std::abs(reach.first) + std::abs(first * steps[axis]);
  const index_t sense = steps[axis] < 0 ? -1 : 1;
  bool together = true;  // row-major from the axis on, or that reversed, which no axis before has another place of
  for (int k = rank - 1; k >= 0; --k) {
    f.steps[k] = extents[k] == 1 && k != axis ? 0 : steps[k];
    together = together && (k < axis ? whole[k] == 1 : k > axis && extents[k] == 1 ? true : steps[k] == sense * inner);
    inner *= extents[k];
    farthest += std::abs(f.steps[k]) * std::max<index_t>(whole[k] - 1, 0);
  }
  f.origin = -reach.first - first * steps[axis];
  const index_t low = bits_of(farthest), high = bits_of(whole[axis] + std::abs(first));
  if (low <= 32 && high <= 32) f.bits = 32;
  else if (together) {
    f.count = reach.length;
    return f;
  } else if (low + high <= 64) f.bits = low;
  else throw_shape("concat", whole, rank, "has more elements, and more of them along that axis, than can be counted");
  f.steps[axis] += index_t{1} << f.bits;
  f.origin -= first << f.bits;
  return f;
}

}  // namespace lazyfuse::gather_detail

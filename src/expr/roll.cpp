// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of the map of a rolled view.
#include <lazyfuse/expr/roll.hpp>

#include <algorithm>
#include <bit>

namespace lazyfuse::roll_detail {

ir::position_divisor divisor_of(index_t value) {
  __extension__ typedef unsigned __int128 wide;
  ir::position_divisor d;
  if (value <= 0) return d;
  const auto divisor = static_cast<uint64>(value);
  d.value = value;
  d.shift = value > 1 ? std::bit_width(divisor - 1) : 0;
  d.factor = static_cast<uint64>((wide((uint64{1} << d.shift) - divisor) << 64) / divisor + 1);
  const uint64 small = std::min(divisor, uint64{1} << 31);
  d.shift_of_small = small > 1 ? std::bit_width(small - 1) : 0;
  d.factor_of_small = static_cast<unsigned>((((uint64{1} << d.shift_of_small) - small) << 32) / small + 1);
  return d;
}

void fill_rolling(const index_t* extents, int rank, const int* axes, int count, const index_t* shifts,
                  ir::position_divisor* block, index_t* distance) {
  const auto product = [&](int from) {
    index_t n = 1;
    for (int k = from; k < rank; ++k) n *= extents[k];
    return n;
  };
  const index_t size = product(0);
  for (int i = 0; i < (count > 0 ? count : 1); ++i) {
    const bool is_there = count == 0 || axes[i] >= 0;  // an operand of lower rank repeats along the others
    const index_t extent = !is_there ? 1 : count > 0 ? extents[axes[i]] : size;
    const index_t back = extent > 0 ? shifts[i] % extent : 0, within = count > 0 && is_there ? product(axes[i] + 1) : 1;
    distance[i] = (back < 0 ? back + extent : back) * within;
    block[i] = divisor_of(distance[i] > 0 ? extent * within : size);
  }
}

int fill_strided(const index_t* extents, const index_t* steps, int rank, ir::position_divisor* to_extents,
                 index_t* to_steps) {
  int first = rank;
  for (int k = rank - 1; k >= 0; --k) {
    if (extents[k] == 1) continue;
    if (first < rank && steps[k] == to_steps[first] * to_extents[first].value) {
      to_extents[first].value *= extents[k];
    } else {
      --first;
      to_extents[first].value = extents[k];
      to_steps[first] = steps[k];
    }
  }
  if (first == rank) {  // one element
    --first;
    to_steps[first] = 1;
  }
  for (int k = first; k < rank; ++k)
    if (to_extents[k].value > 0) to_extents[k] = divisor_of(to_extents[k].value);
  return first;
}

}  // namespace lazyfuse::roll_detail

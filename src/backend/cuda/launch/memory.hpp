// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all launch geometries ask about the memory of operands, and their arithmetic.
#pragma once

#include <lazyfuse/plan/bind.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lazyfuse::cuda_detail {

using namespace planning;

inline index_t ceil_div(index_t a, index_t b) { return (a + b - 1) / b; }
/// The power of two next to n, at least 1 and at most `most` (a power of two): the last up to n, the first from n on.
inline int power_below(index_t n, int most) {
  return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(std::clamp<index_t>(n, 1, most))));
}
inline int power_above(index_t n, int most) {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp<index_t>(n, 1, most))));
}

/// Whether 32-bit arithmetic reaches every element, and along the last two axes so many places beyond.
inline bool fits_31_bits(const index_t* extents, int rank, const operand_info* info, int count, index_t beyond) {
  for (int i = 0; i < count; ++i) {
    if (!info[i].steps) continue;
    index_t reach = 0;
    for (int k = 0; k < rank; ++k) reach += (extents[k] + (k + 2 < rank ? 0 : beyond)) * std::abs(info[i].steps[k]);
    if (reach >= (index_t{1} << 31)) return false;
  }
  return true;
}

/// Whether width elements can be read at once at every position whose index along `inner` is a multiple of width.
inline bool is_wide(const operand_info& o, const index_t* extents, int rank, int inner, int width) {
  if (!o.steps || o.element_size == 0 || o.steps[inner] != 1 || width * o.element_size > 16) return false;
  if (reinterpret_cast<std::uintptr_t>(o.data) % static_cast<std::uintptr_t>(width * o.element_size) != 0) return false;
  for (int k = 0; k < rank; ++k)
    if (k != inner && extents[k] != 1 && o.steps[k] % width != 0) return false;
  return true;
}

/// Neighbouring elements per thread pay when most bytes then move 16 at a time; else threads take
/// neighbouring elements each, which is as fast for accesses of one element. Single elements of neighbours are read
/// from the cache of the processor, but written one by one: those count four times in flat and strided kernels.
class vector_vote {
 public:
  void cast(const operand_info& o, int inner, bool wide, bool written = false) {
    if (!o.steps || o.element_size == 0 || o.steps[inner] == 0) return;
    if (wide) for_wide_ += o.element_size;
    else against_ += written ? 4 * o.element_size : o.element_size;
  }
  bool consecutive() const { return for_wide_ >= against_; }
  bool unanimous() const { return against_ == 0; }

 private:
  int for_wide_ = 0, against_ = 0;
};

}  // namespace lazyfuse::cuda_detail

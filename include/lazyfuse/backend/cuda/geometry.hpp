// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How kernels are laid over an iteration: plain numbers, decided on the host (src/backend/cuda/geometry.cpp).
#pragma once

#include <lazyfuse/plan/lower.hpp>

namespace lazyfuse::cuda_detail {

inline constexpr int block_threads = 256;

/// Division of a 31-bit number by an invariant one: a multiplication and a shift.
struct divisor {
  unsigned value = 1, factor = 0, shift = 0;
  static divisor of(index_t d);
  LAZYFUSE_HD unsigned quotient(unsigned n) const {
#if defined(__CUDA_ARCH__)
    return (__umulhi(n, factor) + n) >> shift;
#else
    return n / value;
#endif
  }
};

/// Of a power of two.
constexpr int log2_of(int n) {
  int shift = 0;
  while ((1 << shift) < n) ++shift;
  return shift;
}

/// An index space that is walked by a linear index: outer axes of a transform, kept or reduced axes.
template <int R>
struct axes_walk {
  index_t extents[R > 0 ? R : 1];
  divisor divisors[R > 0 ? R : 1];
  int first;   ///< axes before this one have extent 1
  bool small;  ///< the linear index fits 31 bits

  /// Calls f(axis, index along it) for each axis.
  template <class F>
  LAZYFUSE_HD void operator()(index_t linear, const F& f) const;
};
void fill_walk(index_t* extents, divisor* divisors, int& first, bool& small, const index_t* from, int rank);
template <int R>
axes_walk<R> walk_of(const index_t* extents) {
  axes_walk<R> w{};
  fill_walk(w.extents, w.divisors, w.first, w.small, extents, R);
  return w;
}

/// Which operands and targets may be read and written `width` elements at a time along the inner axis.
using wide_bits = unsigned long long;
/// Bit n; operands beyond the last bit have none of these properties.
LAZYFUSE_HD constexpr bool has_bit(wide_bits bits, int n) {
  if (n < 32) return ((static_cast<unsigned>(bits) >> n) & 1) != 0;  // most have few operands: half the instructions
  return n < 64 && ((bits >> (n & 63)) & 1) != 0;
}

enum class transform_path { flat, strided, tiled, window };

/// A stencil's tiles: of four elements of a row and two rows per thread.
inline constexpr int window_lanes = 64, window_lines = block_threads / window_lanes;
inline constexpr int window_columns = window_lanes * 4, window_rows = window_lines * 2, window_operands = 16;

/// The array of a stencil's operands, and what a tile reads of it.
struct shared_window {
  const unsigned char *begin, *end;  ///< what the operands span of the array
  const unsigned char* origin;       ///< where the window of the first position begins; a multiple of 16
  int pitch;                         ///< bytes between rows
  int rows = 0, vectors;             ///< rows, and 16-byte vectors in each; without rows there is no window
  int height, width;                 ///< rows and columns of the iteration
  unsigned column_tiles;
  divisor by_tiles;
  int offset[window_operands];  ///< of each operand's first element from the beginning of the window, in bytes
  int bytes() const { return rows * vectors * 16; }
};

/// The decisions for a transform.
struct transform_geometry {
  transform_path path;
  bool consecutive;  ///< a thread's elements are neighbours, else a row of threads apart
  wide_bits wide_in = 0, wide_out = 0, staged = 0;
  bool simple = false;                   ///< flat, and all memory is contiguous and aligned
  int lanes = block_threads, lines = 1;  ///< threads of a block along the columns, along the rows
  unsigned row_tiles = 1, column_tiles = 1;
  unsigned blocks = 1;
  bool small = false;     ///< every offset of every operand and target fits 31 bits
  bool mirrored = false;  ///< tiles (i, j) and (j, i) follow each other
  int staged_bytes = 0;   ///< element sizes of the staged operands, added up
  shared_window window{};
};

/// What a kernel processes per thread: `width` neighbours, `depth` times.
struct thread_share {
  int width, depth;
};

/// May swap axes of the extents and of all steps.
transform_geometry plan_transform(index_t* extents, int rank, operand_info* info, int targets, int count,
                                  thread_share flat, thread_share strided, int tile_width, bool may_window);

/// The decisions for a reduction.
struct reduce_geometry {
  bool consecutive;
  bool simple;  ///< all memory is contiguous along the inner axis; where consecutive, aligned too
  wide_bits wide = 0;
  int group = block_threads;  ///< threads that share an output (rows)
  int lanes = block_threads;  ///< of these, along the inner axis; columns: threads along the kept axis
  unsigned chunks = 1;        ///< pieces of the inner axis, each lanes * width long
  index_t units = 0;          ///< steps of the loop over everything that is reduced
  unsigned splits = 1;        ///< blocks that share an output
  index_t units_per_split = 0;
  unsigned tiles = 1;  ///< blocks without splitting
};

reduce_geometry plan_reduce(const index_t* extents, int kept, int rank, const operand_info* info, int count,
                            bool along_kept, thread_share share, index_t resident);

}  // namespace lazyfuse::cuda_detail

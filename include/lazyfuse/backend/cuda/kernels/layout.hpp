// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How kernels lie over an iteration, as numbers that the host decides and kernels read: what all patterns have of them,
// and the flat kernel. Each other pattern has a header of its own, for a kernel that is made at run time waits for all
// that it includes.
#pragma once

#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/core/index.hpp>

namespace lazyfuse::cuda_detail {

/// Which operands and targets may be read and written `width` elements at a time along the inner axis.
using wide_bits = unsigned long long;
static_assert(most_operands == 8 * sizeof(wide_bits));
inline constexpr int most_in_turn = 4;  ///< results that lie in turn and are written together
/// Bit n; operands beyond the last bit have none of these properties.
LAZYFUSE_HD constexpr bool has_bit(wide_bits bits, int n) {
  if (n < 32) return ((static_cast<unsigned>(bits) >> n) & 1) != 0;  // most have few operands: half the instructions
  return n < most_operands && ((bits >> (n % most_operands)) & 1) != 0;
}

/// What is known of an operand, or of all results, along the inner axis when a kernel is compiled: nothing, the same
/// element everywhere, whole aligned vectors wherever all of their elements exist, or elements one after the other that
/// are accessed singly: each thread takes neighbours, or some that are a line of threads apart, as the launch says.
enum class along_inner { not_known, same, vectors, neighbours, interleaved };
/// Of all operands.
template <along_inner... Known>
struct layout_facts {
  static constexpr bool all_dense = false;
  template <int I>
  static constexpr along_inner of = [] {
    constexpr along_inner known[] = {Known..., along_inner::not_known};
    return I < int(sizeof...(Known)) ? known[I < int(sizeof...(Known)) ? I : 0] : along_inner::not_known;
  }();
};

/// All that is in memory is whole aligned vectors, one after the other.
struct dense_layout : layout_facts<> {
  static constexpr bool all_dense = true;
};

/// The first parameters of every kernel (launch/launch.cuh checks it): what types say. What follows has the same type
/// for all programs.
template <class Operands, class Targets>
struct bound_to {
  Operands operands;
  Targets targets;
};
/// Of the flat kernel.
struct flat_numbers {
  index_t size;
  wide_bits wide_in, wide_out;
  bool consecutive;
  bool dense;  ///< every operand and target in memory is contiguous and aligned
};
/// Shared memory that a block has without asking. More has to be asked for, once per kernel.
inline constexpr int unasked_shared_bytes = 48 << 10;

/// What a kernel processes per thread: `width` neighbours, `depth` times.
struct thread_share {
  int width, depth;
  /// Elements of shared memory for one operand of a tile that is turned: its lines begin in different banks.
  constexpr int tile_elements() const { return tile_lanes * depth * (tile_lanes * width + 1); }
};

}  // namespace lazyfuse::cuda_detail

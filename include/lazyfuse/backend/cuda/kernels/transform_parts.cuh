// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of unlike shapes and programs in one launch. A block finds in a short table which of them it is a block
// of, and does what that one's own kernel would.
#pragma once

#include <lazyfuse/backend/cuda/kernels/flat.cuh>
#include <lazyfuse/backend/cuda/kernels/parts_layout.hpp>
#include <lazyfuse/backend/cuda/kernels/strided.cuh>

namespace lazyfuse::cuda_detail {

/// One of them, with the parameters of its own kernel: transform_flat where R is 1, else transform_strided, whose
/// operands are not turned.
template <class Schedule, class Sources, class Types, int R, int Width, int Depth, class Parameters>
struct transform_part {
  Parameters p;

  __device__ __forceinline__ void run(unsigned block) const {
    constexpr auto sources = make_index_sequence<Sources::size>{};
    constexpr auto types = make_index_sequence<Types::size>{};
    if constexpr (R == 1) flat_body<Schedule, Width, Depth>(p, block, Sources{}, Types{}, sources, types);
    else {
      const tile_place at = tile_of_block(p, block);
      const strided_tile<R, Width, Depth> tile(p, at.plane, at.row, at.column);
      strided_body<Schedule, turning::never>(p, tile, Sources{}, Types{}, sources, types);
    }
  }
};

template <class... Part>
struct parts_parameters {
  unsigned round;  ///< blocks of one
  part_blocks blocks[sizeof...(Part)];
  pack<Part...> parts;
};

/// Whether it is a block of the part, which is then run.
template <class Part>
__device__ __forceinline__ bool run_if_own(const Part& part, const part_blocks& own, unsigned round, unsigned block) {
  const unsigned in_round = block - own.first;  // of those before the first beyond any number
  if (in_round >= own.each) return false;
  const unsigned at = round * own.each + in_round;
  if (at < own.count) part.run(at);
  return true;
}
template <class... Part, int... I>
__device__ __forceinline__ void run_own(const parts_parameters<Part...>& p, index_sequence<I...>) {
  const unsigned round = blockIdx.x / p.round, block = blockIdx.x - round * p.round;
  (void)(run_if_own(get<I>(p.parts), p.blocks[I], round, block) || ...);
}

template <class... Part>
__global__ void __launch_bounds__(block_threads) transform_parts(const __grid_constant__ parts_parameters<Part...> p) {
  let_next_begin_and_wait();
  run_own(p, make_index_sequence<int(sizeof...(Part))>{});
}

}  // namespace lazyfuse::cuda_detail

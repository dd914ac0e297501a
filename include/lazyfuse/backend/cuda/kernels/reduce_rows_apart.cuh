// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row reduction kernel where no vectors can be read, which is known: rows begin anywhere, or elements lie apart.
#pragma once

#include <lazyfuse/backend/cuda/kernels/reduce_rows.cuh>

namespace lazyfuse::cuda_detail {

/// Four blocks share a processor: the compiler, left alone, takes the registers of all.
template <class Set, class Epilogue, class Sources, int K, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, 4) reduce_rows_apart(const __grid_constant__ Parameters p) {
  rows_body<Set, Epilogue, K, R, Width, Depth>(p, Sources{});
}

}  // namespace lazyfuse::cuda_detail

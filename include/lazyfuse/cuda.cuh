// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library for nvcc: expressions over host and CUDA arrays.
#pragma once

#if !defined(LAZYFUSE_CUDA)
#error "lazyfuse: LAZYFUSE_CUDA is not defined, so arrays would live on the host. Link the CMake target lazyfuse::cuda,"
#error "or compile all sources with -DLAZYFUSE_CUDA=1, and link lazyfuse_cuda, lazyfuse, OpenMP and the CUDA runtime"
#else
#include <lazyfuse/backend/cuda/backend.cuh>
#include <lazyfuse/backend/cuda/run_time.hpp>
#include <lazyfuse/lazyfuse.hpp>
#endif

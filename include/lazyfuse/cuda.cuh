// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library for nvcc: expressions over host and CUDA arrays.
#pragma once

#if !defined(LAZYFUSE_CUDA)
#error \
    "lazyfuse: LAZYFUSE_CUDA is not defined, so arrays would live on the host. In CMake, target_link_libraries(program PRIVATE lazyfuse::cuda) defines it; without CMake, compile all sources with -DLAZYFUSE_CUDA=1 and link liblazyfuse_cuda, liblazyfuse, OpenMP and the CUDA runtime"
#else
#include <lazyfuse/backend/cuda/backend.cuh>
#include <lazyfuse/lazyfuse.hpp>
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library for any C++20 compiler, with arrays on the GPU: kernels are made when the program runs, by NVRTC. Files
// that nvcc compiles include cuda.cuh, and may be in the same program.
#pragma once

#if defined(__CUDACC__)
#include <lazyfuse/cuda.cuh>
#elif !defined(LAZYFUSE_CUDA)
#error "lazyfuse: LAZYFUSE_CUDA is not defined, so arrays would live on the host. Link the CMake target lazyfuse::cuda,"
#error "or compile all sources with -DLAZYFUSE_CUDA=1, and link lazyfuse_cuda, lazyfuse, OpenMP and the CUDA runtime"
#else
#include <lazyfuse/backend/cuda/run_time.hpp>
#include <lazyfuse/lazyfuse.hpp>
#endif

// expected-error: lazyfuse: LAZYFUSE_CUDA is not defined, so arrays would live on the host
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifdef LAZYFUSE_EXPECT_ERROR
#include <lazyfuse/cuda.cuh>
#else
#include <lazyfuse/lazyfuse.hpp>
#endif

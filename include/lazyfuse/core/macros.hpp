// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only macros of the library: how a function is marked for host and device, and the version.
#pragma once

#define LAZYFUSE_VERSION_MAJOR 0
#define LAZYFUSE_VERSION_MINOR 1
#define LAZYFUSE_VERSION_PATCH 0

#if defined(__CUDACC__)
#define LAZYFUSE_HD __host__ __device__ __forceinline__
#else
#define LAZYFUSE_HD inline
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library for nvcc: expressions over host and CUDA arrays.
#pragma once

#include <lazyfuse/backend/cuda/backend.cuh>
#include <lazyfuse/lazyfuse.hpp>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// around_products.hpp where plans are those of types.
#include <lazyfuse/cuda.cuh>

#include "backend/cuda/around_products.hpp"

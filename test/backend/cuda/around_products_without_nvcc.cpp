// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// around_products.hpp where all is planned from values.
#include <lazyfuse/cuda.hpp>

#include "backend/cuda/around_products.hpp"

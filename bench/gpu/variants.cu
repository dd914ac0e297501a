// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../variants.hpp"
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered = rows<saxpy_slice<S>, saxpy_odd<S>, saxpy_row<S>, saxpy_0d<S>, fma3_unfused<S>,
                             chain20_unfused<S>, pyth_unfused<S>>();
}  // namespace
}  // namespace bench

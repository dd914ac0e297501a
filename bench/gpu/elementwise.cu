// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered =
    rows<saxpy<S>, fma3<S>, chain20<S>, pyth<S>, pyth64<S>, blackscholes<S>, arc_distance<S>, adam<S>>();
}  // namespace
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered = rows<laplacian<S>, broadcast_outer<S>, transpose_add<S>, small<S>>();
}  // namespace
}  // namespace bench

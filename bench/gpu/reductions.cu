// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered = rows<sumsq<S>, minmaxmean<S>, rowsum<S>, colsum<S>, rosen<S>>();
}  // namespace
}  // namespace bench

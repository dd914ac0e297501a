// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../equal_workloads.hpp"
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered = rows<bodies<S>, density<S>, kl_rows<S>, cosine_rows<S>, bray_curtis_rows<S>, turned_product<S>,
                             two_softmaxes<S>, softmax_times_log_softmax<S>, layernorm_backward<S>>();
}  // namespace
}  // namespace bench

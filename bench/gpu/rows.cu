// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../row_workloads.hpp"
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered =
    rows<softmax_128<S>, softmax_1024<S>, softmax_8192<S>, softmax_262144<S>, softmax_128_spelled<S>,
         softmax_1024_spelled<S>, softmax_8192_spelled<S>, softmax_262144_spelled<S>, layernorm_1024<S>,
         layernorm_1024_spelled<S>, normalize_4M<S>, normalize_64M<S>, standardize_columns<S>>();
}  // namespace
}  // namespace bench

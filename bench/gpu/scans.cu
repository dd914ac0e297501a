// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../scan_workloads.hpp"
#include "../select_workloads.hpp"
#include "measure.cuh"

namespace bench {
namespace {
using S = lf::cuda;
const bool registered = rows<cumsum_squares<S>, cumsum_rows<S>, cumsum_columns<S>, select_half<S>, select_few<S>>();
}  // namespace
}  // namespace bench

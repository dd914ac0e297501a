// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells a conditional node of a graph whether its graph runs.
#pragma once

#include <cuda_runtime_api.h>

namespace lazyfuse::cuda_detail {

/// The node runs, or runs again, if the value is `wanted` by then.
cudaError_t set_condition(cudaGraphConditionalHandle handle, const bool* value, bool wanted, cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail

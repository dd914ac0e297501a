// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions are set by device code alone.
#include "backend/cuda/compiled/conditions.hpp"

namespace lazyfuse::cuda_detail {

namespace {
__global__ void tell_node(cudaGraphConditionalHandle handle, const bool* value, bool wanted) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // it may be in its place early
#endif
  cudaGraphSetConditional(handle, *value == wanted ? 1 : 0);
}
}  // namespace

cudaError_t set_condition(cudaGraphConditionalHandle handle, const bool* value, bool wanted, cudaStream_t stream) {
  tell_node<<<1, 1, 0, stream>>>(handle, value, wanted);
  return cudaGetLastError();
}

}  // namespace lazyfuse::cuda_detail

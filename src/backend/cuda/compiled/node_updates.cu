// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of nodes are set by device code: a call of the host's for each takes the driver 0.6 us.
#include "backend/cuda/compiled/node_updates.hpp"

namespace lazyfuse::cuda_detail {

namespace {
/// One thread for each node: it is not said that several may change one.
__global__ void tell_parameters(const __grid_constant__ node_updates u) {
  for (int i = static_cast<int>(threadIdx.x); i < u.count; i += static_cast<int>(blockDim.x)) {
    const cudaGraphDeviceNode_t node = u.all[i].node;
    if (i > 0 && u.all[i - 1].node == node) continue;
    for (int k = i; k < u.count && u.all[k].node == node; ++k)
      if (cudaGraphKernelNodeSetParam(node, u.all[k].offset, &u.all[k].value, sizeof u.all[k].value) != cudaSuccess)
        __trap();  // better than other memory
  }
}
}  // namespace

bool can_update_nodes() {
  cudaFuncAttributes facts{};
  if (cudaFuncGetAttributes(&facts, tell_parameters) == cudaSuccess) return true;
  (void)cudaGetLastError();
  return false;
}
cudaError_t update_nodes(const node_updates& u, cudaStream_t stream) {
  tell_parameters<<<1, 192, 0, stream>>>(u);
  return cudaGetLastError();
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New words for the parameters of kernels of a graph, many by one kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace lazyfuse::cuda_detail {

/// A word of what a kernel is started with, so many bytes behind its beginning.
struct node_update {
  cudaGraphDeviceNode_t node;
  std::size_t offset, value;
};
/// As many as every kernel may be given. Those of one node follow each other.
struct node_updates {
  static constexpr int most = 170;
  int count = 0;
  node_update all[most];
};
static_assert(sizeof(node_updates) <= 4096);

/// Whether the device has what updates nodes, which is loaded by then.
bool can_update_nodes();
/// Launches of the graph that the stream is given later have them.
cudaError_t update_nodes(const node_updates& u, cudaStream_t stream);

}  // namespace lazyfuse::cuda_detail

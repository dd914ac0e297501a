// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels started with more than a grid and blocks, and how many of their blocks fit a device.
#include "backend/cuda/runtime/capture.hpp"
#include "backend/cuda/runtime/devices.hpp"

#include <lazyfuse/backend/cuda/launch/launch.cuh>

#include <algorithm>
#include <map>
#include <mutex>

namespace lazyfuse::cuda_detail {

void allow_shared(const void* kernel, std::size_t bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
}

namespace {
cudaLaunchConfig_t team_config(cudaLaunchAttribute* attributes, unsigned blocks, unsigned threads, unsigned shared,
                               unsigned cluster, bool together) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = current_stream();
  config.attrs = attributes;
  config.numAttrs = cluster > 1 || together ? 1 : 0;
  if (cluster > 1) {
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  } else if (together) {
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
  }
  return config;
}
}  // namespace

index_t resident_blocks::ask(const void* kernel) {
  int per_processor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, block_threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return index_t{device().processors} * std::clamp(per_processor, 1, 4);  // more would only leave more to merge
}
index_t resident_blocks::of(const void* kernel) {
  std::atomic<index_t>& known = known_[current_device()];
  index_t n = known.load(std::memory_order_relaxed);
  if (n == 0) known.store(n = ask(kernel), std::memory_order_relaxed);
  return n;
}

unsigned resident_teams(const void* kernel, unsigned threads, unsigned shared, unsigned blocks) {
  struct question {
    const void* kernel;
    unsigned threads, shared, blocks;
    int device;
    auto operator<=>(const question&) const = default;
  };
  static std::mutex mutex;
  static std::map<question, unsigned> answers;
  const std::lock_guard lock(mutex);
  const question asked{kernel, threads, shared, blocks, current_device()};
  if (const auto known = answers.find(asked); known != answers.end()) return known->second;
  allow_shared(kernel, static_cast<std::size_t>(device().shared_bytes));  // for this and all sizes to come
  int count = 0;
  if (blocks > 1) {
    cudaLaunchAttribute attributes[1];
    cudaLaunchConfig_t config = team_config(attributes, blocks * 1024, threads, shared, blocks, false);
    if (blocks > 8)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cudaFuncSetAttribute");
    check(cudaOccupancyMaxActiveClusters(&count, kernel, &config), "cudaOccupancyMaxActiveClusters");
  } else {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, static_cast<int>(threads), shared),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    count *= device().processors;
  }
  return answers[asked] = static_cast<unsigned>(std::max(count, 1));
}

void launch_team(const void* kernel, unsigned blocks, unsigned threads, unsigned shared, unsigned cluster,
                 bool together, void* parameters) {
  if (rehearsing()) return;
  cudaLaunchAttribute attributes[1];
  const cudaLaunchConfig_t config = team_config(attributes, blocks, threads, shared, cluster, together);
  void* arguments[] = {parameters};
  check(cudaLaunchKernelExC(&config, kernel, arguments), "cudaLaunchKernelExC");
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of a graph are started with, as bytes: which of them are addresses of which memory is found out by
// comparing two captures, and then changed without another one.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lazyfuse::cuda_detail {

/// The parameters of one kernel node. The driver's functions are used: the runtime's know no kernel that was made at
/// run time.
class node_parameters {
 public:
  /// Those of a node. Throws cuda_error.
  explicit node_parameters(cudaGraphNode_t n);
  node_parameters(node_parameters&&) noexcept = default;
  node_parameters& operator=(node_parameters&&) noexcept = default;
  ~node_parameters() = default;

  /// Gives them to the node of a graph that can be launched.
  cudaError_t set(cudaGraphExec_t runnable, cudaGraphNode_t n) const;
  /// Where, in words of eight bytes, others are larger by `distance`; none if they differ in anything else.
  std::optional<std::vector<unsigned>> moved_by(std::ptrdiff_t distance, const node_parameters& others) const;
  /// Whether others are of the same kernel, started alike, with the same in these words.
  bool agree(const node_parameters& others, const std::vector<unsigned>& words) const;
  /// These words become larger by it.
  void move(const std::vector<unsigned>& words, std::ptrdiff_t distance);
  /// A word, and how many bytes behind the first parameter it is.
  std::size_t value_of(unsigned word) const { return words_[word]; }
  std::size_t offset_of(unsigned word) const { return offsets_[word]; }

 private:
  CUDA_KERNEL_NODE_PARAMS how_{};  ///< points to the arguments
  std::vector<std::size_t> words_;
  std::vector<std::size_t> offsets_;  ///< none of those of which the argument has not all bytes
  std::vector<void*> arguments_;      ///< in the words
};

/// From now on kernels may change what the node's kernel is started with; how they call the node.
cudaError_t let_kernels_change(cudaGraphNode_t n, cudaGraphDeviceNode_t* node);
/// Whether a kernel node's kernel waits for those before it by itself, and may begin while they end.
bool waits_itself(cudaGraphNode_t n);
/// Whether as many blocks of both kernel nodes form a cluster, and all of both, or of neither, run at a time: a graph
/// that can be launched takes other kernels for a node, but not that.
bool run_together_alike(cudaGraphNode_t a, cudaGraphNode_t b);
/// Whether CUDA says that it does not do this, not that something is wrong.
bool is_refusal(cudaError_t status);

}  // namespace lazyfuse::cuda_detail

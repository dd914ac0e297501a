// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launching: how much a thread takes on, and the one call that starts a kernel.
#pragma once

#include <lazyfuse/backend/cuda/kernels/shares.hpp>
#include <lazyfuse/backend/cuda/launch/geometry.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/program/operand.hpp>

#include <atomic>

namespace lazyfuse::cuda_detail {

/// Bytes of a kernel's parameters that CUDA takes, at most.
inline constexpr int most_parameter_bytes = 32764;
/// They travel as bytes, the operands and the targets first: kernels made at run time write them one after the other.
/// (Checked builds make none, and their pointers are no plain members.)
template <class Parameters>
concept kernel_parameters = __is_trivially_copyable(Parameters) && requires(const Parameters& p) {
  p.operands;
  p.targets;
}
&&(ir::checked_build || requires(const Parameters& p) { Parameters{p.operands, p.targets}; });
/// Parameters as the runtime takes them.
template <class Parameters>
void* argument(const Parameters& p) {
  static_assert(kernel_parameters<Parameters>,
                "lazyfuse: parameters of kernels are trivially copyable, operands and targets first");
  static_assert(sizeof(Parameters) <= most_parameter_bytes,
                "lazyfuse: the expression has more operands than one kernel takes; materialize a part of it");
  return const_cast<Parameters*>(&p);
}

/// One call of the runtime: the kernel on the current stream.
template <class Parameters>
void launch(void (*kernel)(Parameters), unsigned blocks, std::size_t shared, const Parameters& p,
            unsigned threads = block_threads) {
  void* arguments[] = {argument(p)};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(threads), arguments, shared,
                         current_stream()),
        "cudaLaunchKernel");
}

/// Starts a kernel whose blocks form clusters, or all run at the same time. parameters: its argument().
void launch_team(const void* kernel, unsigned blocks, unsigned threads, unsigned shared, unsigned cluster,
                 bool together, void* parameters);

/// How many clusters of `blocks` blocks of the kernel run at a time. Asked once for each kernel and size, which also
/// prepares the kernel for launch_team.
unsigned resident_teams(const void* kernel, unsigned threads, unsigned shared, unsigned blocks);

/// Blocks of one kernel that fit the current device at a time, asked once for each device.
class resident_blocks {
 public:
  index_t of(const void* kernel);

 private:
  static index_t ask(const void* kernel);
  std::atomic<index_t> known_[most_devices] = {};
};

/// Shared memory that a block has only if it asks for it, once per kernel.
void allow_shared(const void* kernel, std::size_t bytes);

}  // namespace lazyfuse::cuda_detail

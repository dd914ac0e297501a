// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launching: how much a thread takes on, and the one call that starts a kernel.
#pragma once

#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/backend/cuda/launch/geometry.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/program/operand.hpp>

#include <atomic>

namespace lazyfuse::cuda_detail {

/// The largest element among operands and targets decides how many make 16 bytes; many operands, one at a time.
template <class... T, class... Src>
constexpr int width_for(list<Src...>, list<T...>) {
  constexpr auto size = [](bool counts, int bytes) { return counts ? bytes : 1; };
  const int sizes[] = {size(ir::element_bytes<Src> > 0, ir::element_bytes<Src>)..., int(sizeof(T))..., 1};
  int largest = 1, total = 0;
  for (const int s : sizes) {
    largest = s > largest ? s : largest;
    total += s;
  }
  int width = 1;
  while (width * 2 * largest <= 16) width *= 2;
  while (width > 1 && total * width > most_vector_bytes) width /= 2;
  return width;
}
template <class... Src>
constexpr int cost_of_sources(list<Src...>) {
  return (0 + ... + ir::source_cost<Src>);
}

/// The vectors of a thread: `most`, or as many as `load` holds of elements of so many bytes and of a program's cost.
constexpr thread_share share_for(int width, int most, thread_load load, int bytes, int cost) {
  int depth = most;
  while (depth > 1 && !load.holds(cost, bytes, width * depth)) depth /= 2;
  return {width, depth};
}

/// Bytes of a kernel's parameters that CUDA takes, at most.
inline constexpr int most_parameter_bytes = 32764;
/// Parameters as the runtime takes them.
template <class Parameters>
void* argument(const Parameters& p) {
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

/// Shared memory that a block has without asking. More has to be asked for, once per kernel.
inline constexpr int unasked_shared_bytes = 48 << 10;
void allow_shared(const void* kernel, std::size_t bytes);

}  // namespace lazyfuse::cuda_detail

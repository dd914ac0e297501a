// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies from memory to shared memory that a thread starts, and waits for later.
#pragma once

namespace lazyfuse::cuda_detail {

/// Starts copying one vector from memory to shared memory; Bytes: 4, 8 or 16, and both are aligned to that.
template <int Bytes>
__device__ __forceinline__ void start_copy(void* to, const void* from) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(Bytes) : "memory");
}
/// What this thread has started to copy since the last call is a group.
__device__ __forceinline__ void end_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits for what this thread copies, but for the last groups: as many as `later`, at most Most.
template <int Most = 3>
__device__ __forceinline__ void wait_for_copies(int later) {
  if constexpr (Most == 0) asm volatile("cp.async.wait_group 0;" ::: "memory");
  else if (later < Most) wait_for_copies<Most - 1>(later);
  else asm volatile("cp.async.wait_group %0;" ::"n"(Most) : "memory");
}

}  // namespace lazyfuse::cuda_detail

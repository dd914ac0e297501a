// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CUDA backend needs of the runtime, compiled once (src/backend/cuda): streams, memory, device facts.
#pragma once

#include <lazyfuse/array/array.hpp>
#include <lazyfuse/core/error.hpp>
#include <lazyfuse/plan/bind.hpp>
#include <lazyfuse/plan/cost.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace lazyfuse {

/// The stream on which the calling thread evaluates: one of its own for each device, here that of the current one,
/// unless on() says otherwise. It waits for the legacy stream as ordinary streams do.
cudaStream_t current_stream();

/// Work of the calling thread goes to the stream while this lives, and what reads no arrays to its device. Evaluating
/// over arrays of another device then throws device_error. The stream must outlive the arrays that are made, written
/// or read on it.
class on {
 public:
  using evaluation_scope = on;
  explicit on(cudaStream_t stream);
  ~on();
  on(const on&) = delete;
  on& operator=(const on&) = delete;

 private:
  cudaStream_t outer_;
  int outer_device_;
};

/// Whether products of matrices of float may be computed by tensor cores of the GPU, which round their factors to 11
/// bits (TF32) and add up in float: several times as fast, and wrong by 5e-4 of the sum of all |x y|. Not unless it is
/// asked for here, or by the environment variable LAZYFUSE_TF32=on; for the evaluations that follow, of all threads.
void use_tf32(bool allowed);
bool uses_tf32();

namespace cuda_detail {

inline constexpr int most_devices = 64;

/// Throws cuda_error with the name of the call unless it succeeded.
void check(cudaError_t status, const char* call);

/// Facts about the current device, read once.
struct device_facts {
  int processors;
  int shared_bytes;                               ///< of a block, at most
  int shared_bytes_of_processor, reserved_bytes;  ///< the latter for each block
  int most_cluster;                               ///< blocks that can share their memory; 1: none can
  bool together;                                  ///< all blocks of a kernel can be made to run at a time
  int cache_bytes;                                ///< of the cache that all processors share
  /// Of each of n blocks that share a processor.
  int shared_bytes_of(int n) const {
    const int each = shared_bytes_of_processor / n - reserved_bytes;
    return each < shared_bytes ? each : shared_bytes;
  }
};
const device_facts& device();

/// The numbers of the current device, with which plans are compared.
const planning::machine& this_machine();

/// Orders memory with the current stream, on which it is written or read next.
void use(allocation* a, bool written);
/// Orders the operands' memory with the current stream: targets are written, the others read.
void before(const planning::operand_info* info, int targets, int count);

/// Memory of the current stream for partial results of one kernel, with zeroed counters in front that
/// each kernel leaves zero. Lives until the kernel has been launched.
class scratch {
 public:
  unsigned* tickets = nullptr;
  void* partial = nullptr;

  scratch() = default;
  scratch(void* memory, std::size_t ticket_bytes, bool captured)
      : tickets(static_cast<unsigned*>(memory)),
        partial(static_cast<char*>(memory) + ticket_bytes),
        captured_(captured) {}
  scratch(scratch&& other) noexcept { *this = std::move(other); }
  scratch& operator=(scratch&& other) noexcept {
    std::swap(tickets, other.tickets);
    std::swap(partial, other.partial);
    std::swap(captured_, other.captured_);
    return *this;
  }
  ~scratch();

 private:
  bool captured_ = false;  // or of one kernel: freed when that is launched, by a graph at every run
};
inline constexpr int ticket_count = 4096;
scratch scratch_for(std::size_t partial_bytes);
/// The same for one kernel alone, which may leave the counters as they are: they are made zero before it, and threads
/// that share a stream must not come between. zero_bytes: of counters, a multiple of 256.
scratch scratch_of_its_own(std::size_t zero_bytes, std::size_t partial_bytes);

}  // namespace cuda_detail

/// The elements of an array, for kernels of one's own that are launched on the stream next: the stream waits for what
/// the library has begun with them, and whatever the library does with them later waits for all that the stream was
/// given by then. A const array is read; one that is not is written, so it first detaches from everyone who shares it.
template <class T, int R>
const T* data_on(cudaStream_t stream, const array<T, R, cuda>& x) {
  const on scope(stream);
  if (x.owner()) cuda_detail::use(x.owner(), false);
  return x.data();
}
template <class T, int R>
T* data_on(cudaStream_t stream, array<T, R, cuda>& x) {
  const on scope(stream);
  T* const data = x.data();
  if (x.owner()) cuda_detail::use(x.owner(), true);
  return data;
}

}  // namespace lazyfuse

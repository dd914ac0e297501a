// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order between streams: who waits for whom before memory is used, freed or given away.
#pragma once

#include <lazyfuse/array/memory.hpp>

#include <cuda_runtime_api.h>

#include <set>
#include <vector>

namespace lazyfuse::cuda_detail {

/// Whether what the stream is given becomes part of a graph, which nobody may wait for.
bool capturing(cudaStream_t stream);

/// Work of `later` waits for what `earlier` was given so far; both may be of other devices than the current one. home:
/// the device that CUDA's default streams, which every device has, are meant to be of.
void order(cudaStream_t earlier, cudaStream_t later, int home);

/// What a stream is about to use. It waits for each other stream once, however much memory is of that: meanwhile this
/// thread gives them nothing.
class uses {
 public:
  explicit uses(cudaStream_t stream) : stream_(stream) {}
  /// Lets the stream wait for what it must: the last writer, and before it writes the readers too. Noted: what uses the
  /// memory later waits for the stream in turn.
  void add(allocation* a, bool written, bool noted = true);

 private:
  struct waited_for {
    cudaStream_t stream;
    int home;  ///< a default stream's device
    bool operator==(const waited_for&) const = default;
  };
  cudaStream_t stream_;
  std::vector<waited_for> waited_;
  void wait_for(cudaStream_t earlier, int home);
};
/// Of one block of memory.
inline void use(allocation* a, bool written, cudaStream_t stream) { uses(stream).add(a, written); }

/// Takes away the streams that read it; nobody uses it any more.
std::set<cudaStream_t> take_readers(allocation* a) noexcept;

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory resources of the tests: one that counts, and fails when it is told to.
#pragma once

#include "spaces.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace test {

/// Memory of a space from where a program without the library would get it.
template <class Space>
void* get(std::size_t bytes, std::size_t alignment, lf::stream_handle stream) {
#if defined(LAZYFUSE_CUDA)
  if constexpr (std::is_same_v<Space, lf::cuda>) {
    void* p = nullptr;
    return cudaMallocAsync(&p, bytes, stream.handle) == cudaSuccess ? p : nullptr;
  }
#endif
  (void)stream;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
template <class Space>
void give_back(void* p, lf::stream_handle stream) {
#if defined(LAZYFUSE_CUDA)
  if constexpr (std::is_same_v<Space, lf::cuda>) {
    EXPECT_EQ(cudaFreeAsync(p, stream.handle), cudaSuccess);
    return;
  }
#endif
  (void)stream;
  std::free(p);
}

/// Counts what it gives and gets back. The allocation with the number of `fails`, counted from 1, throws or returns
/// null.
template <class Space>
class counting_resource {
 public:
  std::atomic<long> given{0}, live{0}, live_bytes{0}, wrong{0};
  long fails = 0;
  bool throws = true;

  void* allocate(std::size_t bytes, std::size_t alignment, lf::stream_handle stream) {
    if (++given == fails) {
      if (throws) throw std::bad_alloc();
      return nullptr;
    }
    if (alignment < 64) ++wrong;
    ++live;
    live_bytes += static_cast<long>(bytes);
    return get<Space>(bytes, alignment, stream);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t, lf::stream_handle stream) noexcept {
    --live;
    live_bytes -= static_cast<long>(bytes);
    give_back<Space>(p, stream);
  }
  friend bool operator==(const counting_resource& a, const counting_resource& b) { return &a == &b; }
};

}  // namespace test

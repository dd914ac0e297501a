// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While this thread captures kernels for a graph of the library's own: where they keep what is between their blocks.
#pragma once

#include <lazyfuse/array/memory.hpp>

#include <cstddef>
#include <vector>

namespace lazyfuse::cuda_detail {

/// Scratch memory of one node of a graph, which lives as long as the graph and is the same whenever it is captured: no
/// part of the graph allocates.
class capture_rooms {
 public:
  /// The next room, made by the thread's own stream if it is new, with so many zeros in front.
  void* next(std::size_t bytes, std::size_t zero_bytes);
  /// The first one is the next again.
  void rewind() { next_ = 0; }
  const std::vector<handles<1>>& all() const { return rooms_; }

 private:
  std::vector<handles<1>> rooms_;
  std::size_t next_ = 0;
};

/// Those of the node that this thread captures, or null: then a stream that is captured is the user's.
capture_rooms* rooms_now() noexcept;
/// Whether all is done but the launch, so that kernels are made and loaded before a stream is captured: what loads code
/// may wait for the device, which ends a capture.
bool rehearsing() noexcept;

/// While it lives, the thread captures into a graph of the library's, or rehearses that.
class capture_scope {
 public:
  capture_scope(capture_rooms& rooms, bool only_rehearses) noexcept;
  ~capture_scope();
  capture_scope(const capture_scope&) = delete;
  capture_scope& operator=(const capture_scope&) = delete;
};

}  // namespace lazyfuse::cuda_detail

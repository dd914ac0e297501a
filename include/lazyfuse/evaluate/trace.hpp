// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// trace: a scoped observer of what this thread runs: kernels with their bytes, allocations.
#pragma once

#include <lazyfuse/core/index.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace lazyfuse {

/// One kernel (CUDA) or one loop (host) that ran.
struct kernel_record {
  std::string name;     ///< the program, as explain prints it
  std::string pattern;  ///< "transform", "reduce", "copy"
  std::string path;     ///< how the pattern ran: "flat", "strided", "tiled", "window", "rows", "columns"
  std::string space;
  index_t elements;  ///< positions of the iteration
  index_t bytes_read, bytes_written;
};

/// Observes the calling thread from its construction to its end; observers nest.
class trace {
 public:
  trace();
  ~trace();
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;

  /// How many kernels ran.
  index_t launches() const { return static_cast<index_t>(kernels_.size()); }
  /// What ran, in order.
  const std::vector<kernel_record>& kernels() const { return kernels_; }
  /// What the kernels read and wrote together, each address once.
  index_t bytes_read() const;
  index_t bytes_written() const;
  /// How many times memory was allocated, how much in all, and the most that lived at one time.
  index_t allocations() const { return allocations_; }
  index_t allocated_bytes() const { return allocated_; }
  index_t peak_bytes() const { return peak_; }

 private:
  friend struct trace_access;
  std::vector<kernel_record> kernels_;
  index_t allocations_ = 0, allocated_ = 0, live_ = 0, peak_ = 0;
  trace* outer_;
};

namespace trace_detail {
/// Whether anybody observes this thread; asked before a record is made.
bool observed() noexcept;
/// program is the name of a type as the compiler spells it; it is made readable here.
void launched(const char* program, const char* pattern, const char* path, const char* space, index_t elements,
              index_t read, index_t written);
void allocated(std::size_t bytes) noexcept;
void freed(std::size_t bytes) noexcept;
}  // namespace trace_detail

}  // namespace lazyfuse

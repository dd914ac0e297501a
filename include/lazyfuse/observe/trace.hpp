// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernel_trace: a scoped observer of what this thread runs: kernels with their bytes, allocations.
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
  index_t elements;        ///< positions of the iteration
  index_t bytes_read;      ///< what the kernel asks for: an array that is three of its operands counts three times
  index_t bytes_distinct;  ///< of these, different ones: what comes from memory if caches keep the rest
  index_t bytes_written;
  std::vector<const void*> written;  ///< the first element of each result
  bool made = false;                 ///< compiled at run time, and not with the program
  bool joined = false;               ///< in the launch of the one before
};

/// Observes the calling thread from its construction to its end; observers nest.
class kernel_trace {
 public:
  kernel_trace();
  ~kernel_trace();
  kernel_trace(const kernel_trace&) = delete;
  kernel_trace& operator=(const kernel_trace&) = delete;

  /// How many kernels were launched.
  index_t launches() const;
  /// What ran, in order; several may have shared a launch.
  const std::vector<kernel_record>& kernels() const { return kernels_; }
  /// What the kernels read and wrote together; bytes_distinct: what several operands of a kernel read counts once.
  index_t bytes_read() const;
  index_t bytes_distinct() const;
  index_t bytes_written() const;
  /// How many times memory was allocated, how much in all, and the most that lived at one time.
  index_t allocations() const { return allocations_; }
  index_t allocated_bytes() const { return allocated_; }
  index_t peak_bytes() const { return peak_; }

 private:
  friend struct trace_access;
  std::vector<kernel_record> kernels_;
  index_t allocations_ = 0, allocated_ = 0, live_ = 0, peak_ = 0;
  kernel_trace* outer_;
};

namespace trace_detail {

void allocated(std::size_t bytes) noexcept;
void freed(std::size_t bytes) noexcept;

/// One launch, from before it to after it: what fails meanwhile names its program, a profiler shows a range. Programs
/// are names of types as the compiler spells them, made readable where somebody wants to read them.
class launching {
 public:
  /// Null: nothing is launched. on_device: with the library of the CUDA space.
  launching(const char* program, bool on_device) noexcept;
  ~launching();
  launching(const launching&) = delete;
  launching& operator=(const launching&) = delete;

  /// Whether somebody wants to know what was launched: a kernel_trace, LAZYFUSE_EXPLAIN or LAZYFUSE_SYNC.
  bool watched() const noexcept { return watched_; }
  /// Whether LAZYFUSE_EXPLAIN is to print it.
  bool explained() const noexcept { return explained_; }
  /// Microseconds that the kernel took; waits for it. Negative if they cannot be measured.
  double measured() const;
  /// Waits for the kernel if it runs on a device, and throws what went wrong in it.
  void wait() const;

 private:
  const char* outer_;
  void* timer_ = nullptr;
  long long began_ = 0;
  bool watched_ = false, explained_ = false, on_device_, in_range_ = false;
};
/// The program that is being launched by this thread, or null.
const char* launched_now() noexcept;

}  // namespace trace_detail

}  // namespace lazyfuse

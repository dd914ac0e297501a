// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who watches launches: traces, the environment, and what the CUDA library adds when it is used.
#pragma once

#include <lazyfuse/observe/trace.hpp>
#include <lazyfuse/program/elements.hpp>

#include <atomic>

namespace lazyfuse::trace_detail {

/// What the environment asked for when the first kernel was launched.
struct environment_options {
  bool explain, sync;
};
const environment_options& environment();

/// What a device adds. The profiler's functions are null where none is attached.
struct device_watch {
  void (*enter)(const char* program) noexcept;
  void (*leave)() noexcept;
  void* (*start)() noexcept;  ///< begins to measure; null if that is not possible
  double (*stop)(void*);      ///< ends, waits, and returns microseconds
  void (*drop)(void*) noexcept;
  void (*wait)();  ///< throws what went wrong
  /// Checked builds: the allocation that p is in, if it is a device's; memory in which kernels report overruns.
  bool (*find)(const void* p, const char** begin, std::size_t* bytes) noexcept;
  ir::overrun* (*reports)(int count);
};
extern std::atomic<const device_watch*> device;

/// Whether a launch of this thread has failed since this was asked, so that its plan goes no further.
bool plan_ended() noexcept;
/// Whether a trace observes this thread.
bool observed() noexcept;
void record(const kernel_record& r);

}  // namespace lazyfuse::trace_detail

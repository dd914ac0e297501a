// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The observers of each thread.
#include "observe/watch.hpp"

#include <lazyfuse/observe/trace.hpp>

#include <algorithm>

namespace lazyfuse {

namespace {
thread_local kernel_trace* innermost = nullptr;
}

/// Lets the free functions below write into traces.
struct trace_access {
  static kernel_trace* outer(const kernel_trace& t) { return t.outer_; }
  static void add(kernel_trace& t, const kernel_record& r) { t.kernels_.push_back(r); }
  static void allocated(kernel_trace& t, index_t bytes) {
    ++t.allocations_;
    t.allocated_ += bytes;
    t.live_ += bytes;
    t.peak_ = std::max(t.peak_, t.live_);
  }
  static void freed(kernel_trace& t, index_t bytes) { t.live_ -= bytes; }
};

kernel_trace::kernel_trace() : outer_(innermost) { innermost = this; }
kernel_trace::~kernel_trace() { innermost = outer_; }

index_t kernel_trace::launches() const {
  return std::count_if(kernels_.begin(), kernels_.end(), [](const kernel_record& k) { return !k.joined; });
}
index_t kernel_trace::bytes_read() const {
  index_t n = 0;
  for (const auto& k : kernels_) n += k.bytes_read;
  return n;
}
index_t kernel_trace::bytes_distinct() const {
  index_t n = 0;
  for (const auto& k : kernels_) n += k.bytes_distinct;
  return n;
}
index_t kernel_trace::bytes_written() const {
  index_t n = 0;
  for (const auto& k : kernels_) n += k.bytes_written;
  return n;
}

namespace trace_detail {

bool observed() noexcept { return innermost != nullptr; }

void record(const kernel_record& r) {
  for (kernel_trace* t = innermost; t; t = trace_access::outer(*t)) trace_access::add(*t, r);
}
void allocated(std::size_t bytes) noexcept {
  for (kernel_trace* t = innermost; t; t = trace_access::outer(*t))
    trace_access::allocated(*t, static_cast<index_t>(bytes));
}
void freed(std::size_t bytes) noexcept {
  for (kernel_trace* t = innermost; t; t = trace_access::outer(*t))
    trace_access::freed(*t, static_cast<index_t>(bytes));
}

}  // namespace trace_detail

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens around a launch: LAZYFUSE_EXPLAIN, LAZYFUSE_SYNC, ranges of profilers, names for errors.
#include "observe/watch.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

namespace lazyfuse::trace_detail {

constinit std::atomic<const device_watch*> device = nullptr;

namespace {

constinit thread_local const char* now = nullptr;
constinit thread_local bool ended = false;

bool asked_for(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value != '\0' && std::string_view(value) != "0";
}

long long nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

const environment_options& environment() {
  static const environment_options w{asked_for("LAZYFUSE_EXPLAIN"), ir::checked_build || asked_for("LAZYFUSE_SYNC")};
  return w;
}

const char* launched_now() noexcept { return now; }

bool plan_ended() noexcept { return std::exchange(ended, false); }

launching::launching(const char* program, bool on_device) noexcept : outer_(now), on_device_(on_device) {
  if (!program) return;
  now = program;
  const environment_options& w = environment();
  const device_watch* const d = on_device ? device.load(std::memory_order_acquire) : nullptr;
  explained_ = w.explain;
  watched_ = w.explain || (w.sync && on_device) || observed();
  if (d && d->enter) {
    d->enter(program);
    in_range_ = true;
  }
  if (explained_) {
    if (d) timer_ = d->start();
    else began_ = nanoseconds();
  }
}

launching::~launching() {
  now = outer_;
  if (explained_ && std::uncaught_exceptions() > 0) ended = true;  // the plan ends here
  const device_watch* const d = timer_ || in_range_ ? device.load(std::memory_order_acquire) : nullptr;
  if (!d) return;
  if (in_range_) d->leave();
  if (timer_) d->drop(timer_);
}

double launching::measured() const {
  if (timer_) return device.load(std::memory_order_acquire)->stop(timer_);
  return on_device_ ? -1 : static_cast<double>(nanoseconds() - began_) / 1000;
}

void launching::wait() const {
  const device_watch* const d = on_device_ ? device.load(std::memory_order_acquire) : nullptr;
  if (d) d->wait();
}

}  // namespace lazyfuse::trace_detail

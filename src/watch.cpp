// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens around a launch: traces, LAZYFUSE_EXPLAIN, LAZYFUSE_SYNC, ranges of profilers, names for errors.
#include "watch.hpp"

#include "program_text.hpp"

#include <lazyfuse/evaluate/explain.hpp>
#include <lazyfuse/evaluate/guard.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

namespace lazyfuse {

namespace trace_detail {

constinit std::atomic<const device_watch*> device = nullptr;

namespace {

constinit thread_local const char* now = nullptr;

bool asked_for(const char* variable) {
  const char* const value = std::getenv(variable);
  return value && *value != '\0' && std::string_view(value) != "0";
}

long long nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The kernels of a plan that were printed so far by this thread.
struct printed {
  explain_detail::plan_text plan;
  double measured = 0;
};
printed& printed_now() {
  thread_local printed p;
  return p;
}

}  // namespace

const wishes& environment() {
  static const wishes w{asked_for("LAZYFUSE_EXPLAIN"), checked_build || asked_for("LAZYFUSE_SYNC")};
  return w;
}

const char* launched_now() noexcept { return now; }

launching::launching(const char* program, bool on_device) noexcept : outer_(now), on_device_(on_device) {
  if (!program) return;
  now = program;
  const wishes& w = environment();
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
  if (explained_ && std::uncaught_exceptions() > 0) printed_now() = {};  // the plan ends here
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

}  // namespace trace_detail

namespace run_detail {

void launched(const plan_record& r, const operand_info* info, const dtype* types, const machine& m,
              const trace_detail::launching& now) {
  // The kernel has been started and its results stand: what only tells of it gives up where there is no memory.
  if (now.explained()) try {
      const double us = now.measured();
      trace_detail::printed& p = trace_detail::printed_now();
      explain_detail::append(&p.plan, r, info, types);
      p.measured = us < 0 || p.measured < 0 ? -1 : p.measured + us;
      std::string text = explain_detail::measured_text(p.plan, us, predicted_us(r.costs, m));
      if (!r.because) {  // the last kernel of the plan
        if (p.plan.costs.launches > 1)
          text += explain_detail::total_text(p.plan, p.measured, predicted_us(p.plan.costs, m));
        p = {};
      } else p.plan.kernels.clear();
      std::fputs(text.c_str(), stderr);
    } catch (const std::bad_alloc&) {
      trace_detail::printed_now() = {};
    }
  if (trace_detail::environment().sync) now.wait();
  if constexpr (checked_build) check_overruns(r.program, r.targets);
  if (trace_detail::observed()) try {
      kernel_record k{
          program_text(r.program), r.pattern, r.path, r.space, r.elements, r.read, r.distinct, r.written, {}};
      for (int i = 0; i < r.targets; ++i) k.written.push_back(info[i].data);
      trace_detail::record(k);
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace run_detail

}  // namespace lazyfuse

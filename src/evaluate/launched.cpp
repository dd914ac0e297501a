// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is told of a kernel once it was launched: to LAZYFUSE_EXPLAIN, to traces, to checks of bounds.
#include "observe/watch.hpp"
#include "program/text.hpp"

#include <lazyfuse/evaluate/explain.hpp>
#include <lazyfuse/evaluate/guard.hpp>

#include <cstdio>
#include <new>

namespace lazyfuse::run_detail {

namespace {

/// The kernels of a plan that were printed so far by this thread.
struct printed {
  explain_detail::plan_text plan;
  double measured = 0;
};
printed& printed_now() {
  thread_local printed p;
  if (trace_detail::plan_ended()) p = {};
  return p;
}

}  // namespace

void launched(const plan_record& r, const operand_info* info, const dtype* types, const machine& m,
              const trace_detail::launching& now) {
  // The kernel has been started and its results stand: what only tells of it gives up where there is no memory.
  if (now.explained()) try {
      const double us = now.measured();
      printed& p = printed_now();
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
      printed_now() = {};
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

}  // namespace lazyfuse::run_detail

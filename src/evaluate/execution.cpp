// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launching a plan, and what is told of it: to LAZYFUSE_EXPLAIN, to traces, to checks of bounds.
#include "observe/recording.hpp"
#include "observe/watch.hpp"
#include "program/text.hpp"

#include <lazyfuse/evaluate/explain.hpp>
#include <lazyfuse/evaluate/guard.hpp>
#include <lazyfuse/evaluate/shared_launches.hpp>

#include <cstdio>
#include <new>

namespace lazyfuse {

using ir::checked_build, planning::kernel_plan, planning::kernel_type, planning::machine, planning::predicted_us,
    ir::program_text, planning::work;

namespace {

/// The kernels of a plan that were printed so far by this thread.
struct printed {
  evaluation_plan plan;
  double measured = 0;
};
printed& printed_now() {
  thread_local printed p;
  if (trace_detail::plan_ended()) p = {};
  return p;
}

/// What LAZYFUSE_EXPLAIN prints of the kernels of a launch.
void print(const kernel_plan* const* plans, int count, double us) {
  const machine m = plans[0]->type->this_machine();
  printed& so_far = printed_now();
  std::string text;
  work of_launch;
  for (int i = 0; i < count; ++i) {
    so_far.plan.kernels.push_back(explain_detail::described(*plans[i]));
    text += explain_detail::kernel_text(so_far.plan.kernels.back(), so_far.plan.costs().launches);
    of_launch = of_launch + plans[i]->costs();
  }
  so_far.measured = us < 0 || so_far.measured < 0 ? -1 : so_far.measured + us;
  const work costs = so_far.plan.costs();
  text += explain_detail::measured_text(us, predicted_us(of_launch, m));
  if (!plans[0]->because) {  // the last kernel of the plan
    if (costs.launches > 1) text += explain_detail::total_text(so_far.plan, so_far.measured, predicted_us(costs, m));
    so_far = {};
  }
  std::fputs(text.c_str(), stderr);
}

kernel_record record_of(const kernel_plan& p) {
  const kernel_type& type = *p.type;
  kernel_record k{program_text(type.program),
                  type.pattern,
                  p.path,
                  type.space,
                  p.elements(),
                  p.read(),
                  p.distinct(),
                  p.written(),
                  {},
                  p.made,
                  p.joined};
  for (int i = 0; i < type.targets; ++i) k.written.push_back(p.info[i].data);
  return k;
}

/// Tells who watches of the kernels of a launch, which has been started.
void tell(const trace_detail::launching& now, const kernel_plan* const* plans, int count) {
  if (!now.watched()) return;
  // The kernels have been started and their results stand: what only tells of it gives up where there is no memory.
  if (now.explained()) try {
      print(plans, count, now.measured());
    } catch (const std::bad_alloc&) {
      printed_now() = {};
    }
  if (trace_detail::environment().sync) now.wait();
  if constexpr (checked_build) run_detail::check_overruns(plans[0]->type->program, plans[0]->type->targets);
  if (trace_detail::observed()) try {
      for (int i = 0; i < count; ++i) trace_detail::record(record_of(*plans[i]));
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace

void launch(kernel_plan& p) {
  if (record_detail::recorder* const recorder = record_detail::current()) {
    if (!p.path) p.type->decide(p);
    if (p.path) recorder->take(p);
    return;
  }
  const trace_detail::launching now(p.type->program, p.type->on_device);
  if (!p.path) p.type->decide(p);
  if (!p.path) return;
  p.type->start(p);
  const kernel_plan* const one = &p;
  tell(now, &one, 1);
}

void launch(kernel_plan* const* plans, int count) {
  if (count > 1) {
    const trace_detail::launching now(plans[0]->type->program, plans[0]->type->on_device);
    if (plans[0]->type->together->start(plans, count)) {
      for (int i = 1; i < count; ++i) plans[i]->joined = true;
      return tell(now, plans, count);
    }
  }
  for (int i = 0; i < count; ++i) launch(*plans[i]);
}

}  // namespace lazyfuse

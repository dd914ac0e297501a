// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tune: measures the plans of an expression on this machine and remembers the faster.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse {

/// What tune measured, in microseconds; 0 for a plan that the expression does not have.
struct tuned {
  const char* plan;  ///< "rows" or "cut": what later evaluations take; "only" where there is no choice
  double rows_us = 0, cut_us = 0;
};

namespace tuning {
/// Forgets what was measured, on the disk, too, and there by every machine that shares the folder: what is taken by
/// default is taken again.
void clear();
/// How many programs and classes of shapes are remembered, those of other machines that share the folder among them.
index_t size();
}  // namespace tuning

namespace tune_detail {
/// For this process.
void remember(const planning::row_report& rows, plan_choice choice);
/// For later ones, too.
void keep(const planning::row_report& rows, plan_choice choice);
/// As in a process that begins: what is on the disk is read again when it is next asked for.
void forget();
/// How often what is remembered has changed, which it does when some is read. Whatever depends on it holds until this
/// number is another.
unsigned changes();
/// The shortest time of some runs of f, in microseconds; the first, which may load code, does not count.
double shortest_us(void (*f)(void*), void* context);
/// How rows of x would go, if they are one kernel; else without passes.
template <class X, class = maker>
planning::row_report rows_of(const X& x) {
  return planning::plans_of<kernel_space<result_space<X>>>(x.tree, plan_choice::rows).rows();
}
}  // namespace tune_detail

/// Evaluates x by each of its plans, several times, into memory that is thrown away, and remembers the faster for its
/// program and class of shapes: rows, and their length, up to powers of two. Later evaluations of that class take it,
/// in all threads, and in later processes on the same machine ($LAZYFUSE_CACHE; "off": in this one alone), until
/// tuning::clear(). Values do not change except by the order of additions. Waits for the device; not for a stream that
/// is being captured.
template <class X, class = maker>
  requires expression<X> tuned tune(const X& x) {
    const auto& e = x.tree;
    using T = value_t<X>;
    constexpr int R = rank_of<X>;
    using Space = result_space<X>;
    const int device = planning::device_for<Space>("tune", nullptr, e);
    const memory_detail::device_scope<Space> scope(device);
    const planning::row_report found = tune_detail::rows_of(x);
    if (found.passes == 0) return {"only"};
    array<T, R, Space> scratch(e.shape(), caller{});
    // Planned each time: the memory between kernels is a part of what the cut costs.
    const auto measure = [&](plan_choice choice) {
      const auto once = [&] {
        allocation* const owner = scratch.owner();
        plan_list plans(device);
        run<kernel_space<Space>, R, T>(execution{&plans, choice}, e.shape(),
                                       ir::target_pack<R, T>{{{{scratch.unshared(), scratch.tree.steps}}}}, &owner, e);
        plans.launch();
      };
      return tune_detail::shortest_us([](void* f) { (*static_cast<decltype(once)*>(f))(); },
                                      const_cast<void*>(static_cast<const void*>(&once)));
    };
    const double rows_us = measure(plan_choice::rows), cut_us = measure(plan_choice::cut);
    const bool rows = rows_us <= cut_us;
    tune_detail::keep(found, rows ? plan_choice::rows : plan_choice::cut);
    return {rows ? "rows" : "cut", rows_us, cut_us};
  }

}  // namespace lazyfuse

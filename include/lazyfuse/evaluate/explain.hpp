// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plan: what evaluating an expression would do, as a value, and explain: the same as text. Nothing runs and nothing is
// allocated on a device.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace lazyfuse {

/// What a planned kernel reads.
struct planned_operand {
  std::string type;            ///< of its elements: NumPy's name, or that in C++
  std::vector<index_t> steps;  ///< from one element to the next along each axis of the kernel, for what is in memory
  bool constant = false;       ///< one value for all positions
  bool computed = false;       ///< at each position: random numbers, ranges of numbers
  bool through_map = false;    ///< at positions that a table or a map gives
  bool temporary = false;      ///< the result of a kernel before
};

/// One kernel before it runs.
struct planned_kernel {
  std::string pattern, path;        ///< "reduce", and the way that its space has for these layouts: "rows"
  std::string program;              ///< what it computes of its operands, "(x0 + sin(x1))"
  std::vector<std::string> passes;  ///< over rows: what each computes, the results of those before called r0, r1, ...
  std::vector<index_t> extents;     ///< of its axes, once those that all operands walk as one are merged; none is 1
  std::vector<planned_operand> operands;
  index_t read = 0, distinct = 0, written = 0;  ///< bytes that it asks for, those of them that are distinct, results
  planning::work costs;                         ///< what the prediction is made of
  std::string because;        ///< why its result is a temporary; empty where that is what was asked for
  bool shared = false;        ///< equal operands are read, and equal parts computed, once
  bool made = false;          ///< so they are because the kernel is compiled at run time
  planning::row_report rows;  ///< over rows: how many, and where values are between passes
};

/// A plan that was not taken: because it is expected to take longer, or because of a reason.
struct refused_plan {
  std::string name, reason;
  int kernels = 0;
  index_t read = 0, distinct = 0, written = 0;
  double predicted_us = -1;
};

/// What evaluating an expression would do.
struct evaluation_plan {
  std::string space;
  dtype type = dtype::other;            ///< of the result
  std::vector<index_t> shape;           ///< and its shape
  std::vector<planned_kernel> kernels;  ///< in the order in which they run
  std::vector<refused_plan> refused;
  double predicted_us = -1;  ///< microseconds from the first launch until the last kernel has ended; -1: not known

  /// The work of all kernels.
  planning::work costs() const;
  friend std::ostream& operator<<(std::ostream& out, const evaluation_plan& p);
};

namespace explain_detail {
planned_kernel described(const planning::kernel_plan& p);
std::string kernel_text(const planned_kernel& k, int number);
/// For an execution: decides how a kernel goes, and appends it to the evaluation_plan a void* points to.
void take(void* plan, planning::kernel_plan& p);
void refuse(void* plan, const char* what, const char* reason);
/// A plan of nothing yet.
evaluation_plan begun(const char* space, dtype type, const index_t* extents, int rank);
void predict(evaluation_plan& p, const planning::machine& m);
/// Adds `other` to what is refused, if it is another plan.
void compare(evaluation_plan& taken, const evaluation_plan& other);
/// What LAZYFUSE_EXPLAIN prints after a kernel, and after the last of several.
std::string measured_text(double us, double predicted);
std::string total_text(const evaluation_plan& p, double us, double predicted);
}  // namespace explain_detail

/// plan(e): the kernels that would run, each with its program, operands, bytes and path, and for rows what each pass
/// computes and where values are in between; the predicted time; and the plans not taken, with theirs or the reason.
/// choice: which of the plans of an expression whose reductions are broadcast back; by default the one that would run.
template <class X, class Maker = maker>
  requires expression<X> evaluation_plan plan(const X& x, plan_choice choice = plan_choice::automatic) {
    const auto& e = x.tree;
    using T = value_t<X>;
    constexpr int R = rank_of<X>;
    using Space = result_space<X>;
    const memory_detail::device_scope<Space> scope(planning::device_for<Space>("explain", nullptr, e));
    planning::machine numbers{};
    using kernels = kernel_space<Space, Maker>;
    if constexpr (runnable_here<kernels>) numbers = backend<kernels>::machine();
    const auto planned = [&](plan_choice which) {
      evaluation_plan p = explain_detail::begun(Space::name, dtype_of<T>, e.shape().extent, R);
      allocation* const owner = nullptr;
      const ir::target_pack<R, T> to{{{{nullptr, row_major(e.shape())}}}};
      run<kernels, R, T>(execution{explain_detail::take, explain_detail::refuse, &p, which}, e.shape(), to, &owner, e);
      explain_detail::predict(p, numbers);
      return p;
    };
    evaluation_plan taken = planned(choice);
    if constexpr (planning::has_reduction<bare_t<decltype(e)>>) {
      if (choice != plan_choice::automatic) return taken;
      const bool rows = !taken.kernels.empty() && taken.kernels.back().rows.passes > 0;
      explain_detail::compare(taken, planned(rows ? plan_choice::cut : plan_choice::rows));
    }
    return taken;
  }

/// A plan as text.
std::string explain(const evaluation_plan& p);
/// explain(e): the plan of an expression as text.
template <class X, class = maker>
  requires expression<X> std::string explain(const X& x) { return explain(plan(x)); }

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plan: what evaluating an expression would do, as a value, and explain: the same as text. Nothing runs and nothing is
// allocated on a device.
#pragma once

#include <lazyfuse/evaluate/materialize.hpp>

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
  index_t arrays = 0;          ///< that it is a batch of
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
  bool joined = false;        ///< it is in the launch of the one before
  planning::row_report rows;  ///< over rows: how many, and where values are between passes
};

/// A plan that was not taken: because it is expected to take longer, or because of a reason.
struct refused_plan {
  std::string name, reason;
  int kernels = 0;
  index_t read = 0, distinct = 0, written = 0;
  double predicted_us = -1;
};

/// What a plan computes.
struct planned_result {
  dtype type;
  std::vector<index_t> shape;
};

/// What evaluating expressions would do.
struct evaluation_plan {
  std::string space;
  std::vector<planned_result> results;
  std::vector<planned_kernel> kernels;  ///< in the order in which they run
  std::vector<refused_plan> refused;
  double predicted_us = -1;  ///< microseconds from the first launch until the last kernel has ended; -1: not known

  /// The work of all kernels.
  planning::work costs() const;
  friend std::ostream& operator<<(std::ostream& out, const evaluation_plan& p);
};

namespace explain_detail {
planned_kernel described(const planning::kernel_plan& p);
/// A list of plans, in a space whose machine has these numbers.
evaluation_plan described(const plan_list& plans, const char* space, const planning::machine& m,
                          std::vector<planned_result> results);
std::string kernel_text(const planned_kernel& k, int number);
/// Adds `other` to what is refused, if it is another plan.
void compare(evaluation_plan& taken, const evaluation_plan& other);
/// What LAZYFUSE_EXPLAIN prints after a kernel, and after the last of several.
std::string measured_text(double us, double predicted);
std::string total_text(const evaluation_plan& p, double us, double predicted);
}  // namespace explain_detail

namespace explain_detail {
template <class E>
planned_result result_of(const E& e) {
  const auto s = e.shape();
  return {dtype_of<value_t<E>>, {s.extent, s.extent + E::rank}};
}
template <class Space>
planning::machine machine_of() {
  if constexpr (runnable_here<Space>) return backend<Space>::machine();
  else return {};
}
}  // namespace explain_detail

/// plan(e): the kernels that would run, each with its program, operands, bytes and path, and for rows what each pass
/// computes and where values are in between; the predicted time; and the plans not taken, with theirs or the reason.
/// choice: which of the plans of an expression whose reductions are broadcast back; by default the one that would run.
template <class X, class Maker = maker>
  requires expression<X> evaluation_plan plan(const X& x, plan_choice choice = plan_choice::automatic) {
    const auto& e = x.tree;
    using Space = result_space<X>;
    const memory_detail::device_scope<Space> scope(planning::device_for<Space>("explain", nullptr, e));
    using kernels = kernel_space<Space, Maker>;
    const auto planned = [&](plan_choice which) {
      return explain_detail::described(planning::plans_of<kernels>(e, which), Space::name,
                                       explain_detail::machine_of<kernels>(), {explain_detail::result_of(e)});
    };
    auto taken = planned(choice);
    if constexpr (planning::has_reduction<bare_t<decltype(e)>>) {
      if (choice != plan_choice::automatic) return taken;
      const bool rows = !taken.kernels.empty() && taken.kernels.back().rows.passes > 0;
      explain_detail::compare(taken, planned(rows ? plan_choice::cut : plan_choice::rows));
    }
    return taken;
  }

/// plan(e1, e2, ...): the kernels of materialize(e1, e2, ...).
template <class... E, class Maker = maker>
  requires(sizeof...(E) > 1)
&&(expression<E>&&...)evaluation_plan plan(const E&... e) {
  using joined = map_detail::joined<expression_space_t<E>...>;
  static_assert(!joined::mixed, "lazyfuse: expressions planned together must live in one space");
  if constexpr (!joined::mixed) {
    using Space = typename array_detail::space_of_result<typename joined::type>::type;
    const memory_detail::device_scope<Space> scope(planning::device_for<Space>("explain", nullptr, e.tree...));
    plan_list plans;
    materialize_detail::assignments<Space, Maker, tree_t<E>...>(e.tree...).run({&plans});
    return explain_detail::described(plans, Space::name, explain_detail::machine_of<kernel_space<Space, Maker>>(),
                                     {explain_detail::result_of(e.tree)...});
  }
}

/// A plan as text.
std::string explain(const evaluation_plan& p);
/// explain(e), explain(e1, e2, ...): the plan of an expression, or of materialize(e1, e2, ...), as text.
template <class... E, class = maker>
  requires(sizeof...(E) > 0)
&&(expression<E>&&...)std::string explain(const E&... e) { return explain(plan(e...)); }

}  // namespace lazyfuse

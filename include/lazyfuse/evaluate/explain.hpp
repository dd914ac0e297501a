// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// explain: what evaluating an expression would do, as text; nothing runs and nothing is allocated.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

#include <string>

namespace lazyfuse {

namespace explain_detail {
/// One plan: its kernels as text, their work, and what is not possible.
struct plan_text {
  std::string kernels, refusals;
  work costs;
  index_t repeated = 0;  ///< bytes that kernels ask for beyond what is distinct
  bool rows = false;     ///< its last kernel is one over rows
};
/// Appends one kernel whose path is known.
void append(plan_text& plan, const kernel_plan& p);
/// Decides how a kernel goes, and appends it to the plan_text a void* points to.
void take(void* plan, kernel_plan& p);
void refuse(void* plan, const char* what, const char* reason);
/// The finished text; other: the plan not taken, null if there is none.
std::string finish(const plan_text& taken, const plan_text* other, const machine& m, const char* space, dtype type,
                   const index_t* extents, int rank);
/// What LAZYFUSE_EXPLAIN prints: the last kernel with its measured time (negative: unknown), and a plan of several.
std::string measured_text(const plan_text& plan, double us, double predicted);
std::string total_text(const plan_text& plan, double us, double predicted);
}  // namespace explain_detail

/// The plan that would run: each kernel with its program, operands, bytes, the path chosen, and for rows what each pass
/// computes and where values are in between; the predicted time; and the plans not taken, with theirs or the reason.
template <class X>
  requires expression<X> std::string explain(const X& x) {
    const auto& e = x.tree;
    using T = value_t<X>;
    constexpr int R = rank_of<X>;
    using Space = home_space<X>;
    const memory_detail::device_scope<Space> scope(device_for<Space>("explain", nullptr, e));
    const auto plan = [&](plan_choice choice) {
      explain_detail::plan_text text;
      allocation* const owner = nullptr;
      const target_pack<R, T> to{{{{nullptr, row_major(e.shape())}}}};
      run<Space, R, T>(execution{explain_detail::take, explain_detail::refuse, &text, choice}, e.shape(), to, &owner,
                       e);
      return text;
    };
    machine numbers{};
    if constexpr (runnable_here<Space>) numbers = backend<Space>::machine();
    const auto finish = [&](const explain_detail::plan_text& taken, const explain_detail::plan_text* other) {
      return explain_detail::finish(taken, other, numbers, Space::name, dtype_of<T>, e.shape().extent, R);
    };
    const explain_detail::plan_text taken = plan(plan_choice::automatic);
    if constexpr (has_reduction<bare_t<decltype(e)>>) {
      const explain_detail::plan_text other = plan(taken.rows ? plan_choice::cut : plan_choice::rows);
      if (other.rows != taken.rows) return finish(taken, &other);
    }
    return finish(taken, nullptr);
  }

}  // namespace lazyfuse

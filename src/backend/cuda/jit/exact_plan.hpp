// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as its values have it: operands that are one occur once, and axes of extent 1 are left out where another
// stays.
#pragma once

#include <lazyfuse/plan/kernel_plan.hpp>

namespace lazyfuse::cuda_detail {

using namespace planning;  // what is known of a kernel

/// Operands of an expression, and distinct ones and results of a kernel that is made for it, at most.
inline constexpr int most_given = 512, most_distinct = most_operands, most_results = 8;

struct exact_plan {
  const kernel_plan& plan;
  int count = 0;                ///< distinct operands
  short slot[most_given];       ///< of each of the plan's operands
  short first[most_distinct];   ///< where each of ours is among the plan's
  bool repeats_memory = false;  ///< some array is several operands: scalars that are equal do not count
  int rank = 0, kept = 0, targets = 0;
  bool columns = false;  ///< of rows: the innermost axis is a kept one, and not one of the `kept` before the row
  index_t extents[max_rank];
  index_t steps[most_distinct + most_results][max_rank];
  operand_info info[most_distinct + most_results];  ///< of targets, then operands

  explicit exact_plan(const kernel_plan& p) : plan(p) {}
  exact_plan(const exact_plan&) = delete;  // info points into steps
  exact_plan& operator=(const exact_plan&) = delete;

  /// Finds out which operands are one. False if there are too many.
  bool find_equal();
  /// Copies extents and steps; fills what follows `first`.
  void take_axes();

  /// Of a reduction along its last kept axis: the same as a function of columns, of which each has one result.
  void take_as_columns(const exact_plan& reduction);
  /// The other way round: of columns, or rows, that have one result each.
  void take_as_reduction(const exact_plan& rows);

  /// Puts these axes in the place of all; -1: one that has a single position.
  void order_axes(const int* from, int axes);

  const kernel_type& type() const { return *plan.type; }
  const operand_info& given(int i) const { return plan.info[type().targets + i]; }
  /// Of distinct operand i.
  const operand_type& type_of(int i) const { return type().types[first[i]]; }
  const operand_info& operand(int i) const { return info[targets + i]; }

 private:
  /// Of another plan, with axis `from` in the place of axis `to`.
  void take_turned(const exact_plan& other, int from, int to);
  bool same(int i, int j) const;
  void find_columns();
  /// Of a reduction: the axis along which operands are contiguous is the last of the kept ones, wherever the results
  /// have it, if there is no other. They are far more than the results.
  void find_neighbours();
};

}  // namespace lazyfuse::cuda_detail

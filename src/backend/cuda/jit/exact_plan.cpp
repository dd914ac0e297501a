// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operands of a plan are one, and which of its axes count.
#include "backend/cuda/jit/exact_plan.hpp"

#include <lazyfuse/plan/axes.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace lazyfuse::cuda_detail {

/// Whether two operands are one: what they are, and where their elements lie.
bool exact_plan::same(int i, int j) const {
  const operand_type &a = type().types[i], &b = type().types[j];
  if (a.element != b.element || a.kind != b.kind || a.kind == ir::source_kind::ramp || a.kind == ir::source_kind::other)
    return false;  // these have gaps
  if (a.element == dtype::other && a.spelling != b.spelling) return false;
  const operand_info &x = given(i), &y = given(j);
  if (x.data != y.data || std::memcmp(x.place, y.place, static_cast<std::size_t>(a.bytes)) != 0) return false;
  if (!x.steps || !y.steps) return x.steps == y.steps;
  return std::equal(x.steps, x.steps + type().rank, y.steps);
}

bool exact_plan::find_equal() {
  if (type().operands > most_given || type().targets > most_results) return false;
  for (int i = 0; i < type().operands; ++i) {
    int j = 0;
    while (j < count && !same(i, first[j])) ++j;
    slot[i] = static_cast<short>(j);
    repeats_memory = repeats_memory || (j < count && type().types[i].kind == ir::source_kind::memory);
    if (j < count) continue;
    if (count == most_distinct) return false;
    first[count++] = static_cast<short>(i);
  }
  return true;
}

void exact_plan::take_axes() {
  const std::string_view pattern = type().pattern;
  const bool rows = pattern == "rows", scan = pattern == "scan";
  const int beside = rows && plan.rows.beside ? 1 : 0;  // after those of the row
  const int all = type().rank, kept_of_all = rows   ? plan.rows.outer
                                             : scan ? all - (plan.rows.beside ? 2 : 1)
                                                    : type().kept;
  targets = type().targets;
  int from[max_rank];
  const auto take = [&](int begin, int end, bool at_least_one) {
    const int before = rank;
    for (int k = begin; k < end; ++k)
      if (plan.extents[k] != 1 || (at_least_one && k + 1 == end && rank == before)) from[rank++] = k;
  };
  take(0, kept_of_all, !rows && !scan);
  take(all - beside, all, false);
  kept = rank;
  if (scan)
    for (int k = kept_of_all; k < all; ++k) from[rank++] = k;
  else take(kept_of_all, all - beside, true);
  for (int k = 0; k < rank; ++k) extents[k] = plan.extents[from[k]];
  if (all == 0) {  // one element: an axis of extent 1
    rank = extents[0] = 1;
    kept = pattern == "transform" ? 1 : 0;
  }
  for (int i = 0; i < targets + count; ++i) {
    const operand_info& o = i < targets ? plan.info[i] : given(first[i - targets]);
    info[i] = o;
    if (!o.steps) continue;
    for (int k = 0; k < rank; ++k) steps[i][k] = all > 0 ? o.steps[from[k]] : 0;
    info[i].steps = steps[i];
  }
  if (rows) find_columns();
  if (pattern == "reduce") find_neighbours();
}

void exact_plan::take_turned(const exact_plan& other, int from, int to) {
  count = other.count;
  targets = other.targets;
  rank = other.rank;
  std::copy_n(other.slot, type().operands, slot);
  std::copy_n(other.first, count, first);
  const auto turn = [&](const index_t* values, index_t* turned) {
    std::copy_n(values, rank, turned);
    if (from < to) std::rotate(turned + from, turned + from + 1, turned + to + 1);
    else std::rotate(turned + to, turned + from, turned + from + 1);
  };
  turn(other.extents, extents);
  for (int i = 0; i < targets + count; ++i) {
    info[i] = other.info[i];
    if (!info[i].steps) continue;
    turn(other.steps[i], steps[i]);
    info[i].steps = steps[i];
  }
}

void exact_plan::take_as_columns(const exact_plan& reduction) {
  kept = reduction.kept - 1;
  columns = true;
  take_turned(reduction, kept, reduction.rank - 1);
  for (int i = 0; i < targets; ++i)
    if (info[i].steps) std::fill_n(steps[i] + kept, rank - 1 - kept, index_t{0});
}

void exact_plan::take_as_reduction(const exact_plan& rows) {
  kept = rows.kept + (rows.columns ? 1 : 0);
  take_turned(rows, rows.columns ? rows.rank - 1 : 0, rows.columns ? kept - 1 : 0);
}

void exact_plan::order_axes(const int* from, int axes) {
  index_t all[max_rank];
  for (int k = 0; k < axes; ++k) all[k] = from[k] < 0 ? 1 : extents[from[k]];
  std::copy_n(all, axes, extents);
  for (int i = 0; i < targets + count; ++i) {
    if (!info[i].steps) continue;
    for (int k = 0; k < axes; ++k) all[k] = from[k] < 0 ? 0 : steps[i][from[k]];
    std::copy_n(all, axes, steps[i]);
  }
  rank = axes;
}

void exact_plan::find_neighbours() {
  // Elements of operands that are contiguous along an axis.
  const auto neighbours = [&](int axis) {
    double all = 0;
    for (int i = 0; i < count; ++i) {
      const operand_info& o = operand(i);
      if (o.element_size == 0 || !o.steps || std::abs(o.steps[axis]) != 1) continue;
      double own = 1;
      for (int k = 0; k < rank; ++k)
        if (o.steps[k] != 0) own *= static_cast<double>(extents[k]);
      all += own;
    }
    return all;
  };
  if (kept < 2 || kept == rank || neighbours(rank - 1) > 0) return;
  int best = kept - 1;
  double most = neighbours(best);
  for (int k = kept - 2; k >= 0; --k)
    if (const double here = neighbours(k); here > 2 * most) {
      best = k;
      most = here;
    }
  if (best == kept - 1) return;
  std::rotate(extents + best, extents + best + 1, extents + kept);
  for (int i = 0; i < targets + count; ++i)
    if (info[i].steps) std::rotate(steps[i] + best, steps[i] + best + 1, steps[i] + kept);
}

void exact_plan::find_columns() {
  // Of operands that types have several times, each counts once here: only now it is known where memory is contiguous.
  columns = runs_along_kept(extents, kept, rank, info, targets + count);
  if (!columns) return;
  --kept;
  std::rotate(extents + kept, extents + kept + 1, extents + rank);
  for (int i = 0; i < targets + count; ++i)
    if (info[i].steps) std::rotate(steps[i] + kept, steps[i] + kept + 1, steps[i] + rank);
}

}  // namespace lazyfuse::cuda_detail

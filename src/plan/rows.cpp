// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the reductions of an expression lie in its iteration.
#include <lazyfuse/plan/rows.hpp>

#include <algorithm>

namespace lazyfuse::planning {

namespace {

/// Finds the axes of a reduction's argument in an iteration. Kept axes are recognised by the steps with which its
/// result is read; those of the row are what is left, in order. Returns the set of the latter, or -1.
int place(const reduction_record& r, const axis_map& parent, const index_t* extents, int rank, axis_map& to) {
  to.rank = r.argument_rank;
  std::fill_n(to.axis, max_rank, static_cast<short>(-1));
  if (r.offset != 0) return -1;
  const int kept = r.argument_rank - r.axes;
  unsigned used = 0, row = 0, read = 0;
  index_t step = 1;
  for (int j = kept - 1; j >= 0; --j) {
    const index_t n = r.argument[j];
    if (n == 1) continue;
    int own = 0;
    while (own < r.rank && (r.extents[own] != n || r.steps[own] != step)) ++own;
    if (own == r.rank) return -1;
    read |= 1u << own;
    const int axis = parent.axis[own + parent.rank - r.rank];
    if (axis < 0 || ((used >> axis) & 1) != 0 || extents[axis] != n) return -1;
    to.axis[j] = static_cast<short>(axis);
    used |= 1u << axis;
    step *= n;
  }
  for (int own = 0; own < r.rank; ++own)
    if (((read >> own) & 1) == 0 && r.extents[own] != 1 && r.steps[own] != 0) return -1;
  int next = 0;
  for (int j = kept; j < r.argument_rank; ++j) {
    const index_t n = r.argument[j];
    if (n == 1) continue;
    while (next < rank && (((used >> next) & 1) != 0 || extents[next] == 1)) ++next;
    if (next == rank || extents[next] != n) return -1;
    to.axis[j] = static_cast<short>(next);
    used |= 1u << next;
    row |= 1u << next;
  }
  for (int axis = 0; axis < rank; ++axis)
    if (extents[axis] != 1 && ((used >> axis) & 1) == 0) return -1;
  return static_cast<int>(row);
}

/// All reductions in the iteration, along one set of axes; -1 if that is not how it is.
int place_all(const index_t* extents, int rank, const reduction_record* reductions, int count, axis_map* frames) {
  int row = -1;
  for (int i = 0; i < count; ++i) {
    const int here = place(reductions[i], frames[reductions[i].frame], extents, rank, frames[i + 1]);
    if (here < 0 || (row >= 0 && here != row)) return -1;
    row = here;
  }
  return row;
}

/// One result per element: the iteration is that of the expression, with the axes of the row moved to its end.
bool lay_out_elements(const index_t* extents, int rank, const reduction_record* reductions, int count, row_layout& to,
                      axis_map* frames) {
  frames[0] = axis_map::identity(rank);
  const int found = place_all(extents, rank, reductions, count, frames);
  if (found < 0) return false;
  unsigned row = static_cast<unsigned>(found);
  for (int axis = rank - 1, more = reductions[0].axes - __builtin_popcount(row); axis >= 0 && more > 0; --axis)
    if (extents[axis] == 1) {
      row |= 1u << axis;
      --more;
    }
  short number[max_rank];
  int front = 0, back = rank - __builtin_popcount(row);
  for (int axis = 0; axis < rank; ++axis) {
    const int at = ((row >> axis) & 1) != 0 ? back++ : front++;
    number[axis] = static_cast<short>(at);
    to.order[at] = static_cast<short>(axis);
    to.extents[at] = extents[axis];
  }
  for (int i = 0; i <= count; ++i)
    for (short& axis : frames[i].axis)
      if (axis >= 0 && axis < rank) axis = number[axis];
  to.one_result = false;
  return true;
}

/// One result per row: the iteration is that of the reductions' arguments.
bool lay_out_results(const index_t* extents, int rank, const reduction_record* reductions, int count, row_layout& to,
                     axis_map* frames) {
  const reduction_record& r = reductions[0];
  const int all = r.argument_rank, kept = all - r.axes;
  std::copy_n(r.argument, all, to.extents);
  std::fill_n(to.order, max_rank, static_cast<short>(-1));
  axis_map& root = frames[0];
  root.rank = rank;
  std::fill_n(root.axis, max_rank, static_cast<short>(-1));
  index_t step = 1;
  for (int j = kept - 1; j >= 0; --j) {
    if (r.argument[j] == 1) continue;
    int own = 0;
    while (own < r.rank && (r.extents[own] != r.argument[j] || r.steps[own] != step)) ++own;
    if (own == r.rank) return false;
    const int axis = own + rank - r.rank;
    root.axis[axis] = static_cast<short>(j);
    to.order[j] = static_cast<short>(axis);
    step *= r.argument[j];
  }
  for (int axis = 0; axis < rank; ++axis)
    if (extents[axis] != (root.axis[axis] < 0 ? 1 : to.extents[root.axis[axis]])) return false;
  to.one_result = true;
  unsigned row = 0;
  for (int j = kept; j < all; ++j)
    if (r.argument[j] != 1) row |= 1u << j;
  return place_all(to.extents, all, reductions, count, frames) == static_cast<int>(row);
}

}  // namespace

namespace {

/// What stands in the way: the first thing that differs between a reduction and the others.
const char* reason(const index_t* extents, int rank, const reduction_record* reductions, int count) {
  const reduction_record& first = reductions[0];
  for (int i = 0; i < count; ++i) {
    const reduction_record& r = reductions[i];
    const int kept = r.argument_rank - r.axes;
    if (!same_order(r.extents, r.steps, r.rank, r.argument, kept) || r.offset != 0)
      return "a reduction is read in an order other than its own";
    if (!std::equal(r.argument, r.argument + r.argument_rank, first.argument))
      return "reductions are over different extents, or along different axes";
  }
  if (rank == first.argument_rank && !std::is_permutation(extents, extents + rank, first.argument))
    return "the extents of the result are not those of what is reduced";
  return "reductions run along different axes, or along axes other than those they are broadcast over";
}

}  // namespace

const char* lay_out_rows(const index_t* extents, int rank, const reduction_record* reductions, int count,
                         row_layout& to, axis_map* frames) {
  if (rank == reductions[0].argument_rank && lay_out_elements(extents, rank, reductions, count, to, frames))
    return nullptr;
  if (lay_out_results(extents, rank, reductions, count, to, frames)) return nullptr;
  return reason(extents, rank, reductions, count);
}

}  // namespace lazyfuse::planning

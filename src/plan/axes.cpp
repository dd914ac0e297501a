// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes: sorting and merging.
#include <lazyfuse/plan/axes.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace lazyfuse::planning {

namespace {

void swap_axes(index_t* extents, int a, int b, operand_info* operands, int count) {
  std::swap(extents[a], extents[b]);
  for (int i = 0; i < count; ++i)
    if (operands[i].steps) std::swap(operands[i].steps[a], operands[i].steps[b]);
}

index_t magnitude(const operand_info& o, int axis) { return o.steps ? std::abs(o.steps[axis]) : 0; }

/// Insertion sort of axes by a key that should fall.
template <class Key>
void sort_axes(index_t* extents, int from, int to, operand_info* operands, int count, const Key& key) {
  for (int k = from + 1; k < to; ++k)
    for (int j = k; j > from && key(j - 1) < key(j); --j) swap_axes(extents, j - 1, j, operands, count);
}

int merge_axes(index_t* extents, int from, int to, operand_info* operands, int count, bool last_stays) {
  if (to - from == 1 && extents[from] != 1) return 1;
  const auto merges = [&](int outer, int inner) {
    if (last_stays && inner == to - 1) return false;
    for (int i = 0; i < count; ++i)
      if (operands[i].steps && operands[i].steps[outer] != operands[i].steps[inner] * extents[inner]) return false;
    return true;
  };
  const auto move = [&](int source, int destination) {
    extents[destination] = extents[source];
    for (int i = 0; i < count; ++i)
      if (operands[i].steps) operands[i].steps[destination] = operands[i].steps[source];
  };
  int last = to;  // axes [last, to) are done
  for (int k = to - 1; k >= from; --k) {
    if (extents[k] == 1) continue;
    if (last < to && merges(k, last)) extents[last] *= extents[k];
    else move(k, --last);
  }
  for (int k = from; k < last; ++k) {
    extents[k] = 1;
    for (int i = 0; i < count; ++i)
      if (operands[i].steps) operands[i].steps[k] = 0;
  }
  if (last == to && to > from)
    for (int i = 0; i < count; ++i)
      if (operands[i].steps) operands[i].steps[to - 1] = 1;  // one element: call it contiguous
  return to - last;
}

}  // namespace

int coalesce(index_t* extents, int from, int to, operand_info* operands, int count) {
  return merge_axes(extents, from, to, operands, count, false);
}

int coalesce_elementwise(index_t* extents, int rank, operand_info* operands, int count, bool on_device) {
  // Shorter rows, or fewer, do not fill a block; and elements that are smaller than a word want vectors, which rows
  // that begin anywhere have not.
  constexpr index_t least_row = 128, least_rows = 8, vector_bytes = 16, word = 4;
  bool has_map = false;
  index_t smallest = vector_bytes, rows = 1;
  for (int i = 0; on_device && i < count; ++i) {
    const int size = operands[i].element_size + operands[i].mapped_size;
    if (size == 0 || !operands[i].steps) continue;
    has_map = has_map || (operands[i].mapped_size != 0 && operands[i].arrays == 0);  // no row of a batch has a map
    smallest = size < smallest ? size : smallest;
  }
  for (int k = 0; k < rank - 1; ++k) rows *= extents[k];
  const index_t row = rank > 1 ? extents[rank - 1] : 0;
  const bool is_even = smallest >= word || row * smallest % vector_bytes == 0;
  return merge_axes(extents, 0, rank, operands, count, has_map && row >= least_row && rows >= least_rows && is_even);
}

void order_axes(index_t* extents, int from, int to, operand_info* operands, int count, int targets) {
  sort_axes(extents, from, to, operands, count, [&](int axis) {
    index_t key = 0;
    for (int i = 0; i < targets; ++i) key += magnitude(operands[i], axis);
    return extents[axis] == 1 ? index_t{1} << 62 : key;
  });
}

void order_reduced_axes(index_t* extents, int from, int to, operand_info* operands, int count) {
  sort_axes(extents, from, to, operands, count, [&](int axis) {
    index_t key = 0;
    for (int i = 0; i < count; ++i) key += operands[i].element_size > 0 ? magnitude(operands[i], axis) : 0;
    return extents[axis] == 1 ? index_t{1} << 62 : key;
  });
}

void order_kept_for_reading(index_t* extents, int kept, int rank, operand_info* all, int targets, int count) {
  constexpr index_t least_reduced = 4;
  index_t reduced = 1;
  for (int k = kept; k < rank; ++k) reduced *= extents[k];
  if (kept < 2 || reduced < least_reduced) return;
  int votes[max_rank] = {}, voters = 0;
  for (int i = targets; i < count; ++i) {
    if (all[i].element_size == 0 || !all[i].steps) continue;
    int near = -1;
    for (int k = 0; k < rank; ++k) {
      if (extents[k] == 1) continue;
      if (all[i].steps[k] == 0) return;
      if (near < 0 || magnitude(all[i], k) < magnitude(all[i], near)) near = k;
    }
    if (near >= 0) ++votes[near];
    ++voters;
  }
  const int nearest = static_cast<int>(std::max_element(votes, votes + rank) - votes);
  if (2 * votes[nearest] <= voters || nearest >= kept) return;
  for (int k = nearest; k + 1 < kept; ++k) swap_axes(extents, k, k + 1, all, count);
}

bool runs_along_kept(const index_t* extents, int kept, int rank, const operand_info* operands, int count,
                     bool windows) {
  if (kept == 0 || extents[kept - 1] == 1) return false;
  if (extents[rank - 1] == 1) return true;
  double votes = 0;  // one for each element: what is broadcast has few beside the others
  for (int i = 0; i < count; ++i) {
    if (operands[i].element_size == 0 || !operands[i].steps) continue;
    double elements = 1;
    for (int k = 0; k < rank; ++k)
      if (operands[i].steps[k] != 0) elements *= static_cast<double>(extents[k]);
    const index_t along = magnitude(operands[i], kept - 1), reduced = magnitude(operands[i], rank - 1);
    const bool overlap = windows && along == reduced && extents[rank - 1] <= extents[kept - 1];
    votes += reduced == 0 ? 0 : along == 0 || (along >= reduced && !overlap) ? -elements : elements;
  }
  return votes > 0;
}

bool same_order(const index_t* a_extents, const index_t* a_steps, int a_rank, const index_t* b_extents, int b_rank) {
  index_t step = 1;
  int a = a_rank - 1, b = b_rank - 1;
  for (;; --a, --b) {
    while (a >= 0 && a_extents[a] == 1) --a;
    while (b >= 0 && b_extents[b] == 1) --b;
    if (a < 0 || b < 0) return a < 0 && b < 0;
    if (a_extents[a] != b_extents[b] || a_steps[a] != step) return false;
    step *= b_extents[b];
  }
}

}  // namespace lazyfuse::planning

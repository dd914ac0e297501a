// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes: sorting and merging.
#include <lazyfuse/plan/axes.hpp>

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

int coalesce_on_device(index_t* extents, int rank, operand_info* operands, int count) {
  constexpr index_t least_row = 128, least_rows = 8;  // what a block has
  bool has_map = false;
  for (int i = 0; i < count; ++i) has_map = has_map || (operands[i].mapped_size != 0 && operands[i].steps);
  index_t rows = 1;
  for (int k = 0; k < rank - 1; ++k) rows *= extents[k];
  const bool keeps_rows = has_map && rank > 1 && extents[rank - 1] >= least_row && rows >= least_rows;
  return merge_axes(extents, 0, rank, operands, count, keeps_rows);
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

bool runs_along_kept(const index_t* extents, int kept, int rank, const operand_info* operands, int count) {
  if (kept == 0 || extents[kept - 1] == 1) return false;
  if (extents[rank - 1] == 1) return true;
  double votes = 0;  // one for each element: what is broadcast has few beside the others
  for (int i = 0; i < count; ++i) {
    if (operands[i].element_size == 0 || !operands[i].steps) continue;
    double elements = 1;
    for (int k = 0; k < rank; ++k)
      if (operands[i].steps[k] != 0) elements *= static_cast<double>(extents[k]);
    const index_t along = magnitude(operands[i], kept - 1), reduced = magnitude(operands[i], rank - 1);
    votes += reduced == 0 ? 0 : along == 0 || along >= reduced ? -elements : elements;
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes: sorting, merging, reshaping; and who reads the memory that is written.
#include <lazyfuse/evaluate/run.hpp>
#include <lazyfuse/plan/layout.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lazyfuse {

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

}  // namespace

void broadcast_extents(const char* operation, const index_t* a, int rank_a, const index_t* b, int rank_b, index_t* to) {
  const int rank = std::max(rank_a, rank_b);
  for (int axis = 0; axis < rank; ++axis) {
    const int in_a = axis - (rank - rank_a), in_b = axis - (rank - rank_b);
    const index_t n = in_a < 0 ? 1 : a[in_a], m = in_b < 0 ? 1 : b[in_b];
    if (n != m && n != 1 && m != 1) throw_shapes(operation, a, rank_a, b, rank_b, "do not broadcast");
    to[axis] = n == 1 ? m : n;
  }
  // Two arrays that fit make one that does not only by an outer product of large ones.
  index_t size = 1;
  bool fits = true;
  for (int axis = 0; axis < rank; ++axis) fits = fits && !__builtin_mul_overflow(size, to[axis], &size);
  if (!fits && std::find(to, to + rank, index_t{0}) == to + rank)
    throw_shapes(operation, a, rank_a, b, rank_b, "broadcast to more elements than can be counted");
}

int coalesce(index_t* extents, int from, int to, operand_info* operands, int count) {
  if (to - from == 1 && extents[from] != 1) return 1;
  const auto merges = [&](int outer, int inner) {
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
  int votes = 0;
  for (int i = 0; i < count; ++i) {
    if (operands[i].element_size == 0 || !operands[i].steps) continue;
    const index_t along = magnitude(operands[i], kept - 1), reduced = magnitude(operands[i], rank - 1);
    votes += reduced == 0 ? 0 : along == 0 ? -1 : along < reduced ? 1 : -1;
  }
  return votes > 0;
}

leaf_view leaf_type::see(const void* leaf) const {
  const char* const bytes = static_cast<const char*>(leaf);
  const auto at = [&](int member) { return reinterpret_cast<const index_t*>(bytes + member); };
  leaf_view v{nullptr, nullptr, at(extents), at(steps), *at(offset), rank, element_size};
  if (element_size > 0) {
    std::memcpy(&v.owner, bytes, sizeof(void*));
    std::memcpy(&v.data, bytes + sizeof(void*), sizeof(void*));
    if (v.data) v.data += v.offset * element_size;
  }
  return v;
}

void alias_scan::see(const leaf_record* leaves, int count) {
  const auto span = [](int n, const index_t* e, const index_t* s, index_t& lowest, index_t& highest) {
    lowest = highest = 0;
    for (int k = 0; k < n; ++k) (s[k] < 0 ? lowest : highest) += (e[k] - 1) * s[k];
  };
  index_t low, high;
  span(rank, extents, steps, low, high);
  const char* const begin = data + low * element_size;
  const char* const end = data + (high + 1) * element_size;
  for (int i = 0; i < count; ++i) {
    const leaf_view o = leaves[i].type->see(leaves[i].leaf);
    if (o.element_size == 0 || (owner && o.owner && o.owner != owner)) continue;
    index_t other_low, other_high;
    span(o.rank, o.extents, o.steps, other_low, other_high);
    if (o.data + other_low * o.element_size >= end || o.data + (other_high + 1) * o.element_size <= begin) continue;
    // what is written may be a part of the element that is read there
    bool same =
        leaves[i].frame == 0 && o.rank == rank && o.data <= data && data + element_size <= o.data + o.element_size;
    for (int k = 0; same && k < rank; ++k)
      same = o.extents[k] == extents[k] && (extents[k] == 1 || o.steps[k] * o.element_size == steps[k] * element_size);
    if (!same) elsewhere = true;
  }
}

namespace lower_detail {

bool bind(const leaf_record* leaves, const int* slots, int count, const operand_place* operands, operand_info* info,
          const index_t* extents, int rank, const axis_map* frames) {
  int known = 0;  // operands are numbered in the order in which they occur first
  for (int i = 0; i < count; ++i) {
    const auto& [leaf, type, in_frame] = leaves[i];
    const leaf_view seen = type->see(leaf);
    const axis_map& frame = frames[in_frame];
    const int slot = slots[i];
    index_t moves[max_rank] = {};
    for (int own = 0; own < seen.rank; ++own) {
      const int axis = frame.axis[own + frame.rank - seen.rank];
      if (axis >= 0 && seen.extents[own] == extents[axis] && extents[axis] != 1) moves[axis] = seen.steps[own];
    }
    index_t* const steps = operands[slot].steps;
    if (slot == known) {
      ++known;
      if (seen.element_size > 0) std::memcpy(operands[slot].source, &seen.data, sizeof(void*));
      else type->place(leaf, operands[slot].source);
      for (int axis = 0; steps && axis < rank; ++axis) steps[axis] = moves[axis];
      info[slot] = {seen.data, steps, seen.owner, seen.element_size, seen.rank};
    } else {
      const leaf_record& first = leaves[std::find(slots, slots + i, slot) - slots];
      if (!type->same_source(leaf, first.leaf) || seen.offset != first.type->see(first.leaf).offset) return false;
      for (int axis = 0; steps && axis < rank; ++axis)
        if (steps[axis] != moves[axis]) return false;
    }
  }
  return true;
}

bool same_operands(const leaf_record* a, const leaf_record* b, int leaves, const reduction_record* r,
                   const reduction_record* s, int reductions) {
  const auto same_leaf = [](const leaf_record& p, const leaf_record& q) {
    const leaf_view u = p.type->see(p.leaf), v = q.type->see(q.leaf);
    return p.type->same_source(p.leaf, q.leaf) && u.offset == v.offset &&
           std::equal(u.extents, u.extents + u.rank, v.extents) && std::equal(u.steps, u.steps + u.rank, v.steps);
  };
  const auto same_reduction = [](const reduction_record& p, const reduction_record& q) {
    return p.offset == q.offset && std::equal(p.extents, p.extents + p.rank, q.extents) &&
           std::equal(p.steps, p.steps + p.rank, q.steps) &&
           std::equal(p.argument, p.argument + p.argument_rank, q.argument);
  };
  return std::equal(a, a + leaves, b, same_leaf) && std::equal(r, r + reductions, s, same_reduction);
}

}  // namespace lower_detail

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

bool reshape_steps(const index_t* from, const index_t* steps, int rank, const index_t* to, int to_rank,
                   index_t* to_steps) {
  index_t size = 1;
  for (int k = 0; k < rank; ++k) size *= from[k];
  if (size == 0) {
    for (int k = 0; k < to_rank; ++k) to_steps[k] = 0;
    return true;
  }
  index_t old_extents[max_rank], old_steps[max_rank];
  int n = 0;
  for (int k = 0; k < rank; ++k)
    if (from[k] != 1) old_extents[n] = from[k], old_steps[n++] = steps[k];
  // Runs of old axes and of new axes with the same number of elements must each be one walk.
  int o = 0, k = 0;
  while (k < to_rank) {
    if (to[k] == 1) {
      to_steps[k++] = 0;
      continue;
    }
    if (o >= n) return false;
    index_t old_count = old_extents[o], new_count = to[k];
    int o_end = o + 1, k_end = k + 1;
    while (old_count != new_count) {
      if (old_count < new_count) old_count *= old_extents[o_end++];
      else new_count *= to[k_end++];
    }
    for (int i = o; i + 1 < o_end; ++i)
      if (old_steps[i] != old_steps[i + 1] * old_extents[i + 1]) return false;
    index_t step = old_steps[o_end - 1];
    for (int i = k_end - 1; i >= k; --i) {
      to_steps[i] = step;
      step *= to[i];
    }
    o = o_end;
    k = k_end;
  }
  return true;
}

namespace run_detail {

namespace {

bool has_memory(const operand_info& o) { return o.element_size != 0 && o.steps; }
index_t bytes_of(const index_t* extents, int rank, const operand_info& o) {
  index_t n = o.element_size;
  for (int k = 0; k < rank; ++k)
    if (o.steps[k] != 0) n *= extents[k];
  return n;
}
/// From the first byte of an operand to beyond its last.
struct byte_span {
  const char *begin, *end;
  bool overlaps(const byte_span& other) const { return begin < other.end && other.begin < end; }
};
byte_span span_of(const index_t* extents, int rank, const operand_info& o) {
  const char* const data = static_cast<const char*>(o.data);
  byte_span s{data, data + o.element_size};
  for (int k = 0; k < rank; ++k) {
    const index_t reach = (extents[k] - 1) * o.steps[k] * o.element_size;
    (reach < 0 ? s.begin : s.end) += reach;
  }
  return s;
}
bool same_elements(int rank, const operand_info& a, const operand_info& b) {
  return a.data == b.data && a.element_size == b.element_size && std::equal(a.steps, a.steps + rank, b.steps);
}

}  // namespace

index_t asked_bytes(const index_t* extents, int rank, const operand_info* operands, int count) {
  index_t total = 0;
  for (int i = 0; i < count; ++i)
    if (has_memory(operands[i])) total += bytes_of(extents, rank, operands[i]);
  return total;
}

index_t distinct_bytes(const index_t* extents, int rank, const operand_info* operands, int count) {
  index_t total = 0;
  const auto reads = [&](int i) { return has_memory(operands[i]) && bytes_of(extents, rank, operands[i]) > 0; };
  for (int i = 0; i < count; ++i) {
    if (!reads(i)) continue;
    if (!operands[i].data) {  // nobody knows where
      total += bytes_of(extents, rank, operands[i]);
      continue;
    }
    // All that hang together with operand i; they are counted with the first of them.
    byte_span all = span_of(extents, rank, operands[i]);
    bool first = true;
    for (bool grows = true; grows && first;) {
      grows = false;
      for (int j = 0; j < count && first; ++j) {
        if (j == i || !reads(j) || !operands[j].data) continue;
        const byte_span s = span_of(extents, rank, operands[j]);
        if (!s.overlaps(all)) continue;
        first = i < j;
        grows = grows || s.begin < all.begin || s.end > all.end;
        all = {std::min(all.begin, s.begin), std::max(all.end, s.end)};
      }
    }
    if (!first) continue;
    index_t bytes = 0;
    for (int j = i; j < count; ++j) {
      if (!reads(j) || !operands[j].data || !span_of(extents, rank, operands[j]).overlaps(all)) continue;
      bool again = false;
      for (int k = i; k < j; ++k) again = again || (reads(k) && same_elements(rank, operands[j], operands[k]));
      if (!again) bytes += bytes_of(extents, rank, operands[j]);
    }
    total += std::min<index_t>(bytes, all.end - all.begin);
  }
  return total;
}

}  // namespace run_detail

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves as code without types sees them, and operands bound to them.
#include <lazyfuse/plan/bind.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace lazyfuse::planning {

leaf_view leaf_type::see(const void* leaf) const {
  const char* const bytes = static_cast<const char*>(leaf);
  const auto at = [&](int member) { return reinterpret_cast<const index_t*>(bytes + member); };
  leaf_view v{nullptr, nullptr, at(extents), at(steps), *at(offset), rank, element_size, reach != nullptr, 0};
  if (element_size > 0) {
    std::memcpy(&v.owner, bytes, sizeof(void*));
    std::memcpy(&v.data, bytes + sizeof(void*), sizeof(void*));
    const stretch read = reach ? reach(leaf) : stretch{v.offset, 0};
    if (v.data) v.data += read.first * element_size;
    v.reach = read.length;
  }
  return v;
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
      if (seen.element_size > 0 && !seen.mapped) std::memcpy(operands[slot].source, &seen.data, sizeof(void*));
      else type->place(leaf, operands[slot].source);
      for (int axis = 0; steps && axis < rank; ++axis) steps[axis] = moves[axis];
      info[slot] = {seen.data, steps, seen.owner, seen.element_size, seen.rank, operands[slot].source};
      if (seen.mapped) {
        std::swap(info[slot].element_size, info[slot].mapped_size);
        info[slot].reach = seen.reach;
        info[slot].arrays = seen.owner ? seen.owner->arrays : 0;
      }
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

}  // namespace lazyfuse::planning

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who reads the memory that is written.
#include <lazyfuse/plan/aliasing.hpp>

namespace lazyfuse::planning {

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
    if (leaves[i].type->element_size == 0) continue;
    const allocation* const other = leaves[i].type->owner(leaves[i].leaf);
    if (owner && other && other != owner) continue;
    const leaf_view o = leaves[i].type->see(leaves[i].leaf);
    index_t other_low, other_high;
    if (o.mapped) other_low = 0, other_high = o.reach - 1;
    else span(o.rank, o.extents, o.steps, other_low, other_high);
    if (o.data + other_low * o.element_size >= end || o.data + (other_high + 1) * o.element_size <= begin) continue;
    // what is written may be a part of the element that is read there
    bool same = !o.mapped && leaves[i].frame == 0 && o.rank == rank && o.data <= data &&
                data + element_size <= o.data + o.element_size;
    for (int k = 0; same && k < rank; ++k)
      same = o.extents[k] == extents[k] && (extents[k] == 1 || o.steps[k] * o.element_size == steps[k] * element_size);
    if (!same) elsewhere = true;
  }
}

}  // namespace lazyfuse::planning

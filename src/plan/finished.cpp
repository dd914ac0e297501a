// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether leaves and reductions are the same, and what they read.
#include <lazyfuse/plan/finished.hpp>

#include <algorithm>

namespace lazyfuse::planning::finished_detail {

bool same_but_order(const leaf_record* f, const leaf_record* e, int leaves, const index_t* extents_of_f,
                    const index_t* extents_of_e, int rank, short* axis) {
  const auto see = [](const leaf_record& r) { return r.type->see(r.leaf); };
  for (int i = 0; i < leaves; ++i)
    if (!f[i].type->same_source(f[i].leaf, e[i].leaf) || see(f[i]).offset != see(e[i]).offset) return false;
  const auto fits = [&](int of_f, int of_e) {
    if (extents_of_f[of_f] != extents_of_e[of_e]) return false;
    for (int i = 0; i < leaves; ++i) {
      const leaf_view x = see(f[i]), y = see(e[i]);
      const int at_f = of_f - (rank - x.rank), at_e = of_e - (rank - x.rank);
      if ((at_f < 0) != (at_e < 0)) return false;
      if (at_f >= 0 && (x.extents[at_f] != y.extents[at_e] || x.steps[at_f] != y.steps[at_e])) return false;
    }
    return true;
  };
  unsigned used = 0;
  for (int k = 0; k < rank; ++k) {
    int from = fits(k, k) && ((used >> k) & 1) == 0 ? k : 0;
    while (from < rank && (((used >> from) & 1) != 0 || !fits(from, k))) ++from;
    if (from == rank) return false;
    axis[k] = static_cast<short>(from);
    used |= 1u << from;
  }
  return true;
}

bool same_arguments(const reduction_record* reductions, int count) {
  for (int i = 1; i < count; ++i) {
    const reduction_record &r = reductions[0], &s = reductions[i];
    if (r.axes != s.axes || r.argument_rank != s.argument_rank ||
        !std::equal(r.argument, r.argument + r.argument_rank, s.argument))
      return false;
  }
  return true;
}

index_t bytes_read(const leaf_record* leaves, int count) {
  index_t total = 0;
  const auto steps_match = [](const leaf_view& x, const leaf_view& y) {
    return x.data == y.data && x.rank == y.rank && std::equal(x.steps, x.steps + x.rank, y.steps) &&
           std::equal(x.extents, x.extents + x.rank, y.extents);
  };
  for (int i = 0; i < count; ++i) {
    const leaf_view x = leaves[i].type->see(leaves[i].leaf);
    if (x.element_size == 0) continue;
    bool again = false;
    for (int j = 0; j < i && x.data && !again; ++j) again = steps_match(x, leaves[j].type->see(leaves[j].leaf));
    if (again) continue;
    index_t n = x.element_size;
    for (int k = 0; k < x.rank; ++k)
      if (x.steps[k] != 0) n *= x.extents[k];
    total += n;
  }
  return total;
}

}  // namespace lazyfuse::planning::finished_detail

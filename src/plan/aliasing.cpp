// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who reads the memory that is written.
#include <lazyfuse/plan/aliasing.hpp>

#include <algorithm>
#include <numeric>

namespace lazyfuse::planning {

namespace {

/// c times a number from `from` to `to`: what an axis adds to a distance in bytes.
struct term {
  index_t c, from, to;
};
/// Whether a sum of terms is in [low, high]. Largest first, so that few numbers of each are possible, but where views
/// are of unlike steps: after `patience` tries the answer is yes.
bool reaches(const term* t, int n, index_t low, index_t high, index_t& patience) {
  if (low > high) return false;
  if (--patience < 0) return true;
  if (n == 0) return low <= 0 && high >= 0;
  index_t least = 0, most = 0, divisor = 0;
  for (int k = 0; k < n; ++k) {
    divisor = std::gcd(divisor, t[k].c);
    if (k > 0) least += t[k].c * t[k].from, most += t[k].c * t[k].to;
  }
  const auto floor = [](index_t a, index_t b) { return a / b - (a % b < 0); };
  if (floor(high, divisor) * divisor < low) return false;
  const index_t from = std::max(t->from, -floor(most - low, t->c)), to = std::min(t->to, floor(high - least, t->c));
  for (index_t i = from; i <= to; ++i)
    if (reaches(t + 1, n - 1, low - i * t->c, high - i * t->c, patience)) return true;
  return false;
}

}  // namespace

bool alias_scan::overlaps(const alias_scan& other, index_t patience) const {
  term terms[2 * max_rank];
  int n = 0;
  index_t constant = other.data - data;
  const auto add = [&](const alias_scan& a, index_t sign) {
    for (int k = 0; k < a.rank; ++k) {
      index_t c = sign * a.steps[k] * a.element_size;
      if (c == 0 || a.extents[k] == 1) continue;
      term one{c, 0, a.extents[k] - 1};
      if (c < 0) one = {-c, 1 - a.extents[k], 0};
      int i = 0;
      while (i < n && terms[i].c != one.c) ++i;
      if (i == n) terms[n++] = one;
      else terms[i].from += one.from, terms[i].to += one.to;
    }
  };
  for (const alias_scan* a : {this, &other})
    for (int k = 0; k < a->rank; ++k)
      if (a->extents[k] == 0) return false;
  add(*this, -1);
  add(other, 1);
  std::sort(terms, terms + n, [](const term& a, const term& b) { return a.c > b.c; });
  return reaches(terms, n, 1 - other.element_size - constant, element_size - 1 - constant, patience);
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
    if (leaves[i].type->element_size == 0) continue;
    if (leaves[i].type->is_graph) {  // it does not say what it reads: memory of others, perhaps
      elsewhere = elsewhere || !owner;
      continue;
    }
    const allocation* const other = leaves[i].type->owner(leaves[i].leaf);
    if (owner && other && other != owner) continue;
    if (!owner && other && other->of_others) elsewhere = true;
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
    // Columns of one matrix lie between each other. To find that out must not take longer than the assignment.
    constexpr index_t most_tries = 1000;
    if (!same && (o.mapped || overlaps({other, o.data, o.element_size, o.rank, o.extents, o.steps}, most_tries)))
      elsewhere = true;
  }
}

}  // namespace lazyfuse::planning

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes between the places where rolled views turn.
#include <lazyfuse/evaluate/turns.hpp>

#include <algorithm>

namespace lazyfuse::run_detail {

turn_list::turn_list(const index_t* e, int r) : rank(r) { std::copy_n(e, r, extents); }

void turn_list::note(const index_t* of, const index_t* steps, index_t from, const ir::position_divisor* block,
                     const index_t* distance, int rolls) {
  index_t dense = 1;
  known = known && from == 0;
  for (int k = rank - 1; k >= 0; --k) {
    known = known && of[k] == extents[k] && steps[k] == dense;
    dense *= extents[k];
  }
  unsigned used = 0;
  for (int i = 0; i < rolls && known; ++i) {
    if (distance[i] == 0) continue;
    int axis = rank - 1;
    while (axis >= 0 && (steps[axis] * extents[axis] != block[i].value || extents[axis] == 1)) --axis;
    // in row-major order over several axes it turns within rows; twice along one, elsewhere than the map says
    known = axis >= 0 && distance[i] % steps[axis] == 0 && (used >> axis & 1) == 0;
    if (!known) return;
    used |= 1u << axis;
    const index_t turn = distance[i] / steps[axis];
    index_t* const begin = at[axis];
    index_t* const end = begin + count[axis];
    index_t* const place = std::lower_bound(begin, end, turn);
    if (place != end && *place == turn) continue;
    known = count[axis] < most;
    if (!known) return;
    std::copy_backward(place, end, end + 1);
    *place = turn;
    ++count[axis];
  }
}

bool turn_list::largest(const box& inside, box& to) const {
  bool turns = false;
  to = inside;
  for (int k = 0; k < rank; ++k) {
    index_t first = inside.first[k], longest = 0;
    const auto end_at = [&](index_t end) {
      if (end - first > longest) {
        longest = end - first;
        to.first[k] = first;
        to.end[k] = end;
      }
      first = end;
    };
    for (int i = 0; i < count[k]; ++i) {
      if (at[k][i] <= inside.first[k] || at[k][i] >= inside.end[k]) continue;
      turns = true;
      end_at(at[k][i]);
    }
    end_at(inside.end[k]);
  }
  return turns;
}

index_t turn_list::size(const box& b) const {
  index_t n = 1;
  for (int k = 0; k < rank; ++k) n *= b.end[k] - b.first[k];
  return n;
}

int boxes_around(const box& inner, const box& outer, int rank, box* to) {
  int n = 0;
  box left = outer;  // what is not in a band of an axis before
  for (int k = 0; k < rank; ++k) {
    const auto band = [&](index_t first, index_t end) {
      if (first == end) return;
      to[n] = left;
      to[n].first[k] = first;
      to[n++].end[k] = end;
    };
    band(outer.first[k], inner.first[k]);
    band(inner.end[k], outer.end[k]);
    left.first[k] = inner.first[k];
    left.end[k] = inner.end[k];
  }
  return n;
}

}  // namespace lazyfuse::run_detail

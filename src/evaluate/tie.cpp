// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several assignments decide of the arrays they write.
#include <lazyfuse/evaluate/tie.hpp>

#include <algorithm>

namespace lazyfuse::tie_detail {

void check_apart(const destination_record* d, int count) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < i; ++k)
      if (d[i].array == d[k].array && !d[i].is_empty() && !d[k].is_empty() &&
          (d[i].whole || d[k].whole || d[i].elements.overlaps(d[k].elements)))
        throw_value("assign: tie names an element twice, and each can be assigned to once");
}

void agree(destination_record* d, int count) {
  for (int i = 0; i < count; ++i) d[i].in_place = d[i].in_place || (!d[i].whole && d[i].is_empty());
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k)
      if (d[k].array == d[i].array && !d[k].in_place) d[i].in_place = false;
}

destination_record& first_of(destination_record* d, int i) {
  int first = 0;
  while (d[first].array != d[i].array) ++first;
  return d[first];
}

bool is_first(const void* const* at, int i) { return std::find(at, at + i, at[i]) == at + i; }

const allocation* any_owner(const destination_record* d, int count) {
  for (int i = 0; i < count; ++i)
    if (d[i].elements.owner) return d[i].elements.owner;
  return nullptr;
}

}  // namespace lazyfuse::tie_detail

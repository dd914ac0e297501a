// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes that operands are, each or together.
#include <lazyfuse/plan/traffic.hpp>

#include <algorithm>

namespace lazyfuse::planning {

namespace {

int size_of(const operand_info& o) { return o.element_size + o.mapped_size; }
/// A table has no steps: each position reads one of its elements.
bool is_table(const operand_info& o) { return o.mapped_size != 0 && !o.steps; }
index_t bytes_of(const index_t* extents, int rank, const operand_info& o) {
  index_t n = size_of(o);
  for (int k = 0; k < rank; ++k)
    if (is_table(o) || o.steps[k] != 0) n *= extents[k];
  return n;
}
bool same_elements(int rank, const operand_info& a, const operand_info& b) {
  return a.data == b.data && a.element_size == b.element_size && a.steps && b.steps &&
         std::equal(a.steps, a.steps + rank, b.steps);
}

}  // namespace

bool has_memory(const operand_info& o) { return size_of(o) != 0 && (o.steps || is_table(o)); }

byte_span span_of(const index_t* extents, int rank, const operand_info& o) {
  const char* const data = static_cast<const char*>(o.data);
  if (o.mapped_size != 0) return {data, data + o.reach * o.mapped_size};
  byte_span s{data, data + o.element_size};
  for (int k = 0; k < rank; ++k) {
    const index_t reach = (extents[k] - 1) * o.steps[k] * o.element_size;
    (reach < 0 ? s.begin : s.end) += reach;
  }
  return s;
}

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

}  // namespace lazyfuse::planning

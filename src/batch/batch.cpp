// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches of the host, and what those of both spaces have in common.
#include "batch/held.hpp"

#include <lazyfuse/core/error.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

namespace lazyfuse::batch_detail {

void standing_for::hold(allocation* a) {
  if (!a) return;
  const lazy_detail::handle_range one{&a, 1, false};
  held.push_back(nullptr);
  lazy_detail::join(&held.back(), &one, 1);
}

void standing_for::hold_all(const members& m) {
  const std::size_t of_pointers = static_cast<std::size_t>(m.count) * sizeof(void*),
                    of_layout = static_cast<std::size_t>(m.rank) * sizeof(index_t);
  table.resize(of_pointers + (m.unlike ? static_cast<std::size_t>(m.count) * 2 * of_layout : 0));
  held.reserve(static_cast<std::size_t>(m.count));
  arrays = m.count;
  bytes = 0;
  std::byte *pointer = table.data(), *layout = pointer + of_pointers;
  for (index_t i = 0; i < m.count; ++i) {
    const member one = m.at(m.all, i);
    std::size_t own = m.element_size;
    for (int k = 0; k < m.rank; ++k) own *= static_cast<std::size_t>(one.extents[k]);
    bytes += own;
    std::memcpy(pointer, &one.first, sizeof one.first);
    pointer += sizeof one.first;
    if (m.unlike)
      for (const index_t* const numbers : {one.extents, one.steps}) {
        std::memcpy(layout, numbers, of_layout);
        layout += of_layout;
      }
    hold(one.owner);
    of_others = of_others || (own > 0 && (!one.owner || one.owner->foreign || one.owner->of_others));
  }
}

void check_alike(const members& m, index_t* extents, index_t* steps) {
  for (int k = 0; k < m.rank; ++k) extents[k] = steps[k] = 0;
  if (m.count == 0) return;
  const member first = m.at(m.all, 0);
  bool empty = false;
  for (int k = 0; k < m.rank; ++k) {
    extents[k] = first.extents[k];
    steps[k] = first.steps[k];
    empty = empty || extents[k] == 0;
  }
  for (index_t i = 1; i < m.count; ++i) {
    const member one = m.at(m.all, i);
    for (int k = 0; k < m.rank; ++k) {
      if (one.extents[k] != extents[k])
        throw_shapes("batch", extents, m.rank, one.extents, m.rank,
                     "differ; batch(arrays, fill) has fill where one has no element");
      if (one.steps[k] != steps[k] && extents[k] != 1 && !empty)
        throw_shape("batch", extents, m.rank,
                    "is that of views which lie in memory by unlike steps; materialize(x) of each has one layout");
    }
  }
}

index_t common_extents(const members& m, index_t* extents, index_t& elements) {
  for (int k = 0; k < m.rank; ++k) extents[k] = 0;
  elements = 0;
  index_t step = 1;
  bool found = false;
  for (index_t i = 0; i < m.count; ++i) {
    const member one = m.at(m.all, i);
    index_t own = 1;
    for (int k = 0; k < m.rank; ++k) {
      extents[k] = std::max(extents[k], one.extents[k]);
      own *= one.extents[k];
    }
    elements += own;
    if (own == 0 || one.extents[m.rank - 1] == 1) continue;
    const index_t here = one.steps[m.rank - 1];
    if (found && here != step)
      throw_shape("batch", one.extents, m.rank,
                  "is that of a view whose last axis lies in memory by other steps than that of the arrays before; "
                  "materialize(x) of each has one layout");
    step = here;
    found = true;
  }
  return step;
}

namespace {
void release_host(allocation* a) noexcept { delete static_cast<standing_for*>(a); }
}  // namespace

allocation* table_of(host, const members& m) {
  auto table = std::make_unique<standing_for>();
  table->hold_all(m);
  table->data = table->table.data();
  table->release = release_host;
  return table.release();
}

std::vector<allocation*> parts_of(host, allocation* whole, index_t count, std::size_t apart, std::size_t bytes) {
  std::vector<std::unique_ptr<standing_for>> all(static_cast<std::size_t>(count));
  std::vector<allocation*> parts;
  parts.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = std::make_unique<standing_for>();
    all[i]->hold(whole);
    all[i]->data = static_cast<char*>(whole->data) + i * apart;
    all[i]->bytes = bytes;
    all[i]->source = whole->source;
    all[i]->release = release_host;
  }
  for (auto& part : all) parts.push_back(part.release());
  return parts;
}

}  // namespace lazyfuse::batch_detail

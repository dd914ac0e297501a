// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a table that are copied whole: a gather along one axis with nothing around it, whose other axes end in a
// contiguous one. Loops over elements would ask for the index of a row at each of them.
#pragma once

#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/core/algorithm.hpp>
#include <lazyfuse/program/schedule.hpp>
#include <lazyfuse/program/table.hpp>

#include <cstring>

namespace lazyfuse::host_detail {

using namespace ir;

/// Whether a schedule is such a gather, and its results are stored as they are: nothing else takes tables.
template <class Schedule, class Sources, class... T>
inline constexpr bool copies_rows = false;
template <class Op, class T, class I>
inline constexpr bool copies_rows<schedule<list<apply<Op, arg<0>, arg<1>, arg<2>>>>,
                                  list<constant<table<memory<T>, 1, beyond::error>>, position, memory<I>>, T> = true;

/// Returns false, and has done nothing, where elements are apart, or so few that loops are no slower; and in checked
/// builds, whose loops look at each.
template <class Operands, int R, class T>
bool copy_rows(const shape<R>& extents, const Operands& operands, const target<T, R>& to) {
  const auto& from = get<0>(operands).source.value;
  const auto& place = get<1>(operands);
  const auto& index = get<2>(operands);
  constexpr int inner = R - 1;
  const index_t columns = extents[inner];
  const bool whole = place.steps[inner] == 1 && index.steps[inner] == 0 && to.steps[inner] == 1;
  if (checked_build || !whole || columns * index_t{sizeof(T)} < 16) return false;
  // Of long rows a part at a time.
  const index_t width = algorithm::min(columns, block_elements), parts = (columns + width - 1) / width;
  const index_t all = extents.size() / columns * parts, per_task = block_elements / width;
  for_tasks((all + per_task - 1) / per_task, 2.0 * static_cast<double>(extents.size()), [&](index_t task) {
    index_t at[R] = {}, left = task * per_task / parts, part = task * per_task % parts;
    for (int k = inner - 1; k >= 0; --k) {
      at[k] = left % extents[k];
      left /= extents[k];
    }
    for (index_t i = task * per_task, end = algorithm::min(i + per_task, all); i < end; ++i) {
      index_t offset = 0, which = 0, result = part * width;
      for (int k = 0; k < inner; ++k) {
        offset += at[k] * place.steps[k];
        which += at[k] * index.steps[k];
        result += at[k] * to.steps[k];
      }
      const index_t first = from.offset_of(place.source.at(offset), index.source.at(which)) + part * width;
      const index_t n = algorithm::min(width, columns - part * width);
      std::memcpy(address(to.data) + result, address(from.source.data) + first,
                  static_cast<std::size_t>(n) * sizeof(T));
      if (++part < parts) continue;
      part = 0;
      for (int k = inner - 1; k >= 0 && ++at[k] == extents[k]; --k) at[k] = 0;
    }
  });
  return true;
}

}  // namespace lazyfuse::host_detail

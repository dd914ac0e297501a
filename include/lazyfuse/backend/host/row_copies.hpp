// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a table that are copied whole: a gather along one axis with nothing around it, whose other axes end in a
// contiguous one. Loops over elements would ask for the index of a row at each of them.
#pragma once

#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/host/tuning.hpp>
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

/// Returns false, and has done nothing, where elements are apart, or so few that loops are no slower.
template <class Operands, int R, class T>
bool copy_rows(const shape<R>& extents, const Operands& operands, const target<T, R>& to) {
  const auto& from = get<0>(operands).source.value;
  const auto& [place, places] = get<1>(operands);
  const auto& [index, indices] = get<2>(operands);
  constexpr int inner = R - 1;
  const index_t columns = extents[inner], bytes = columns * index_t{sizeof(T)};
  if (places[inner] != 1 || indices[inner] != 0 || to.steps[inner] != 1 || bytes < 16) return false;
  const index_t rows = extents.size() / columns, per_task = algorithm::max(block_elements / columns, index_t{1});
  for_tasks((rows + per_task - 1) / per_task, 2.0 * static_cast<double>(rows * columns), [&](index_t task) {
    index_t at[R] = {}, left = task * per_task;
    for (int k = inner - 1; k >= 0; --k) {
      at[k] = left % extents[k];
      left /= extents[k];
    }
    for (index_t row = task * per_task, end = algorithm::min(row + per_task, rows); row < end; ++row) {
      index_t offset = 0, which = 0, result = 0;
      for (int k = 0; k < inner; ++k) {
        offset += at[k] * places[k];
        which += at[k] * indices[k];
        result += at[k] * to.steps[k];
      }
      const index_t first = from.offset_of(place.at(offset), index.at(which));
      std::memcpy(address(to.data) + result, address(from.source.data) + first, static_cast<std::size_t>(bytes));
      for (int k = inner - 1; k >= 0 && ++at[k] == extents[k]; --k) at[k] = 0;
    }
  });
  return true;
}

}  // namespace lazyfuse::host_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rows on the host: along the inner axis, or beside it.
#pragma once

#include <lazyfuse/backend/host/column_stages.hpp>
#include <lazyfuse/backend/host/row_stages.hpp>

namespace lazyfuse::host_detail {

/// Evaluates the stages and stores the results. The axes are [Outer kept axes | axes of the row | inner axis], see
/// stage_run.
template <class Staged, class Sources, int Outer, bool Columns, class Operands, int R, class... T>
void rows(const shape<R>& extents, const Operands& operands, const target_pack<R, T...>& targets, bool one_result) {
  index_t outer = 1, height = 1;
  for (int k = 0; k < R - 1; ++k) (k < Outer ? outer : height) *= extents[k];
  using run_type = std::conditional_t<Columns, column_stages<Staged, Sources, Operands, R, T...>,
                                      row_stages<Staged, Sources, Operands, R, T...>>;
  run_type{{extents.extent, operands, targets, one_result, outer, height, extents[R - 1]}}.run();
}

}  // namespace lazyfuse::host_detail

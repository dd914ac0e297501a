// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce on the host. The reduced range is cut into blocks whose size does not depend on the number of threads; a block
// is added up in vector lanes, in short runs that keep what rounding lost, and lanes and blocks are merged pairwise:
// the same bits on every run. Three walks: along the reduced axis (rows, and short ones), or along the kept one
// (columns).
#pragma once

#include <lazyfuse/backend/host/matrix_products.hpp>
#include <lazyfuse/backend/host/pair_tiles.hpp>
#include <lazyfuse/backend/host/reduce_columns.hpp>
#include <lazyfuse/backend/host/reduce_places.hpp>
#include <lazyfuse/backend/host/reduce_rows.hpp>
#include <lazyfuse/backend/host/reduce_short_rows.hpp>

namespace lazyfuse::host_detail {

/// Combines the prologue's values over the axes [K, R) and stores the epilogue's at each kept position.
/// Whether the inner loop runs along the kept axis, or tile by tile, or a library computes it as a product of matrices,
/// is the plan's decision.
template <class Set, class Epilogue, class Sources, int K, class Operands, int R, class... T>
void reduce(const shape<R>& extents, const Operands& operands, const target_pack<K, T...>& targets, bool along_kept,
            [[maybe_unused]] bool in_tiles, [[maybe_unused]] const planning::matrix_product& product) {
  using run_type = reduce_run<Set, Epilogue, Sources, Operands, K, R, T...>;
  using tiles_type = tiles_of<Set, Sources, Operands, K, R>;
  using short_type = reduced_short_rows<run_type>;
  const run_type run{extents.extent, operands, targets};
  if constexpr (multiplies_matrices<Set, Sources, K>)
    if (product) {
      if constexpr (K == 1) return multiply_by_vector<Epilogue>(product, run);
      else return matrix_products<Epilogue, run_type>{product, run}.run();
    }
  if constexpr (tiles_type::type::possible)
    if (in_tiles) return tiles_type::reduce(run);
  if constexpr (reduced_places<run_type>::possible)
    if (!along_kept)
      if (const reduced_places<run_type> rows{run}; rows.pays()) return rows.run();
  constexpr bool makes = makes_values<Set, typename run_type::walk_type>;
  if (makes && !along_kept && run.makes_rows_of(extents[R > 0 ? R - 1 : 0])) return reduced_rows<run_type>{run}.run();
  if constexpr (short_type::may_be_short)
    if (!along_kept)
      if (const short_type few{run}; few.pays()) return few.run();
  if constexpr (K > 0)
    if (const reduced_columns<run_type> columns{run}; along_kept || columns.across_rows()) return columns.run();
  if constexpr (short_type::may_gather)
    if (const short_type few{run}; few.gathers()) return few.run_gathered(false);
  reduced_rows<run_type>{run}.run();
}

}  // namespace lazyfuse::host_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of operands that lie in different orders: which axes their tiles have, how large these are, and their launch.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/tuning.hpp"
#include "backend/cuda/launch/memory.hpp"
#include "backend/cuda/runtime/devices.hpp"

#include <lazyfuse/backend/cuda/kernels/turned_layout.hpp>

#include <algorithm>
#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

bool is_transform(const exact_plan& p) { return p.type().pattern == std::string_view("transform"); }
bool is_contiguous(const operand_info& o, int axis) { return o.steps && std::abs(o.steps[axis]) == 1; }
bool is_turned(const operand_info& o, const turned_axes& axes) {
  return o.element_size > 0 && is_contiguous(o, axes.rows) && std::abs(o.steps[axes.columns]) > 1;
}
double bytes_of(const exact_plan& p, const operand_info& o) {
  double bytes = o.steps ? o.element_size : 0;
  for (int k = 0; k < p.rank && bytes > 0; ++k)
    if (o.steps[k] != 0) bytes *= static_cast<double>(p.extents[k]);
  return bytes;
}
/// The axis, but for `other`, along which most bytes are contiguous of those that `counts`; -1 if there is none.
template <class Counts>
int axis_of_most(const exact_plan& p, int other, const Counts& counts, double& most) {
  int axis = -1;
  most = 0;
  for (int k = p.rank - 1; k >= 0; --k) {
    double here = 0;
    for (int i = is_transform(p) ? 0 : p.targets; i < p.targets + p.count; ++i)
      if (k != other && is_contiguous(p.info[i], k) && counts(i)) here += bytes_of(p, p.info[i]);
    if (here > most) most = here, axis = k;
  }
  return axis;
}

/// Threads of a block along the columns and the rows, and tiles.
struct tile_size {
  int lanes, lines;
  index_t row_tiles, column_tiles;
  /// Elements that threads have, of which some do not exist, and more for short lines, by which whole sectors of memory
  /// are read; part of these the cache has for the next tile.
  double time(int depth) const {
    constexpr double beside = 4;
    const double width = lanes, height = lines * depth,
                 tiles = static_cast<double>(row_tiles) * static_cast<double>(column_tiles);
    return tiles * std::max(width * height, double{block_threads} * depth) * (1 + beside / width) *
           (1 + beside / height);
  }
};
/// The one that takes the least time.
tile_size fit(index_t rows, index_t columns, int depth) {
  tile_size best{};
  double least = 0;
  for (index_t wanted = std::min(columns, turned_tuning::most_lanes);
       wanted >= std::min(columns, turned_tuning::least_side); --wanted) {
    const index_t column_tiles = ceil_div(columns, wanted), lanes = ceil_div(columns, column_tiles);
    if (lanes < wanted) continue;  // it comes later
    index_t lines = block_threads / lanes;
    // Both directions share the threads of a block.
    const auto turns_all = [&] {
      return lines * depth <= block_threads && block_threads / (lines * depth) * turned_steps(depth) >= lanes;
    };
    while (lines > 1 && !turns_all()) --lines;
    const index_t row_tiles = ceil_div(rows, lines * depth);
    const tile_size size{static_cast<int>(lanes), static_cast<int>(ceil_div(ceil_div(rows, row_tiles), depth)),
                         row_tiles, column_tiles};
    if (const double time = size.time(depth); least == 0 || time < least) {
      best = size;
      least = time;
    }
  }
  return best;
}
turned_threads threads_of(const tile_size& t, int depth) {
  const int tall = t.lines * depth;
  return {.lanes = t.lanes,
          .lines = t.lines,
          .lines_across = block_threads / tall,
          .by_lanes = divisor::of(t.lanes),
          .by_tall = divisor::of(tall)};
}

}  // namespace

std::optional<turned_axes> turned_axes_of(const exact_plan& p) {
  if (p.rank < 2 || computes_elements(p)) return {};
  double positions = 1, along = 0, turned = 0;
  for (int k = 0; k < p.rank; ++k) positions *= static_cast<double>(p.extents[k]);
  if (positions < turned_tuning::least_positions) return {};
  const int columns = axis_of_most(
      p, -1, [](int) { return true; }, along);
  if (columns < 0) return {};
  const auto may_be_turned = [&](int i) { return i >= p.targets && std::abs(p.info[i].steps[columns]) > 1; };
  const int rows = axis_of_most(p, columns, may_be_turned, turned);
  if (rows < 0 || p.extents[rows] < turned_tuning::least_side || p.extents[columns] < turned_tuning::least_side)
    return {};
  const turned_axes axes{rows, columns};
  int asked = 0, asked_across = 0;  // bytes at a position: small operands are asked for as often as large ones
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (o.steps) asked += o.element_size;
    if (is_turned(o, axes)) asked_across += o.element_size;
  }
  for (int i = 0; i < p.targets && is_transform(p); ++i)
    if (!is_contiguous(p.info[i], columns)) return {};  // results are not turned
  if (asked_across < turned_tuning::least_share * asked) return {};
  return axes;
}

bool wants_fitted(const exact_plan& p, const turned_axes& axes) {
  // Tiles of one size are squares, whose sides are read in vectors where these are whole.
  constexpr int side = tile_lanes * transform_tuning::most_square;
  const index_t rows = p.extents[axes.rows], columns = p.extents[axes.columns];
  const tile_size usual{side, side, ceil_div(rows, side), ceil_div(columns, side)};
  return fit(rows, columns, transform_tuning::most_turned_rows).time(transform_tuning::most_turned_rows) *
             transform_tuning::least_fitted_gain <
         usual.time(1);
}

namespace {

/// The plan over the axes [batch... | of the tile, what is kept first | outer...]. Returns how many are of the batch.
int reorder(exact_plan& p, const turned_axes& axes) {
  int from[max_rank], rank = 0;
  const auto is_of_tile = [&](int k) { return k == axes.rows || k == axes.columns; };
  const int kept = is_transform(p) ? p.rank : p.kept;
  for (int k = 0; k < kept; ++k)
    if (!is_of_tile(k)) from[rank++] = k;
  const int batch = rank;
  const bool columns_first = axes.columns < kept && axes.rows >= kept;
  from[rank++] = columns_first ? axes.columns : axes.rows;
  from[rank++] = columns_first ? axes.rows : axes.columns;
  for (int k = kept; k < p.rank; ++k)
    if (!is_of_tile(k)) from[rank++] = k;
  p.order_axes(from, rank);
  return batch;
}

/// Whether offsets fit 31 bits, of tiles, too, of which a part is beyond the last row and column.
bool is_small(const exact_plan& p, const turned_axes& axes) {
  constexpr index_t beyond = 4096;
  for (int i = is_transform(p) ? 0 : p.targets; i < p.targets + p.count; ++i) {
    const operand_info& o = p.info[i];
    index_t reach = 0;
    for (int k = 0; k < p.rank && o.steps; ++k)
      reach += (p.extents[k] + (k == axes.rows || k == axes.columns ? beyond : 0)) * std::abs(o.steps[k]);
    if (reach >= index_t{1} << 31) return false;
  }
  return true;
}
std::string facts_of(const exact_plan& p, const turned_axes& axes) {
  std::string facts;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    unsigned bits = 0;
    if (o.steps && o.steps[axes.rows] != 0) bits |= by_rows;
    if (o.steps && o.steps[axes.columns] != 0) bits |= by_columns;
    if (is_turned(o, axes)) bits |= dense_across;
    if (o.steps && o.steps[axes.columns] == 1) bits |= dense_along;
    facts += (i > 0 ? ", " : "") + std::to_string(bits);
  }
  return facts;
}

}  // namespace

bool start_turned(exact_plan& p, exact_program& program, const turned_axes& wanted) {
  const bool transforms = is_transform(p), keeps_rows = transforms || wanted.rows < p.kept,
             keeps_columns = transforms || wanted.columns < p.kept;
  const int batch = reorder(p, wanted);
  const turned_axes axes = keeps_columns && !keeps_rows ? turned_axes{batch + 1, batch} : turned_axes{batch, batch + 1};
  static constexpr const char* names[] = {"none", "rows", "columns", "both"};
  const char* const kept = names[(keeps_rows ? 1 : 0) + (keeps_columns ? 2 : 0)];
  const bool small = is_small(p, axes);
  const std::string facts = facts_of(p, axes);
  made_kernel* const made =
      variant_of(program, p, "turned by tiles", std::string(kept) + (small ? ", small, " : ", ") + facts, [&] {
        return transforms ? transform_turned_source(p, *program.graph, batch, small, facts)
                          : reduce_turned_source(p, *program.graph, batch, kept, small, facts);
      });
  if (!made) return false;
  const int depth = made->choices[0];
  const index_t partial_bytes = made->choices[1], rows = p.extents[axes.rows], columns = p.extents[axes.columns];
  const tile_size size = fit(rows, columns, depth);
  index_t batches = 1, outer = 1;
  for (int k = 0; k < batch; ++k) batches *= p.extents[k];
  for (int k = batch + 2; k < p.rank; ++k) outer *= p.extents[k];
  const index_t kept_rows = keeps_rows ? size.row_tiles : 1, kept_columns = keeps_columns ? size.column_tiles : 1,
                step_rows = keeps_rows ? 1 : size.row_tiles, step_columns = keeps_columns ? 1 : size.column_tiles,
                tiles = batches * kept_rows * kept_columns, steps = outer * step_rows * step_columns;
  if (tiles > turned_tuning::most_tiles || steps > turned_tuning::most_tiles) return false;

  index_t shared = 0;
  for (int i = 0; i < p.count; ++i)
    if (is_turned(p.operand(i), axes))
      shared += (transforms ? 1 : 2) * turned_bytes(p.operand(i).element_size, size.lanes, size.lines, depth);
  const index_t each = keeps_rows ? depth : 1;
  if (!keeps_rows || !keeps_columns) shared = std::max(shared, each * block_threads * partial_bytes);
  if (shared > device().shared_bytes - tile_tuning::other_shared_bytes) return false;
  if (shared > unasked_shared_bytes) allow_shared(made->kernel, static_cast<std::size_t>(shared));

  const index_t slots = keeps_rows ? keeps_columns ? block_threads : size.lines : keeps_columns ? size.lanes : 1;
  const shared_steps of_blocks =
      share_steps(*made, shared, tiles, steps, std::min(steps / turned_tuning::least_steps, turned_tuning::most_splits),
                  std::max<index_t>(each * slots * partial_bytes, 1));
  parameters to;
  put_bound(to, p, 0, p.rank, transforms ? p.rank : p.kept);
  with_rank<0, max_rank - 2>(batch, [&]<int B>() {
    with_rank<0, max_rank - 2 - B>(p.rank - 2 - B, [&]<int O>() {
      to.put(turned_numbers<B, O>{.batch = walk_of<B>(p.extents),
                                  .outer = walk_of<O>(p.extents + B + 2),
                                  .rows = rows,
                                  .columns = columns,
                                  .threads = threads_of(size, depth),
                                  .row_tiles = static_cast<unsigned>(kept_rows),
                                  .column_tiles = static_cast<unsigned>(kept_columns),
                                  .splits = of_blocks.splits,
                                  .steps = static_cast<unsigned>(steps),
                                  .steps_per_split = of_blocks.per_split,
                                  .by_rows = divisor::of(step_rows),
                                  .by_columns = divisor::of(step_columns),
                                  .tickets = of_blocks.room.tickets,
                                  .partial = of_blocks.room.partial});
    });
  });
  if (!to.fits()) return false;
  start(*made, static_cast<unsigned>(tiles * of_blocks.splits), static_cast<std::size_t>(shared), to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

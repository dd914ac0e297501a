// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions whose operands are broadcast along other axes, by tiles: which axes are a tile's rows, columns and depth.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/tuning.hpp"
#include "backend/cuda/launch/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

using tuned = tile_tuning;

bool varies(const operand_info& o, int axis) { return o.steps && o.steps[axis] != 0; }
/// Whether nothing in memory varies along both axes.
bool apart(const exact_plan& p, int a, int b) {
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (o.element_size > 0 && varies(o, a) && varies(o, b)) return false;
  }
  return true;
}
/// Whether something varies along one axis and not along the other, so that it is read again along that one.
bool shares(const exact_plan& p, int along, int not_along) {
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (o.element_size > 0 && varies(o, along) && !varies(o, not_along)) return true;
  }
  return false;
}

}  // namespace

bool may_be_tiles(const exact_plan& p) {
  const std::string_view pattern = p.type().pattern;
  return pattern == "reduce" || pattern == "nested";
}

std::optional<tile_axes> tile_axes_of(const exact_plan& p) {
  const bool nested = p.type().pattern == std::string_view("nested");
  if (p.rank - p.kept != (nested ? 2 : 1) || p.kept == 0 || p.kept > max_rank - 2) return {};
  double positions = 1, read = 0;
  for (int k = 0; k < p.rank; ++k) positions *= static_cast<double>(p.extents[k]);
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (o.element_size == 0 || !o.steps) continue;
    double own = 1;
    for (int k = 0; k < p.rank; ++k)
      if (o.steps[k] != 0) own *= static_cast<double>(p.extents[k]);
    read += own;
  }
  if ((positions < tuned::least_positions && !nested) || read * tuned::least_reuse > positions) return {};
  const int reduced = nested ? p.kept : p.rank - 1;
  const auto is_long = [&](int axis, index_t least) { return p.extents[axis] >= least; };
  for (int columns = p.kept - 1; columns > 0 && !nested; --columns)
    for (int rows = columns - 1; rows >= 0; --rows)
      if (is_long(rows, tuned::least_side) && is_long(columns, tuned::least_side) && apart(p, rows, columns) &&
          shares(p, rows, columns) && shares(p, columns, rows))
        return tile_axes{tiling::products, rows, columns, reduced};
  for (int rows = p.kept - 1; rows >= 0; --rows)
    if (is_long(rows, tuned::least_side) && (nested || is_long(reduced, tuned::least_side)) && shares(p, reduced, rows))
      return nested ? tile_axes{p.extents[p.rank - 1] <= tile_depth ? tiling::nested : tiling::nested_deeply, rows,
                                reduced, p.rank - 1}
                    : tile_axes{tiling::pairs, rows, reduced, -1};
  return {};
}

namespace {

/// The plan over the axes [batch... | rows | columns | depth]: those that it lacks have one position.
void reorder(exact_plan& p, const tile_axes& axes) {
  int from[max_rank], rank = 0;
  for (int k = 0; k < p.rank; ++k)
    if (k != axes.rows && k != axes.columns && k != axes.depth) from[rank++] = k;
  for (const int k : {axes.rows, axes.columns, axes.depth}) from[rank++] = k;
  index_t extents[max_rank];
  for (int k = 0; k < rank; ++k) extents[k] = from[k] < 0 ? 1 : p.extents[from[k]];
  std::copy_n(extents, rank, p.extents);
  for (int i = 0; i < p.targets + p.count; ++i) {
    if (!p.info[i].steps) continue;
    index_t steps[max_rank];
    for (int k = 0; k < rank; ++k) steps[k] = from[k] < 0 ? 0 : p.steps[i][from[k]];
    std::copy_n(steps, rank, p.steps[i]);
  }
  p.rank = rank;
}

/// What a kernel knows of its operands: tile_bits of each.
std::string facts_of(const exact_plan& p) {
  const int row = p.rank - 3, column = p.rank - 2, depth = p.rank - 1;
  std::string facts;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    unsigned bits = 0;
    if (varies(o, row)) bits |= by_rows;
    if (varies(o, column)) bits |= by_columns;
    if (varies(o, depth)) bits |= by_depth;
    if (o.element_size > 0 && o.steps && o.steps[depth] == 1) bits |= depth_dense;
    facts += (i > 0 ? ", " : "") + std::to_string(bits);
  }
  return facts;
}

/// Blocks that share a tile: as many as leave the fewest processors without work at the end.
unsigned splits_of(index_t tiles, index_t steps, index_t resident) {
  const index_t most = std::clamp<index_t>(steps / tuned::least_steps, 1, tuned::most_splits);
  index_t best = 1;
  double least = 0;
  for (index_t n = 1; n <= most && tiles <= ticket_count; ++n) {
    const double turns = static_cast<double>((tiles * n + resident - 1) / resident) / static_cast<double>(n);
    const double time = turns * (1 + tuned::cost_of_split * static_cast<double>(n - 1));
    if (n == 1 || time < least) {
      best = n;
      least = time;
    }
  }
  return static_cast<unsigned>(best);
}

}  // namespace

bool start_tiles(exact_plan& p, exact_program& program, const tile_axes& axes) {
  static constexpr const char* names[] = {"pairs", "products", "nested", "nested_deeply"};
  const int kept = p.kept;
  reorder(p, axes);
  const int batch = p.rank - 3;
  p.kept = batch + (axes.how == tiling::products ? 2 : 1);
  const bool same = p.kept == kept;
  if (!same) return false;
  const char* const how = names[static_cast<int>(axes.how)];
  const std::string facts = facts_of(p);
  made_kernel* const made =
      variant_of(program, p, how, facts, [&] { return tile_source(p, *program.graph, how, facts); });
  if (!made) return false;
  const auto bytes = static_cast<std::size_t>(made->choices[3]);
  if (bytes > unasked_shared_bytes) allow_shared(made->kernel, bytes);
  const index_t rows = p.extents[batch], columns = p.extents[batch + 1], depth = p.extents[batch + 2];
  index_t batches = 1;
  for (int k = 0; k < batch; ++k) batches *= p.extents[k];
  const index_t row_tiles = ceil_div(rows, made->choices[0]), column_tiles = ceil_div(columns, made->choices[1]);
  const bool products = axes.how == tiling::products;
  const index_t tiles = batches * row_tiles * (products ? column_tiles : 1),
                steps = products ? ceil_div(depth, tile_depth) : column_tiles;
  const unsigned asked = splits_of(tiles, steps, made->resident.of(made->kernel));
  const auto per_split = static_cast<unsigned>(ceil_div(steps, asked));
  const auto splits = static_cast<unsigned>(ceil_div(steps, per_split));
  scratch room;
  if (splits > 1)
    room = scratch_for(static_cast<std::size_t>(made->choices[2]) * block_threads * static_cast<std::size_t>(tiles) *
                       splits);
  parameters to;
  put_bound(to, p, 0, p.rank, p.kept);
  with_rank<0, max_rank - 3>(batch, [&]<int B>() {
    to.put(tile_numbers<B>{.batch = walk_of<B>(p.extents),
                           .rows = rows,
                           .columns = columns,
                           .depth = depth,
                           .row_tiles = static_cast<unsigned>(row_tiles),
                           .column_tiles = products ? static_cast<unsigned>(column_tiles) : 1,
                           .splits = splits,
                           .steps = static_cast<unsigned>(steps),
                           .steps_per_split = per_split,
                           .tickets = room.tickets,
                           .partial = room.partial});
  });
  if (!to.fits()) return false;
  start(*made, static_cast<unsigned>(tiles * splits), bytes, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

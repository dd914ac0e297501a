// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions whose operands are broadcast along other axes, by tiles: which axes are a tile's rows, columns and depth.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/tuning.hpp"
#include "backend/cuda/launch/memory.hpp"
#include "backend/cuda/runtime/devices.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

using tuned = tile_tuning;
constexpr index_t most_tiles = index_t{1} << 30;  // kernels count blocks and steps in 32 bits

bool varies(const operand_info& o, int axis) { return o.steps && o.steps[axis] != 0; }
/// Whether nothing in memory varies along both axes.
bool apart(const exact_plan& p, int a, int b) {
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (o.element_size > 0 && varies(o, a) && varies(o, b)) return false;
  }
  return true;
}
/// Whether something in memory varies along one axis and not along the other: it is read again for each position of
/// that.
bool reads_again(const exact_plan& p, int along, int not_along) {
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

namespace {

/// Positions of a plan, elements in memory that it reads, each once, and bytes that it asks for at a position.
struct operand_reads {
  double positions = 1, elements = 0;
  int bytes = 0;
  explicit operand_reads(const exact_plan& p) {
    for (int k = 0; k < p.rank; ++k) positions *= static_cast<double>(p.extents[k]);
    for (int i = 0; i < p.count; ++i) {
      const operand_info& o = p.operand(i);
      if (o.element_size == 0 || !o.steps) continue;
      double own = 1;
      for (int k = 0; k < p.rank; ++k)
        if (o.steps[k] != 0) own *= static_cast<double>(p.extents[k]);
      elements += own;
      bytes += o.element_size;
    }
  }
};
}  // namespace

bool computes_elements(const exact_plan& p) {
  const bool transforms = p.type().pattern == std::string_view("transform");
  for (int i = 0; i < p.count; ++i)
    for (int k = transforms ? 0 : p.kept; k < p.rank && p.type_of(i).kind == ir::source_kind::other; ++k)
      if (varies(p.operand(i), k)) return true;
  return false;
}

std::optional<tile_axes> tile_axes_of(const exact_plan& p) {
  const bool nested = p.type().pattern == std::string_view("nested");
  if (p.kept == 0 || p.kept > max_rank - 2 || computes_elements(p)) return {};
  const operand_reads all(p);
  const bool often = all.elements * tuned::least_reuse <= all.positions;
  if (p.rank - p.kept != (nested ? 2 : 1) || !often) return {};
  if (all.positions < tuned::least_positions && !nested) return {};
  const int reduced = nested ? p.kept : p.rank - 1;
  const auto is_long = [&](int axis, index_t least) { return p.extents[axis] >= least; };
  for (int columns = p.kept - 1; columns > 0 && !nested; --columns)
    for (int rows = columns - 1; rows >= 0; --rows)
      if (is_long(rows, tuned::least_side) && is_long(columns, tuned::least_side) && apart(p, rows, columns) &&
          reads_again(p, rows, columns) && reads_again(p, columns, rows))
        return tile_axes{tiling::products, rows, columns, reduced};
  for (int rows = p.kept - 1; rows >= 0; --rows)
    if (is_long(rows, tuned::least_side) && (nested || is_long(reduced, tuned::least_side)) &&
        reads_again(p, reduced, rows))
      return nested ? tile_axes{p.extents[p.rank - 1] <= tile_depth ? tiling::nested : tiling::nested_deeply, rows,
                                reduced, p.rank - 1}
                    : tile_axes{tiling::pairs, rows, reduced, -1};
  return {};
}

namespace {

/// The plan over the axes [batch... | rows | columns | depth]: those that it lacks have one position.
/// Returns how many are of the batch.
int reorder(exact_plan& p, const tile_axes& axes) {
  int from[max_rank], rank = 0;
  const auto is_of_tile = [&](int k) { return k == axes.rows || k == axes.columns || k == axes.depth; };
  for (int k = 0; k < p.kept; ++k)
    if (!is_of_tile(k)) from[rank++] = k;
  const int batch = rank;
  for (const int k : {axes.rows, axes.columns, axes.depth}) from[rank++] = k;
  p.order_axes(from, rank);
  return batch;
}

/// What a kernel knows of its operands: tile_bits of each.
std::string facts_of(const exact_plan& p, int batch) {
  const int row = batch, column = batch + 1, depth = batch + 2;
  std::string facts;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    unsigned bits = 0;
    if (varies(o, row)) bits |= by_rows;
    if (varies(o, column)) bits |= by_columns;
    if (varies(o, depth)) bits |= by_depth;
    if (o.element_size > 0 && o.steps && o.steps[depth] == 1) bits |= dense_across;
    facts += (i > 0 ? ", " : "") + std::to_string(bits);
  }
  return facts;
}

/// The kernel over the axes in their order, which the plan then has; null if there can be none.
made_kernel* tile_kernel(exact_plan& p, exact_program& program, const tile_axes& axes, int& batch) {
  static constexpr const char* names[] = {"pairs", "products", "nested", "nested_deeply"};
  static_assert(static_cast<int>(tiling::nested_deeply) + 1 == std::size(names));
  batch = reorder(p, axes);
  p.kept = batch + (axes.how == tiling::products ? 2 : 1);
  const char* const how = names[static_cast<int>(axes.how)];
  const std::string facts = facts_of(p, batch);
  made_kernel* const made =
      variant_of(program, p, how, facts, [&] { return tile_source(p, *program.graph, how, batch, facts); });
  return made && made->choices[3] <= device().shared_bytes - tuned::other_shared_bytes ? made : nullptr;
}

unsigned splits_of_tiles(index_t tiles, index_t steps, index_t most, index_t resident) {
  index_t best = 1;
  double least = 0;
  const auto weigh = [&](index_t n) {
    const index_t each = ceil_div(steps, n), splits = ceil_div(steps, each),
                  rounds = ceil_div(tiles * splits, resident);
    const double time = static_cast<double>(rounds * each) *
                        (1 + tuned::cost_of_split * static_cast<double>(std::min<index_t>(splits, 32) - 1));
    if (n != 1 && time >= least) return;
    best = splits;
    least = time;
  };
  for (index_t n = 1; n <= std::min<index_t>(most, 32); ++n) weigh(n);
  for (index_t turns = 1; turns <= 2; ++turns)
    if (const index_t n = turns * resident / tiles; n > 32) weigh(std::min(n, most));
  return static_cast<unsigned>(best);
}

}  // namespace

shared_steps share_steps(made_kernel& made, index_t shared_bytes, index_t tiles, index_t steps, index_t most,
                         index_t partial) {
  const index_t fitting = device().shared_bytes_of_processor / (shared_bytes + tuned::other_shared_bytes),
                resident = std::min(made.resident.of(made.kernel), device().processors * fitting),
                allowed = std::min(most, tuned::most_partial_bytes / (partial * tiles));
  const unsigned asked =
      tiles > ticket_count ? 1 : splits_of_tiles(tiles, steps, std::max<index_t>(allowed, 1), resident);
  const index_t per_split = ceil_div(steps, index_t{asked}), splits = ceil_div(steps, per_split);
  shared_steps s{static_cast<unsigned>(splits), static_cast<unsigned>(per_split), {}};
  if (splits > 1) s.room = scratch_for(static_cast<std::size_t>(partial * tiles * splits));
  return s;
}

bool can_be_tiles(exact_plan& p, exact_program& program, const tile_axes& axes) {
  int batch;
  return tile_kernel(p, program, axes, batch) != nullptr;
}

bool start_tiles(exact_plan& p, exact_program& program, const tile_axes& axes) {
  const bool products = axes.how == tiling::products;
  int batch;
  made_kernel* const made = tile_kernel(p, program, axes, batch);
  if (!made) return false;
  const auto bytes = static_cast<std::size_t>(made->choices[3]);
  const index_t rows = p.extents[batch], columns = p.extents[batch + 1], depth = p.extents[batch + 2];
  index_t batches = 1;
  for (int k = 0; k < batch; ++k) batches *= p.extents[k];
  const index_t row_tiles = ceil_div(rows, made->choices[0]), column_tiles = ceil_div(columns, made->choices[1]);
  const index_t tiles = batches * row_tiles * (products ? column_tiles : 1),
                steps = products ? ceil_div(depth, tile_depth) : column_tiles;
  if (tiles > most_tiles || steps > most_tiles) return false;
  const shared_steps shared =
      share_steps(*made, made->choices[3], tiles, steps, std::min(steps / tuned::least_steps, tuned::most_splits),
                  index_t{made->choices[2]} * block_threads);
  parameters to;
  put_bound(to, p, 0, p.rank, p.kept);
  with_rank<0, max_rank - 3>(batch, [&]<int B>() {
    to.put(tile_numbers<B>{.batch = walk_of<B>(p.extents),
                           .rows = rows,
                           .columns = columns,
                           .depth = depth,
                           .row_tiles = static_cast<unsigned>(row_tiles),
                           .column_tiles = products ? static_cast<unsigned>(column_tiles) : 1,
                           .splits = shared.splits,
                           .steps = static_cast<unsigned>(steps),
                           .steps_per_split = shared.per_split,
                           .tickets = shared.room.tickets,
                           .partial = shared.room.partial});
  });
  if (!to.fits()) return false;
  if (bytes > unasked_shared_bytes) allow_shared(made->kernel, bytes);
  start(*made, static_cast<unsigned>(tiles * shared.splits), bytes, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

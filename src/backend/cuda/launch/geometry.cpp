// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch geometry: which path, which threads go where, which operands are read 16 bytes at a time.
#include <lazyfuse/backend/cuda/launch/geometry.hpp>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>

#include "backend/cuda/launch/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace lazyfuse::cuda_detail {

namespace {

/// Places of a block along an axis, at most.
constexpr index_t beyond_a_block = 4096;

/// Whether all operands in memory have the same steps and begin a few rows and columns from each other. They span
/// more rows than that, so that they overlap: all between the first and the last byte is memory of one array.
shared_window find_window(const index_t* extents, const operand_info* info, int count) {
  constexpr index_t most_pitch = 1 << 24;  // offsets within a window have 31 bits
  shared_window w{};
  if (extents[0] < transform_tuning::least_window_extent || extents[1] < transform_tuning::least_window_extent)
    return w;
  const operand_info* leader = nullptr;
  index_t row[window_operands] = {}, byte[window_operands] = {};  // from the leader
  index_t top = 0, bottom = 0, left = 0, right = 0, pitch = 0, size = 0;
  for (int i = 0; i < count; ++i) {
    const operand_info& o = info[i];
    if (!o.steps || o.element_size == 0) continue;
    if (!leader) {
      leader = &o;
      size = o.element_size;
      pitch = o.steps[0] * size;
      if (pitch % 16 != 0 || pitch < extents[1] * size || pitch > most_pitch) return w;
    }
    if (o.element_size != size || o.steps[0] * size != pitch || o.steps[1] != 1) return w;
    const index_t distance = static_cast<const char*>(o.data) - static_cast<const char*>(leader->data);
    row[i] = (distance + (distance < 0 ? -pitch : pitch) / 2) / pitch;
    byte[i] = distance - row[i] * pitch;
    if (std::abs(row[i]) > transform_tuning::window_reach_rows ||
        std::abs(byte[i]) > transform_tuning::window_reach_bytes || byte[i] % size != 0)
      return w;
    top = std::min(top, row[i]), bottom = std::max(bottom, row[i]);
    left = std::min(left, byte[i]), right = std::max(right, byte[i]);
    const auto* const first = static_cast<const unsigned char*>(o.data);
    const auto* const last = first + (extents[0] - 1) * pitch + extents[1] * size;
    w.begin = w.begin ? std::min(w.begin, first) : first;
    w.end = std::max(w.end, last);
  }
  if (!leader) return w;
  w.origin = static_cast<const unsigned char*>(leader->data) + top * pitch + left;
  const index_t lead = reinterpret_cast<std::uintptr_t>(w.origin) % 16;
  w.origin -= lead;
  w.pitch = static_cast<int>(pitch);
  w.vectors = static_cast<int>(ceil_div(window_columns * size + right - left + lead, 16));
  w.height = static_cast<int>(extents[0]);
  w.width = static_cast<int>(extents[1]);
  w.column_tiles = static_cast<unsigned>(ceil_div(extents[1], window_columns));
  w.by_tiles = divisor::of(w.column_tiles);
  for (int i = 0; i < count; ++i)
    w.offset[i] = static_cast<int>((row[i] - top) * w.vectors * 16 + byte[i] - left + lead);
  w.rows = window_rows + static_cast<int>(bottom - top);
  if (w.bytes() > unasked_shared_bytes) w.rows = 0;
  return w;
}

/// Of the elements that an operand or target has.
double bytes_of(const operand_info& o, const index_t* extents, int rank) {
  double bytes = o.steps ? o.element_size : 0;
  for (int k = 0; o.steps && k < rank; ++k)
    if (o.steps[k] != 0) bytes *= static_cast<double>(extents[k]);
  return bytes;
}
/// Whether some operand comes again along an axis that is too large to be in the cache still, were that axis the
/// outermost: it is to be among the inner ones.
bool reads_again_along(int axis, const index_t* extents, int rank, const operand_info* operands, int count) {
  for (int i = 0; i < count; ++i) {
    operand_info o = operands[i];
    if (!o.steps || o.steps[axis] != 0 || extents[axis] == 1) continue;
    if (o.element_size == 0) o.element_size = 1;  // positions, which tables may be read at
    if (bytes_of(o, extents, rank) > transform_tuning::kept_bytes) return true;
  }
  return false;
}
/// Whether all results are one array's, whose last elements are one of each: kernels then write vectors of it (see
/// can_be_in_turn).
bool lie_in_turn(const operand_info* info, int targets, const index_t* extents, int rank, int inner, int width) {
  const operand_info& first = info[0];
  const int size = first.element_size;
  if (targets < 2 || targets > most_in_turn || width < 2 || !std::has_single_bit(static_cast<unsigned>(size)) ||
      size > 8 || width * size > 16 || reinterpret_cast<std::uintptr_t>(first.data) % (width * size) != 0)
    return false;
  for (int i = 0; i < targets; ++i)
    if (info[i].element_size != size || info[i].steps[inner] != targets ||
        static_cast<const char*>(info[i].data) != static_cast<const char*>(first.data) + i * size)
      return false;
  for (int k = 0; k < rank; ++k)
    for (int i = 0; i < targets; ++i)
      if (k != inner && extents[k] != 1 && (info[i].steps[k] != first.steps[k] || info[i].steps[k] % width != 0))
        return false;
  return true;
}
/// How the threads of strided blocks lie: a power of two of them along the columns, or fewer where those leave many
/// without an element. Less than a warp, or no whole warps, can only read neighbours.
void lay_lanes(transform_geometry& g, index_t planes, index_t height, index_t columns, thread_share share) {
  constexpr double least_gain = 1.05;
  const index_t wanted = ceil_div(columns, share.width), down = ceil_div(height, share.depth);
  double least = 0;
  const auto try_lanes = [&](index_t lanes) {
    const index_t column_tiles = ceil_div(wanted, lanes),
                  row_tiles = ceil_div(down, std::min<index_t>(down, block_threads / lanes)),
                  lines = ceil_div(down, row_tiles), planes_here = block_threads / (lanes * lines),
                  blocks = ceil_div(planes, planes_here) * row_tiles * column_tiles;
    if (least > 0 && static_cast<double>(blocks) * least_gain > least) return;
    least = static_cast<double>(blocks);
    g.lanes = static_cast<int>(lanes);
    g.lines = static_cast<int>(lines);
    g.column_tiles = static_cast<unsigned>(column_tiles);
    g.row_tiles = static_cast<unsigned>(row_tiles);
    g.blocks = static_cast<unsigned>(blocks);
  };
  const index_t most = transform_tuning::most_lanes, usual = power_above(wanted, most);
  try_lanes(usual);
  for (index_t tiles = ceil_div(wanted, most); tiles <= ceil_div(wanted, usual) + 4; ++tiles) {
    const index_t lanes = ceil_div(wanted, tiles);
    if (lanes < std::min<index_t>(usual, transform_tuning::least_lanes)) break;
    if (g.consecutive || usual < 32) try_lanes(lanes);
    else try_lanes(ceil_div(lanes, 32) * 32);
  }
  if (g.lanes % 32 != 0) g.consecutive = true;
}

}  // namespace

divisor divisor::of(index_t d) {
  divisor r;
  if (d <= 0 || d > (index_t{1} << 31)) return r;
  const unsigned value = static_cast<unsigned>(d);
  const unsigned shift = value > 1 ? static_cast<unsigned>(std::bit_width(value - 1)) : 0;
  r.value = value;
  r.shift = shift;
  r.factor = static_cast<unsigned>(((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - value)) / value + 1);
  return r;
}

void fill_walk(index_t* extents, divisor* divisors, int& first, bool& small, const index_t* from, int rank) {
  index_t n = 1;
  first = rank > 0 ? rank - 1 : 0;
  for (int k = rank - 1; k >= 0; --k) {
    extents[k] = from[k];
    divisors[k] = divisor::of(from[k]);
    n *= from[k];
    if (from[k] != 1) first = k;
  }
  small = n < (index_t{1} << 31);
}

transform_geometry plan_transform(index_t* extents, int rank, operand_info* info, int targets, int count,
                                  thread_share flat, thread_share strided, thread_share turned, bool may_window) {
  transform_geometry g{};
  const int inner = rank > 0 ? rank - 1 : 0;
  const index_t columns = rank > 0 ? extents[inner] : 1;
  index_t rows = 1;
  for (int k = 0; k < inner; ++k) rows *= extents[k];
  vector_vote votes;
  const auto mark = [&](int width) {
    const bool in_turn = lie_in_turn(info, targets, extents, rank, inner, width);
    for (int i = 0; i < count; ++i) {
      const int bit = i < targets ? i : i - targets;
      const bool wide = bit < most_operands && width > 1 &&
                        ((in_turn && i < targets) || is_wide(info[i], extents, rank, inner, width));
      if (wide) (i < targets ? g.wide_out : g.wide_in) |= wide_bits{1} << bit;
      votes.cast(info[i], inner, wide, i < targets);
    }
    g.consecutive = votes.consecutive();
  };
  if (rows == 1) {
    g.path = transform_path::flat;
    mark(flat.width);
    g.dense = flat.width > 1 && votes.unanimous();
    for (int i = 0; i < count; ++i)
      g.dense = g.dense && (info[i].element_size == 0 || !info[i].steps || info[i].steps[inner] == 1) &&
                (i < targets ? i : i - targets) < most_operands;
    g.blocks = static_cast<unsigned>(ceil_div(columns, index_t{block_threads} * flat.width * flat.depth));
    return g;
  }

  // The row axis is the one in front of the columns, or the longest if that one is short.
  int row_axis = rank - 2;
  const auto is_read_again = [&](int axis) {
    return reads_again_along(axis, extents, rank, info + targets, count - targets);
  };
  if (extents[row_axis] < transform_tuning::least_tile && !is_read_again(row_axis))
    for (int k = 0; k < rank - 2; ++k)
      if (extents[k] > extents[row_axis]) row_axis = k;
  const auto swap_axes = [&](int a, int b) {
    if (a == b) return;
    std::swap(extents[a], extents[b]);
    for (int i = 0; i < count; ++i)
      if (info[i].steps) std::swap(info[i].steps[a], info[i].steps[b]);
  };

  // Operands that are contiguous across rows go through shared memory, a tile at a time.
  int across = rank - 2;
  double most = 0, most_short = 0;
  const auto all = [&] {
    double bytes = 0;
    for (int i = 0; i < count; ++i) bytes += bytes_of(info[i], extents, rank);
    return bytes;
  };
  for (int k = rank - 2; k >= 0; --k) {  // the axis along which most that is not contiguous in rows is
    double here = 0;
    for (int i = targets; i < count; ++i)
      if (info[i].steps && std::abs(info[i].steps[inner]) > 1 && std::abs(info[i].steps[k]) == 1)
        here += bytes_of(info[i], extents, rank);
    if (extents[k] >= transform_tuning::least_tile) {
      if (here > most) most = here, across = k;
    } else if (here > most_short && extents[k] > 1 && here >= transform_tuning::least_turned * all()) {
      most_short = here;
      row_axis = k;  // blocks that hold all of it find what they read together in the cache
    }
  }
  if (most > 0 && columns >= transform_tuning::least_tile) {
    swap_axes(across, rank - 2);
    across = rank - 2;
  }
  if (columns >= transform_tuning::least_tile && extents[across] >= transform_tuning::least_tile) {
    for (int i = targets; i < count && i - targets < most_operands; ++i) {
      const operand_info& o = info[i];
      if (o.element_size == 0 || !o.steps) continue;
      if (std::abs(o.steps[inner]) > 1 && std::abs(o.steps[across]) == 1 &&
          g.shared_bytes + o.element_size * turned.tile_elements() < device().shared_bytes) {
        g.via_shared |= wide_bits{1} << (i - targets);
        g.shared_bytes += o.element_size * turned.tile_elements();
      }
    }
  }
  if (g.via_shared) {
    g.path = transform_path::tiled;
    g.small = fits_31_bits(extents, rank, info, count, beyond_a_block);
    for (int i = 0; i < count; ++i) {
      const int bit = i < targets ? i : i - targets;
      const bool is_turned = i >= targets && bit < most_operands && has_bit(g.via_shared, bit);
      const int width = is_turned ? width_across(info[i].element_size, turned.depth) : turned.width;
      const bool wide =
          bit < most_operands && width > 1 && is_wide(info[i], extents, rank, is_turned ? across : inner, width);
      if (wide) (i < targets ? g.wide_out : g.wide_in) |= wide_bits{1} << bit;
      if (!is_turned) votes.cast(info[i], inner, wide);
    }
    g.consecutive = votes.consecutive();
    g.lanes = g.lines = tile_lanes;
    const index_t height = index_t{tile_lanes} * turned.depth, width = index_t{tile_lanes} * turned.width,
                  longer = std::max(height, width), shorter = std::min(height, width);
    const index_t planes = rows / extents[across], squares = ceil_div(columns, longer);
    g.mirrored = planes == 1 && squares == ceil_div(extents[across], longer);
    const index_t row_tiles = g.mirrored ? squares : ceil_div(extents[across], height),
                  column_tiles = g.mirrored ? squares : ceil_div(columns, width);
    g.row_tiles = static_cast<unsigned>(row_tiles);
    g.column_tiles = static_cast<unsigned>(column_tiles);
    g.blocks = static_cast<unsigned>(g.mirrored ? squares * (squares + 1) / 2 * 2 * (longer / shorter)
                                                : planes * row_tiles * column_tiles);
    return g;
  }

  swap_axes(row_axis, rank - 2);
  for (int k = rank - 3, last = k; k >= 0; --k)
    if (is_read_again(k)) swap_axes(k, last--);
  g.small = fits_31_bits(extents, rank, info, count, beyond_a_block);
  mark(strided.width);
  for (int i = 0; i < targets; ++i) may_window = may_window && info[i].steps[inner] == 1;
  if (may_window && rank == 2 && g.small && !g.consecutive) {
    g.window = find_window(extents, info + targets, count - targets);
    if (g.window.rows > 0) {
      g.path = transform_path::window;
      g.blocks = static_cast<unsigned>(ceil_div(extents[0], window_rows)) * g.window.column_tiles;
      return g;
    }
  }
  g.path = transform_path::strided;
  lay_lanes(g, rows / extents[rank - 2], extents[rank - 2], columns, strided);
  return g;
}

namespace {
/// How many blocks share a tile: as many as fill the device. Where that would leave much of it idle, a few times more,
/// each of which adds a little to what is merged.
index_t splits_of(index_t tiles, index_t resident, index_t most) {
  constexpr index_t enough = 4, most_times = 8;
  constexpr double cost_of_split = 0.03;
  const index_t filling = std::max<index_t>(resident / tiles, 1);
  index_t best = filling;
  double least = 1;
  for (index_t splits = filling + 1; filling < enough && splits <= std::min(most_times * filling, most); ++splits) {
    const double rounds = static_cast<double>(ceil_div(tiles * splits, resident)),
                 of_one = static_cast<double>(splits) / static_cast<double>(filling);
    if (const double time = rounds / of_one + cost_of_split * of_one; time < least) {
      best = splits;
      least = time;
    }
  }
  return std::max<index_t>(std::min(best, most), 1);
}

/// How many of some threads lie along a row: a power of two, or as many as have elements, where that leaves a tenth
/// more of them for other rows.
int lanes_of(int threads, int lanes, index_t filled) {
  return threads / filled * 10 >= index_t{threads / lanes} * 11 ? static_cast<int>(filled) : lanes;
}

/// Whether rows that so many groups of threads share have a warp each, and not all of a group: where each warp has
/// several of them, or where threads have more to do of rows that end in the middle of what a warp takes at a time than
/// of those that end in the middle of what a group takes: of what is read, or of all that is computed.
bool suit_warps(const reduce_geometry& g, index_t rows, index_t columns, const thread_share& share, index_t groups) {
  const int warps = g.group / 32;
  if (warps <= 1 || rows == 0) return false;
  if (rows / groups >= index_t{4} * warps) return true;
  const auto busy = [](index_t all, index_t each) {  // the part of threads' time
    return static_cast<double>(all) / static_cast<double>(ceil_div(all, each) * each);
  };
  const double of_rows = busy(ceil_div(rows, groups), warps);
  const auto gain = [&](int each) {
    return busy(columns, index_t{32} * each) * of_rows / busy(columns, index_t{g.lanes} * each);
  };
  return std::max(gain(share.width), gain(share.width * share.depth)) > reduce_tuning::gain_of_warps;
}
}  // namespace

reduce_geometry plan_reduce(const index_t* extents, int kept, int rank, const operand_info* info, int count,
                            bool along_kept, thread_share share, index_t resident) {
  reduce_geometry g{};
  const auto [width, depth] = share;
  index_t outputs = 1, reduced = 1;
  for (int k = 0; k < kept; ++k) outputs *= extents[k];
  for (int k = kept; k < rank; ++k) reduced *= extents[k];
  const int inner = along_kept ? kept - 1 : rank - 1;
  // The last vectors of columns, and of rows of several axes, are whole.
  const bool whole = (!along_kept && reduced == extents[inner]) || extents[inner] % width == 0;
  vector_vote votes;
  for (int i = 0; i < count; ++i) {
    const bool wide = i < most_operands && width > 1 && whole && is_wide(info[i], extents, rank, inner, width);
    if (wide) g.wide |= wide_bits{1} << i;
    votes.cast(info[i], inner, wide);
  }
  g.consecutive = votes.unanimous();
  index_t most_splits = 1, tiles = 1;
  if (along_kept) {
    const index_t columns = extents[inner];
    int lines = power_below(reduced / depth, reduce_tuning::most_lines);
    while (lines > 1 && reduced < reduce_tuning::enough_turns * index_t{lines} * depth &&
           outputs / columns * ceil_div(columns, index_t{2} * block_threads / lines * width) >=
               reduce_tuning::rounds_of_few * resident)
      lines /= 2;
    g.lanes = power_above(ceil_div(columns, width), block_threads / lines);
    g.chunks = static_cast<unsigned>(ceil_div(columns, index_t{g.lanes} * width));
    if (columns >= width) g.lanes = lanes_of(block_threads, g.lanes, ceil_div(columns, index_t{g.chunks} * width));
    // Of neighbours the last threads can go back as far as all of theirs exist.
    if (g.lanes % 32 != 0 || (g.chunks == 1 && columns < index_t{g.lanes} * width)) g.consecutive = true;
    g.units = reduced;
    tiles = outputs / columns * g.chunks;
    most_splits = reduced / (index_t{block_threads / g.lanes} * depth * 2);
  } else {
    const index_t columns = extents[inner];
    g.group = power_below(reduced / (index_t{width} * depth), block_threads);
    // Rows end in what all threads do, however little each had before: where there are rows enough, few have much.
    while (depth < reduce_tuning::depth && g.group > 32 &&
           reduced < reduce_tuning::enough_turns * index_t{g.group} * width * depth &&
           ceil_div(outputs, 2 * block_threads / g.group) >= reduce_tuning::rounds_of_few * resident)
      g.group /= 2;
    g.lanes = power_above(ceil_div(columns, width), g.group);
    g.chunks = static_cast<unsigned>(ceil_div(columns, index_t{g.lanes} * width));
    const index_t rows = columns > 0 ? reduced / columns : 0,
                  groups = std::max<index_t>(resident * (block_threads / g.group) / std::max<index_t>(outputs, 1), 1);
    if (rows > 1 && g.chunks == 1) g.lanes = lanes_of(g.group, g.lanes, ceil_div(columns, index_t{width}));
    else if (suit_warps(g, rows, columns, share, groups)) {
      g.lanes = 32;
      g.chunks = static_cast<unsigned>(ceil_div(columns, index_t{g.lanes} * width));
    }
    if (g.lanes % 32 != 0) g.consecutive = true;
    g.units = rows * g.chunks;
    tiles = ceil_div(outputs, block_threads / g.group);
    most_splits = g.group < block_threads ? 1 : g.units / (index_t{g.group / g.lanes} * depth * 2);
  }
  g.dense = g.consecutive == votes.unanimous();
  for (int i = 0; i < count; ++i)
    g.dense = g.dense && (info[i].element_size == 0 || !info[i].steps || info[i].steps[inner] == 1);
  g.tiles = static_cast<unsigned>(tiles);
  const index_t splits = tiles >= resident || tiles > ticket_count ? 1 : splits_of(tiles, resident, most_splits);
  g.units_per_split = std::max<index_t>(ceil_div(g.units, splits), 1);
  if (!along_kept && g.chunks > 1 && g.lanes < g.group)
    g.units_per_split = ceil_div(g.units_per_split, index_t{g.chunks}) * g.chunks;
  g.splits = static_cast<unsigned>(std::max<index_t>(ceil_div(g.units, g.units_per_split), 1));
  return g;
}

}  // namespace lazyfuse::cuda_detail

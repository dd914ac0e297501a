// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads share a row, and what of it they keep on the chip.
#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/row_geometry.hpp>

#include "backend/cuda/launch/memory.hpp"

#include <algorithm>
#include <cstdint>

namespace lazyfuse::cuda_detail {

namespace {

index_t product(const index_t* extents, int from, int to) {
  index_t n = 1;
  for (int k = from; k < to; ++k) n *= extents[k];
  return n;
}
/// A group of threads that holds each row in registers.
void in_registers(row_geometry& g, index_t length, const row_program& program) {
  g.registers = true;
  g.one_vector = length <= index_t{32} * program.width;
  const int each = g.one_vector ? program.width : program.held;
  g.group = power_above(ceil_div(length, each), row_tuning::register_threads);
  g.threads = std::max(g.group, g.one_vector ? row_tuning::threads_of_vectors : row_tuning::threads_of_rows);
  g.grid = ceil_div(g.rows, g.threads / g.group);
  g.path = "registers";
}

/// Which operands are kept in shared memory, and where. A step is one vector for each thread of the block.
void keep(row_geometry& g, const index_t* extents, int rank, int outer, bool columns, const operand_info* info,
          int targets, int count, const row_program& program, index_t merge_bytes, index_t room, index_t most_steps) {
  index_t per_step = 0;
  g.via_shared = 0;
  for (int i = targets; i < count && i - targets < most_operands; ++i) {
    const operand_info& o = info[i];
    if (!has_bit(program.again, i - targets) || o.element_size == 0 || !o.steps) continue;
    bool along = false, elsewhere = g.tasks == 1;
    for (int k = 0; k < rank; ++k)
      if (extents[k] != 1 && o.steps[k] != 0) (k < outer || (columns && k == rank - 1) ? elsewhere : along) = true;
    if (!along || !elsewhere) continue;                            // the caches keep what all rows read
    if (g.straight && !has_bit(g.wide_in, i - targets)) continue;  // straight walks copy whole vectors
    g.via_shared |= wide_bits{1} << (i - targets);
    per_step += index_t{o.element_size} * program.width * row_tuning::team_threads;
  }
  room -= merge_bytes;
  g.cached_steps = static_cast<int>(per_step > 0 ? std::clamp(room / per_step, index_t{0}, most_steps) : 0);
  index_t at = merge_bytes;
  for (int i = targets; i < count && i - targets < most_operands; ++i)
    if (has_bit(g.via_shared, i - targets)) {
      g.room[i - targets] = static_cast<unsigned>(at);
      at += index_t{info[i].element_size} * program.width * row_tuning::team_threads * g.cached_steps;
    }
  g.shared_bytes = static_cast<unsigned>(at);
}

/// Blocks that share a task: as many as keep it on the chip, and as many as give every processor something to do.
void form_teams(row_geometry& g, const device_facts& gpu, index_t cached_by_a_block, index_t least_units) {
  const index_t resident = index_t{gpu.processors} * g.residents;
  g.how = exchange::none;
  g.blocks = 1;
  const int most_cluster = gpu.most_cluster;
  const index_t useful = std::max<index_t>(ceil_div(g.units, least_units), 1);
  const index_t to_fill = g.tasks * 2 >= resident ? 1 : std::max<index_t>(resident / g.tasks, 1);
  // A seventh that is not kept is read again from the cache.
  const index_t to_keep = cached_by_a_block > 0 ? ceil_div(g.units * 6 / 7, cached_by_a_block) : 1;
  const index_t wanted = std::min(std::max(to_fill, to_keep), useful);
  if (wanted <= 1) g.how = exchange::none;
  else if (wanted <= most_cluster || (most_cluster > 1 && g.tasks * most_cluster > resident)) {
    g.how = exchange::cluster;
    g.blocks = static_cast<unsigned>(
        wanted <= row_tuning::usual_cluster ? power_above(wanted, row_tuning::usual_cluster) : most_cluster);
  } else {
    g.blocks = static_cast<unsigned>(std::min(wanted, std::max<index_t>(resident / g.tasks, 1)));
    g.how = g.blocks > 1 ? exchange::memory : exchange::none;
  }
  const index_t most_teams = g.how == exchange::memory ? resident / g.blocks : (index_t{1} << 30) / g.blocks;
  g.teams = static_cast<unsigned>(std::min(g.tasks, most_teams));
  g.per_block = ceil_div(g.units, g.blocks);
  g.grid = index_t{g.teams} * g.blocks;
}

/// The part of memory's speed that a cluster's blocks reach with columns. On an H200, of 512 MiB: 348 us for x / sum(x)
/// along columns of 1500, where copying takes 253, 387 to 449 where more blocks than usual keep 2048 to 4096 of them,
/// and 448 to 877 for softmax, whose passes are two; along columns of 8192 to 32768 that stay in memory, 1.14 to 1.58
/// of what their bytes take.
double pace_of_columns(const row_geometry& g, const row_residence& at) {
  if (at.again_bytes <= device().cache_bytes) return 1;  // memory is not what they wait for
  if (at.row == residence::memory) return 0.75;
  return g.blocks > row_tuning::usual_cluster ? 0.6 : 0.7;
}

}  // namespace

row_geometry plan_rows(const index_t* extents, int rank, int outer, bool columns, const operand_info* info, int targets,
                       int count, const row_program& program) {
  row_geometry g{};
  const int inner = rank - 1;
  const index_t length = extents[inner], height = product(extents, outer, inner);
  g.rows = product(extents, 0, outer);
  vector_vote votes;
  g.whole = length % program.width == 0;
  for (int i = 0; i < count; ++i) {
    const int bit = i < targets ? i : i - targets;
    const bool wide = bit < most_operands && is_wide(info[i], extents, rank, inner, program.width);
    if (wide) (i < targets ? g.wide_out : g.wide_in) |= wide_bits{1} << bit;
    votes.cast(info[i], inner, wide);
    const bool moves = info[i].steps && info[i].steps[inner] != 0;
    if (moves && !wide && info[i].element_size != 0) g.whole = false;
  }
  g.consecutive = program.width == 1 || votes.consecutive();
  if (!columns && height == 1 && length <= row_tuning::register_threads * program.held) {
    in_registers(g, length, program);
    return g;
  }

  g.straight = g.whole && (!columns || rank - 2 < outer || height == extents[rank - 2]);
  g.columns = columns;
  g.one_by_one = columns && !g.straight;
  index_t merge_slots;
  index_t least_units;
  if (columns) {
    const int lines = power_above(height, row_tuning::team_threads / 32);
    g.lanes = power_above(ceil_div(length, program.width), row_tuning::team_threads / lines);
    const auto slots = [&] { return row_tuning::team_threads + 3 * index_t{g.lanes} * program.width; };
    while (g.lanes > 1 && slots() * program.accumulators > device().shared_bytes_of(row_tuning::team_residents))
      g.lanes /= 2;
    if (g.lanes < 32) g.consecutive = true;
    g.vectors = ceil_div(length, index_t{g.lanes} * program.width);
    g.tasks = g.rows * g.vectors;
    g.units = height;
    g.passed_bytes = static_cast<unsigned>(g.lanes * program.width * program.accumulators);
    merge_slots = slots();
    least_units = 4 * (row_tuning::team_threads / g.lanes);
  } else {
    const index_t group = g.consecutive ? 1 : 32;
    g.vectors = ceil_div(length, program.width * group) * group;
    g.tasks = g.rows;
    g.units = height * g.vectors;
    g.passed_bytes = static_cast<unsigned>(program.accumulators);
    merge_slots = 2 * (row_tuning::team_threads / 32 + 1) + row_tuning::team_threads / 32;
    least_units = row_tuning::team_threads;
  }
  g.fits = g.units < index_t{1} << 30;  // kernels count them in 32 bits
  if (!g.fits) return g;
  g.held_steps = g.straight ? program.held_steps : 0;
  const index_t merge_bytes =
      ceil_div(merge_slots * program.accumulators + (columns ? 0 : mailbox_bytes(program.accumulators)),
               row_tuning::room_alignment) *
      row_tuning::room_alignment;
  // How much a block could keep decides the team, and the team how much each block has to: with two blocks to a
  // processor if that holds all, or else with one.
  const int stride = row_tuning::team_threads / g.lanes;  // units of a step
  const device_facts& gpu = device();
  const index_t half = gpu.shared_bytes_of(row_tuning::team_residents), whole = gpu.shared_bytes;
  const auto form = [&](index_t room) {
    g.residents = room == half ? row_tuning::team_residents : 1;
    keep(g, extents, rank, outer, columns, info, targets, count, program, merge_bytes, room, index_t{1} << 30);
    form_teams(g, gpu, index_t{g.cached_steps + g.held_steps} * stride, least_units);
    g.per_block = ceil_div(g.per_block, stride) * stride;  // whole steps
    const int depth = g.straight ? program.depth : 1, end = static_cast<int>(g.per_block / stride);
    if (g.how == exchange::memory && end % depth == 0) {  // fewer blocks, which have nothing left over
      g.blocks = static_cast<unsigned>(ceil_div(g.units, g.per_block));
      g.grid = index_t{g.teams} * g.blocks;
    }
    const int turns = static_cast<int>(g.units / (stride * g.blocks) / depth * depth);
    keep(g, extents, rank, outer, columns, info, targets, count, program, merge_bytes, room, end);
    g.cached_steps = std::max(end - first_cached(end, turns, g.cached_steps, g.held_steps, depth), 0);
    if (merge_bytes > room) return false;
    return g.via_shared == 0 || index_t{g.cached_steps + g.held_steps} * stride * 7 >= g.per_block * 6;
  };
  if (!form(half) && !form(whole)) form(merge_bytes > half ? whole : half);
  constexpr const char* names[2][3] = {{"block", "cluster", "grid"},
                                       {"columns in a block", "columns in a cluster", "columns in a grid"}};
  g.path = names[columns][static_cast<int>(g.how)];
  g.fits = g.shared_bytes <= static_cast<unsigned>(gpu.shared_bytes) && (g.how != exchange::memory || gpu.together);
  return g;
}

team_start prepare_teams(const void* kernel, const row_geometry& g, team_parameters& team) {
  team = {.blocks = g.blocks,
          .teams = g.teams,
          .how = g.how,
          .tickets = nullptr,
          .partial = nullptr,
          .room = g.passed_bytes};
  team_start start;
  const unsigned most =
      resident_teams(kernel, row_tuning::team_threads, g.shared_bytes, g.how == exchange::cluster ? g.blocks : 1);
  if (g.how == exchange::memory) {
    start.room = scratch_for(std::size_t{2} * g.teams * g.blocks * team.room);
    team.tickets = start.room.tickets;
    team.partial = start.room.partial;
  } else team.teams = std::min(g.teams, most);
  start.blocks = team.teams * g.blocks;
  return start;
}
void launch_teams(const void* kernel, const row_geometry& g, const team_start& start, void* parameters) {
  launch_team(kernel, start.blocks, static_cast<unsigned>(g.threads), g.shared_bytes,
              g.how == exchange::cluster ? g.blocks : 1, g.how == exchange::memory, parameters);
}

void find_residence(const row_geometry& g, row_residence& to) {
  if (g.registers) {
    to.results = g.group == 1                 ? residence::thread
                 : g.group <= 32              ? residence::warp
                 : g.how == exchange::cluster ? residence::cluster
                                              : residence::block;
    to.row = residence::thread;
    to.cached_bytes = to.again_bytes;
    to.busy = g.busy;
    return;
  }
  constexpr residence by_exchange[] = {residence::block, residence::cluster, residence::grid};
  to.results = by_exchange[static_cast<int>(g.how)];
  const index_t on_chip = index_t{g.cached_steps + g.held_steps} * (row_tuning::team_threads / g.lanes);
  const double part =
      std::min(1.0, static_cast<double>(on_chip) / static_cast<double>(std::max<index_t>(g.per_block, 1)));
  to.cached_bytes = static_cast<index_t>(part * static_cast<double>(to.again_bytes));
  const index_t resident = std::max<index_t>(index_t{device().processors} * g.residents / g.blocks, 1);
  const double at_a_time =
      static_cast<double>(to.again_bytes) * std::min(1.0, static_cast<double>(resident) / static_cast<double>(g.tasks));
  if (on_chip > 0) to.row = residence::block;  // each block keeps its own piece
  if (to.cached_bytes < to.again_bytes)
    to.row = at_a_time <= device().cache_bytes ? residence::cache : residence::memory;
  to.one_by_one = g.one_by_one;
  to.pace = g.columns && g.how == exchange::cluster ? pace_of_columns(g, to) : 1;
  const int enough = device().processors * std::min(g.residents, row_tuning::team_residents);
  to.busy = std::min(1.0, static_cast<double>(g.tasks * g.blocks) / enough);
  if (g.how == exchange::memory) to.grid_barriers = static_cast<int>(ceil_div(g.tasks, g.teams));
}

}  // namespace lazyfuse::cuda_detail

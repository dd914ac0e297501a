// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of operands that lie in different orders: by tiles, in which those that are contiguous across the rows
// pass through shared memory and the others are read along the columns.
#pragma once

#include <lazyfuse/backend/cuda/kernels/shares.hpp>
#include <lazyfuse/backend/cuda/kernels/sums_in_runs.cuh>
#include <lazyfuse/backend/cuda/kernels/turned_operands.cuh>

namespace lazyfuse::cuda_detail {

/// Bytes of what a thread has for a row.
template <class Set, class Sources, kept_axes Kept>
inline constexpr int reduced_bytes = memory_bytes(Sources{}) + (Kept == kept_axes::rows || Kept == kept_axes::both
                                                                    ? int(sizeof(tile_sum<Set>))
                                                                    : 0);
/// Rows of a thread: as many as there are registers for.
template <class Set, class Sources, kept_axes Kept>
inline constexpr int reduced_depth = [] {
  constexpr int bytes = reduced_bytes<Set, Sources, Kept>, cost = Set::prologue::cost + cost_of_sources(Sources{});
  int depth = transform_tuning::most_turned_rows;
  while (depth > 1 && !reduce_tuning::turned.holds(cost, bytes, depth)) depth /= 2;
  return depth;
}();

/// What a thread of a tile adds up.
template <class Set, int Depth, class Parameters, class... Src>
struct turned_sums : turned_operands<Depth, false, Parameters, Src...> {
  using base_type = turned_operands<Depth, false, Parameters, Src...>;
  using typename base_type::index;
  static constexpr int each = base_type::keeps_rows ? Depth : 1;
  /// Steps after which a run of sums ends.
  static constexpr unsigned run = base_type::keeps_rows ? tile_depth : Depth < tile_depth ? tile_depth / Depth : 1;

  index tile_row = 0, tile_column = 0;  ///< where the results are
  tile_sum<Set> sums[each];

  using base_type::base_type;

  __device__ __forceinline__ void run_steps(unsigned begin, unsigned end) {
    const auto& p = this->p;
#pragma unroll
    for (auto& s : sums) s.clear();
    int buffer = 0;
    for (unsigned step = begin; step < end; ++step, buffer ^= 1) {
      const unsigned above = p.by_columns.quotient(step), outer = p.by_rows.quotient(above);
      this->go_to(tile_row + static_cast<index>(above - outer * p.by_rows.value) * this->tall(),
                  tile_column + static_cast<index>(step - above * p.by_columns.value) * p.threads.lanes);
      this->read(outer, buffer);
      using prologue = typename Set::prologue;
      typename Set::accumulators value[Depth];
      if constexpr (computes_together<prologue>)
        evaluate_all<prologue, Depth>([&](int d) { return this->at(d); },
                                      [&](int d) { return note_sink<Set>{value[d]}; });
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        tile_sink<true, false, tile_sum<Set>> sink{sums[base_type::keeps_rows ? d : 0], this->exists(d)};
        if constexpr (computes_together<prologue>) put_noted<Set>(sink, value[d], make_index_sequence<Set::size>{});
        else evaluate<prologue>(this->at(d), sink);
      }
      if ((step - begin) % run == run - 1)
#pragma unroll
        for (auto& s : sums) s.end_run();
    }
#pragma unroll
    for (auto& s : sums) {
      s.end_run();
      s.restore();
    }
  }
};
template <class Set, int Depth, class Parameters, class Sources>
struct turned_sums_of;
template <class Set, int Depth, class Parameters, class... Src>
struct turned_sums_of<Set, Depth, Parameters, list<Src...>> {
  using type = turned_sums<Set, Depth, Parameters, Src...>;
};

/// Merges what the threads of a block have for each result, into the first of those that share it, in an order that is
/// always the same.
template <class Set, int Each>
__device__ __forceinline__ void merge_members(typename Set::accumulators (&total)[Each], int member, int members,
                                              int apart, unsigned char* shared) {
  auto* const given = reinterpret_cast<typename Set::accumulators*>(shared) + threadIdx.x;
  for (int all = members; all > 1;) {
    const int half = (all + 1) / 2;
    __syncthreads();
    if (member >= half && member < all)
#pragma unroll
      for (int e = 0; e < Each; ++e) given[e * block_threads] = total[e];
    __syncthreads();
    if (member < all - half)
#pragma unroll
      for (int e = 0; e < Each; ++e) Set::merge(total[e], given[e * block_threads + half * apart]);
    all = half;
  }
}

template <class Set, class Program, class Sources, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads,
                                  reduce_tuning::turned_residents(reduced_bytes<Set, Sources, Parameters::kept>* Depth,
                                                                  Set::prologue::cost))
    reduce_turned(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  using tiles = typename turned_sums_of<Set, Depth, Parameters, Sources>::type;
  using accumulators = typename Set::accumulators;
  constexpr int B = tiles::before, each = tiles::each;
  constexpr bool keeps_rows = tiles::keeps_rows, keeps_columns = tiles::keeps_columns;
  tiles t(p, shared_bytes);
  const unsigned number = blockIdx.x / p.splits, split = blockIdx.x - number * p.splits;
  const unsigned above = number / p.column_tiles, batch = above / p.row_tiles;
  t.tile_row = static_cast<typename tiles::index>(above - batch * p.row_tiles) * t.tall();
  t.tile_column = static_cast<typename tiles::index>(number - above * p.column_tiles) * p.threads.lanes;
  add_offsets<0>(t.base, p.batch, batch, p.operands, tiles::seq);
  const unsigned begin = split * p.steps_per_split;
  t.run_steps(begin, begin + p.steps_per_split < p.steps ? begin + p.steps_per_split : p.steps);

  // The threads that share a result, and where those of different results are.
  const int lanes = p.threads.lanes, lines = p.threads.lines;
  const int members = keeps_rows ? keeps_columns ? 1 : lanes : keeps_columns ? lines : lanes * lines;
  const int of = keeps_rows      ? keeps_columns ? 0 : t.lane
                 : keeps_columns ? t.line
                                 : static_cast<int>(threadIdx.x),
            member = t.idle ? members : of, apart = keeps_columns && !keeps_rows ? lanes : 1;
  accumulators total[each];
#pragma unroll
  for (int e = 0; e < each; ++e) total[e] = t.sums[e].total;
  merge_members<Set>(total, member, members, apart, shared_bytes);
  if (p.splits > 1) {
    const int slots = keeps_rows      ? keeps_columns ? block_threads : lines
                      : keeps_columns ? lanes
                                      : 1,
              slot = keeps_rows      ? keeps_columns ? static_cast<int>(threadIdx.x) : t.line
                     : keeps_columns ? t.lane
                                     : 0;
    accumulators* const partial =
        static_cast<accumulators*>(p.partial) + static_cast<index_t>(number) * p.splits * each * slots + slot;
    const auto place = [&](unsigned s, int e) { return (static_cast<index_t>(s) * each + e) * slots; };
    if (member == 0)
#pragma unroll
      for (int e = 0; e < each; ++e) partial[place(split, e)] = total[e];
    if (!arrives_last(p.tickets + number, p.splits)) return;
#pragma unroll
    for (int e = 0; e < each; ++e) Set::clear(total[e]);
    if (!t.idle)
      merge_in_runs<each, Set>(total, static_cast<unsigned>(member), p.splits, static_cast<unsigned>(members),
                               [&](int e, unsigned s) { return partial[place(s, e)]; });
    merge_members<Set>(total, member, members, apart, shared_bytes);
  }
  if (member != 0) return;
  constexpr int kept = B + keeps_rows + keeps_columns;
  index_t at[kept > 0 ? kept : 1] = {};
  p.batch(batch, [&](int axis, index_t i) { at[axis] = i; });
  const index_t column = t.tile_column + t.lane;
#pragma unroll
  for (int e = 0; e < each; ++e) {
    const index_t row = t.tile_row + t.line + e * lines;
    if ((keeps_rows && row >= p.rows) || (keeps_columns && column >= p.columns)) continue;
    if constexpr (keeps_rows) at[B] = row;
    if constexpr (keeps_columns) at[B + keeps_rows] = column;
    finish<Set, Program, kept>(p, at, total[e]);
  }
}

}  // namespace lazyfuse::cuda_detail

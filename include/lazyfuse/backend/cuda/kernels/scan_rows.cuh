// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans along the axis in which memory is contiguous: threads of a warp go through a row, or blocks take tiles of it.
#pragma once

#include <lazyfuse/backend/cuda/kernels/scan.cuh>

namespace lazyfuse::cuda_detail {

/// Where a row's elements are, among those of the operands and of the targets.
template <class Set, class Epilogue, class Sources, class Types, int R, int Width, int Depth>
struct scanned_row {
  using pieces = scan_pieces<Set, Epilogue, R, Width, Depth, Sources, Types>;
  static constexpr auto operands = make_index_sequence<Sources::size>{};
  static constexpr auto targets = make_index_sequence<Types::size>{};
  index_t base[Sources::size + 1] = {}, base_to[Types::size] = {};
  index_t end;  ///< of its elements

  __device__ __forceinline__ scanned_row(const auto& p, index_t row) : end(row < p.rows ? p.length : 0) {
    if constexpr (R > 1) {
      if (row < p.rows) {
        add_offsets<0>(base, p.kept, row, p.operands, operands);
        target_offsets<R - 1>(base_to, p.kept, row, p.targets, targets);
      }
    }
  }
  /// Pieces from a column on, `pitch` elements apart; or, stacked, of this row and of those below it.
  __device__ __forceinline__ void load(pieces& to, const auto& p, index_t column, int pitch, index_t below) const {
    const index_t left = end - column;
    const int reach = (Width - 1) * p.apart() + 1;
    const bool stacked = R > 1 && p.stacked;
    to.full = stacked ? below >= Depth && left >= reach : left >= (Depth - 1) * pitch + reach;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t n = stacked ? (d < below ? left : 0) : left - d * pitch;
      to.valid[d] = n >= reach ? reach : n > 0 ? static_cast<int>(n) : 0;
    }
    index_t offset[Sources::size + 1] = {};
    const auto one = [&](index_t& at, index_t from, const auto& o) {
      if constexpr (requires { o.steps; }) at = from + column * o.steps[R - 1];
    };
    [&]<int... I>(index_sequence<I...>) { (one(offset[I], base[I], get<I>(p.operands)), ...); }
    (operands);
    to.load(p, offset, R - 1, stacked ? R - 2 : R - 1, stacked ? 1 : pitch, operands);
  }
  __device__ __forceinline__ void put(const pieces& from, const auto& p, index_t column, int pitch) const {
    index_t offset[Types::size];
    [&]<int... J>(index_sequence<J...>) { ((offset[J] = base_to[J] + column * get<J>(p.targets).steps[R - 1]), ...); }
    (targets);
    const bool stacked = R > 1 && p.stacked;
    from.put(p, offset, R - 1, stacked ? R - 2 : R - 1, stacked ? 1 : pitch, targets);
  }
};

/// `lanes` neighbouring threads of a warp go through a row, or take Depth rows of one piece each.
template <class Set, class Epilogue, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, scan_tuning::residents)
    scan_rows(const __grid_constant__ Parameters p) {
  using row_type = scanned_row<Set, Epilogue, Sources, Types, R, Width, Depth>;
  using accumulators = typename Set::accumulators;
  __shared__ __align__(16) unsigned char room[block_threads * Width * sizeof(accumulators)];
  const pieces_in_shared<accumulators, Width> shared(room, p.lanes);
  const int thread = static_cast<int>(threadIdx.x), pitch = p.lanes * Width, last = (thread & 31) | (p.lanes - 1);
  const index_t number =
      (static_cast<index_t>(blockIdx.x) * (block_threads / p.lanes) + thread / p.lanes) * (p.stacked ? Depth : 1);
  const row_type row(p, number);
  const bool turned = p.apart() > 1;
  accumulators before;
  Set::clear(before);
  index_t column = turned ? shared.member : shared.member * Width;
  for (unsigned chunk = 0; chunk < p.chunks; ++chunk, column += pitch * Depth) {
    typename row_type::pieces pieces;
    accumulators here[Depth][Width];
    row.load(pieces, p, column, pitch, p.rows - number);
    pieces.compute(here, p.apart());
    const index_t begin = static_cast<index_t>(chunk) * pitch * Depth;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      if (!p.stacked && begin + d * pitch >= p.length) break;  // of all rows of the warp: lanes wait for each other
      if (turned) shared.turn(0, here[d]);
      scan_neighbours<Set>(here[d]);
      const accumulators up_to = scan_lanes<Set>(here[d][Width - 1], p.lanes);
      pieces.finish(d, joined<Set>(before, before_lanes<Set>(up_to, p.lanes)), here[d], shared, 0, turned);
      if (!p.stacked) before = joined<Set>(before, of_lane<Set>(up_to, last));
    }
    row.put(pieces, p, column, pitch);
  }
}

/// For the first warp: gives the tile's total to those after it, and gets what all before it have.
template <class Set>
__device__ __forceinline__ typename Set::accumulators before_tile(const scan_board& board, unsigned strip,
                                                                  unsigned tile,
                                                                  const typename Set::accumulators& total) {
  using accumulators = typename Set::accumulators;
  using entry = board_entry<accumulators>;
  const unsigned lane = threadIdx.x;
  unsigned long long* const entries =
      board.marked + static_cast<index_t>(strip) * scan_board::entries(board.tiles) * entry::size;
  const auto give = [&](unsigned at, const accumulators& value) {
    if (lane == 0) entry::give(entries + at * entry::size, value);
  };
  struct asked {
    const unsigned long long* from;
    bool wanted;
    typename entry::seen seen;
  };
  const auto ask = [&](unsigned from, unsigned count) {
    asked a{entries + (from + lane) * entry::size, lane < count, {}};
    if (a.wanted) a.seen = entry::look(a.from);
    return a;
  };
  const auto gather = [&](const asked& of) {
    accumulators a;
    Set::clear(a);
    if (of.wanted) a = entry::wait(of.from, of.seen);
    __syncwarp();
#pragma unroll
    for (int off = 1; off < 32; off *= 2) {
      const auto after = shuffled_set<Set>(
          a, [off](auto word) { return __shfl_down_sync(~0u, word, off); }, make_index_sequence<Set::size>{});
      a = joined<Set>(a, after);
    }
    return of_lane<Set>(a, 0);
  };
  return look_back<Set>(board, tile, total, give, ask, gather);
}

/// Whether elements may be combined in another order than theirs.
template <class Set, class Seq = make_index_sequence<Set::size>>
inline constexpr bool all_commute = false;
template <class Set, int... I>
inline constexpr bool all_commute<Set, index_sequence<I...>> =
    (Set::template monoid<I>::template commutes<typename Set::template value_type<I>> && ...);

/// A block takes a tile of a row, of which each warp has a part: its elements are combined as they come, and scanned
/// when it is known what is before them.
template <class Set, class Epilogue, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, scan_tuning::residents)
    scan_tiles(const __grid_constant__ Parameters p) {
  using row_type = scanned_row<Set, Epilogue, Sources, Types, R, Width, Depth>;
  using accumulators = typename Set::accumulators;
  constexpr int warps = block_threads / 32, pitch = 32 * Width;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  __shared__ accumulators of_warp[warps];
  const pieces_in_shared<accumulators, Width> shared(shared_bytes, 32);
  const bool turned = p.apart() > 1;
  const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) / 32;
  const unsigned tile = blockIdx.x / p.board.strips, strip = blockIdx.x - tile * p.board.strips;
  const row_type row(p, strip);
  const index_t part = static_cast<index_t>(p.chunks) * (pitch * Depth),
                first = (static_cast<index_t>(tile) * warps + warp) * part + (turned ? lane : lane * Width);

  accumulators sum;
  Set::clear(sum);
  for (unsigned chunk = 0; chunk < p.chunks; ++chunk) {
    typename row_type::pieces pieces;
    accumulators here[Depth][Width];
    row.load(pieces, p, first + static_cast<index_t>(chunk) * (pitch * Depth), pitch, 1);
    pieces.compute(here, p.apart());
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      if (turned) shared.turn(chunk * Depth + d, here[d]);
      scan_neighbours<Set>(here[d]);
      shared.put(chunk * Depth + d, here[d]);
      const accumulators& piece = here[d][Width - 1];
      if constexpr (all_commute<Set>) sum = joined<Set>(sum, piece);
      else sum = joined<Set>(sum, of_lane<Set>(scan_lanes<Set>(piece, 32), 31));
    }
  }
  if constexpr (all_commute<Set>) sum = scan_lanes<Set>(sum, 32);
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    Set::clear(sum);
    if (lane < warps) sum = of_warp[lane];
    sum = scan_lanes<Set>(sum, warps);
    const accumulators apart = before_lanes<Set>(sum, warps);
    accumulators all;
    Set::clear(all);
    if (p.board.tiles > 1) all = before_tile<Set>(p.board, strip, tile, of_lane<Set>(sum, warps - 1));
    if (lane < warps) of_warp[lane] = joined<Set>(all, apart);
  }
  __syncthreads();
  accumulators before = of_warp[warp];
  for (unsigned chunk = 0; chunk < p.chunks; ++chunk) {
    const index_t column = first + static_cast<index_t>(chunk) * (pitch * Depth);
    typename row_type::pieces pieces;
    row.load(pieces, p, column, pitch, 1);
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      accumulators here[Width];
      shared.get(chunk * Depth + d, here);
      const accumulators up_to = scan_lanes<Set>(here[Width - 1], 32);
      pieces.finish(d, joined<Set>(before, before_lanes<Set>(up_to, 32)), here, shared, chunk * Depth + d, turned);
      before = joined<Set>(before, of_lane<Set>(up_to, 31));
    }
    row.put(pieces, p, column, pitch);
  }
}

}  // namespace lazyfuse::cuda_detail

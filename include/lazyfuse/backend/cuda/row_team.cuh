// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of any length: a team of blocks (one, a cluster, or many that run at a time) shares a row, or some columns. Each
// block keeps what fits of its part in shared memory; the rest is read again by every pass, the newest first.
#pragma once

#include <lazyfuse/backend/cuda/results.cuh>
#include <lazyfuse/backend/cuda/row_merge.cuh>

namespace lazyfuse::cuda_detail {

/// The axes are [outer kept axes | axes of the row | the axis of the inner loop]: KO, R - 1 - KO and 1 of them. The
/// inner loop runs along the row, or (columns) along a kept axis.
template <class Operands, class Targets, int KO, int R>
struct row_parameters {
  Operands operands;
  Targets targets;
  axes_walk<KO> outer;
  axes_walk<R - 1 - KO> across;
  index_t tasks;  ///< rows; columns: tiles of them at all outer positions
  index_t inner;  ///< extent of the inner axis
  index_t units;  ///< of a task: vectors of a row; columns: positions along the row
  index_t per_block;
  index_t vectors;  ///< of the inner axis; columns: tiles
  int lanes;        ///< columns: threads side by side
  int kept_units;   ///< that a block keeps in shared memory
  bool consecutive, one_result;
  wide_bits wide_in, wide_out, staged;
  unsigned room[64];  ///< where each staged operand begins in shared memory
  team_parameters team;
};

/// A block's part of a task, as one of its threads sees it.
template <bool Columns, int Width>
struct row_part {
  index_t begin;
  int count, kept_from;  ///< units, and the first of them that is kept
  int start, stride;     ///< of this thread
  int spacing, first;    ///< of the thread's elements; columns: its first column in the tile
  int columns_left;
};

/// One pass over the part: loads what the pass reads, one vector per operand and unit, and evaluates.
template <class Staged, int Pass, bool Columns, int KO, int R, int Width, int Depth, class Sources>
struct row_pass;
template <class Staged, int Pass, bool Columns, int KO, int R, int Width, int Depth, class... Src>
struct row_pass<Staged, Pass, Columns, KO, R, Width, Depth, list<Src...>> {
  using sources = list<Src...>;
  using fetched_unit = fetched_pack<Width, 1, sources>;
  static constexpr bool stores = Pass == Staged::count;

  /// The offset of operand `o` at a unit, from its offset at the beginning of the task.
  static __device__ __forceinline__ index_t move(const auto& o, const index_t* at, index_t column) {
    index_t offset = 0;
    if constexpr (requires { o.steps; }) {
#pragma unroll
      for (int axis = KO; axis < R - 1; ++axis) offset += at[axis - KO] * o.steps[axis];
      if constexpr (!Columns) offset += column * o.steps[R - 1];
    }
    return offset;
  }

  /// Where a unit is: its position across, and (rows) its first column.
  static __device__ __forceinline__ void locate(const auto& p, index_t unit, index_t* at, index_t& column) {
    index_t row = unit;
    column = 0;
    if constexpr (!Columns) {
      row = 0;
      index_t vector = unit;
      if (p.units != p.vectors) {
        row = unit / p.vectors;
        vector = unit - row * p.vectors;
      }
      column = p.consecutive ? vector * Width : (vector & ~index_t{31}) * Width + (vector & 31);
    }
#pragma unroll
    for (int axis = 0; axis < R - 1 - KO; ++axis) at[axis] = 0;
    p.across(row, [&](int axis, index_t i) { at[axis] = i; });
  }

  template <int I>
  static __device__ __forceinline__ void load(auto& f, const auto& p, const index_t* base, const index_t* at,
                                              index_t column, const row_part<Columns, Width>& part, int unit,
                                              const int (&valid)[1], unsigned char* room) {
    if constexpr (f.loads && Staged::template reads<Pass, I>) {
      using T = typename type_at<I, Src...>::value_type;
      const auto& o = get<I>(p.operands);
      constexpr bool again = f.is_memory && Staged::template passes_that_read < I >> 1;
      const bool kept = again && has_bit(p.staged, I) && unit >= part.kept_from && valid[0] > 0;
      T* const mine = reinterpret_cast<T*>(room + (again ? p.room[I & 63] : 0)) +
                      (index_t{unit - part.kept_from} * (Columns ? p.lanes : 1) +
                       (Columns ? static_cast<int>(threadIdx.x) & (p.lanes - 1) : 0)) *
                          Width;
      constexpr bool first = [] {
        bool before = false;
        [&]<int... S>(indices<S...>) { ((before = before || (S < Pass && Staged::template reads<S, I>)), ...); }
        (make_indices<Staged::count + 1>{});
        return !before;
      }();
      if constexpr (again && !first) {
        if (kept) {
          const auto all = *reinterpret_cast<const wide<T, Width>*>(mine);
#pragma unroll
          for (int k = 0; k < Width; ++k) f.value[0][k] = all.value[k];
          return;
        }
      }
      f.some(o.source, base[I] + move(o, at, column), 0, o.steps[R - 1], p.consecutive && has_bit(p.wide_in, I),
             part.spacing, valid);
      if constexpr (again && first) {
        if (kept) {
          wide<T, Width> all;
#pragma unroll
          for (int k = 0; k < Width; ++k) all.value[k] = f.value[0][k];
          *reinterpret_cast<wide<T, Width>*>(mine) = all;
        }
      }
    }
  }

  /// Calls use(values of the unit, where it is, valid) for the units of this thread, Depth at a time.
  template <int... I, class Use>
  static __device__ __forceinline__ void run(const auto& p, const row_part<Columns, Width>& part, const index_t* base,
                                             unsigned char* room, indices<I...>, const Use& use) {
    const int steps = (part.count + part.stride - 1) / part.stride;
    const bool one = stores && p.one_result;
    for (int step = 0; step < (one ? 1 : steps); step += Depth) {
      fetched_unit values[Depth];
      index_t at[Depth][R - 1 - KO > 0 ? R - 1 - KO : 1], column[Depth];
      int valid[Depth][1];
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        // Every pass goes the other way, so that it begins with what the one before read last.
        const int turn = Pass % 2 == 0 || one ? step + d : steps - 1 - step - d;
        const int unit = part.start + turn * part.stride;
        const bool here = turn >= 0 && unit < part.count && !(one && (part.begin + unit > 0));
        locate(p, part.begin + (here ? unit : 0), at[d], column[d]);
        const index_t left = Columns ? part.columns_left : p.inner - column[d];
        valid[d][0] = !here ? 0 : left < Width * interleave ? static_cast<int>(left) : Width * interleave;
        if (one && !Columns) valid[d][0] = valid[d][0] > 0 ? 1 : 0;
        (load<I>(get<I>(values[d]), p, base, at[d], column[d], part, unit, valid[d], room), ...);
        keep_constants(values[d], p.operands, 0, indices<I...>{});
      }
#pragma unroll
      for (int d = 0; d < Depth; ++d) use(values[d], at[d], column[d], valid[d]);
    }
  }
};

template <class Staged, bool Columns, class Values, int Width>
struct pass_values {
  Values known[Columns ? Width : 1];
  __device__ __forceinline__ const Values& of(int k) const { return known[Columns ? k : 0]; }
};

template <class Staged, int Pass, bool Columns, int KO, int R, int Width, int Depth, class... Src, class... T, int... J>
__device__ __forceinline__ void row_passes(const auto& p, const row_part<Columns, Width>& part, const index_t* base,
                                           const index_t* to, unsigned char* area, unsigned char* room,
                                           team_place& place,
                                           pass_values<Staged, Columns, typename Staged::values, Width>& values,
                                           list<Src...> sources, list<T...> types, indices<J...> targets) {
  using pass = row_pass<Staged, Pass, Columns, KO, R, Width, Depth, list<Src...>>;
  using fetched_unit = typename pass::fetched_unit;
  using context = register_context<fetched_unit>;
  using known_context = with_values<context, typename Staged::values>;
  constexpr auto seq = make_indices<sizeof...(Src)>{};
  if constexpr (Pass < Staged::count) {
    using set = typename Staged::template set<Pass>;
    thread_sums<set, Width> sums;
    sums.clear();
    pass::run(p, part, base, room, seq, [&](const fetched_unit& f, const index_t*, index_t, const int(&valid)[1]) {
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const context here{f, 0, k};
        combine_sink<set, true> sink{sums.lane[k], k * part.spacing < valid[0]};
        evaluate<typename set::prologue>(known_context{here, values.of(k)}, sink);
      }
    });
    if constexpr (Columns) {
      merge_columns<set, Width>(sums, p.team, place, area, p.lanes);
#pragma unroll
      for (int k = 0; k < Width; ++k) keep<set>(values.known[k], sums.lane[k]);
    } else {
      merge_row<set, Width>(sums, p.team, place, area);
      keep<set>(values.known[0], sums.lane[0]);
    }
    row_passes<Staged, Pass + 1, Columns, KO, R, Width, Depth>(p, part, base, to, area, room, place, values, sources,
                                                               types, targets);
  } else {
    if (p.one_result && place.member != 0) return;
    pass::run(p, part, base, room, seq,
              [&](const fetched_unit& f, const index_t* at, index_t column, const int(&valid)[1]) {
                results<Width, 1, T...> out;
#pragma unroll
                for (int k = 0; k < Width; ++k) {
                  const context here{f, 0, k};
                  register_sink<results<Width, 1, T...>> sink{out, 0, k};
                  evaluate<typename Staged::output>(known_context{here, values.of(k)}, sink);
                }
                const auto put = [&](const auto& r, const auto& t, int j) {
                  store(r, t.data + to[j] + pass::move(t, at, column), 0, t.steps[R - 1],
                        p.consecutive && has_bit(p.wide_out, j), part.spacing, false, valid);
                };
                (put(get<J>(out), get<J>(p.targets), J), ...);
              });
  }
}

template <class Staged, bool Columns, int KO, int R, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void team_body(const auto& p, list<Src...> sources, list<T...> types, indices<I...>,
                                          indices<J...> targets) {
  extern __shared__ __align__(16) unsigned char shared_room[];
  team_place place{blockIdx.x / p.team.blocks, 0};
  place.member = blockIdx.x - place.team * p.team.blocks;
  const int thread = static_cast<int>(threadIdx.x);
  row_part<Columns, Width> part;
  part.begin = place.member * p.per_block;
  const index_t left = p.units - part.begin;
  part.count = static_cast<int>(left < 0 ? 0 : left < p.per_block ? left : p.per_block);
  part.kept_from = part.count > p.kept_units ? part.count - p.kept_units : 0;
  part.start = Columns ? thread / p.lanes : thread;
  part.stride = Columns ? team_threads / p.lanes : team_threads;
  part.spacing = p.consecutive ? 1 : interleave;
  part.first = Columns ? spread{part.spacing}.template first<Width>(thread & (p.lanes - 1)) : 0;
  for (index_t task = place.team; task < p.tasks; task += p.team.teams) {
    index_t outer = task, first = 0;
    if constexpr (Columns) {
      outer = task / p.vectors;
      first = (task - outer * p.vectors) * p.lanes * Width + part.first;
      const index_t columns = p.inner - first;
      part.columns_left = static_cast<int>(columns < 0                    ? 0
                                           : columns < Width * interleave ? columns
                                                                          : Width * interleave);
    }
    index_t base[sizeof...(Src) + 1] = {}, to[sizeof...(T)] = {};
    const auto add = [&](index_t& sum, const auto& o, int axis, index_t at) {
      if constexpr (requires { o.steps; }) sum += at * o.steps[axis];
    };
    p.outer(outer, [&](int axis, index_t at) {
      (add(base[I], get<I>(p.operands), axis, at), ...);
      (add(to[J], get<J>(p.targets), axis, at), ...);
    });
    if constexpr (Columns) {
      (add(base[I], get<I>(p.operands), R - 1, first), ...);
      (add(to[J], get<J>(p.targets), R - 1, first), ...);
    }
    pass_values<Staged, Columns, typename Staged::values, Width> values;
    row_passes<Staged, 0, Columns, KO, R, Width, Depth>(p, part, base, to, shared_room, shared_room, place, values,
                                                        sources, types, targets);
  }
  if (p.team.how == exchange::cluster) cluster_barrier();  // others may still read this block's results
  leave_team(p.team, place);
}

template <class Staged, class Sources, class Types, bool Columns, int KO, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(team_threads, team_blocks_per_processor)
    rows_by_teams(const __grid_constant__ Parameters p) {
  team_body<Staged, Columns, KO, R, Width, Depth>(p, Sources{}, Types{}, make_indices<Sources::size>{},
                                                  make_indices<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of any length: a team of blocks (one, a cluster, or many that run at a time) shares a row, or some columns. Each
// block keeps what fits of its part in registers and shared memory; the rest is read again by every pass, the newest
// first.
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_merge.cuh>
#include <lazyfuse/backend/cuda/kernels/row_pass_simple.cuh>
#include <lazyfuse/backend/cuda/kernels/shares.hpp>
#include <lazyfuse/program/one_pass.hpp>
#include <lazyfuse/program/two_pass.hpp>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int KO, int R>
struct row_parameters : bound_to<Operands, Targets>, team_numbers<KO, R> {};

/// What a thread of a team takes on. Widest: of its vectors; of single elements there are twice as many on their way as
/// of vectors of so many bytes.
template <class Staged, class Sources, class Types, bool Columns, int Widest = 16>
struct team_shares {
  static constexpr int widest = width_for(Sources{}, Types{}), width = widest < Widest ? widest : Widest,
                       bytes = memory_bytes(Sources{}) * width;
  static constexpr int depth = cost_of_sources(Sources{}) > 0 ? 1
                               : Widest == 1                  ? 2 * row_tuning::depth_of(2 * bytes)
                                                              : row_tuning::depth_of(bytes);
  static constexpr auto all = make_index_sequence<Sources::size>{};
  using operand = pass_operand<Staged, 0, width, Sources>;
  static constexpr wide_bits again = operand::again_bits(all);
  /// The sums of columns need the registers themselves.
  static constexpr int held_steps = Columns ? 0 : operand::template held_steps<depth>(all);
  static constexpr int accumulators = accumulator_bytes<Staged>;
  /// Of operand I, in one number: how many passes read it, twice, and 1 if it can be copied ahead.
  template <int I>
  static constexpr int reads = 2 * Staged::template passes_that_read<I> + operand::template again<I>;
};

/// The results of reductions: of the row, or (columns) of each of the thread's columns.
template <class Values, bool Columns, int Width>
struct team_values {
  Values known[Columns ? Width : 1];
};
/// With what a pass makes of them.
template <class Values, bool Columns, int Width>
struct team_pass_values;
template <class Values, int Width>
struct team_pass_values<Values, false, Width> {
  Values row;
  __device__ __forceinline__ team_pass_values(const auto& v, const auto& operands) : row(v.known[0], operands) {}
  __device__ __forceinline__ const Values& of(int) const { return row; }
};
template <class Values, int Width>
struct team_pass_values<Values, true, Width> {
  Values column[Width];
  __device__ __forceinline__ team_pass_values(const auto& v, const auto& operands) {
#pragma unroll
    for (int k = 0; k < Width; ++k) column[k] = Values(v.known[k], operands);
  }
  __device__ __forceinline__ const Values& of(int k) const { return column[k]; }
};

template <class Staged, int Pass, bool Simple, bool Columns, int KO, int R, int Width, int Depth, class Part,
          class... Src, class... T, int... J>
__device__ __forceinline__ void row_passes(const auto& p, const Part& part, const auto next, team_place& place,
                                           team_values<typename Staged::values, Columns, Width>& known, auto& held,
                                           list<Src...> sources, list<T...> types, index_sequence<J...> targets) {
  using pass = row_pass<Staged, Pass, Simple, Columns, KO, R, Width, list<Src...>>;
  using fetched_unit = typename pass::fetched_unit;
  using location = typename pass::location;
  using context = register_context<fetched_unit>;
  using values_type = pass_values_of<Staged, Pass, list<Src...>>;
  using known_context = with_values<context, values_type>;
  const team_pass_values<values_type, Columns, Width> values(known, p.operands);
  constexpr auto seq = make_index_sequence<sizeof...(Src)>{};
  if constexpr (Pass < Staged::count) {
    using set = typename Staged::template set<Pass>;
    using area = merge_area<accumulator_bytes<Staged>>;
    thread_sums<set, Width, Columns> sums;
    sums.clear();
    const auto add = [&]<class How>(const fetched_unit& f, const location& at, How) {
      // Odd passes go backwards through what is not kept.
      combine<set, !Simple, standard::is_same_v<How, later_unit>, false, Width, 1>(
          sums,
          [&](int, int k) {
            return known_context{context{f, 0, k}, values.of(k)};
          },
          [&](int, int k) { return at.has(k, part); });
    };
    const auto again = [&] { recentre(sums, make_index_sequence<set::size>{}); };
    pass::template run<Depth, set::has_near>(p, part, nullptr, held, seq, add, again);
    if constexpr (Columns) {
      merge_columns<set, Width>(sums, p.team, place, area{team_room()}, 1 << p.lane_bits);
#pragma unroll
      for (int k = 0; k < Width; ++k) keep<set>(known.known[k], sums.lane[k]);
    } else {
      const mailbox mail(team_room(), accumulator_bytes<Staged>);
      merge_row<set, Width>(sums, p.team, place, mail, area{team_room() + mail_bytes<Staged>});
      keep<set>(known.known[0], sums.lane[0]);
    }
    row_passes<Staged, Pass + 1, Simple, Columns, KO, R, Width, Depth>(p, part, next, place, known, held, sources,
                                                                       types, targets);
  } else {
    const auto store_unit = [&]<class How>(const fetched_unit& f, const location& at, How) {
      using unit_results = results<typename Staged::output::roots, list<Src...>, Width, 1, T...>;
      unit_results out;
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const context here{f, 0, k};
        register_sink<unit_results> sink{out, 0, k};
        evaluate<typename Staged::output>(known_context{here, values.of(k)}, sink);
      }
      const auto put = [&](const auto& r, const auto& t, int j) {
        const auto to = t.data + part.to[j] + pass::offset(p, t, at);
        if constexpr (Simple && (Columns || !standard::is_same_v<How, only_unit>)) r.stream(0, to);
        else pass::put(r, to, t.steps[R - 1], p.consecutive && has_bit(p.wide_out, j), at, part);
      };
      (put(get<J>(out), get<J>(p.targets), J), ...);
    };
    if (p.one_result) pass::run_first(p, part, seq, store_unit);
    else pass::template run<Depth, false>(p, part, next, held, seq, store_unit, nullptr);
  }
}

template <class Staged, bool Simple, bool Columns, int KO, int R, int Width, int Depth, int Held, class... Src,
          class... T, int... I, int... J>
__device__ __forceinline__ void team_body(const auto& p, list<Src...> sources, list<T...> types, index_sequence<I...>,
                                          index_sequence<J...> targets) {
  team_place place{blockIdx.x / p.team.blocks, 0};
  place.member = blockIdx.x - place.team * p.team.blocks;
  const int thread = static_cast<int>(threadIdx.x);
  row_part<sizeof...(Src), sizeof...(T)> part;
  const int lines = Columns ? row_tuning::team_threads >> p.lane_bits : row_tuning::team_threads;
  part.count = static_cast<int>(p.units);
  part.lane = Columns ? thread & ((1 << p.lane_bits) - 1) : 0;
  part.block_start = static_cast<int>(place.member) * lines;
  part.start = part.block_start + (Columns ? thread >> p.lane_bits : thread);
  part.stride = static_cast<int>(p.team.blocks) * lines;
  part.end = (part.count + part.stride - 1) / part.stride;
  part.whole = part.count / part.stride / Depth * Depth;
  part.cached_from = first_cached(part.end, part.whole, p.cached_steps, Held, Depth);
  using walk = row_pass<Staged, 0, Simple, Columns, KO, R, Width, list<Src...>>;
  constexpr auto seq = make_index_sequence<sizeof...(Src)>{};
  held_units<typename walk::fetched_unit, Held> held;
  part.spacing = p.consecutive ? 1 : interleave;
  const auto seek = [&](auto& at, index_t task) {
    index_t outer = task;
    [[maybe_unused]] index_t first = 0;
    if constexpr (Columns) {
      outer = task / p.vectors;
      first = ((task - outer * p.vectors) << p.lane_bits) * Width + spread{at.spacing}.template first<Width>(at.lane);
      const index_t columns = p.inner - first;
      at.columns_left = static_cast<int>(columns < 0 ? 0 : columns < Width * interleave ? columns : Width * interleave);
      at.has_columns = at.columns_left > 0;
    }
    const auto add = [&](index_t& sum, const auto& o, int axis, index_t by) {
      if constexpr (requires { o.steps; }) sum += by * o.steps[axis];
    };
    const auto add_all = [&](int axis, index_t by) {
      (add(at.base[I], get<I>(p.operands), axis, by), ...);
      (add(at.to[J], get<J>(p.targets), axis, by), ...);
    };
    ((at.base[I] = 0), ...);
    ((at.to[J] = 0), ...);
    p.outer(outer, add_all);
    if constexpr (Columns) add_all(R - 1, first);
  };
  const auto load = [&](const auto& at) {
    if constexpr (Simple) walk::template copy<Depth>(p, at, seq);
    if constexpr (Held > 0) walk::hold(p, at, held, seq);
  };
  const bool mails = !Columns && p.team.how == exchange::cluster;
  if (mails) mailbox(team_room(), accumulator_bytes<Staged>).open();
  if (place.team < p.tasks) {
    seek(part, place.team);
    load(part);
  }
  if (mails) cluster_wait();
  team_values<typename Staged::values, Columns, Width> values;
  if constexpr (KO == 0 && !Columns) {  // one row
    row_passes<Staged, 0, Simple, Columns, KO, R, Width, Depth>(p, part, nullptr, place, values, held, sources, types,
                                                                targets);
  } else {
    auto next = part;
    for (index_t task = place.team; task < p.tasks; task += p.team.teams) {
      const bool more = task + p.team.teams < p.tasks;
      if (more) seek(next, task + p.team.teams);
      // Where the results walk over what is kept, the next task takes its place meanwhile: of threads that have columns
      // of both.
      const bool columns_of_both = !Columns || (part.has_columns && next.has_columns);
      const bool refill = Simple && more && !p.one_result && columns_of_both;
      row_passes<Staged, 0, Simple, Columns, KO, R, Width, Depth>(p, part, next_part<decltype(part)>{next, refill},
                                                                  place, values, held, sources, types, targets);
      if (more && !refill) load(next);
      part = next;
    }
  }
  if (Columns && p.team.how == exchange::cluster) cluster_barrier();  // others may still read this block's results
  leave_team(p.team, place);
}

template <class Staged, class Sources, class Types, bool Simple, bool Columns, int KO, int R, int Width, int Depth,
          int Held, class Parameters>
__global__ void __launch_bounds__(row_tuning::team_threads, row_tuning::team_residents)
    rows_by_teams(const __grid_constant__ Parameters p) {
  team_body<Staged, Simple, Columns, KO, R, Width, Depth, Held>(
      p, Sources{}, Types{}, make_index_sequence<Sources::size>{}, make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail

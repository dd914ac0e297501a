// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rows on the GPU: one kernel that loads a row once and carries it through all stages. One of two runs: in registers,
// or by teams of blocks.
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_registers.cuh>
#include <lazyfuse/backend/cuda/kernels/row_team.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/row_geometry.hpp>
#include <lazyfuse/program/two_pass.hpp>

namespace lazyfuse::cuda_detail {

/// Rows of an iteration of R axes: how they are laid out, and their launch.
template <class Staged, class Sources, int Outer, bool Columns, int R, class... T>
struct rows_program {
  static constexpr int width = width_for(Sources{}, list<T...>{}), targets = sizeof...(T);
  static constexpr int bytes = memory_bytes(Sources{}) * width;
  using on_chip = staged_on_chip_t<Staged>;
  static constexpr int held = register_elements<on_chip>(Sources{}, make_index_sequence<Sources::size>{}, width);
  static constexpr int depth = cost_of_sources(Sources{}) > 0 ? 1 : bytes <= 16 ? 4 : bytes <= 48 ? 2 : 1;
  using operand = pass_operand<Staged, 0, width, Sources>;
  static constexpr auto all = make_index_sequence<Sources::size>{};
  // The sums of columns need the registers themselves.
  static constexpr int held_steps = Columns ? 0 : operand::template held_steps<depth>(all);
  static constexpr row_program program{width,      held, accumulator_bytes<Staged>, operand::again_bits(all),
                                       held_steps, depth};

  template <class Bound>
  static row_geometry lay_out(const shape<R>& s, const Bound& bound) {
    return plan_rows(s.extent, R, Outer, Columns, bound.info, targets, targets + bound.count, program);
  }

  /// Null if rows do not fit.
  template <class Bound>
  static const char* launch(const shape<R>& s, const Bound& bound, const target_pack<R, T...>& to, bool one_result) {
    row_geometry g = lay_out(s, bound);
    if (!g.fits) return nullptr;
    using operands = bare_t<decltype(bound.operands)>;
    if constexpr (!Columns) {
      if (g.registers) {
        using parameters = register_parameters<operands, target_pack<R, T...>, Outer>;
        const parameters p{bound.operands,
                           to,
                           walk_of<Outer>(s.extent),
                           g.rows,
                           int(s[R - 1]),
                           g.threads / g.group,
                           log2_of(g.group),
                           g.consecutive,
                           one_result,
                           g.whole && (Outer == 0 || g.rows == s[Outer > 0 ? Outer - 1 : 0]),
                           g.wide_in,
                           g.wide_out};
        const auto start = [&](auto kernel) {
          cuda_detail::launch(kernel, static_cast<unsigned>(g.grid), 0, p, static_cast<unsigned>(g.threads));
        };
        if (g.one_vector) start(rows_in_registers<on_chip, Sources, list<T...>, false, Outer, R, width, 1, parameters>);
        else start(rows_in_registers<on_chip, Sources, list<T...>, true, Outer, R, width, held / width, parameters>);
        return g.path;
      }
    }
    using parameters = row_parameters<operands, target_pack<R, T...>, Outer, R>;
    parameters p{bound.operands,
                 to,
                 walk_of<Outer>(s.extent),
                 walk_of<R - 1 - Outer>(s.extent + Outer),
                 g.tasks,
                 s[R - 1],
                 g.units,
                 g.vectors,
                 log2_of(g.lanes),
                 g.kept_steps,
                 g.consecutive,
                 one_result,
                 g.wide_in,
                 g.wide_out,
                 g.staged,
                 {},
                 {g.blocks, g.teams, g.how, nullptr, nullptr, g.slots * unsigned(program.accumulators)}};
    for (int i = 0; i < 64; ++i) p.room[i] = g.room[i];
    scratch room;
    if (g.how == exchange::memory) {
      room = scratch_for(std::size_t{2} * g.teams * g.blocks * p.team.room);
      p.team.tickets = room.tickets;
      p.team.partial = room.partial;
    }
    static_assert(sizeof(parameters) <= 32764,
                  "lazyfuse: the expression has more operands than one kernel takes; materialize a part of it");
    const auto start = [&](auto kernel) {
      const unsigned most = resident_teams(reinterpret_cast<const void*>(kernel), team_threads, g.shared_bytes,
                                           g.how == exchange::cluster ? g.blocks : 1);
      if (g.how != exchange::memory) {  // as many teams as run at a time, each with several tasks
        p.team.teams = p.team.teams < most ? p.team.teams : most;
        g.grid = index_t{p.team.teams} * g.blocks;
      }
      launch_team(reinterpret_cast<const void*>(kernel), static_cast<unsigned>(g.grid),
                  static_cast<unsigned>(g.threads), g.shared_bytes, g.how == exchange::cluster ? g.blocks : 1,
                  g.how == exchange::memory, &p);
    };
    if (g.simple)
      start(rows_by_teams<Staged, Sources, list<T...>, true, Columns, Outer, R, width, depth, held_steps, parameters>);
    else start(rows_by_teams<Staged, Sources, list<T...>, false, Columns, Outer, R, width, 1, 0, parameters>);
    return g.path;
  }
};

}  // namespace lazyfuse::cuda_detail

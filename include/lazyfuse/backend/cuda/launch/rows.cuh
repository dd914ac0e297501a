// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rows on the GPU: one kernel that loads a row once and carries it through all stages. One of two runs: in registers,
// or by teams of blocks.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/row_registers.cuh>
#include <lazyfuse/backend/cuda/kernels/row_team.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>
#include <lazyfuse/backend/cuda/launch/row_geometry.hpp>

namespace lazyfuse::cuda_detail {

/// Rows of an iteration of R axes: how they are laid out, and their launch.
template <class Staged, class Sources, int Outer, bool Columns, int R, class... T>
struct rows_program {
  static constexpr int targets = sizeof...(T);
  using shares = team_shares<Staged, Sources, list<T...>, Columns>;
  using on_chip = staged_on_chip_t<Staged>;
  static constexpr int width = shares::width,
                       held = register_elements<on_chip>(Sources{}, make_index_sequence<Sources::size>{}, width);
  static constexpr row_program program{.width = width,
                                       .held = held,
                                       .accumulators = shares::accumulators,
                                       .again = shares::again,
                                       .held_steps = shares::held_steps,
                                       .depth = shares::depth};

  template <class Bound>
  static row_geometry lay_out(const shape<R>& s, const Bound& bound) {
    return plan_rows(s.extent, R, Outer, Columns, bound.info, targets, targets + bound.count, program);
  }

  template <class Bound>
  static void launch(const row_geometry& g, const shape<R>& s, const Bound& bound, const target_pack<R, T...>& to,
                     bool one_result) {
    using operands = bare_t<decltype(bound.operands)>;
    if constexpr (!Columns) {
      if (g.registers) {
        using parameters = register_parameters<operands, target_pack<R, T...>, Outer>;
        const parameters p{{bound.operands, to}, numbers_of_registers<Outer>(g, s.extent, s[R - 1], one_result)};
        const auto start = [&](auto kernel) {
          cuda_detail::launch(kernel, static_cast<unsigned>(g.grid), 0, p, static_cast<unsigned>(g.threads));
        };
        if (g.one_vector) start(rows_in_registers<on_chip, Sources, list<T...>, false, Outer, R, width, 1, parameters>);
        else start(rows_in_registers<on_chip, Sources, list<T...>, true, Outer, R, width, held / width, parameters>);
        return;
      }
    }
    using parameters = row_parameters<operands, target_pack<R, T...>, Outer, R>;
    parameters p{{bound.operands, to}, numbers_of_teams<Outer, R>(g, s.extent, one_result)};
    const auto start = [&](auto instance) {
      const void* const kernel = reinterpret_cast<const void*>(instance);
      const team_start teams = prepare_teams(kernel, g, p.team);
      launch_teams(kernel, g, teams, argument(p));
    };
    if (g.straight)
      start(rows_by_teams<Staged, Sources, list<T...>, true, Columns, Outer, R, width, shares::depth,
                          shares::held_steps, parameters>);
    else start(rows_by_teams<Staged, Sources, list<T...>, false, Columns, Outer, R, width, 1, 0, parameters>);
  }
};

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

template <class Staged, int Outer, bool Columns>
struct kernel<dpp::rows<Staged, Outer, Columns>, cuda> {
  using geometry = cuda_detail::row_geometry;
  template <class Sources, int R, class... T>
  static auto program(const ir::target_pack<R, T...>&)
      -> cuda_detail::rows_program<Staged, Sources, Outer, Columns, R, T...>;
  template <class Plan>
  using program_of = decltype(program<typename Plan::sources>(std::declval<Plan&>().to));

  template <class Plan>
  static const char* path(Plan& p) {
    static_assert(dpp::plan_of<Plan, dpp::rows<Staged, Outer, Columns>>,
                  "lazyfuse: the plan lacks what its pattern asks for");
    p.geometry = program_of<Plan>::lay_out(p.s, p.bound);
    if (!p.geometry.fits) return nullptr;  // reductions become arrays, on the device
    find_residence(p.geometry, p.rows.where);
    return p.geometry.path;
  }
  template <class Plan>
  static void launch(Plan& p) {
    program_of<Plan>::launch(p.geometry, p.s, p.bound, p.to, p.rows.one_result);
  }
};

}  // namespace lazyfuse

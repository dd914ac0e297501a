// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of rows that are made at run time: rows stay in registers, or teams of blocks share them.
#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/strips.hpp"

#include <lazyfuse/plan/traffic.hpp>

#include "backend/cuda/launch/memory.hpp"

#include <utility>

namespace lazyfuse::cuda_detail {

namespace {

constexpr int most_outer = max_rank - 1;

/// Elements of a row that a thread holds at most, as far as it is known before the kernel is.
int most_held(const exact_plan& p) {
  for (int i = 0; i < p.count; ++i)
    if (p.type_of(i).kind == ir::source_kind::memory && p.operand(i).element_size == 2)
      return 2 * row_tuning::most_register_elements;
  return row_tuning::most_register_elements;
}

row_geometry lay_out(const exact_plan& p, const row_program& program) {
  return plan_rows(p.extents, p.rank, p.kept, p.columns, p.info, p.targets, p.targets + p.count, program);
}

/// Whether rows are read in vectors by a power of two of threads of which few are idle. Strips have as many as there
/// are elements for. Of rows that are at most a vector for each thread of a warp, strips give each more.
bool suits_registers(const exact_plan& p, const row_program& facts, const row_geometry& g) {
  constexpr double least_used = 0.75;
  if (!g.has_whole_rows(p.extents, p.kept)) return false;
  if (has_small_elements(p)) return true;
  return !g.one_vector &&
         static_cast<double>(p.extents[p.rank - 1]) >= least_used * static_cast<double>(facts.held * g.group);
}

/// In registers; without a kernel if their threads hold less than was guessed, which facts then say.
made_rows rows_in_registers(const exact_plan& p, exact_program& program, row_program& facts, const row_geometry& g) {
  made_rows rows{.geometry = g};
  const auto find = [&](const std::string& known) {
    return variant_of(program, p, g.one_vector ? "vectors" : "registers", known,
                      [&] { return rows_source(p, *program.graph, g.one_vector, known); });
  };
  rows.made = find(g.has_whole_rows(p.extents, p.kept) ? "all" : "none");
  if (!rows.made && !has_compiler()) rows.made = find("not_known");  // a bundle may have that one
  if (!rows.made || rows.made->choices[0] != facts.width) return {};
  const int guess = std::exchange(facts.held, rows.made->choices[1]);
  if (guess != facts.held) rows.geometry = lay_out(p, facts);
  return rows.geometry.registers ? rows : made_rows{};
}

/// Bytes of all that is read of a row, or of the columns of a team.
index_t bytes_of_row(const exact_plan& p, int width) {
  index_t elements = p.columns ? index_t{32} * width : p.extents[p.rank - 1], bytes = 0;
  for (int k = p.kept; k < p.rank - 1; ++k) elements *= p.extents[k];
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    bool differs = false;
    for (int k = p.kept; o.steps && k < p.rank; ++k) differs = differs || (o.steps[k] != 0 && p.extents[k] != 1);
    if (differs) bytes += elements * o.element_size;
  }
  return bytes;
}

/// Whether the blocks of a cluster keep all that they read of a row, or of their columns, also what is read
/// once: then another pass over it is cheap.
bool stays_on_chip(const exact_plan& p, int width) {
  const index_t held = p.columns ? 0 : row_tuning::team_threads * row_tuning::most_held_bytes;
  return bytes_of_row(p, width) <=
         row_tuning::usual_cluster * (device().shared_bytes_of(row_tuning::team_residents) * 6 / 7 + held);
}

/// By teams.
made_rows rows_by_teams(const exact_plan& p, exact_program& program, row_program facts, team_walk walk) {
  static constexpr const char* paths[2][3] = {{"teams", "teams of whole vectors", "teams of elements"},
                                              {"columns", "columns of whole vectors"}};
  made_rows rows;
  // Kernels that are compiled with a program take theirs as they are, and those that are made repeat their bits.
  // Those of a bundle know no length.
  const auto find = [&](const std::string& passes) {
    return variant_of(program, p, paths[p.columns][static_cast<int>(walk)], passes,
                      [&] { return teams_source(p, *program.graph, walk, passes); });
  };
  const bool as_they_are = !p.type().only_made || packs_at_the_end();
  rows.made = find(as_they_are ? "" : stays_on_chip(p, facts.width) ? "on_chip" : "off_chip");
  if (!rows.made && !as_they_are && !has_compiler()) rows.made = find("");
  if (!rows.made || rows.made->choices[0] != facts.width) return {};
  const made_kernel& made = *rows.made;
  facts.accumulators = made.choices[1];
  facts.held_steps = made.choices[2];
  facts.depth = made.choices[3];
  for (int i = 0; i < p.count; ++i) {
    const int reads = made.reads[static_cast<std::size_t>(i)], readers = reads / 2;
    if (reads % 2 == 1) facts.again |= wide_bits{1} << i;
    if (readers > 1) rows.again_bytes += (readers - 1) * asked_bytes(p.extents, p.rank, &p.operand(i), 1);
  }
  rows.geometry = lay_out(p, facts);
  return rows.geometry.fits ? rows : made_rows{};
}

/// Rows that do not begin at vectors, element by element: neighbouring threads have neighbours, of which none needs to
/// be looked for.
made_rows rows_by_elements(const exact_plan& p, exact_program& program, row_program facts) {
  // Kernels that are compiled with a program have other paths, whose bits those that are made repeat.
  if (!p.type().only_made || p.columns || facts.width == 1) return {};
  for (int i = 0; i < p.count; ++i)
    if (p.type_of(i).kind == ir::source_kind::memory && p.operand(i).element_size % 4 != 0) return {};
  facts.width = 1;
  const row_geometry g = lay_out(p, facts);
  return g.straight && g.fits ? rows_by_teams(p, program, facts, team_walk::elements) : made_rows{};
}

/// Columns that stay in registers. Kernels for one height are not packed at the end of a run: where there is no
/// compiler, a bundle may have those that serve any.
made_rows columns_in_registers(const exact_plan& p, exact_program& program, const row_geometry& g) {
  made_rows rows{.geometry = g};
  const auto make = [&](bool of_any_height) {
    rows.columns = column_layout_of(p, g.straight, of_any_height);
    rows.made = rows.columns ? column_kernel(p, program, *rows.columns) : nullptr;
  };
  make(packs_at_the_end());
  if (!rows.made && !has_compiler()) make(true);
  if (!rows.made) return {};
  const column_layout& columns = *rows.columns;
  rows.geometry.registers = true;
  rows.geometry.group = columns.lines == 1 ? 1 : block_threads;  // results are in a thread, or in the block
  rows.geometry.how = exchange::none;
  rows.geometry.path = "columns in registers";
  // Of 9 to 300 lines of 3 a difference from the mean takes 2.7 to 3.6 times as long as a copy.
  if (columns.beside == 32 && !p.plan.rows.one_result &&
      writes_in_pieces(columns.height, p.extents[p.rank - 1], p.info[0].element_size))
    rows.geometry.busy = 0.35;
  return rows;
}

/// Columns that are read once, for one result each, and rows that no block keeps, whose blocks would wait for each
/// other: as any reduction, whose blocks need not run at a time.
made_rows rows_as_reduction(const exact_plan& p, exact_program& program, const row_geometry& g) {
  if (!p.type().only_made || !p.plan.rows.one_result || !program.in_one_pass) return {};
  // Those of a bundle know no length.
  if (!p.columns && (packs_at_the_end() || bytes_of_row(p, 1) <= device().shared_bytes_of(1))) return {};
  exact_plan reduction(p.plan);
  reduction.take_as_reduction(p);
  made_rows rows{.geometry = g, .reduction = reduction_of(reduction, program)};
  if (p.columns && !rows.reduction->along_kept) return {};
  rows.made = rows.reduction->made;
  rows.geometry.path = p.columns ? "columns in one pass" : "rows in one pass";
  return rows;
}

}  // namespace

made_rows rows_of(const exact_plan& p, exact_program& program) {
  row_program facts{
      .width = vector_width(p, true), .held = most_held(p), .accumulators = 0, .again = 0, .held_steps = 0, .depth = 1};
  row_geometry g = lay_out(p, facts);
  const bool in_vectors = g.registers ? suits_registers(p, facts, g) : g.whole;
  if (const auto strips = row_strip_layout_of(p, program.read_in_stages, in_vectors))
    if (made_kernel* const made = row_strip_kernel(p, program, *strips)) {
      made_rows rows{.made = made, .geometry = g, .strips = strips};
      rows.geometry.registers = true;
      rows.geometry.group = strips->threads;
      rows.geometry.how = strips->blocks > 1 ? exchange::cluster : exchange::none;
      rows.geometry.path = "rows in strips";
      return rows;
    }
  if (g.registers) {
    if (made_rows rows = rows_in_registers(p, program, facts, g); rows.made) return rows;
    facts.held = 0;
    g = lay_out(p, facts);
  }
  if (made_rows rows = columns_in_registers(p, program, g); rows.made) return rows;
  // A grid, which has few columns or rows, ends sooner than reductions of which one block merges what all others leave.
  const bool by_grid = g.how == exchange::memory;
  if (!by_grid)
    if (made_rows rows = rows_as_reduction(p, program, g); rows.made) return rows;
  if (!g.straight)
    if (made_rows rows = rows_by_elements(p, program, facts); rows.made) return rows;
  made_rows rows = rows_by_teams(p, program, facts, g.straight ? team_walk::vectors : team_walk::anything);
  return rows.made || !by_grid ? rows : rows_as_reduction(p, program, g);
}

bool start_rows(const exact_plan& p, exact_program& program) {
  const made_rows rows = rows_of(p, program);
  if (!rows.made) return false;
  if (rows.columns) return start_columns(p, *rows.made, *rows.columns);
  if (rows.strips) return start_row_strips(p, *rows.made, *rows.strips);
  if (rows.reduction) {
    exact_plan reduction(p.plan);
    reduction.take_as_reduction(p);
    return start_made(reduction, *rows.reduction);
  }
  const row_geometry& g = rows.geometry;
  const bool one_result = p.plan.rows.one_result;
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  team_start teams;
  with_rank<0, most_outer>(p.kept, [&]<int K>() {
    if (g.registers) to.put(numbers_of_registers<K>(g, p.extents, p.extents[K], one_result));
    else
      with_rank<K + 1, max_rank>(p.rank, [&]<int R>() {
        team_numbers<K, R> numbers = numbers_of_teams<K, R>(g, p.extents, one_result);
        teams = prepare_teams(rows.made->kernel, g, numbers.team);
        to.put(numbers);
      });
  });
  if (!to.fits()) return false;
  if (g.registers) start(*rows.made, static_cast<unsigned>(g.grid), 0, to, static_cast<unsigned>(g.threads));
  else launch_teams(rows.made->kernel, g, teams, to.data());
  return true;
}

}  // namespace lazyfuse::cuda_detail

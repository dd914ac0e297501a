// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans that are made at run time, along the paths of those that were compiled with the program.
#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/strips.hpp"
#include "backend/cuda/launch/memory.hpp"

#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>

#include <utility>

namespace lazyfuse::cuda_detail {

namespace {
/// Whether threads read vectors along the last axis, of which few are idle.
bool in_vectors(const exact_plan& p, const scan_geometry& g, int width) {
  constexpr double least_used = 0.85;
  const index_t length = p.extents[p.rank - 1], piece = index_t{g.lanes} * width;
  return g.spacing == 1 &&
         static_cast<double>(length) >= least_used * static_cast<double>(ceil_div(length, piece) * piece);
}
/// Elements that a thread has below each other, one in each line, at most, where so few columns are beside each other
/// that threads of vectors would be idle; otherwise 0. As many bytes as vectors have, where lines are for all threads.
int most_of_few_columns(const exact_plan& p) {
  const index_t columns = p.extents[p.rank - 1], height = p.extents[p.rank - 2];
  if (!p.type().only_made || packs_at_the_end() || columns >= scan_tuning::least_lanes) return 0;
  const int most = vector_width(p, true) * scan_tuning::depth;
  return height * power_above(columns, scan_tuning::least_lanes) >= index_t{most} * block_threads ? most
                                                                                                  : scan_tuning::depth;
}
/// Short rows and low columns that fill no vectors are scanned in registers, element by element.
bool start_as_strips(const exact_plan& p, exact_program& program, const scan_geometry& g, int width) {
  if (in_vectors(p, g, width)) return false;
  if (g.path == scan_path::columns) {
    const auto columns = scan_column_layout_of(p);
    made_kernel* const made = columns ? column_kernel(p, program, *columns) : nullptr;
    return made && start_columns(p, *made, *columns);
  }
  if (g.path != scan_path::rows) return false;
  const auto rows = row_strip_layout_of(p, {}, false);
  made_kernel* const made = rows ? row_strip_kernel(p, program, *rows) : nullptr;
  return made && start_row_strips(p, *made, *rows);
}
scan_geometry lay_out(const exact_plan& p, const scan_facts& facts) {
  return plan_scan(p.extents, p.rank, p.info, p.targets, p.targets + p.count, facts);
}
/// By threads that have vectors, or single elements, so many at most.
bool start_by_threads(const exact_plan& p, exact_program& program, bool beside, std::array<int, 5> choices,
                      int most_single) {
  scan_geometry g;
  scan_facts facts{};
  made_kernel* made = nullptr;
  for (bool exact = false; !exact;) {
    facts = scan_facts::of(beside, p.rank, {choices[0], choices[1]}, choices[2]);
    g = lay_out(p, facts);
    if (!g.fits) return false;
    static constexpr const char* names[] = {"scan_rows", "scan_tiles", "scan_columns"};
    const char* const path = names[static_cast<int>(g.path)];
    const auto find = [&](const std::string& known) {
      return variant_of(program, p, path, most_single > 0 ? known + ", single, " + std::to_string(most_single) : known,
                        [&] { return scan_source(p, *program.graph, path, known, most_single); });
    };
    made = find(g.spacing == 1 ? "true" : "false");
    if (!made && !has_compiler()) made = find("false");  // a bundle may have that one
    if (!made) return false;
    exact = std::exchange(choices, made->choices) == made->choices;
  }
  if (most_single == 0) {
    const std::lock_guard lock(program.mutex);
    program.choices = choices;
  }
  const scan_room room(g, facts.accumulators, g.lanes * facts.share.width);
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  with_rank<0, max_rank - 1>(p.kept, [&]<int K>() { to.put(numbers_of_scan<K>(g, p.extents, beside, room)); });
  if (!to.fits()) return false;
  if (g.shared + static_cast<std::size_t>(facts.fixed) > unasked_shared_bytes) allow_shared(made->kernel, g.shared);
  start(*made, g.blocks, g.shared, to);
  return true;
}
}  // namespace

bool start_scan(const exact_plan& p, exact_program& program) {
  const bool beside = p.rank == p.kept + 2;
  // What a value takes is known when the kernel has been compiled; until then it is taken for that of a sum.
  const int widest = vector_width(p, true), bytes = p.info[0].element_size;
  const scan_facts guessed = scan_facts::of(beside, p.rank, {widest, scan_tuning::depth}, bytes);
  // Not by what a kernel has told: strips add in another order, and bits must not depend on what ran before.
  if (start_as_strips(p, program, lay_out(p, guessed), widest)) return true;
  const int most_single = beside ? most_of_few_columns(p) : 0;
  if (most_single > 0 && start_by_threads(p, program, beside, {1, most_single, bytes, 0, 0}, most_single)) return true;
  std::array<int, 5> choices{widest, scan_tuning::depth, bytes, 0, 0};
  {
    const std::lock_guard lock(program.mutex);
    if (program.choices[0] > 0) choices = program.choices;
  }
  return start_by_threads(p, program, beside, choices, 0);
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans that are made at run time, along the paths of those that were compiled with the program.
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/backend/cuda/kernels/tuning.hpp>
#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>

#include <utility>

namespace lazyfuse::cuda_detail {

bool start_scan(const exact_plan& p, exact_program& program) {
  const bool beside = p.rank == p.kept + 2;
  // What a value takes is known when the kernel has been compiled; until then it is taken for that of a sum.
  const int widest = vector_width(p, true);
  std::array<int, 5> choices{widest, scan_tuning::depth, p.info[0].element_size, 0, 0};
  {
    const std::lock_guard lock(program.mutex);
    if (program.choices[0] > 0) choices = program.choices;
  }
  scan_geometry g;
  scan_facts facts{};
  made_kernel* made = nullptr;
  for (bool exact = false; !exact;) {
    facts = scan_facts::of(beside, p.rank, {choices[0], choices[1]}, choices[2]);
    g = plan_scan(p.extents, p.rank, p.info, p.targets, p.targets + p.count, facts);
    if (!g.fits) return false;
    static constexpr const char* names[] = {"scan_rows", "scan_tiles", "scan_columns"};
    const char* const path = names[static_cast<int>(g.path)];
    const auto find = [&](const std::string& known) {
      return variant_of(program, p, path, known, [&] { return scan_source(p, *program.graph, path, known); });
    };
    made = find(g.spacing == 1 ? "true" : "false");
    if (!made && !has_compiler()) made = find("false");  // a bundle may have that one
    if (!made) return false;
    exact = std::exchange(choices, made->choices) == made->choices;
  }
  {
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

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms that are made at run time, along the paths of those that were compiled with the program.
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"

#include <lazyfuse/plan/axes.hpp>

#include <algorithm>
#include <utility>

namespace lazyfuse::cuda_detail {

int vector_width(const exact_plan& p, bool with_results) {
  int largest = 1, total = 1;
  const auto count = [&](int bytes) {
    largest = std::max(largest, bytes);
    total += std::max(bytes, 1);
  };
  for (int i = 0; i < p.targets && with_results; ++i) count(p.info[i].element_size);
  for (int i = 0; i < p.count; ++i)
    count(std::max(p.operand(i).element_size, static_cast<int>(p.type_of(i).kept_bytes)));
  return width_of(largest, total);
}

namespace {

/// What a strided kernel may rely on, operand by operand, and how all results are written.
std::string facts_of_strided(const exact_plan& p, const transform_geometry& g) {
  std::string facts;
  const auto is_wide = [&](wide_bits wide, int i, const operand_info& o) {
    return g.consecutive && has_bit(wide, i) && o.steps && o.steps[p.rank - 1] == 1;
  };
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    const bool in_memory = o.element_size > 0 && o.steps && !has_bit(g.via_shared, i);
    facts += i > 0 ? ", " : "";
    if (!in_memory) facts += "not_known";
    else if (o.steps[p.rank - 1] == 0) facts += "same";
    else if (o.steps[p.rank - 1] != 1) facts += "not_known";
    else facts += is_wide(g.wide_in, i, o) ? "vectors" : g.consecutive ? "neighbours" : "interleaved";
  }
  bool wide = true, in_order = true;
  for (int i = 0; i < p.targets; ++i) {
    wide = wide && is_wide(g.wide_out, i, p.info[i]);
    in_order = in_order && p.info[i].steps[p.rank - 1] == 1;
  }
  const bool singly = in_order && (!g.consecutive || g.wide_out == 0);
  return "cuda_detail::layout_facts<" + facts + ">, " +
         (wide                      ? "vectors"
          : singly && g.consecutive ? "neighbours"
          : singly                  ? "interleaved"
                                    : "not_known");
}

}  // namespace

transform_geometry geometry_of_transform(exact_plan& p, const std::array<int, 5>& choices) {
  return plan_transform(p.extents, p.rank, p.info, p.targets, p.targets + p.count, {choices[0], choices[1]},
                        {choices[0], choices[2]}, {choices[3], choices[4]}, false);
}

void put_transform(parameters& to, const exact_plan& p, const transform_geometry& g) {
  put_bound(to, p, 0, p.rank, p.rank);
  if (p.rank == 1) to.put(numbers_of_flat(g, p.extents[0]));
  else with_rank<2, max_rank>(p.rank, [&]<int R>() { to.put(numbers_of_strided<R>(g, p.extents)); });
}

const char* path_of_transform(exact_plan& p) {
  static constexpr const char* names[] = {"flat", "strided", "tiled"};
  const int widest = vector_width(p, true);
  if (is_unravelled(p, widest)) return "unravelled";
  if (const auto axes = turned_axes_of(p); axes && wants_fitted(p, *axes)) return "tiled";
  return names[static_cast<int>(geometry_of_transform(p, {widest, 1, 1, widest, 1}).path)];
}

bool start_transform(exact_plan& p, exact_program& program) {
  // What the program costs is known when it has been compiled; until then the path is the one of a cheap program.
  const int widest = vector_width(p, true);
  if (is_unravelled(p, widest) && start_unravelled(p, program, widest)) return true;
  if (const auto axes = turned_axes_of(p); axes && wants_fitted(p, *axes) && start_turned(p, program, *axes))
    return true;
  std::array<int, 5> choices{widest, 1, 1, widest, 1};
  {
    const std::lock_guard lock(program.mutex);
    if (program.choices[0] > 0) choices = program.choices;
  }
  transform_geometry g{};
  made_kernel* made = nullptr;
  const char* path = nullptr;
  for (bool exact = false; !exact;) {
    g = geometry_of_transform(p, choices);
    static constexpr const char* names[] = {"flat", "strided", "turned"};
    path = names[static_cast<int>(g.path)];
    if ((p.rank == 1) != (g.path == transform_path::flat)) return false;
    const auto find = [&](const std::string& facts) {
      return variant_of(program, p, path, facts, [&] { return transform_source(p, *program.graph, path, facts); });
    };
    // Facts of the widest vectors hold for narrower ones where threads lie alike: the kernel then stays the same when
    // it is known how wide they are.
    transform_geometry widened = g;
    if (choices[0] != widest || choices[3] != widest) {
      widened = geometry_of_transform(p, {widest, choices[1], choices[2], widest, choices[4]});
      g = geometry_of_transform(p, choices);
      const bool same = widened.path == g.path && widened.via_shared == g.via_shared &&
                        (widened.consecutive == g.consecutive || g.path == transform_path::flat);
      if (!same) widened = g;
    }
    const bool flat = g.path == transform_path::flat;
    const char* const not_known = flat ? "false" : "cuda_detail::layout_facts<>, not_known";
    const std::string facts = flat ? (widened.dense ? "true" : not_known) : facts_of_strided(p, widened);
    made = find(facts);
    if (!made && !has_compiler()) made = find(not_known);  // a bundle may have that one
    if (!made || made->choices[0] > widest) return false;
    exact = std::exchange(choices, made->choices) == made->choices;
  }
  {
    const std::lock_guard lock(program.mutex);
    program.choices = choices;
  }
  parameters to;
  put_transform(to, p, g);
  if (!to.fits()) return false;
  const auto shared = static_cast<std::size_t>(g.shared_bytes);
  if (shared > unasked_shared_bytes) allow_shared(made->kernel, shared);
  start(*made, g.blocks, shared, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

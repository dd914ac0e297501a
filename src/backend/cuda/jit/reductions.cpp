// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that are made at run time, of rows and of columns.
#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/strips.hpp"
#include "backend/cuda/jit/tuning.hpp"
#include "backend/cuda/launch/memory.hpp"

#include <lazyfuse/plan/axes.hpp>

#include <algorithm>
#include <utility>

namespace lazyfuse::cuda_detail {

namespace {

constexpr int most_kept = max_rank - 1, most_axes = max_rank;
/// How many blocks run at a time is not known before a kernel is: with many, threads are laid as for few rows.
constexpr index_t not_known_yet = 1 << 20;
constexpr const char *all_dense = "dense_layout", *not_known = "layout_facts<>";

/// What a kernel may rely on of an operand along the inner axis.
const char* fact_of(const exact_plan& p, int i, int inner, const reduce_geometry& g) {
  const operand_info& o = p.operand(i);
  if (o.element_size == 0 || !o.steps) return "not_known";
  if (o.steps[inner] == 0) return "same";
  if (g.consecutive && has_bit(g.wide, i)) return "vectors";
  if (o.steps[inner] != 1 || p.type_of(i).kind != ir::source_kind::memory) return "not_known";
  return g.consecutive ? "neighbours" : "interleaved";
}
/// Of all: that they are vectors, or what is known of each if that is something else.
std::string facts_of(const exact_plan& p, bool along_kept, const reduce_geometry& g) {
  const int inner = along_kept ? p.kept - 1 : p.rank - 1;
  std::string facts;
  bool other = false;
  for (int i = 0; i < p.count; ++i) {
    const std::string_view fact = fact_of(p, i, inner, g);
    facts.append(i > 0 ? ", " : "").append(fact);
    other = other || fact == "same" || fact == "neighbours" || fact == "interleaved";
  }
  if (other) return "layout_facts<" + facts + ">";
  return g.consecutive && g.dense && g.wide != 0 ? all_dense : not_known;
}

/// Whether rows are a line of the caches or less, of which threads that read several vectors at a time leave nothing,
/// and little is computed.
bool suits_vectors(const exact_plan& p, index_t bytes) {
  const int each = vector_width(p, false) * reduce_tuning::depth;
  if (has_small_elements(p)) return true;
  return p.rank - p.kept == 1 && bytes <= strip_tuning::most_bytes_of_vectors && p.extents[p.rank - 1] % each == 0 &&
         p.type().cost(p.plan) < reduce_tuning::cheap;
}

/// Other rows are read in strips; but what results in truth values may be known before their end.
std::optional<row_strip_layout> strips_of(const exact_plan& p, const reduce_geometry& g) {
  bool in_vectors = true;
  index_t bytes = 0;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    if (o.element_size == 0 || !o.steps || o.steps[p.rank - 1] == 0) continue;
    in_vectors = in_vectors && has_bit(g.wide, i);
    bytes += o.element_size * p.extents[p.rank - 1];
  }
  in_vectors = in_vectors && suits_vectors(p, bytes);
  if (std::all_of(p.type().results, p.type().results + p.targets, [](dtype t) { return t == dtype::boolean; }))
    return {};
  return row_strip_layout_of(p, {}, in_vectors);
}
bool start_as_strips(const exact_plan& p, exact_program& program, const reduce_geometry& g) {
  const auto strips = strips_of(p, g);
  if (!strips) return false;
  made_kernel* const made = row_strip_kernel(p, program, *strips);
  return made && start_row_strips(p, *made, *strips);
}

/// Low columns stay in registers: before and after the few rows of each thread that reads several columns in vectors
/// there is more to do than with them. But blocks that first read all and then compute do neither all the time, so dear
/// programs stay there only where columns are lower. Where a block would have few elements, all do that fit.
std::optional<column_layout> columns_of(const exact_plan& p, exact_plan& as_columns) {
  index_t height = 1, columns = 1;
  for (int k = 0; k < p.rank; ++k) (k < p.kept ? columns : height) *= p.extents[k];
  const bool is_dear = p.type().cost(p.plan) >= reduce_tuning::dear;
  const index_t of_block = height * p.extents[p.kept - 1];
  const index_t most = is_dear ? strip_tuning::most_height_of_dear_sums : strip_tuning::most_height_of_sums;
  const bool is_low = height <= most || of_block < strip_tuning::least_of_block;
  if (!p.type().only_made || !is_low || columns < strip_tuning::least_columns) return {};
  as_columns.take_as_columns(p);
  return column_layout_of(as_columns, true, packs_at_the_end());
}
bool start_as_columns(const exact_plan& p, exact_program& program) {
  exact_plan columns(p.plan);
  const auto layout = columns_of(p, columns);
  if (!layout) return false;
  made_kernel* const made = column_kernel(columns, program, *layout);
  return made && start_columns(columns, *made, *layout);
}

reduce_geometry lay_out(const exact_plan& p, bool along_kept, int width, int depth, index_t resident) {
  return plan_reduce(p.extents, p.kept, p.rank, p.info + p.targets, p.count, along_kept, {width, depth}, resident);
}

}  // namespace

const char* path_of_reduction(const exact_plan& p) {
  if (runs_along_kept(p.extents, p.kept, p.rank, p.info + p.targets, p.count, true)) {
    exact_plan columns(p.plan);
    return columns_of(p, columns) ? "columns in registers" : "columns";
  }
  return p.rank <= most_axes && strips_of(p, lay_out(p, false, vector_width(p, false), 1, 1)) ? "rows in strips"
                                                                                              : "rows";
}

namespace {
/// By threads of `width` lanes; widest: as its types have it.
made_reduction reduction_of_width(const exact_plan& p, exact_program& program, bool along_kept, int width, int widest) {
  const char* const path = along_kept ? "columns" : "rows";
  reduce_geometry g = lay_out(p, along_kept, width, 1, not_known_yet);
  // How threads lie depends on what a kernel takes on, which only it knows; then others may be what it relies on.
  made_kernel* made = nullptr;
  for (int times = 0;; ++times) {
    if (times == 3) return {};
    std::string facts = times < 2 ? facts_of(p, along_kept, g) : not_known;
    const auto find = [&] {
      const std::string of_width = width == widest ? "" : " of " + std::to_string(width);
      return variant_of(program, p, path, facts + of_width,
                        [&] { return reduce_source(p, *program.graph, path, facts, width == widest ? 0 : width); });
    };
    made = find();
    if (!made && facts != not_known && !has_compiler()) {  // a bundle may have that one
      facts = not_known;
      made = find();
    }
    if (!made || made->choices[0] != width) return {};
    const reduce_geometry guess = std::exchange(
        g, lay_out(p, along_kept, width, made->choices[along_kept ? 2 : 1], made->resident.of(made->kernel)));
    if (facts == not_known || (g.consecutive == guess.consecutive && g.dense == guess.dense)) break;
  }
  return {.made = made, .geometry = g, .along_kept = along_kept};
}
}  // namespace

made_reduction reduction_of(const exact_plan& p, exact_program& program) {
  if (p.kept > most_kept || p.rank > most_axes) return {};
  const bool along_kept = runs_along_kept(p.extents, p.kept, p.rank, p.info + p.targets, p.count, true);
  const int widest = vector_width(p, false);
  const index_t columns = along_kept ? p.extents[p.kept - 1] : widest;
  // Of fewer columns than a vector has, threads take as many as all of them can. A bundle's kernels know no number.
  if (columns < widest && !packs_at_the_end())
    if (const made_reduction r =
            reduction_of_width(p, program, along_kept, static_cast<int>(columns & -columns), widest);
        r.made || has_compiler())
      return r;
  return reduction_of_width(p, program, along_kept, widest, widest);
}

bool start_made(const exact_plan& p, const made_reduction& r) {
  const reduce_geometry& g = r.geometry;
  const int width = r.made->choices[0];
  scratch room;
  if (g.splits > 1) {
    const std::size_t per_tile = r.along_kept ? static_cast<std::size_t>(g.lanes * width) : 1;
    room = scratch_for(static_cast<std::size_t>(r.made->choices[3]) * g.tiles * g.splits * per_tile);
  }
  parameters to;
  put_bound(to, p, 0, p.rank, p.kept);
  with_rank<0, most_kept>(p.kept, [&]<int K>() {
    with_rank<K + 1, most_axes>(p.rank, [&]<int R>() {
      reduce_numbers<K, R> numbers = numbers_of_reduce<K, R>(g, p.extents, r.along_kept, width);
      numbers.tickets = room.tickets;
      numbers.partial = room.partial;
      to.put(numbers);
    });
  });
  if (!to.fits()) return false;
  start(*r.made, g.tiles * g.splits, 0, to);
  return true;
}

bool start_reduction(const exact_plan& p, exact_program& program) {
  if (p.kept > most_kept || p.rank > most_axes) return false;
  if (runs_along_kept(p.extents, p.kept, p.rank, p.info + p.targets, p.count, true)) {
    if (start_as_columns(p, program)) return true;
  } else if (start_as_strips(p, program, lay_out(p, false, vector_width(p, false), 1, not_known_yet))) return true;
  const made_reduction r = reduction_of(p, program);
  return r.made && start_made(p, r);
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans whose operands turn out to be one, or of whose operands types knew too little: whether a kernel of their own
// pays, and its launch.
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/parameters.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/stencil.hpp"
#include "backend/cuda/jit/table.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "program/spelling.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/backend/cuda/launch/row_geometry.hpp>
#include <lazyfuse/plan/axes.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

/// What is known of a program whose operands are one in this way.
struct exact_program {
  std::optional<ir::program_graph> graph;  ///< none if it cannot be written down
  double repeated = 0;                     ///< the part of its operations that the types of the program repeat
  /// Kernels, by the device, the axes and the path.
  struct variant {
    int device, rank, kept;
    const char* path;
    std::string facts;
    made_kernel* made;
  };
  std::mutex mutex;
  std::vector<variant> variants;
  std::array<int, 5> numbers{};  ///< of the transform made last: they are the same along all paths but stencils
};

exact_program& program_of(const exact_plan& p) {
  static std::shared_mutex mutex;
  static auto& table = *new std::unordered_map<std::string, std::unique_ptr<exact_program>>;
  const kernel_type* const type = p.plan.type;
  std::string key(reinterpret_cast<const char*>(&type), sizeof(void*));
  key.append(reinterpret_cast<const char*>(p.slot), sizeof(short) * static_cast<std::size_t>(type->operands));
  {
    const std::shared_lock lock(mutex);
    if (const auto at = table.find(key); at != table.end()) return *at->second;
  }
  auto made = std::make_unique<exact_program>();
  bool named = true;
  short each[most_given];
  for (int i = 0; i < type->operands; ++i) {
    each[i] = static_cast<short>(i);
    named = named && !ir::spelling_of(type->types[i].kind, type->types[i].element).empty();
  }
  for (int i = 0; i < type->targets; ++i) named = named && !ir::spelling_of(type->results[i]).empty();
  if (named) made->graph = ir::program_graph::of(type->program, p.slot);
  if (made->graph)
    made->repeated = 1 - made->graph->operations() / double(ir::program_graph::of(type->program, each)->operations());
  if (made->graph && static_cast<int>(made->graph->roots.size()) != type->targets) made->graph.reset();
  const std::lock_guard lock(mutex);
  return *table.try_emplace(std::move(key), std::move(made)).first->second;
}

/// The text that a kernel is made from, as far as it differs between kernels.
std::string key_of(const exact_plan& p, const char* path, const std::string& facts) {
  std::string key =
      std::string(p.type().program) + "|" + sources_of(p) + "|" + results_of(p) + "|" + path + "|" + facts;
  for (int i = 0; i < p.type().operands; ++i) key += " " + std::to_string(p.slot[i]);
  for (const int n : {p.rank, p.kept, current_device()}) key += "|" + std::to_string(n);
  return key;
}

/// The kernel of a variant; null if it cannot be made, or not now.
template <class Write>
made_kernel* variant_of(exact_program& program, const exact_plan& p, const char* path, const std::string& facts,
                        const Write& source) {
  const int device = current_device();
  {
    const std::lock_guard lock(program.mutex);
    for (const exact_program::variant& v : program.variants)
      if (v.device == device && v.rank == p.rank && v.kept == p.kept && v.path == path && v.facts == facts)
        return *v.made ? v.made : nullptr;
  }
  if (capturing(current_stream())) return nullptr;  // loading a kernel would end the capture
  made_kernel& made = made_for(key_of(p, path, facts), source);
  const std::lock_guard lock(program.mutex);
  program.variants.push_back({device, p.rank, p.kept, path, facts, &made});
  return made ? &made : nullptr;
}

void start(const void* kernel, unsigned blocks, std::size_t shared, parameters& p, unsigned threads = block_threads) {
  void* arguments[] = {p.data()};
  check(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, shared, current_stream()), "cudaLaunchKernel");
}

/// Elements of a vector; results count where they are written in vectors.
int vector_width(const exact_plan& p, bool with_results) {
  int largest = 1, total = 1;
  const auto count = [&](int bytes) {
    largest = std::max(largest, bytes);
    total += std::max(bytes, 1);
  };
  for (int i = 0; i < p.targets && with_results; ++i) count(p.info[i].element_size);
  for (int i = 0; i < p.count; ++i) count(p.operand(i).element_size);
  return width_of(largest, total);
}

/// What a kernel may rely on, operand by operand: nothing unless some are the same along the inner axis, for kernels
/// whose operands all are vectors find that out once for all of them.
std::string facts_of(const exact_plan& p, int inner, const reduce_geometry& g) {
  const auto is_same = [&](int i) {
    const operand_info& o = p.operand(i);
    return o.element_size > 0 && o.steps && o.steps[inner] == 0;
  };
  std::string facts;
  bool some_same = false;
  for (int i = 0; i < p.count; ++i) {
    some_same = some_same || is_same(i);
    const bool is_wide = g.consecutive && has_bit(g.wide, i);
    facts += std::string(i > 0 ? ", " : "") + (is_same(i) ? "same" : is_wide ? "vectors" : "not_known");
  }
  return some_same ? facts : "";
}

template <int R>
void put_strided(parameters& to, const transform_geometry& g, const index_t* extents, int rank) {
  if (rank == R) to.put(numbers_of_strided<R>(g, extents));
  else if constexpr (R < max_rank) put_strided<R + 1>(to, g, extents, rank);
}

bool transform(exact_plan& p, exact_program& program) {
  // What the program costs is known when it has been compiled; until then the path is the one of a cheap program.
  const int widest = vector_width(p, true);
  std::array<int, 5> numbers{widest, 1, 1, widest, 1};
  {
    const std::lock_guard lock(program.mutex);
    if (program.numbers[0] > 0) numbers = program.numbers;
  }
  transform_geometry g{};
  made_kernel* made = nullptr;
  const char* path = nullptr;
  for (bool exact = false; !exact;) {
    g = plan_transform(p.extents, p.rank, p.info, p.targets, p.targets + p.count, {numbers[0], numbers[1]},
                       {numbers[0], numbers[2]}, {numbers[3], numbers[4]}, false);
    static constexpr const char* names[] = {"flat", "strided", "turned"};
    path = names[static_cast<int>(g.path)];
    if ((p.rank == 1) != (g.path == transform_path::flat)) return false;
    made = variant_of(program, p, path, "", [&] { return transform_source(p, *program.graph, path); });
    if (!made || made->numbers[0] > widest) return false;
    exact = std::exchange(numbers, made->numbers) == made->numbers;
  }
  {
    const std::lock_guard lock(program.mutex);
    program.numbers = numbers;
  }
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  if (p.rank == 1) to.put(numbers_of_flat(g, p.extents[0]));
  else put_strided<2>(to, g, p.extents, p.rank);
  if (!to.fits()) return false;
  const auto shared = static_cast<std::size_t>(g.shared_bytes);
  if (shared > unasked_shared_bytes) allow_shared(made->kernel, shared);
  start(made->kernel, g.blocks, shared, to);
  return true;
}

template <int R>
void put_stencil(parameters& to, const exact_plan& p, int lane_shift, const unsigned (&tiles)[3]) {
  if constexpr (R <= max_rank) {
    if (p.rank != R) return put_stencil<R + 1>(to, p, lane_shift, tiles);
    stencil_numbers<R> n{.outer = walk_of<R - 3>(p.extents),
                         .extent = {p.extents[R - 3], p.extents[R - 2], p.extents[R - 1]},
                         .walk_tiles = tiles[0],
                         .line_tiles = tiles[1],
                         .column_tiles = tiles[2],
                         .by_walks = divisor::of(tiles[0]),
                         .by_lines = divisor::of(tiles[1]),
                         .by_columns = divisor::of(tiles[2]),
                         .lane_shift = lane_shift};
    to.put(n);
  }
}
bool start_stencil(const stencil& s, exact_program& program) {
  made_kernel* const made = variant_of(program, s.plan, "stencil", s.points,
                                       [&] { return stencil_source(s.plan, *program.graph, s.points); });
  if (!made) return false;
  int lane_shift = 0;
  unsigned tiles[3];
  const std::optional<unsigned> blocks = lay_out_stencil(s, made->numbers[0], lane_shift, tiles);
  parameters to;
  put_bound(to, s.plan, 0, s.plan.rank, s.plan.rank);
  put_stencil<3>(to, s.plan, lane_shift, tiles);
  if (!blocks || !to.fits()) return false;
  start(made->kernel, *blocks, 0, to);
  return true;
}

/// The most axes of reductions that are made, and the longest rows: those that registers hold.
constexpr int most_kept = 3, most_axes = 6;
constexpr index_t longest_row = index_t{register_threads} * most_register_elements;
template <int K, int R>
bool put_reduce(parameters& to, const exact_plan& p, const reduce_geometry& g, bool along_kept, int width,
                const scratch& room) {
  if constexpr (K <= most_kept && R <= most_axes) {
    if (p.kept == K && p.rank == R) {
      reduce_numbers<K, R> numbers = numbers_of_reduce<K, R>(g, p.extents, along_kept, width);
      numbers.tickets = room.tickets;
      numbers.partial = room.partial;
      to.put(numbers);
      return true;
    }
    if (p.kept == K) return put_reduce<K, R + 1>(to, p, g, along_kept, width, room);
    return put_reduce<K + 1, K + 2>(to, p, g, along_kept, width, room);
  } else return false;
}

bool reduce(exact_plan& p, exact_program& program) {
  if (p.kept > most_kept || p.rank > most_axes) return false;
  const bool along_kept = runs_along_kept(p.extents, p.kept, p.rank, p.info + p.targets, p.count);
  const char* const path = along_kept ? "columns" : "rows";
  const auto lay_out = [&](int width, int depth, index_t resident) {
    return plan_reduce(p.extents, p.kept, p.rank, p.info + p.targets, p.count, along_kept, {width, depth}, resident);
  };
  const int width = vector_width(p, false);
  const std::string facts = facts_of(p, along_kept ? p.kept - 1 : p.rank - 1, lay_out(width, 1, 1));
  made_kernel* const made =
      variant_of(program, p, path, facts, [&] { return reduce_source(p, *program.graph, path, facts); });
  if (!made || made->numbers[0] != width) return false;
  const reduce_geometry g = lay_out(width, made->numbers[along_kept ? 2 : 1], made->resident.of(made->kernel));
  scratch room;
  if (g.splits > 1) {
    const std::size_t per_tile = along_kept ? static_cast<std::size_t>(g.lanes * width) : 1;
    room = scratch_for(static_cast<std::size_t>(made->numbers[3]) * g.tiles * g.splits * per_tile);
  }
  parameters to;
  put_bound(to, p, 0, p.rank, p.kept);
  if (!put_reduce<0, 1>(to, p, g, along_kept, width, room) || !to.fits()) return false;
  start(made->kernel, g.tiles * g.splits, 0, to);
  return true;
}

/// Rows that stay in registers: their kernel, and how it lies over them. Without a kernel for others.
struct made_rows {
  made_kernel* made = nullptr;
  row_geometry geometry{};
};
bool may_stay(const exact_plan& p) {
  // Of operands that types have several times, each counts once here: only now it is known where memory is contiguous.
  return p.rank == p.kept + 1 && p.kept <= most_kept && p.extents[p.rank - 1] <= longest_row &&
         (p.kept == 0 || !runs_along_kept(p.extents, p.kept, p.rank, p.info, p.targets + p.count));
}
made_rows rows_of(const exact_plan& p, exact_program& program) {
  if (!may_stay(p)) return {};
  const int width = vector_width(p, true);
  const index_t length = p.extents[p.rank - 1];
  const auto lay_out = [&](int held) {
    return plan_rows(p.extents, p.rank, p.kept, false, p.info, p.targets, p.targets + p.count,
                     {.width = width, .held = held, .accumulators = 0, .again = 0, .held_steps = 0, .depth = 1});
  };
  made_rows rows{.geometry = lay_out(most_register_elements)};
  const bool one_vector = rows.geometry.one_vector;
  rows.made = variant_of(program, p, one_vector ? "vectors" : "registers", "",
                         [&] { return rows_source(p, *program.graph, one_vector); });
  if (!rows.made || rows.made->numbers[0] != width) return {};
  const int held = rows.made->numbers[1];
  if (length > index_t{register_threads} * held) return {};
  if (held != most_register_elements) rows.geometry = lay_out(held);
  return rows;
}
template <int K>
bool put_rows(parameters& to, const exact_plan& p, const row_geometry& g, bool one_result) {
  if constexpr (K <= most_kept) {
    if (p.kept != K) return put_rows<K + 1>(to, p, g, one_result);
    to.put(numbers_of_registers<K>(g, p.extents, p.extents[K], one_result));
    return true;
  } else return false;
}
bool rows(const exact_plan& p, exact_program& program) {
  const made_rows rows = rows_of(p, program);
  if (!rows.made) return false;
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  if (!put_rows<0>(to, p, rows.geometry, p.plan.rows.one_result) || !to.fits()) return false;
  start(rows.made->kernel, static_cast<unsigned>(rows.geometry.grid), 0, to,
        static_cast<unsigned>(rows.geometry.threads));
  return true;
}

std::atomic<jit>& policy() {
  static std::atomic<jit> chosen{[] {
    const char* const text = std::getenv("LAZYFUSE_JIT");
    const std::string_view wanted = text ? text : "when_it_pays";
    return wanted == "when_it_pays" ? jit::when_it_pays : wanted == "always" ? jit::always : jit::off;
  }()};
  return chosen;
}

/// Less than this is not worth a kernel, whatever the share of it that is saved.
constexpr double least_saving_us = 50, least_saving_share = 0.1;
constexpr index_t least_elements = 1 << 20;

/// Bytes of what a plan asks for beyond its distinct operands.
double repeated_bytes(const exact_plan& p) {
  const kernel_type& type = p.type();
  double bytes = 0;
  for (int i = 0; i < type.operands; ++i) {
    const operand_info& o = p.given(i);
    if (p.first[p.slot[i]] == i || o.element_size == 0 || !o.steps) continue;
    double all = o.element_size;
    for (int k = 0; k < type.rank; ++k)
      if (o.steps[k] != 0) all *= static_cast<double>(p.plan.extents[k]);
    bytes += all;
  }
  return bytes;
}

/// Of an operand in the general kernel: its address, and the instruction that reads it.
constexpr int operations_of_operand = 15;

/// Whether a kernel that does once what types repeat saves more than that.
bool pays(const exact_plan& p, const exact_program& program, int read_again) {
  const machine& m = this_machine();
  // Kernels whose threads stay with a row, or walk one, find in the cache what they ask for again; streams of
  // neighbours find it in their own.
  const std::string_view path = p.plan.path;
  const bool from_cache = path == "rows" || path == "strided" || path == "tiled" || p.plan.rows.passes > 0;
  const auto elements = static_cast<double>(p.plan.elements());
  const double operations =
      (program.repeated * p.type().cost(p.plan) + double{operations_of_operand} * read_again) * elements;
  const double saved_us =
      (from_cache ? repeated_bytes(p) / (m.cached_gb_per_s * 1000) : 0) + operations / m.operations_per_us;
  return saved_us > least_saving_us && saved_us > least_saving_share * predicted_us(p.plan.costs(), m);
}

/// What most plans fail, before anything is looked at more closely.
bool may_be_made(const kernel_plan& plan) {
  const jit mode = current_jit();
  if (checked_build || mode == jit::off || plan.type->operands < 2) return false;
  if (mode == jit::when_it_pays && plan.elements() < least_elements) return false;
  const std::string_view pattern = plan.type->pattern;
  if (pattern == "rows") return !plan.rows.beside && plan.rows.length <= longest_row;
  return pattern == "transform" || pattern == "reduce";
}
/// Fewer points are read fast enough by the general kernel.
constexpr int least_points = 5;
bool may_be_stencil(const exact_plan& p) {
  return p.count >= least_points && p.plan.path == std::string_view("strided") &&
         p.type().pattern == std::string_view("transform");
}

/// A plan as its values have it, and the program that is to be made for it; none if it runs as it was compiled.
struct request {
  exact_plan plan;
  std::optional<stencil> around;
  exact_program* program = nullptr;

  explicit request(const kernel_plan& p) : plan(p) {
    const bool anyway = current_jit() == jit::always || p.type->only_made;
    if (!plan.find_equal()) return;
    const bool near = may_be_stencil(plan);
    if (!(plan.repeats_memory || near || anyway)) return;
    plan.take_axes();
    if (near) find_stencil(plan, around);
    if (!(plan.repeats_memory || around || anyway)) return;
    exact_program& found = program_of(plan);
    if (found.graph && (anyway || pays(plan, found, around ? around->read_again : 0))) program = &found;
  }
};

}  // namespace

bool would_make(const kernel_plan& plan) {
  if (!may_be_made(plan) || !has_compiler()) return false;
  const request r(plan);
  return r.program && (plan.rows.passes == 0 || may_stay(r.plan));
}

const char* make_rows(kernel_plan& plan) {
  if (!may_be_made(plan) || !has_compiler()) return nullptr;
  const request r(plan);
  if (!r.program) return nullptr;
  parameters bound;  // refused here, it need not be compiled, and launch() cannot fail for it
  put_bound(bound, r.plan, 0, r.plan.rank, r.plan.rank);
  if (!bound.fits()) return nullptr;
  const made_rows rows = rows_of(r.plan, *r.program);
  if (!rows.made) return nullptr;
  find_residence(rows.geometry, plan.rows.where);
  return rows.geometry.path;
}

bool launch_made(const kernel_plan& plan) {
  if (!plan.type->only_made && !may_be_made(plan)) return false;  // make_rows() has asked already
  try {
    request r(plan);
    if (!r.program) return false;
    if (r.around && start_stencil(*r.around, *r.program)) return true;
    const std::string_view pattern = plan.type->pattern;
    return pattern == "transform" ? transform(r.plan, *r.program)
           : pattern == "reduce"  ? reduce(r.plan, *r.program)
                                  : rows(r.plan, *r.program);
  } catch (const std::bad_alloc&) {  // nothing has been launched
    if (plan.type->only_made) throw;
    return false;
  }
}

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

void use_jit(jit policy) { cuda_detail::policy().store(policy, std::memory_order_relaxed); }
jit current_jit() { return cuda_detail::policy().load(std::memory_order_relaxed); }

}  // namespace lazyfuse

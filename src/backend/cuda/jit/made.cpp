// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans whose operands turn out to be one, or of whose operands types knew too little: whether a kernel of their own
// pays, and its launch.
#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/products.hpp"
#include "backend/cuda/jit/tuning.hpp"
#include "backend/cuda/runtime/order.hpp"
#include "program/text.hpp"

#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/error.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace lazyfuse::cuda_detail {

namespace {

std::atomic<jit>& policy() {
  static std::atomic<jit> chosen{[] {
    const char* const text = std::getenv("LAZYFUSE_JIT");
    const std::string_view wanted = text ? text : "when_it_pays";
    return wanted == "when_it_pays" ? jit::when_it_pays : wanted == "always" ? jit::always : jit::off;
  }()};
  return chosen;
}

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

/// Whether a kernel that does once what types repeat saves more than that.
bool pays(const exact_plan& p, const exact_program& program, int read_again) {
  const machine& m = this_machine();
  // Kernels whose threads stay with a row, or walk one, find in the cache what they ask for again; streams of
  // neighbours find it in their own.
  const std::string_view path = p.plan.path ? p.plan.path : "";
  if (path == "window")
    return read_again > 0 &&
           made_tuning::saving_beside_window * predicted_us(p.plan.costs(), m) > made_tuning::least_saving_us;
  const bool from_cache = path == "rows" || path == "strided" || path == "tiled" || p.plan.rows.passes > 0;
  const auto elements = static_cast<double>(p.plan.elements());
  const double operations =
      (program.repeated * p.type().cost(p.plan) + double{made_tuning::operations_of_operand} * read_again) * elements;
  const double saved_us =
      (from_cache ? repeated_bytes(p) / (m.cached_gb_per_s * 1000) : 0) + operations / m.operations_per_us;
  return saved_us > made_tuning::least_saving_us &&
         saved_us > made_tuning::least_saving_share * predicted_us(p.plan.costs(), m);
}

/// Whether a kernel that takes `saved_us` less is worth making.
bool is_worth(double saved_us, const exact_plan& p) {
  const double all = predicted_us(p.plan.costs(), this_machine());
  return saved_us > made_tuning::least_saving_us && saved_us > made_tuning::least_saving_share * all;
}
/// Whether a reduction by tiles saves as much: what it does not ask the cache for again.
bool tiles_pay(const exact_plan& p) {
  double bytes = 0;
  for (int i = 0; i < p.count; ++i)
    if (p.operand(i).steps) bytes += p.operand(i).element_size;
  return is_worth(bytes * static_cast<double>(p.plan.elements()) / (this_machine().cached_gb_per_s * 1000), p);
}
/// The same beside operands that are turned: half of what is predicted without.
bool turning_pays(const exact_plan& p) { return is_worth(predicted_us(p.plan.costs(), this_machine()) / 2, p); }

/// What the library of products computes of what goes by tiles.
std::optional<products_of_matrices> product_of(const exact_plan& p, const exact_program& program) {
  return program.graph ? products_of(p, *program.graph) : std::nullopt;
}

/// What most plans fail, before anything is looked at more closely.
bool may_be_made(const kernel_plan& plan) {
  const jit mode = current_jit();
  if (checked_build || mode == jit::off || plan.type->operands < 2) return false;
  if (mode == jit::when_it_pays && plan.elements() < made_tuning::least_elements) return false;
  const std::string_view pattern = plan.type->pattern;
  return pattern == "rows" || pattern == "transform" || pattern == "reduce";
}
bool can_be_made_here() { return has_compiler() || bundles_loaded() > 0; }
/// A plan as its values have it, and the program that is to be made for it; none if it runs as it was compiled.
struct request {
  exact_plan plan;
  std::optional<stencil> around;
  std::optional<tile_axes> tiles;
  std::optional<products_of_matrices> product;  ///< of what would go by tiles
  std::optional<turned_axes> turned;
  exact_program* program = nullptr;
  bool anyway;

  explicit request(const kernel_plan& p) : plan(p), anyway(current_jit() == jit::always || p.type->only_made) {
    if (!plan.find_equal()) return;
    const bool near = may_be_stencil(plan), reduces = may_be_tiles(plan);
    if (!(plan.repeats_memory || near || reduces || anyway)) return;
    exact_program& found = program_of(plan);
    if (!found.graph) return;
    plan.take_axes();
    if (reduces) tiles = tile_axes_of(plan);
    if (tiles && !anyway && !tiles_pay(plan)) tiles.reset();
    if (tiles) product = product_of(plan, found);
    if (!tiles && plan.type().pattern == std::string_view("reduce")) turned = turned_axes_of(plan);
    if (turned && !anyway && !turning_pays(plan)) turned.reset();
    // Of a stencil that would not pay if all were places of one array, nobody need find out where they are.
    if (near && (anyway || pays(plan, found, plan.count - 1))) find_stencil(plan, around);
    if (!(plan.repeats_memory || around || tiles || turned || anyway)) return;
    if (anyway || tiles || turned || pays(plan, found, around ? around->read_again : 0)) program = &found;
  }
  bool start() {
    if (product && multiply(*product)) return true;
    if (around) {
      if (start_stencil(*around, *program)) return true;
      if (!(plan.repeats_memory || anyway)) return false;
    }
    const std::string_view pattern = plan.type().pattern;
    if (tiles || turned) {
      if (tiles ? start_tiles(plan, *program, *tiles) : start_turned(plan, *program, *turned)) return true;
      if (pattern == "nested" || !(plan.repeats_memory || anyway)) return false;
      exact_plan again(plan.plan);  // its axes as they were
      if (!again.find_equal()) return false;
      again.take_axes();
      return start_reduction(again, *program);
    }
    return pattern == "transform"                            ? start_transform(plan, *program)
           : pattern == "reduce"                             ? start_reduction(plan, *program)
           : pattern == "packed" || pattern == "packed_rows" ? start_packed(plan, *program)
           : pattern == "scan"                               ? start_scan(plan, *program)
           : pattern == "select"                             ? start_selection(plan, *program)
                                                             : start_rows(plan, *program);
  }
};

}  // namespace

bool would_make(const kernel_plan& plan) {
  if (!may_be_made(plan) || !can_be_made_here()) return false;
  return request(plan).program != nullptr;
}

bool would_multiply(dtype factors, dtype result) {
  return !checked_build && current_jit() != jit::off && products_per_us(factors, result) > 0;
}
bool would_multiply(const kernel_plan& plan) {
  if (!may_be_made(plan)) return false;
  const request r(plan);
  return r.program && r.product && can_multiply(*r.product);
}

namespace {

const char* path_of_rows(kernel_plan& plan) {
  const request r(plan);
  if (!r.program) return nullptr;
  parameters bound;  // refused here, it need not be compiled, and launch() cannot fail for it
  put_bound(bound, r.plan, 0, r.plan.rank, r.plan.rank);
  if (!bound.fits()) return nullptr;
  const made_rows rows = rows_of(r.plan, *r.program);
  if (!rows.made) return nullptr;
  plan.rows.where = {.again_bytes = rows.again_bytes};
  if (!rows.reduction) find_residence(rows.geometry, plan.rows.where);
  return rows.geometry.path;
}

/// Throws: what became of a kernel that only run time makes.
[[noreturn]] void throw_unmade(const kernel_plan& plan, const std::string& why) {
  throw error(ir::program_text(plan.type->program) + ": " + why);
}
constexpr const char* compile_it = "; a file that nvcc compiles, and that includes <lazyfuse/cuda.cuh>, can do it";
/// Why a kernel cannot be made on any machine.
[[noreturn]] void throw_impossible(const kernel_plan& plan) {
  throw_unmade(plan, std::string(plan.type->operands > most_given || plan.type->targets > most_results
                                     ? "a kernel that is made at run time has too few operands for this expression"
                                     : "the expression is too long for a kernel that is made at run time; materialize "
                                       "a part of it") +
                         compile_it);
}

}  // namespace

const char* make_rows(kernel_plan& plan) {
  return may_be_made(plan) && can_be_made_here() ? path_of_rows(plan) : nullptr;
}

const char* make_path(kernel_plan& plan) {
  if (checked_build) throw_unmade(plan, std::string("checked builds make no kernels at run time") + compile_it);
  const std::string_view pattern = plan.type->pattern;
  plan.by_address = true;
  if (pattern == "scan") return plan.rows.beside ? "columns" : "rows";
  if (pattern == "select") return "tiles";
  if (pattern == "rows") return can_be_made_here() ? path_of_rows(plan) : nullptr;
  exact_plan p(plan);
  const bool nested = pattern == "nested";
  if (!p.find_equal()) {
    if (nested) return nullptr;
    throw_impossible(plan);
  }
  p.take_axes();
  if (pattern == "packed") return "packed";
  if (pattern == "packed_rows") return "rows";
  if (pattern == "transform") return path_of_transform(p);
  const std::optional<tile_axes> tiles = tile_axes_of(p);
  if (nested) {  // two kernels, if this is none
    exact_program& program = program_of(p);
    return tiles && program.graph && can_be_tiles(p, program, *tiles) ? "tiles" : nullptr;
  }
  if (tiles) {
    const std::optional<products_of_matrices> product = product_of(p, program_of(p));
    if (!product) return "tiles";
    if (product->computes_more() && !can_multiply(*product)) return nullptr;  // by two kernels
    plan.library_cost = this_machine().operations_per_us / products_per_us(product->factors, product->result);
    return path_of_product(*product);
  }
  if (turned_axes_of(p)) return "tiles";
  return path_of_reduction(p);
}

std::string check_source(const std::string& definitions, const std::string& operation) {
  if (!has_compiler()) return {};
  const compiled made = compile(
      "#include <lazyfuse/op/registry.hpp>\n#include <lazyfuse/program/evaluate.hpp>\n#line 1 \"definitions\"\n" +
          definitions + "\nnamespace lazyfuse {\nnamespace made {\nusing namespace ir;\n" + operation +
          "}\n}\n__global__ void nothing() {}\n",
      {"nothing"}, 90);
  return made.binary.empty() ? made.message : std::string();
}

void launch_only_made(const kernel_plan& plan) {
  request r(plan);
  if (!r.program) throw_impossible(plan);
  if (r.start()) return;
  if (capturing(current_stream()))
    throw_unmade(plan, "its kernel is made at run time, which would end the capture of the stream; evaluate it before");
  if (!can_be_made_here())
    throw_unmade(
        plan,
        "its kernel is made at run time, and there is no NVRTC library (libnvrtc.so, by the loader's search, in "
        "$CUDA_HOME/lib64 or /usr/local/cuda/lib64) and no bundle that has it (LAZYFUSE_BUNDLE)");
  throw_unmade(plan,
               "its kernel is made at run time, and could not be compiled or loaded; LAZYFUSE_JIT_LOG=1 says why");
}

bool launch_made(const kernel_plan& plan) {
  if (!plan.type->only_made && !may_be_made(plan)) return false;  // make_rows() has asked already
  try {
    request r(plan);
    return r.program && r.start();
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of several plans, made at run time as one kernel.
#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/runtime/devices.hpp"
#include "backend/cuda/runtime/order.hpp"

#include <lazyfuse/backend/cuda/kernels/parts_layout.hpp>
#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/plan/cost.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

/// A plan as its values have it, and how it lies.
struct part {
  exact_plan plan;
  exact_program* program;
  transform_geometry geometry{};

  explicit part(const kernel_plan& p) : plan(p) {}
  /// choices: as of transform_source. False where operands are turned, by kernels of their own.
  bool lay_out(const std::array<int, 5>& choices) {
    geometry = geometry_of_transform(plan, choices);
    return geometry.path == (plan.rank == 1 ? transform_path::flat : transform_path::strided) &&
           geometry.shared_bytes == 0;
  }
};

/// Parameters of all: tables of blocks, then each part's own.
void put_all(parameters& to, const std::vector<std::unique_ptr<part>>& parts, const part_blocks* blocks) {
  for (std::size_t i = 0; i < parts.size(); ++i) to.put(blocks[i]);
  for (const auto& one : parts) {
    parameters own;
    put_transform(own, one->plan, one->geometry);
    own.end();
    if (own.fits()) to.put(own.data(), own.size(), own.alignment());
    else to.give_up();
  }
  to.end();
}

/// The kernel of these programs over so many axes on the current device. Null if it cannot be made, or not now.
made_kernel* kernel_of(const std::vector<std::unique_ptr<part>>& parts) {
  static std::mutex mutex;
  static auto& known = *new std::unordered_map<std::string, made_kernel*>;
  std::string key = "parts" + std::to_string(current_device());
  for (const auto& one : parts) {
    key.append(reinterpret_cast<const char*>(&one->program), sizeof one->program);
    key += static_cast<char>(one->plan.rank);
  }
  {
    const std::lock_guard lock(mutex);
    if (const auto at = known.find(key); at != known.end() && *at->second) return at->second;
  }
  if (capturing(current_stream())) return nullptr;  // loading a kernel would end the capture
  made_kernel& made = made_for(key, [&] {
    std::vector<planned_part> planned;
    for (const auto& one : parts) planned.push_back({&one->plan, &*one->program->graph});
    parameters to;
    const part_blocks none[most_parts] = {};
    put_all(to, parts, none);
    return parts_source(planned, to.size());
  });
  if (!made) return nullptr;
  const std::lock_guard lock(mutex);
  known.insert_or_assign(key, &made);
  return &made;
}

/// The blocks of parts: those that are predicted to take longest begin first. Returns how many there are.
unsigned share_blocks(const std::vector<std::unique_ptr<part>>& parts, part_blocks* to) {
  std::vector<std::size_t> order(parts.size());
  std::vector<double> us(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    order[i] = i;
    const planning::work w = parts[i]->plan.plan.touched();
    const planning::machine& m = this_machine();
    const double bytes = static_cast<double>(w.bytes_read + w.bytes_written);
    us[i] = (bytes / (m.cached_gb_per_s * 1000) + w.operations / m.operations_per_us) / parts[i]->geometry.blocks;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return us[a] > us[b]; });
  unsigned next = 0;
  for (const std::size_t i : order) {
    to[i] = {next, parts[i]->geometry.blocks};
    next += to[i].count;
  }
  return next;
}

}  // namespace

bool can_be_part(const kernel_plan& plan) {
  // What a launch takes never pays for a kernel that is made beside one that is there.
  if (checked_build || !(plan.type->only_made || current_jit() == jit::always)) return false;
  if (plan.type->pattern != std::string_view("transform")) return false;
  const std::string_view path = plan.path ? plan.path : "";
  if (path != "flat" && path != "strided" && path != "unravelled") return false;
  if (!has_compiler() && bundles_loaded() == 0) return false;
  exact_plan p(plan);
  if (!p.find_equal() || may_be_stencil(p)) return false;  // those read what neighbours share once
  return program_of(p).graph.has_value();
}

bool start_parts(kernel_plan* const* plans, int count) {
  std::vector<std::unique_ptr<part>> parts;
  for (int i = 0; i < count; ++i) {
    auto& one = *parts.emplace_back(std::make_unique<part>(*plans[i]));
    if (!one.plan.find_equal()) return false;
    one.program = &program_of(one.plan);
    if (!one.program->graph) return false;
    one.plan.take_axes();
    const int widest = vector_width(one.plan, true);
    if (!one.lay_out({widest, 1, 1, widest, 1})) return false;
  }
  const made_kernel* const made = kernel_of(parts);
  if (!made) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::array<int, 5> choices;
    std::copy_n(made->reads.begin() + static_cast<std::ptrdiff_t>(i * choices.size()), choices.size(), choices.begin());
    if (!parts[i]->lay_out(choices)) return false;
  }
  part_blocks blocks[most_parts];
  const unsigned all = share_blocks(parts, blocks);
  parameters to;
  put_all(to, parts, blocks);
  if (!to.fits()) return false;
  for (int i = 0; i < count; ++i) {
    before(plans[i]->info, plans[i]->type->targets, plans[i]->type->targets + plans[i]->type->operands);
    plans[i]->made = true;
  }
  start(*made, all, 0, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

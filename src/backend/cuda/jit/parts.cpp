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
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

/// A plan as its values have it, and how it lies.
struct part {
  exact_plan plan;
  exact_program* program = nullptr;
  transform_geometry geometry{};

  explicit part(const kernel_plan& p) : plan(p) {}
  /// choices: as of transform_source. False where operands are turned, by kernels of their own.
  bool lay_out(const std::array<int, 5>& choices) {
    geometry = geometry_of_transform(plan, choices);
    return geometry.path == (plan.rank == 1 ? transform_path::flat : transform_path::strided) &&
           geometry.shared_bytes == 0 && geometry.blocks > 0;
  }
};

/// Those of a launch.
struct all_parts {
  int count = 0;
  std::optional<part> at[most_parts];
  all_parts() {}  // NOLINT(modernize-use-equals-default): that would fill all of it with zeros
};

/// Parameters of all: the table of blocks, then each part's own.
void put_all(parameters& to, const all_parts& parts, const part_blocks* blocks) {
  for (int i = 0; i < parts.count; ++i) to.put(blocks[i]);
  for (int i = 0; i < parts.count; ++i) {
    parameters own;
    put_transform(own, parts.at[i]->plan, parts.at[i]->geometry);
    own.end();
    if (own.fits()) to.put(own.data(), own.size(), own.alignment());
    else to.give_up();
  }
  to.end();
}

/// The kernel of these programs over so many axes on the current device. Null if it cannot be made, or not now.
made_kernel* kernel_of(const all_parts& parts) {
  using key_type = std::array<std::uintptr_t, 1 + 2 * most_parts>;
  static std::mutex mutex;
  static auto& known = *new std::map<key_type, made_kernel*>;
  key_type key{static_cast<std::uintptr_t>(current_device())};
  std::uintptr_t* next = key.data() + 1;
  for (int i = 0; i < parts.count; ++i) {
    *next++ = reinterpret_cast<std::uintptr_t>(parts.at[i]->program);
    *next++ = static_cast<std::uintptr_t>(parts.at[i]->plan.rank);
  }
  {
    const std::lock_guard lock(mutex);
    if (const auto at = known.find(key); at != known.end() && *at->second) return at->second;
  }
  if (capturing(current_stream())) return nullptr;  // loading a kernel would end the capture
  made_kernel& made = made_for("parts" + std::string(reinterpret_cast<const char*>(key.data()), sizeof key), [&] {
    std::vector<planned_part> planned;
    planned.reserve(most_parts);
    for (int i = 0; i < parts.count; ++i) planned.push_back({&parts.at[i]->plan, &*parts.at[i]->program->graph});
    parameters to;
    const part_blocks none[most_parts] = {};
    put_all(to, parts, none);
    return parts_source(planned, to.size());
  });
  const std::lock_guard lock(mutex);
  known.insert_or_assign(key, &made);
  return made ? &made : nullptr;
}

/// Which blocks are whose: those that are predicted to take longest begin first. Returns how many there are.
unsigned share_blocks(const all_parts& parts, part_blocks* to) {
  double us[most_parts];  // of a block
  const planning::machine& m = this_machine();
  for (int i = 0; i < parts.count; ++i) {
    const planning::work w = parts.at[i]->plan.plan.touched();
    us[i] = (static_cast<double>(w.bytes_read + w.bytes_written) / (m.cached_gb_per_s * 1000) +
             w.operations / m.operations_per_us) /
            parts.at[i]->geometry.blocks;
  }
  unsigned next = 0;
  for (int n = 0; n < parts.count; ++n) {
    const auto i = std::max_element(us, us + parts.count) - us;
    to[i] = {next, parts.at[i]->geometry.blocks};
    next += to[i].count;
    us[i] = -1;
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

namespace {
bool try_parts(kernel_plan* const* plans, int count) {
  if (count > most_parts) return false;
  thread_local std::unique_ptr<all_parts> room;  // too much for some stacks, and for an allocation at each call
  if (!room) room = std::make_unique<all_parts>();
  all_parts& parts = *room;
  for (parts.count = 0; parts.count < count; ++parts.count) {
    part& one = parts.at[parts.count].emplace(*plans[parts.count]);
    if (!one.plan.find_equal()) return false;
    one.program = &program_of(one.plan);
    if (!one.program->graph) return false;
    one.plan.take_axes();
    const int widest = vector_width(one.plan, true);
    if (!one.lay_out({widest, 1, 1, widest, 1})) return false;
  }
  const made_kernel* const made = kernel_of(parts);
  if (!made) return false;
  for (int i = 0; i < count; ++i) {
    std::array<int, 5> choices;
    std::copy_n(made->reads.begin() + static_cast<std::ptrdiff_t>(choices.size()) * i, choices.size(), choices.begin());
    if (!parts.at[i]->lay_out(choices)) return false;
  }
  part_blocks blocks[most_parts];
  const unsigned all = share_blocks(parts, blocks);
  parameters to;
  put_all(to, parts, blocks);
  if (!to.fits()) return false;
  for (int i = 0; i < count; ++i) {
    const kernel_type& type = *plans[i]->type;
    before(plans[i]->info, type.targets, type.targets + type.operands);
    plans[i]->made = true;
  }
  start(*made, all, 0, to);
  return true;
}
}  // namespace

bool start_parts(kernel_plan* const* plans, int count) try {
  return try_parts(plans, count);
} catch (const std::bad_alloc&) {
  return false;  // each by itself may need less
}

}  // namespace lazyfuse::cuda_detail

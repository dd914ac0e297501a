// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of several plans, made at run time as one kernel.
#include "backend/cuda/jit/bundle.hpp"
#include "backend/cuda/jit/compiler.hpp"
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/tuning.hpp"
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
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

double us_of(const kernel_plan& p) { return predicted_us(p.costs(), this_machine()); }
bool is_long(const kernel_plan& p) { return us_of(p) > most_us_of_short; }

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

/// How they share the blocks of a launch.
struct shared_blocks {
  unsigned all = 0, round = 1;
  part_blocks of[most_parts] = {};
};

/// Parameters of all: the table of blocks, then each part's own.
void put_all(parameters& to, const all_parts& parts, const shared_blocks& blocks) {
  to.put(blocks.round);
  for (int i = 0; i < parts.count; ++i) to.put(blocks.of[i]);
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
  static auto& known = *new std::map<std::pair<key_type, std::string>, made_kernel*>;
  std::pair<key_type, std::string> key{{static_cast<std::uintptr_t>(current_device())}, {}};
  std::uintptr_t* next = key.first.data() + 1;
  for (int i = 0; i < parts.count; ++i) {
    *next++ = reinterpret_cast<std::uintptr_t>(parts.at[i]->program);
    *next++ = static_cast<std::uintptr_t>(parts.at[i]->plan.rank);
    key.second += short_foldings_of(parts.at[i]->plan) + ";";
  }
  {
    const std::lock_guard lock(mutex);
    if (const auto at = known.find(key); at != known.end() && *at->second) return at->second;
  }
  if (capturing(current_stream())) return nullptr;  // loading a kernel would end the capture
  made_kernel& made = made_for(
      "parts" + std::string(reinterpret_cast<const char*>(key.first.data()), sizeof key.first) + key.second, [&] {
        std::vector<planned_part> planned;
        planned.reserve(most_parts);
        for (int i = 0; i < parts.count; ++i) planned.push_back({&parts.at[i]->plan, &*parts.at[i]->program->graph});
        parameters to;
        put_all(to, parts, {});
        return parts_source(planned, to.size());
      });
  const std::lock_guard lock(mutex);
  known.insert_or_assign(key, &made);
  return made ? &made : nullptr;
}

/// Those that are predicted to take longest begin first.
shared_blocks one_after_the_other(const all_parts& parts) {
  double us[most_parts];  // of a block
  const planning::machine& m = this_machine();
  for (int i = 0; i < parts.count; ++i) {
    const planning::work w = parts.at[i]->plan.plan.touched();
    us[i] = (static_cast<double>(w.bytes_read + w.bytes_written) / (m.cached_gb_per_s * 1000) +
             w.operations / m.operations_per_us) /
            parts.at[i]->geometry.blocks;
  }
  shared_blocks to;
  for (int n = 0; n < parts.count; ++n) {
    const auto i = std::max_element(us, us + parts.count) - us;
    const unsigned count = parts.at[i]->geometry.blocks;
    to.of[i] = {to.all, count, count};
    to.all += count;
    us[i] = -1;
  }
  to.round = to.all;
  return to;
}
/// Side by side, so that what several read is in the cache for all but the first of them.
shared_blocks side_by_side(const all_parts& parts) {
  constexpr unsigned least_each = 32;  // of a round: of fewer, some would be far ahead at the end
  unsigned least = parts.at[0]->geometry.blocks;
  for (int i = 1; i < parts.count; ++i) least = std::min(least, parts.at[i]->geometry.blocks);
  const unsigned most_rounds = std::max(least / least_each, 1u);
  shared_blocks to{.all = 0, .round = 0};
  unsigned rounds = 1;
  for (int i = 0; i < parts.count; ++i) {
    const unsigned count = parts.at[i]->geometry.blocks, each = (count + most_rounds - 1) / most_rounds;
    to.of[i] = {to.round, each, count};
    to.round += each;
    rounds = std::max(rounds, (count + each - 1) / each);
  }
  to.all = rounds * to.round;
  return to;
}
/// Long ones share a launch because they read the same (evaluate/shared_launches.hpp).
shared_blocks share_blocks(const all_parts& parts) {
  for (int i = 0; i < parts.count; ++i)
    if (is_long(parts.at[i]->plan.plan)) return side_by_side(parts);
  return one_after_the_other(parts);
}

}  // namespace

bool can_be_part(const kernel_plan& plan) {
  // What a launch takes never pays for a kernel that is made beside one that is there; what long ones read may.
  const bool pays = current_jit() != jit::off && us_of(plan) > made_tuning::least_saving_us;
  if (checked_build || !(plan.type->only_made || current_jit() == jit::always || pays)) return false;
  if (plan.type->pattern != std::string_view("transform")) return false;
  const std::string_view path = plan.path ? plan.path : "";
  if (path != "flat" && path != "strided" && (path != "unravelled" || is_long(plan))) return false;
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
  const shared_blocks blocks = share_blocks(parts);
  parameters to;
  put_all(to, parts, blocks);
  if (!to.fits()) return false;
  for (int i = 0; i < count; ++i) {
    const kernel_type& type = *plans[i]->type;
    before(plans[i]->info, type.targets, type.targets + type.operands);
    plans[i]->made = true;
  }
  start(*made, blocks.all, 0, to);
  return true;
}
}  // namespace

bool start_parts(kernel_plan* const* plans, int count) try {
  return try_parts(plans, count);
} catch (const std::bad_alloc&) {
  return false;  // each by itself may need less
}

}  // namespace lazyfuse::cuda_detail

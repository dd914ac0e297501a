// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of plans.
#include "core/text.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/shared_launches.hpp>
#include <lazyfuse/evaluate/temporaries.hpp>
#include <lazyfuse/plan/graph.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lazyfuse {

using planning::kernel_plan, planning::kernel_type, planning::operand_info, planning::row_report;

namespace {

constexpr std::align_val_t alignment{64};

/// Where in the copy is what `inside` points to in the plan.
template <class T>
T* moved(T* inside, const void* plan, void* copy) {
  const auto offset = reinterpret_cast<const char*>(inside) - static_cast<const char*>(plan);
  return reinterpret_cast<T*>(static_cast<char*>(copy) + offset);
}

/// Plans of graphs have room for all operands that a kernel takes: what is not used of it is not copied.
void copy_plan(const kernel_plan& from, std::size_t size, void* to) {
  if (from.type->leaves >= 0) {
    std::memcpy(to, &from, size);
    return;
  }
  const auto& g = static_cast<const planning::graph_plan&>(from);
  const auto used = static_cast<std::size_t>(from.type->targets) + static_cast<std::size_t>(from.type->operands);
  const auto copy = [&](const auto* part, std::size_t bytes) {
    std::memcpy(static_cast<char*>(to) + (reinterpret_cast<const char*>(part) - reinterpret_cast<const char*>(&g)),
                part, bytes);
  };
  copy(&g, static_cast<std::size_t>(reinterpret_cast<const char*>(g.bound) - reinterpret_cast<const char*>(&g)));
  copy(g.bound, used * sizeof *g.bound);
  copy(g.steps, used * sizeof *g.steps);
  copy(g.sources, used * sizeof *g.sources);
}

/// No address of a program begins with these bits; the next ones say what it stands for.
constexpr std::uintptr_t planned_bit = std::uintptr_t{1} << 62, between_bit = std::uintptr_t{1} << 61;

}  // namespace

namespace run_detail {

void* planned_memory(planned what, int n) {
  const std::uintptr_t kind = planned_bit | (what == planned::between ? between_bit : 0);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that nobody follows
  return reinterpret_cast<void*>(kind + (static_cast<std::uintptr_t>(n) << 44));
}
bool is_planned(const void* data) { return (reinterpret_cast<std::uintptr_t>(data) >> 62) == 1; }

temporaries::temporaries() = default;
temporaries::~temporaries() = default;
handles<1>& temporaries::another_handle() { return memory_.emplace_back(); }
const computed_record& temporaries::note(const computed_record& r) { return computed_.emplace_back(r); }
const computed_record* temporaries::begin() const { return computed_.data(); }
const computed_record* temporaries::end() const { return computed_.data() + computed_.size(); }

}  // namespace run_detail

struct plan_list::contents {
  struct release {
    void operator()(kernel_plan* p) const { ::operator delete(p, alignment); }
  };
  std::vector<std::unique_ptr<kernel_plan, release>> kernels;
  std::vector<refusal> refused;
  std::vector<handles<1>> memory;
  std::vector<handles<1>> kept;
  std::optional<int> device;
  std::size_t taken = 0, used = 0;  ///< of the kernels, and of the memory
};

plan_list::plan_list() : contents_(new contents) {}
plan_list::plan_list(int device) : plan_list() { contents_->device = device; }
plan_list::plan_list(plan_list&& other) noexcept : contents_(std::exchange(other.contents_, nullptr)) {}
plan_list& plan_list::operator=(plan_list&& other) noexcept {
  std::swap(contents_, other.contents_);
  return *this;
}
plan_list::~plan_list() { delete contents_; }

void plan_list::restart(int device) {
  contents& c = *contents_;
  c.device = device;
  c.taken = c.used = 0;
  c.refused.clear();
  if (!c.kept.empty()) c.kernels.clear();  // plans that point to what is let go
  c.kept.clear();
}

int plan_list::size() const { return static_cast<int>(contents_->taken); }
kernel_plan& plan_list::operator[](int i) const { return *contents_->kernels[static_cast<std::size_t>(i)]; }
const std::vector<refusal>& plan_list::refused() const { return contents_->refused; }
bool plan_list::has_memory() const { return contents_->device.has_value(); }
bool plan_list::has_memory_between() const { return contents_->used > 0; }
void plan_list::refuse(const char* plan, const char* reason) { contents_->refused.push_back({plan, reason}); }
void plan_list::keep(const handles<1>& what) { contents_->kept.push_back(what); }

row_report plan_list::rows() const { return size() > 0 ? (*this)[size() - 1].rows : row_report{}; }

bool plan_list::is_between(const operand_info& o) const {
  return run_detail::is_planned(o.data) ||
         (o.owner && std::any_of(contents_->memory.begin(), contents_->memory.end(),
                                 [&](const auto& m) { return m.memory[0] == o.owner; }));
}

handles<1>& plan_list::memory(std::size_t size) {
  contents& c = *contents_;
  if (c.used == c.memory.size()) c.memory.emplace_back();
  handles<1>& next = c.memory[c.used++];
  const allocation* const a = next.memory[0];
  if (a && (a->bytes != size || (*c.device >= 0 && a->device != *c.device))) next = {};
  return next;
}

void* plan_list::stand_in() {
  return run_detail::planned_memory(run_detail::planned::between, static_cast<int>(contents_->used++));
}

bool plan_list::take(const kernel_plan& given) {
  contents& c = *contents_;
  const kernel_type& type = *given.type;
  const auto size = static_cast<std::size_t>(type.bytes);
  if (c.taken == c.kernels.size()) c.kernels.emplace_back();
  auto& place = c.kernels[c.taken];
  if (!place || place->type != &type) place.reset(static_cast<kernel_plan*>(::operator new(size, alignment)));
  kernel_plan* const copy = place.get();
  void* const to = copy;
  copy_plan(given, size, to);
  copy->info = moved(copy->info, &given, to);
  for (int i = 0; i < type.targets + type.operands; ++i) {
    operand_info& o = copy->info[i];
    if (o.steps) o.steps = moved(o.steps, &given, to);
    o.place = moved(o.place, &given, to);
  }
  if (!copy->path) type.decide(*copy);
  if (!copy->path) return false;
  ++c.taken;
  return true;
}

void plan_list::launch() {
  for (int i = 0; i < size(); ++i) {
    kernel_plan& p = (*this)[i];
    lazyfuse::launch(p);
    if (!p.path) throw error(std::string("a planned kernel cannot run: ") + backend_refuses + place_asked());
  }
}

bool execution::take(kernel_plan& p) const {
  p.because = because;
  if (together) return together->take(p);
  if (list) return list->take(p);
  launch(p);
  return p.path != nullptr;
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of plans.
#include "core/text.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/execution.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

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

}  // namespace run_detail

void plan_list::bytes::operator()(kernel_plan* p) const { ::operator delete(p, alignment); }

void plan_list::restart(int device) {
  device_ = device;
  taken_ = used_ = 0;
  refused_.clear();
  if (!kept_.empty()) kernels_.clear();  // plans that point to what is let go
  kept_.clear();
}

row_report plan_list::rows() const { return taken_ > 0 ? kernels_[taken_ - 1]->rows : row_report{}; }

bool plan_list::is_between(const operand_info& o) const {
  return run_detail::is_planned(o.data) || (o.owner && std::any_of(memory_.begin(), memory_.end(), [&](const auto& m) {
                                              return m.memory[0] == o.owner;
                                            }));
}

handles<1>& plan_list::memory(std::size_t size) {
  if (used_ == memory_.size()) memory_.emplace_back();
  handles<1>& next = memory_[used_++];
  const allocation* const a = next.memory[0];
  if (a && (a->bytes != size || (*device_ >= 0 && a->device != *device_))) next = {};
  return next;
}

void* plan_list::stand_in() {
  return run_detail::planned_memory(run_detail::planned::between, static_cast<int>(used_++));
}

bool plan_list::take(const kernel_plan& given) {
  const kernel_type& type = *given.type;
  const auto size = static_cast<std::size_t>(type.bytes);
  if (taken_ == kernels_.size()) kernels_.emplace_back();
  auto& place = kernels_[taken_];
  if (!place || place->type != &type) place.reset(static_cast<kernel_plan*>(::operator new(size, alignment)));
  kernel_plan* const copy = place.get();
  void* const to = copy;
  std::memcpy(to, &given, size);
  copy->info = moved(copy->info, &given, to);
  for (int i = 0; i < type.targets + type.operands; ++i) {
    operand_info& o = copy->info[i];
    if (o.steps) o.steps = moved(o.steps, &given, to);
    o.place = moved(o.place, &given, to);
  }
  if (!copy->path) type.decide(*copy);
  if (!copy->path) return false;
  ++taken_;
  return true;
}

void plan_list::launch() {
  for (std::size_t i = 0; i < taken_; ++i) {
    lazyfuse::launch(*kernels_[i]);
    if (!kernels_[i]->path) throw error(std::string("a planned kernel cannot run: ") + backend_refuses + place_asked());
  }
}

bool execution::take(kernel_plan& p) const {
  p.because = because;
  if (list) return list->take(p);
  launch(p);
  return p.path != nullptr;
}

}  // namespace lazyfuse

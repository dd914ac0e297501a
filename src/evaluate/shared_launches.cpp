// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernels of an evaluation share a launch.
#include "observe/recording.hpp"

#include <lazyfuse/evaluate/shared_launches.hpp>
#include <lazyfuse/plan/cost.hpp>
#include <lazyfuse/plan/graph.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace lazyfuse {

using namespace planning;

namespace {

/// What a kernel takes at most that shares a launch, launch included: a kernel of several needs the registers of the
/// greediest of them, and saves some 2 us for each.
constexpr double most_us = 10;

bool is_short(const kernel_plan& p) { return predicted_us(p.costs(), p.type->this_machine()) <= most_us; }

/// Where a kernel reads and writes.
struct memory_used {
  std::vector<byte_span> read, written;
  bool anywhere = false;  ///< it is not known where all is

  explicit memory_used(const kernel_plan& p) {
    const kernel_type& type = *p.type;
    for (int i = 0; i < type.targets + type.operands; ++i) {
      const operand_info& o = p.info[i];
      if (!has_memory(o)) continue;
      if (!o.data || o.arrays > 0) anywhere = true;
      else (i < type.targets ? written : read).push_back(span_of(p.extents, type.rank, o));
    }
  }
  /// Whether one of both has to run first.
  bool is_ordered_with(const memory_used& other) const {
    const auto meet = [](const std::vector<byte_span>& a, const std::vector<byte_span>& b) {
      return std::any_of(a.begin(), a.end(), [&](const byte_span& one) {
        return std::any_of(b.begin(), b.end(), [&](const byte_span& two) { return one.overlaps(two); });
      });
    };
    return anywhere || other.anywhere || meet(written, other.written) || meet(written, other.read) ||
           meet(read, other.written);
  }
};

}  // namespace

struct shared_launches::waiting {
  plan_list plans{-1};
  std::vector<memory_used> used;
  std::vector<handles<1>> memory;  ///< that the plans use: nobody may free it before they are launched
};

shared_launches::~shared_launches() { delete waiting_; }

bool shared_launches::pass_on(kernel_plan& p) const {
  if (x.list) return x.list->take(p);
  lazyfuse::launch(p);
  return p.path != nullptr;
}

void shared_launches::keep(const handles<1>& what) { kept_ = what; }

bool shared_launches::take(kernel_plan& p) {
  const bool others = waiting_ && waiting_->plans.size() > 0;
  bool waits = p.type->together && !p.because && !record_detail::current();
  if (!waits && !others) return pass_on(p);
  if (!p.path) p.type->decide(p);
  if (!p.path) return pass_on(p);
  waits = waits && p.type->together->takes(p) && is_short(p);
  if (!waits && !others) return pass_on(p);
  const memory_used used(p);
  const auto is_ordered = [&](const memory_used& other) { return used.is_ordered_with(other); };
  if (others && std::any_of(waiting_->used.begin(), waiting_->used.end(), is_ordered)) launch();
  if (!waits || used.anywhere) return pass_on(p);
  if (!waiting_) waiting_ = new waiting;
  waiting& w = *waiting_;
  if (w.plans.size() > 0 && w.plans[0].type->together != p.type->together) launch();
  w.plans.take(p);
  w.used.push_back(used);
  if (!x.list) {
    w.memory.push_back(kept_);
    for (int i = 0; i < p.type->targets + p.type->operands; ++i)
      if (const allocation* const a = p.info[i].owner) w.memory.push_back(counted<allocation>::share(a).handle());
  }
  if (w.plans.size() == p.type->together->most) launch();
  return true;
}

void shared_launches::launch() {
  if (!waiting_ || waiting_->plans.size() == 0) return;
  const std::unique_ptr<waiting> w(std::exchange(waiting_, nullptr));
  std::vector<kernel_plan*> plans;
  for (int i = 0; i < w->plans.size(); ++i) plans.push_back(&w->plans[i]);
  if (!x.list) return lazyfuse::launch(plans.data(), static_cast<int>(plans.size()));
  for (kernel_plan* const p : plans) {
    p->joined = p != plans[0];
    x.list->take(*p);
  }
}

}  // namespace lazyfuse

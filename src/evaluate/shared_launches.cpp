// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernels of an evaluation share a launch.
#include "observe/recording.hpp"

#include <lazyfuse/evaluate/shared_launches.hpp>
#include <lazyfuse/plan/cost.hpp>
#include <lazyfuse/plan/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lazyfuse {

using planning::byte_span, planning::counted, planning::has_memory, planning::kernel_plan, planning::kernel_type,
    planning::operand_info, planning::predicted_us, planning::shared_launch, planning::span_of;

namespace shared_launch_detail {
/// Where kernels read and write.
struct memory_used {
  planning::byte_span span;
  bool written;
};
}  // namespace shared_launch_detail
using shared_launch_detail::memory_used;

namespace {

constexpr int most_together = 16;
/// Bytes that long kernels read in common, if they share a launch: reading them takes some 7 us.
constexpr std::ptrdiff_t least_in_common = std::ptrdiff_t{1} << 25;

bool is_short(const kernel_plan& p) {
  return predicted_us(p.costs(), p.type->this_machine()) <= planning::most_us_of_short;
}

/// Calls f with each part of memory that a kernel uses until it returns false, and returns whether it never did: false
/// as well where it is not known where one is.
template <class F>
bool each_use(const kernel_plan& p, const F& f) {
  const kernel_type& type = *p.type;
  for (int i = 0; i < type.targets + type.operands; ++i) {
    const operand_info& o = p.info[i];
    if (!has_memory(o)) continue;
    if (!o.data || o.arrays > 0 || !f(memory_used{span_of(p.extents, type.rank, o), i < type.targets})) return false;
  }
  return true;
}

template <class F>
void each_read(const kernel_plan& p, const F& f) {
  const kernel_type& type = *p.type;
  for (int i = type.targets; i < type.targets + type.operands; ++i) {
    const operand_info& o = p.info[i];
    if (has_memory(o) && o.data && o.arrays == 0) f(span_of(p.extents, type.rank, o));
  }
}

}  // namespace

/// It is used again by the thread, with the memory that it has.
struct shared_launches::waiting {
  plan_list plans{-1};
  bool are_long = false;
  std::vector<memory_used> used;
  std::vector<byte_span> reads;    ///< as far as it is known where
  std::vector<handles<1>> memory;  ///< that the plans use: nobody may free it before they are launched

  int count() const { return plans.size(); }
  void clear() {
    plans.restart(-1);
    are_long = false;
    used.clear();
    reads.clear();
    memory.clear();
  }
  /// Whether one of them and the kernel have to run one after the other, as far as that is known.
  bool are_ordered_with(const kernel_plan& p) const {
    return !each_use(p, [&](const memory_used& own) {
      return std::none_of(used.begin(), used.end(), [&](const memory_used& other) {
        return (own.written || other.written) && own.span.overlaps(other.span);
      });
    });
  }
  /// Whether one of them and the kernel read so much in common that it pays to read it once.
  bool read_the_same(const kernel_plan& p) const {
    bool found = false;
    each_read(p, [&](const byte_span& own) {
      for (const byte_span& other : reads)
        found = found || std::min(own.end, other.end) - std::max(own.begin, other.begin) >= least_in_common;
    });
    return found;
  }
  void add(const kernel_plan& p) {
    plans.take(p);
    each_use(p, [&](const memory_used& own) {
      used.push_back(own);
      return true;
    });
    each_read(p, [&](const byte_span& own) { reads.push_back(own); });
  }
  static std::unique_ptr<waiting>& spare() {
    thread_local std::unique_ptr<waiting> w;
    return w;
  }
};

void shared_launches::let_go(waiting* w) {
  if (!w) return;
  w->clear();
  waiting::spare().reset(w);
}
shared_launches::~shared_launches() { let_go(waiting_); }

bool shared_launches::pass_on(kernel_plan& p) const {
  if (x.list) return x.list->take(p);
  lazyfuse::launch(p);
  return p.path != nullptr;
}

bool shared_launches::take(kernel_plan& p) {
  const shared_launch* const together = p.type->together;
  bool waits = together && !p.because && !record_detail::current();
  if (!waits && !waiting_) return pass_on(p);
  if (!p.path) p.type->decide(p);
  if (!p.path) return pass_on(p);
  const auto is_known = [&] { return each_use(p, [](const memory_used&) { return true; }); };
  const bool is_long = waits && !is_short(p);
  waits = waits && (!is_long || long_ones_) && together->takes(p) && (apart_ || is_known());
  // Results are begun in their order: only the last kernel may write in place, when what can fail before it has run.
  const bool ends_waiting = waits ? waiting_ && waiting_->plans[0].type->together != together : !p.because;
  if (waiting_ && (ends_waiting || (!apart_ && waiting_->are_ordered_with(p)))) launch();
  if (waits && waiting_ && (is_long || waiting_->are_long) && !waiting_->read_the_same(p)) launch();
  if (!waits) return pass_on(p);
  if (!waiting_) {
    waiting_ = waiting::spare().release();
    if (!waiting_) waiting_ = new waiting;
  }
  waiting_->add(p);
  waiting_->are_long = waiting_->are_long || is_long;
  for (int i = 0; i < p.type->targets + p.type->operands && !x.list; ++i)
    if (const allocation* const a = p.info[i].owner) waiting_->memory.push_back(counted<allocation>::share(a).handle());
  if (waiting_->count() == std::min(together->most, most_together)) launch();
  return true;
}

void shared_launches::launch() {
  if (!waiting_) return;
  struct done {
    waiting* w;
    ~done() { let_go(w); }
  };
  const done all{std::exchange(waiting_, nullptr)};
  kernel_plan* plans[most_together];
  const int count = all.w->count();
  for (int i = 0; i < count; ++i) plans[i] = &all.w->plans[i];
  if (!x.list) return lazyfuse::launch(plans, count);
  for (int i = 0; i < count; ++i) {
    plans[i]->joined = i > 0;
    x.list->take(*plans[i]);
  }
}

}  // namespace lazyfuse

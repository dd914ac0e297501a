// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording: plans become nodes, and what two of them do with one block of memory says which waits for which.
#include "record/recorder.hpp"

#include "array/held.hpp"
#include "core/text.hpp"
#include "program/text.hpp"

#include <lazyfuse/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace lazyfuse::record_detail {

std::string name_of(const node& n, std::size_t number) {
  return "node " + std::to_string(number) + " (" + ir::short_program_text(n.plan->type->program) + ")";
}

contents::~contents() {
  runs.reset();  // before the memory that it uses
  for (const block& b : blocks)
    if (b.memory) memory_detail::let_go(b.memory);
}

block& contents::block_of(allocation* a) {
  const auto [at, is_new] = block_of_.try_emplace(a, blocks.size());
  if (is_new) {
    blocks.emplace_back().memory = a;
    if (a) try {
        memory_detail::hold(a);
      } catch (...) {
        blocks.back().memory = nullptr;
        throw;
      }
  }
  return blocks[at->second];
}

block* contents::find(const allocation* a) {
  const auto at = a ? block_of_.find(a) : block_of_.end();
  return at == block_of_.end() ? nullptr : &blocks[at->second];
}

void contents::replace(block& b, allocation* instead) {
  auto entry = block_of_.extract(b.memory);
  entry.key() = instead;
  block_of_.insert(std::move(entry));
  b.memory = uses[b.use].memory = instead;
}

void contents::add(const planning::kernel_plan& given) {
  const auto program = [&] { return ir::short_program_text(given.type->program); };
  if (given.type->on_device != on_device)
    throw graph_error("record: " + program() + " is evaluated on the " + (on_device ? "host" : "GPU") +
                      ", and the graph is one of the " + (on_device ? "GPU's" : "host's") +
                      "; record<lf::host> and record<lf::cuda> say which" + place_asked());
  for_memory(given, [&](const planning::operand_info& o, bool) {
    // A batch stands for memory of other arrays: who writes that would have to be known.
    if (o.owner && o.owner->arrays > 0)
      throw graph_error("record: " + program() +
                        " reads a batch, and a graph is of arrays; materialize the batch first" + place_asked());
  });
  if (!plans.take(given)) throw graph_error("record: " + program() + " cannot run" + place_asked());
  const int number = static_cast<int>(nodes.size());
  node& n = nodes.emplace_back();
  n.plan = &plans[plans.size() - 1];
  // What it reads waits for who wrote it, what it writes for who has read that as well. Memory without an owner, or of
  // an owner elsewhere, may be a part of any other such.
  const auto orders = [](const planning::operand_info& o) { return o.owner && o.owner->foreign ? nullptr : o.owner; };
  for_memory(*n.plan, [&](const planning::operand_info& o, bool written) {
    std::vector<int>& users = block_of(o.owner).users;  // held
    if (users.empty() || users.back() != number) users.push_back(number);
    const block& b = block_of(orders(o));
    if (o.owner && o.owner->device >= 0) {
      if (device >= 0 && device != o.owner->device)
        throw device_error("record: " + name_of(n, nodes.size() - 1) + " is on device " +
                           std::to_string(o.owner->device) + ", and those before are on device " +
                           std::to_string(device) + "; record a graph on each" + place_asked());
      device = o.owner->device;
    }
    if (written && !b.readers.empty()) n.after.insert(n.after.end(), b.readers.begin(), b.readers.end());
    else if (b.writer >= 0) n.after.push_back(b.writer);
  });
  for_memory(*n.plan, [&](const planning::operand_info& o, bool written) {
    std::vector<int>& readers = block_of(orders(o)).readers;
    if (!written && (readers.empty() || readers.back() != number)) readers.push_back(number);
  });
  for_memory(*n.plan, [&](const planning::operand_info& o, bool written) {
    if (!written) return;
    block_of(o.owner).written = true;
    block& b = block_of(orders(o));
    b.writer = number;
    b.readers.clear();
  });
  std::sort(n.after.begin(), n.after.end());
  n.after.erase(std::unique(n.after.begin(), n.after.end()), n.after.end());
}

void contents::list_uses() {
  uses.clear();
  for (block& b : blocks) {
    if (!b.memory) continue;
    b.use = uses.size();
    uses.push_back({b.memory, b.written});
  }
}

/// While it lives it is the thread's recorder.
class recording::taker final : public recorder {
 public:
  taker(std::unique_ptr<executor> runs, bool on_device)
      : taken(std::make_shared<contents>(std::move(runs), on_device)) {
    exchange(this);
  }
  taker(const taker&) = delete;
  taker& operator=(const taker&) = delete;
  ~taker() { exchange(nullptr); }
  void take(const planning::kernel_plan& p) override { taken->add(p); }
  void keep(const handles<1>& what) override { taken->plans.keep(what); }

  std::shared_ptr<contents> taken;
};

recording::recording(std::unique_ptr<executor> runs, bool on_device) {
  if (current())
    throw graph_error("record: this thread records a graph already, and a graph has no graphs in it" + place_asked());
  taker_ = std::make_unique<taker>(std::move(runs), on_device);
}
recording::~recording() = default;

std::shared_ptr<contents> recording::finish() {
  std::shared_ptr<contents> c = std::move(taker_->taken);
  taker_.reset();
  c->list_uses();
  c->runs->build(c->nodes, c->device);
  return c;
}

}  // namespace lazyfuse::record_detail

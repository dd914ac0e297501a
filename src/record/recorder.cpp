// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording: plans become nodes, and what two of them do with one block of memory says which waits for which.
#include "record/recorder.hpp"

#include "array/counted.hpp"
#include "array/held.hpp"
#include "core/text.hpp"
#include "program/text.hpp"

#include <lazyfuse/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace lazyfuse::record_detail {

const char* plain_name(node_kind kind) {
  switch (kind) {
    case node_kind::copy:
      return "copy";
    case node_kind::call:
      return "call";
    case node_kind::loop:
      return "while_loop";
    default:
      return "cond";
  }
}

namespace {

/// Whether a node is known to wait for an earlier one, by way of others. Looks at a few.
bool waits_for(const std::vector<node>& nodes, int later, int earlier) {
  constexpr std::size_t most_looked_at = 64;
  std::vector<int> open{later};
  for (std::size_t k = 0; k < open.size() && k < most_looked_at; ++k)
    for (const int before : nodes[static_cast<std::size_t>(open[k])].after) {
      if (before == earlier) return true;
      if (before > earlier) open.push_back(before);
    }
  return false;
}
/// Kernels that follow one other alone may begin early, and graphs with fewer edges are smaller.
void leave_out_what_others_wait_for(const std::vector<node>& nodes, std::vector<int>& after) {
  constexpr std::size_t most_compared = 16;
  if (after.size() > most_compared) return;
  for (std::size_t i = 0; i < after.size();) {
    bool known = false;
    for (std::size_t k = i + 1; k < after.size() && !known; ++k) known = waits_for(nodes, after[k], after[i]);
    if (known) after.erase(after.begin() + static_cast<std::ptrdiff_t>(i));
    else ++i;
  }
}

/// Memory that nobody owns, or an owner elsewhere, may be a part of any other such: as one block, it says what waits.
allocation* orders(allocation* a) { return a && a->foreign ? nullptr : a; }

}  // namespace

std::string name_of(const node& n, std::size_t number) {
  return "node " + std::to_string(number) + " (" +
         (n.plan ? ir::short_program_text(n.plan->type->program) : std::string(plain_name(n.kind))) + ")";
}

contents::~contents() {
  runs.reset();  // before the memory that it uses
  for (const block& b : blocks)
    if (b.memory) memory_detail::let_go(b.memory);
}

std::size_t contents::number_of(allocation* a, bool on_host) {
  const auto [at, is_new] = block_of_.try_emplace(a, blocks.size());
  if (is_new) {
    blocks.push_back({a, on_host});
    if (a) try {
        memory_detail::hold(a);
      } catch (...) {
        blocks.back().memory = nullptr;
        throw;
      }
  }
  return at->second;
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
  std::vector<use_of_memory> memory;
  for_memory(given, [&](const planning::operand_info& o, bool written) {
    // A batch stands for memory of other arrays: who writes that would have to be known.
    if (o.owner && o.owner->arrays > 0)
      throw graph_error("record: " + program() +
                        " reads a batch, and a graph is of arrays; materialize the batch first" + place_asked());
    memory.push_back({o.owner, written, !on_device});
  });
  if (!plans.take(given)) throw graph_error("record: " + program() + " cannot run" + place_asked());
  append({.kind = node_kind::kernel, .plan = &plans[plans.size() - 1]}, memory);
}

void contents::add(node n) {
  const std::vector<use_of_memory> memory = n.memory;
  append(std::move(n), memory);
}

void contents::append(node given, const std::vector<use_of_memory>& memory) {
  const int number = static_cast<int>(nodes.size());
  given.within = open.size() > 1;
  node& n = nodes.emplace_back(std::move(given));
  // What it reads waits for who wrote it, what it writes for who has read that as well.
  for (const use_of_memory& m : memory) {
    std::vector<int>& users = blocks[number_of(m.memory, m.on_host)].users;  // held
    if (users.empty() || users.back() != number) users.push_back(number);
    if (m.memory && m.memory->device >= 0) {
      if (device >= 0 && device != m.memory->device)
        throw device_error("record: " + name_of(n, nodes.size() - 1) + " is on device " +
                           std::to_string(m.memory->device) + ", and those before are on device " +
                           std::to_string(device) + "; record a graph on each" + place_asked());
      device = m.memory->device;
    }
    allocation* const ordered = orders(m.memory);
    const sequence::state& s = open.back().of(number_of(ordered));
    // Readers wait for the writer themselves.
    if (!m.written && !s.readers.empty() && std::any_of(memory.begin(), memory.end(), [&](const use_of_memory& other) {
          return other.written && orders(other.memory) == ordered;
        }))
      continue;
    if (m.written && !s.readers.empty()) n.after.insert(n.after.end(), s.readers.begin(), s.readers.end());
    else if (s.writer >= 0) n.after.push_back(s.writer);
  }
  for (const use_of_memory& m : memory) {
    if (m.written) continue;
    sequence::state& s = open.back().of(number_of(orders(m.memory)));
    if (!s.written) s.carried = true;
    if (s.readers.empty() || s.readers.back() != number) s.readers.push_back(number);
  }
  for (const use_of_memory& m : memory) {
    if (!m.written) continue;
    blocks[number_of(m.memory)].written = true;
    sequence::state& s = open.back().of(number_of(orders(m.memory)));
    s.writer = number;
    s.written = true;
    s.readers.clear();
  }
  std::sort(n.after.begin(), n.after.end());
  n.after.erase(std::unique(n.after.begin(), n.after.end()), n.after.end());
  leave_out_what_others_wait_for(nodes, n.after);
  open.back().nodes.push_back(number);
}

void contents::begin_body() { open.emplace_back(); }

void contents::end_body(node& of) {
  const sequence& body = open.back();
  for (std::size_t i = 0; i < body.of_block.size(); ++i) {
    const sequence::state& s = body.of_block[i];
    const block& b = blocks[i];
    if (s.carried && b.memory && memory_detail::owners_of(b.memory).load() == 0)
      throw graph_error(std::string(plain_name(of.kind)) +
                        ": an array that the body reads got the memory of another one in it, which is not where it has "
                        "its elements when the body runs again or not at all; assign elements, as in x(lf::all) = y" +
                        place_asked());
    if (s.carried) of.memory.push_back({b.memory, false, b.on_host});
    if (s.written) of.memory.push_back({b.memory, true, b.on_host});
  }
  if (of.kind == node_kind::loop) {
    of.condition_writer = open.back().of(number_of(of.memory.front().memory)).writer;
    if (of.condition_writer < 0)
      throw graph_error("while_loop: the body does not assign to the condition, and would run forever or never" +
                        place_asked());
  }
  of.bodies.push_back(std::move(open.back().nodes));
  open.pop_back();
}

void contents::forget(std::size_t depth, std::size_t nodes_before) {
  open.resize(depth);
  nodes.resize(nodes_before, {node_kind::kernel});
  for (block& b : blocks)
    while (!b.users.empty() && b.users.back() >= static_cast<int>(nodes_before)) b.users.pop_back();
}

void contents::finish() {
  parts = std::move(open.front().nodes);
  open.clear();
  uses.clear();
  for (block& b : blocks) {
    if (!b.memory) continue;
    b.use = uses.size();
    uses.push_back({b.memory, b.written, b.on_host});
  }
  runs->build(nodes, parts, device);
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
  bool settle(const elements& own, const elements& made, std::size_t bytes, bool fits) override {
    if (taken->open.size() == 1 || !own.owner) return false;
    if (!fits)
      throw graph_error(
          "an array gets another shape in the body of a while_loop or cond, which may run again or not at all; its "
          "shape has to stay" +
          place_asked());
    taken->add({.kind = node_kind::copy,
                .from = made.data,
                .to = const_cast<void*>(own.data),
                .bytes = bytes,
                .memory = {{made.owner, false, !taken->on_device}, {own.owner, true, !taken->on_device}}});
    return true;
  }

  std::shared_ptr<contents> taken;
};

recording::recording(std::unique_ptr<executor> runs, bool on_device) {
  if (current())
    throw graph_error("record: this thread records a graph already, and a graph has no graphs in it" + place_asked());
  taker_ = std::make_unique<taker>(std::move(runs), on_device);
}
recording::~recording() = default;

contents& recording::now() { return *static_cast<taker*>(current())->taken; }

std::shared_ptr<contents> recording::finish() {
  std::shared_ptr<contents> c = std::move(taker_->taken);
  taker_.reset();
  c->finish();
  return c;
}

}  // namespace lazyfuse::record_detail

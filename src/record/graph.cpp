// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs once they are recorded: launches, other memory, and what is printed of them.
#include <lazyfuse/record/graph.hpp>

#include "array/counted.hpp"
#include "array/held.hpp"
#include "core/text.hpp"
#include "program/text.hpp"
#include "record/recorder.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/execution.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace lazyfuse {

namespace record_detail {

namespace {

using planning::kernel_plan, planning::operand_info;

/// The host runs one node after the other, kernels on all threads.
class on_host final : public executor {
 public:
  void build(const std::vector<node>& nodes, const std::vector<int>& parts, int) override {
    nodes_ = &nodes;
    parts_ = &parts;
  }
  void launch(const std::vector<use_of_memory>&, const stream_handle* stream) override {
    if (stream) throw graph_error("launch: a graph of the host has no stream" + place_asked());
    run(*parts_);
  }
  bool patch(const std::vector<int>&, const moved_memory&) override { return false; }
  void update(const std::vector<int>&, const moved_memory&) override {}

 private:
  void run(const std::vector<int>& numbers) const {
    for (const int i : numbers) run((*nodes_)[static_cast<std::size_t>(i)]);
  }
  void run(const node& n) const {
    switch (n.kind) {
      case node_kind::kernel:
        return lazyfuse::launch(*n.plan);
      case node_kind::copy:
        std::memcpy(n.to, n.from, n.bytes);
        return;
      case node_kind::call:
        return n.call->function();
      case node_kind::loop:
        while (*n.condition == n.wanted) run(n.bodies[0]);
        return;
      case node_kind::branch:
        if (const std::size_t body = *n.condition == n.wanted ? 0 : 1; body < n.bodies.size()) run(n.bodies[body]);
        return;
    }
  }

  const std::vector<node>* nodes_ = nullptr;
  const std::vector<int>* parts_ = nullptr;
};

const void* moved(const void* p, const array_record& from, const array_record& to) {
  return static_cast<const char*>(to.data) + (static_cast<const char*>(p) - static_cast<const char*>(from.data));
}
/// Where the operand's elements are in another allocation. The kernel has a pointer of its own, which need not be to
/// the first element.
void move(operand_info& o, const array_record& from, const array_record& to) {
  const void* pointer = nullptr;
  std::memcpy(&pointer, o.place, sizeof pointer);
  pointer = moved(pointer, from, to);
  std::memcpy(o.place, &pointer, sizeof pointer);
  o.data = moved(o.data, from, to);
  o.owner = to.owner;
}

/// Moves what these nodes have in one allocation to another.
void move(contents& c, const std::vector<int>& users, const array_record& from, const array_record& to) {
  for (const int i : users) {
    node& n = c.nodes[static_cast<std::size_t>(i)];
    if (n.plan) {
      kernel_plan& p = *n.plan;
      for (int k = 0; k < p.type->targets + p.type->operands; ++k)
        if (p.info[k].owner == from.owner) move(p.info[k], from, to);
    }
    if (n.kind == node_kind::copy)
      for (use_of_memory& m : n.memory) {
        if (m.memory != from.owner) continue;
        if (m.written) n.to = const_cast<void*>(moved(n.to, from, to));
        else n.from = moved(n.from, from, to);
      }
    // a loop's condition is the first that it uses
    if (n.condition && n.memory.front().memory == from.owner)
      n.condition = static_cast<const bool*>(moved(n.condition, from, to));
    for (use_of_memory& m : n.memory)
      if (m.memory == from.owner) m.memory = to.owner;
  }
}
/// Their plans decide again where what they decided by has changed.
void decide_again(contents& c, const std::vector<int>& users, const moved_memory& moved) {
  const bool alike =
      ((reinterpret_cast<std::uintptr_t>(moved.was) ^ reinterpret_cast<std::uintptr_t>(moved.is)) & 15) == 0;
  for (const int i : users)
    if (kernel_plan* const p = c.nodes[static_cast<std::size_t>(i)].plan; p && (p->by_address || !alike))
      p->type->decide(*p);
}

[[noreturn]] void throw_graph(const std::string& text) { throw graph_error(text + place_asked()); }

/// A node that writes the memory.
std::string writer_of(const contents& c, const allocation* memory) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const node& n = c.nodes[i];
    const auto writes = [&](const use_of_memory& m) { return m.written && m.memory == memory; };
    bool found = n.bodies.empty() && std::any_of(n.memory.begin(), n.memory.end(), writes);
    for (int k = 0; n.plan && k < n.plan->type->targets; ++k) found = found || n.plan->info[k].owner == memory;
    if (found) return name_of(n, i);
  }
  return "a node";
}

void run(contents& c, const stream_handle* stream) {
  refuse_computing("launch");
  for (const use_of_memory& u : c.uses)
    if (u.written && memory_detail::owners_of(u.memory).load(std::memory_order_acquire) > 1)
      throw_graph("launch: " + writer_of(c, u.memory) +
                  " writes what another array or expression shares, whose values would change; let it have a copy, as "
                  "in materialize(x + 0)");
  c.runs->launch(c.uses, stream);
}

void rebind(contents& c, const array_record& used, const array_record& instead) {
  if (used.owner == instead.owner) return;
  block* const of_used = c.find(used.owner);
  if (!of_used)
    throw_graph(
        "rebind: no kernel of the graph uses the elements of the first array; if it was assigned to since, they may be "
        "in other memory now");
  if (c.find(instead.owner))
    throw_graph("rebind: the graph uses the second array already, and which kernel waits for which would be another");
  if (used.owner->device != instead.owner->device)
    throw device_error("rebind: the first array is on device " + std::to_string(used.owner->device) +
                       ", the second on device " + std::to_string(instead.owner->device) + place_asked());
  const std::vector<int>& users = of_used->users;
  for (const int i : users)
    if (const node& n = c.nodes[static_cast<std::size_t>(i)]; n.kind == node_kind::call)
      throw_graph("rebind: " + name_of(n, static_cast<std::size_t>(i)) +
                  " is a function of your own, which has the first array by its name; record anew");
  const moved_memory moved{static_cast<int>(of_used - c.blocks.data()), used.data, instead.data};
  memory_detail::hold(instead.owner);
  bool again = false;
  try {
    move(c, users, used, instead);
    if (!c.runs->patch(users, moved)) {
      again = true;
      decide_again(c, users, moved);
      for (const int i : users)
        if (const node& n = c.nodes[static_cast<std::size_t>(i)]; n.plan && !n.plan->path)
          throw_graph("rebind: " + name_of(n, static_cast<std::size_t>(i)) + " cannot run there: " + backend_refuses);
      c.runs->update(users, moved);
    }
  } catch (...) {
    move(c, users, instead, used);
    if (again) decide_again(c, users, moved);
    memory_detail::let_go(instead.owner);
    throw;
  }
  c.replace(*of_used, instead.owner);
  memory_detail::let_go(used.owner);
}

}  // namespace

std::unique_ptr<executor> new_executor(host) { return std::make_unique<on_host>(); }

}  // namespace record_detail

graph::graph(std::shared_ptr<record_detail::contents> c) : contents_(std::move(c)) {}
graph::graph(graph&&) noexcept = default;
graph& graph::operator=(graph&&) noexcept = default;
graph::~graph() = default;

int graph::nodes() const { return static_cast<int>(contents_->nodes.size()); }

std::vector<std::string> graph::kernels() const {
  std::vector<std::string> texts;
  for (const record_detail::node& n : contents_->nodes)
    if (n.plan) texts.push_back(ir::short_program_text(n.plan->type->program));
  return texts;
}

std::string graph::dot() const { return record_detail::dot(*contents_); }

void graph::launch(caller where) {
  const asked_at at(where);
  record_detail::run(*contents_, nullptr);
}
void graph::launch(CUstream_st* stream, caller where) {
  const asked_at at(where);
  const stream_handle on_stream{stream};
  record_detail::run(*contents_, &on_stream);
}

void graph::rebind_memory(record_detail::array_record used, record_detail::array_record instead, caller where) {
  const asked_at at(where);
  record_detail::rebind(*contents_, used, instead);
}

}  // namespace lazyfuse

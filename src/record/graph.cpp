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

/// The host runs one kernel after the other, each on all threads.
class on_host final : public executor {
 public:
  void build(const std::vector<node>& nodes, int) override { nodes_ = &nodes; }
  void launch(const std::vector<use_of_memory>&, const stream_handle* stream) override {
    if (stream) throw graph_error("launch: a graph of the host has no stream" + place_asked());
    for (const node& n : *nodes_) lazyfuse::launch(*n.plan);
  }
  bool patch(const std::vector<int>&, const moved_memory&) override { return false; }
  void update(const std::vector<int>&, const moved_memory&) override {}

 private:
  const std::vector<node>* nodes_ = nullptr;
};

/// Where the operand's elements are in another allocation. The kernel has a pointer of its own, which need not be to
/// the first element.
void move(operand_info& o, const array_record& from, const array_record& to) {
  const auto moved = [&](const void* p) {
    return static_cast<const char*>(to.data) + (static_cast<const char*>(p) - static_cast<const char*>(from.data));
  };
  const void* pointer = nullptr;
  std::memcpy(&pointer, o.place, sizeof pointer);
  pointer = moved(pointer);
  std::memcpy(o.place, &pointer, sizeof pointer);
  o.data = moved(o.data);
  o.owner = to.owner;
}

/// Moves what these nodes have in one allocation to another.
void move(contents& c, const std::vector<int>& users, const array_record& from, const array_record& to) {
  for (const int i : users) {
    kernel_plan& p = *c.nodes[static_cast<std::size_t>(i)].plan;
    for (int k = 0; k < p.type->targets + p.type->operands; ++k)
      if (p.info[k].owner == from.owner) move(p.info[k], from, to);
  }
}
/// Their plans decide again where what they decided by has changed.
void decide_again(contents& c, const std::vector<int>& users, const moved_memory& moved) {
  const bool alike =
      ((reinterpret_cast<std::uintptr_t>(moved.was) ^ reinterpret_cast<std::uintptr_t>(moved.is)) & 15) == 0;
  for (const int i : users)
    if (kernel_plan& p = *c.nodes[static_cast<std::size_t>(i)].plan; p.by_address || !alike) p.type->decide(p);
}

[[noreturn]] void throw_graph(const std::string& text) { throw graph_error(text + place_asked()); }

std::string escaped(const std::string& text) {
  std::string s;
  for (const char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    s += c;
  }
  return s;
}

/// A node that writes the memory.
std::string writer_of(const contents& c, const allocation* memory) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const kernel_plan& p = *c.nodes[i].plan;
    for (int k = 0; k < p.type->targets; ++k)
      if (p.info[k].owner == memory) return name_of(c.nodes[i], i);
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
  const moved_memory moved{static_cast<int>(of_used - c.blocks.data()), used.data, instead.data};
  memory_detail::hold(instead.owner);
  bool again = false;
  try {
    move(c, users, used, instead);
    if (!c.runs->patch(users, moved)) {
      again = true;
      decide_again(c, users, moved);
      for (const int i : users)
        if (const node& n = c.nodes[static_cast<std::size_t>(i)]; !n.plan->path)
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

std::string dot(const std::vector<node>& nodes) {
  std::string text = "digraph lazyfuse {\n  node [shape=box];\n", edges;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const kernel_plan& p = *nodes[i].plan;
    const std::string name = "n" + std::to_string(i);
    int first = 0;  // axes that have been merged into others are before it
    while (first < p.type->rank && p.extents[first] == 1) ++first;
    text += "  " + name + " [label=\"" + p.type->pattern + ": " + escaped(ir::short_program_text(p.type->program)) +
            "\\n" + text_of(p.extents + first, p.type->rank - first) + "\"];\n";
    for (const int before : nodes[i].after) edges += "  n" + std::to_string(before) + " -> " + name + ";\n";
  }
  return text + edges + "}\n";
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
  for (const record_detail::node& n : contents_->nodes) texts.push_back(ir::short_program_text(n.plan->type->program));
  return texts;
}

std::string graph::dot() const { return record_detail::dot(contents_->nodes); }

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

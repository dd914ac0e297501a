// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, branches, copies and calls as nodes.
#include <lazyfuse/record/control.hpp>

#include <lazyfuse/record/calls.hpp>

#include "core/text.hpp"
#include "record/recorder.hpp"

#include <lazyfuse/error.hpp>

#include <utility>

namespace lazyfuse::record_detail {

control::control(node_kind kind, const elements& condition, bool wanted) : node_{kind} {
  const contents& c = recording::now();
  node_.condition = static_cast<const bool*>(condition.data);
  node_.wanted = wanted;
  node_.memory.push_back({condition.owner, false, !c.on_device});
  depth_ = c.open.size();
  nodes_before_ = c.nodes.size();
}
control::~control() {
  if (!ended_ && records()) recording::now().forget(depth_, nodes_before_);
}
void control::begin_body() { recording::now().begin_body(); }
void control::end_body() { recording::now().end_body(node_); }
void control::end() {
  recording::now().add(std::move(node_));
  ended_ = true;
}

namespace {
void refuse_within(const contents& c, const char* operation) {
  if (c.on_device && c.open.size() > 1)
    throw graph_error(std::string(operation) +
                      ": the GPU runs a while_loop or cond by itself, without the host; do it before or after that" +
                      place_asked());
}
}  // namespace

void record_copy(const elements& to, bool to_host, const elements& from, bool from_host, std::size_t bytes) {
  contents& c = recording::now();
  if (to_host != from_host) refuse_within(c, "copyto");
  if (!c.on_device && !(to_host && from_host))
    throw graph_error("copyto: the graph is one of the host's, and an array is the GPU's; record<lf::cuda>" +
                      place_asked());
  if (bytes == 0) return;
  c.add({.kind = node_kind::copy,
         .from = from.data,
         .to = const_cast<void*>(to.data),
         .bytes = bytes,
         .memory = {{from.owner, false, from_host}, {to.owner, true, to_host}}});
}

void record_call(std::function<void()> f, const std::vector<use_of_memory>& memory) {
  contents& c = recording::now();
  refuse_within(c, "call");
  auto call = std::make_shared<host_call>();
  call->function = std::move(f);
  node n{node_kind::call};
  n.call = std::move(call);
  for (const use_of_memory& m : memory)
    if (m.memory) n.memory.push_back(m);
  c.add(std::move(n));
}

}  // namespace lazyfuse::record_detail

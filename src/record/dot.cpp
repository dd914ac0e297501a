// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs as text for Graphviz.
#include "core/text.hpp"
#include "program/text.hpp"
#include "record/recorder.hpp"

#include <string>

namespace lazyfuse::record_detail {

namespace {

std::string escaped(const std::string& text) {
  std::string s;
  for (const char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    s += c;
  }
  return s;
}

std::string label_of(const node& n) {
  if (!n.plan) return std::string(plain_name(n.kind)) + (n.bytes > 0 ? "\\n" + std::to_string(n.bytes) + " bytes" : "");
  const planning::kernel_plan& p = *n.plan;
  int first = 0;  // axes that have been merged into others are before it
  while (first < p.type->rank && p.extents[first] == 1) ++first;
  return std::string(p.type->pattern) + ": " + escaped(ir::short_program_text(p.type->program)) + "\\n" +
         text_of(p.extents + first, p.type->rank - first);
}

class writer {
 public:
  explicit writer(const contents& c) : nodes_(c.nodes) {}
  std::string text, edges;
  void write(const std::vector<int>& numbers, const std::string& indent) {
    for (const int i : numbers) {
      const node& n = nodes_[static_cast<std::size_t>(i)];
      const std::string name = "n" + std::to_string(i);
      text += indent + name + " [label=\"" + label_of(n) + "\"" + (n.bodies.empty() ? "" : ", shape=diamond") + "];\n";
      for (const int before : n.after) edges += "  n" + std::to_string(before) + " -> " + name + ";\n";
      for (std::size_t b = 0; b < n.bodies.size(); ++b) write_body(n, name, b, indent);
    }
  }

 private:
  void write_body(const node& n, const std::string& name, std::size_t b, const std::string& indent) {
    const std::string cluster = "cluster_" + name + "_" + std::to_string(b);
    text += indent + "subgraph " + cluster + " {\n" + indent + "  label=\"" +
            (n.kind == node_kind::loop ? "while"
             : b == 0                  ? "if"
                                       : "else") +
            " " + name + "\"; style=dashed;\n";
    write(n.bodies[b], indent + "  ");
    text += indent + "}\n";
    for (const int i : n.bodies[b])
      if (nodes_[static_cast<std::size_t>(i)].after.empty())
        edges += "  " + name + " -> n" + std::to_string(i) + " [style=dotted];\n";
  }
  const std::vector<node>& nodes_;
};

}  // namespace

std::string dot(const contents& c) {
  writer w(c);
  w.write(c.parts, "  ");
  return "digraph lazyfuse {\n  node [shape=box];\n" + w.text + w.edges + "}\n";
}

}  // namespace lazyfuse::record_detail

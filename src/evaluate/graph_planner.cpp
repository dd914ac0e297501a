// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of graphs, by what kernels are predicted to take.
#include "evaluate/graph_planner.hpp"

#include "plan/cheapest_groups.hpp"
#include "program/graph.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace lazyfuse::graph_detail {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Of a long chain so many stages are decided at a time.
constexpr std::size_t most_stages_at_once = 8;
/// Parts that are cheaper than this are computed wherever they are read.
constexpr int least_shared_cost = 4;
/// Where not all can be decided on, those that are dearer come first.
constexpr int dear_part = 16;
/// What operations of a GPU cost beside traffic that takes longer, of what they would alone: it hides not all of them.
constexpr double seen_beside_traffic = 0.05;

using node_set = std::unordered_set<const graph_node*>;

/// The parts of a graph between stages: that of the roots, and the argument of each stage.
struct region {
  std::vector<const graph_node*> heads;
  node_set nodes, stages;  ///< operations in it, and stages that it reads
};
region region_of(const memory_of_graph& memory, std::vector<const graph_node*> heads) {
  region r{heads, {}, {}};
  std::vector<const graph_node*> open = std::move(heads);
  while (!open.empty()) {
    const graph_node* const n = open.back();
    open.pop_back();
    if (memory.is_operand(n)) continue;
    if (const graph_node* const stage = stage_read(*n)) r.stages.insert(stage);
    else if (r.nodes.insert(n).second) open.insert(open.end(), n->arguments.begin(), n->arguments.end());
  }
  return r;
}
double elements(const index_t* extents, int rank) {
  double n = 1;
  for (int k = 0; k < rank; ++k) n *= static_cast<double>(extents[k]);
  return n;
}

class planner {
 public:
  planner(const graph_space& space, const memory_of_graph& memory, const graph_request& of)
      : space_(space), memory_(memory), of_(of), machine_(space.this_machine()) {}

  std::vector<graph_group> plan() {
    std::vector<const graph_node*> stages;
    for (const graph_node* n : of_.order)
      if (n->stage && !memory_.holds(n)) stages.push_back(n);
    const bool all = stages.size() < most_decided;
    if (!all) stages.resize(std::min(stages.size(), most_stages_at_once));
    items_.assign(stages.begin(), stages.end());
    if (all) items_.push_back(nullptr);
    const unsigned wanted = all ? 1u << stages.size() : read_by_others(stages);
    add_parts(stages, all);
    for (const graph_node* n : items_) classes_.push_back(class_of(n));
    const grouping best = cheapest_groups(
        static_cast<int>(items_.size()), wanted, [this](unsigned group, unsigned done) { return cost(group, done); },
        machine_.launch_us);
    std::vector<graph_group> groups;
    for (const unsigned set : best.groups) {
      graph_group& g = groups.emplace_back();
      for (std::size_t i = 0; i < items_.size(); ++i)
        if ((set >> i & 1) && items_[i]) g.push_back(items_[i]);
    }
    return groups;
  }

 private:
  const graph_space& space_;
  const memory_of_graph& memory_;
  const graph_request& of_;
  const machine machine_;
  std::vector<const graph_node*> items_;  ///< null: the roots
  std::vector<std::size_t> classes_;      ///< items of one class may share a kernel

  /// Which of the stages others than themselves read.
  unsigned read_by_others(const std::vector<const graph_node*>& stages) const {
    const node_set ours(stages.begin(), stages.end());
    node_set read;
    const auto add = [&](std::vector<const graph_node*> heads) {
      const region r = region_of(memory_, std::move(heads));
      read.insert(r.stages.begin(), r.stages.end());
    };
    std::vector<const graph_node*> heads = of_.roots;
    for (const graph_node* n : of_.order)
      if (n->stage && !memory_.holds(n) && !ours.contains(n)) heads.push_back(n->arguments[0]);
    add(std::move(heads));
    unsigned bits = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (read.contains(stages[i])) bits |= 1u << i;
    return bits;
  }
  /// Parts that several regions read, and those that are dear and read by many positions.
  void add_parts(const std::vector<const graph_node*>& stages, bool with_roots) {
    std::vector<region> regions;
    regions.reserve(stages.size() + 1);
    for (const graph_node* s : stages) regions.push_back(region_of(memory_, {s->arguments[0]}));
    if (with_roots) regions.push_back(region_of(memory_, of_.roots));
    std::unordered_map<const graph_node*, int> readers;
    for (const region& r : regions)
      for (const graph_node* n : r.nodes) ++readers[n];
    node_set parts;
    for (const region& r : regions) {
      for (const graph_node* n : r.nodes)
        for (const graph_node* a : n->arguments) {
          if (!r.nodes.contains(a)) continue;
          const bool dear = is_repeated(*a, elements(a->extents, a->rank), elements(n->extents, n->rank));
          if (dear || (readers[a] > 1 && readers[n] == 1)) parts.insert(a);
        }
      for (const graph_node* h : r.heads)
        if (readers.contains(h) && readers[h] > 1) parts.insert(h);
    }
    if (with_roots)
      for (const graph_node* r : of_.roots)
        if (readers.contains(r) && is_repeated(*r, elements(r->extents, r->rank), elements(of_.extents, of_.rank)))
          parts.insert(r);
    const node_set apart = machine_.products_per_us ? parts_of_products() : node_set();
    const auto add = [&](const auto& is_wanted) {  // not in the order of addresses
      for (const graph_node* n : of_.order)
        if (items_.size() < most_decided && is_wanted(n) && std::find(items_.begin(), items_.end(), n) == items_.end())
          items_.push_back(n);
    };
    add([&](const graph_node* n) { return apart.contains(n) || (parts.contains(n) && n->weight >= dear_part); });
    add([&](const graph_node* n) { return parts.contains(n) && n->weight >= least_shared_cost; });
  }
  /// What a library of products reads in memory and leaves there: factors that are computed, sums once they are
  /// rounded, and what it may compute of them that others read.
  node_set parts_of_products() const {
    node_set parts;
    const auto is_sum_of_products = [&](const graph_node& n) {
      return n.stage && !memory_.holds(&n) && ir::adds(n.stage->stage->word) && n.arguments[0]->operation &&
             ir::multiplies(n.arguments[0]->operation->word);
    };
    node_set around;  // of which the library may compute all
    for (const graph_node* n : of_.order) {
      if (n->operation && ir::changes_type(n->operation->word) && is_sum_of_products(*n->arguments[0])) {
        parts.insert(n);
        around.insert(n);
      } else if (n->operation) {
        const bool goes_on = ir::step_of_word(n->operation->word) != ir::step::other;
        for (const graph_node* a : n->arguments)
          if (around.contains(a)) {
            if (goes_on) around.insert(n);
            else if (a->operation) parts.insert(a);
          }
      }
      if (!is_sum_of_products(*n)) continue;
      around.insert(n);
      for (const graph_node* factor : n->arguments[0]->arguments) {
        if (factor->operation && ir::changes_type(factor->operation->word)) factor = factor->arguments[0];
        const double size = elements(factor->extents, factor->rank);
        if (factor->operation && !memory_.is_operand(factor) &&
            size * 32 <= elements(n->stage->extents, n->stage->rank))
          parts.insert(factor);
      }
    }
    return parts;
  }

  /// The roots have one of their own: nothing is read after them.
  std::size_t class_of(const graph_node* item) const {
    for (std::size_t i = 0; i < classes_.size() && item; ++i)
      if (items_[i] && same_extents(*item, items_[i]->extents, items_[i]->rank)) return classes_[i];
    return classes_.size();
  }

  double cost(unsigned group, unsigned done) {
    std::size_t first = items_.size();
    int count = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!(group >> i & 1)) continue;
      if (count++ == 0) first = i;
      else if (classes_[i] != classes_[first]) return never;
    }
    if (count > most_graph_results) return never;
    return predicted(group, done);
  }
  double predicted(unsigned group, unsigned done) const {
    memory_of_graph memory = memory_;
    std::vector<const graph_node*> nodes;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if ((done >> i & 1) && items_[i]) memory.plan(items_[i]);
      if ((group >> i & 1) && items_[i]) nodes.push_back(items_[i]);
    }
    const bool last = nodes.empty();
    const std::vector<const graph_node*>& roots = last ? of_.roots : nodes;
    const index_t* const extents = last ? of_.extents : nodes[0]->extents;
    const int rank = last ? of_.rank : nodes[0]->rank;
    double bytes = 0;
    for (const graph_node* n : roots) bytes += n->operation || n->stage ? memory_type(*n).bytes : 4;
    const double written = elements(extents, rank) * bytes;
    stage_layout layout;
    if (lay_out(memory, roots, extents, rank, of_.refused, layout)) return never;
    scratch room;
    placed_graph g(room);
    // What is elementwise is cut where it is too much.
    const bool elementwise = layout.stages.empty();
    if (!place(memory, roots, layout, elementwise ? 0 : space_.most_steps, g)) {
      if (!elementwise || nodes.size() > 1) return never;
      return predicted_us({0, static_cast<index_t>(2 * written), 0, 0, 2, 0}, machine_);
    }
    index_t dense[max_rank];
    dense_steps(extents, rank, dense);
    work all = work_of(memory, layout, g, written, space_.on_device);
    if (machine_.products_per_us)
      if (const std::optional<product_types> p =
              product_of_matrices(memory, layout, g, last ? of_.result_steps : dense))
        if (const double speed = speed_of(*p, g); speed > 0)
          all.operations = layout.positions() / speed * machine_.operations_per_us;
    const double us = predicted_us(all, machine_);
    return space_.on_device ? us + seen_beside_traffic * std::min(us, all.operations / machine_.operations_per_us) : us;
  }
  /// Of a library with a product and what is computed of it; 0: it computes something else.
  double speed_of(const product_types& p, const placed_graph& g) const {
    const auto is_bias = [&](const ir::around_product::array& a) {
      int axes = 0;
      const placed_node& v = g.values[static_cast<std::size_t>(a.step)];
      for (int k = 0; k < v.node->rank; ++k) axes += axis_in(v.axes, k) >= 0 && v.node->extents[k] > 1;
      return axes == 1;
    };
    const std::vector<ir::around_product::array>& added = p.around.added;
    return machine_.products_per_us(p.factors, p.result, std::any_of(added.begin(), added.end(), is_bias),
                                    ir::word_of_activation(p.around.activation));
  }
};

}  // namespace

std::vector<graph_group> plan_groups(const graph_space& space, const memory_of_graph& memory, const graph_request& of) {
  return planner(space, memory, of).plan();
}

}  // namespace lazyfuse::graph_detail

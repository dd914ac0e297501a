// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs become kernels: nodes in order, equal ones as one, cut where a kernel cannot take or need not repeat them.
#include "core/text.hpp"
#include "evaluate/graph_kernel.hpp"
#include "evaluate/graph_planner.hpp"
#include "evaluate/graph_recording.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/tune.hpp>
#include <lazyfuse/evaluate/with_graphs.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace lazyfuse::planning {

graph_computation::graph_computation(const graph_source_type& t, const char* why) : type(&t), because(why) {
  release = [](allocation* a) noexcept { delete static_cast<graph_computation*>(a); };
}
graph_computation::~graph_computation() = default;

}  // namespace lazyfuse::planning

namespace lazyfuse::graph_detail {

graph_scope::graph_scope(execution& x) {
  if (!x.values) x.values = own_ = new graph_values;
}
graph_scope::~graph_scope() { delete own_; }

namespace {

using run_detail::room;

/// Memory for values that others of the evaluation may read.
room room_for(const graph_space& space, const execution& x, const graph_source_type& type, const index_t* extents,
              int rank) {
  recorded_room wanted{static_cast<std::size_t>(type.bytes), type.type.element, rank, {}};
  std::copy_n(extents, rank, wanted.extents);
  for (int k = 0; k < rank; ++k) wanted.bytes *= static_cast<std::size_t>(extents[k]);
  const room made = run_detail::room_for(x, x.values->made, wanted.bytes, [&](std::size_t n) {
    return space.allocate(n, {"temporary", type.type.element, extents, rank});
  });
  if (x.values->recording) x.values->recording->room(made, wanted);
  return made;
}

/// A computation that is a node of the same graph.
struct node_computation : graph_computation {
  const graph_space& space;
  graph_ref node;
  node_computation(const graph_space& s, const graph_source_type& t, graph_ref n)
      : graph_computation(t, "read through a view"), space(s), node(std::move(n)) {
    rank = node->rank;
    std::copy_n(node->extents, rank, extents);
    reads = node.handle().memory;
    read_count = 1;
  }
  const void* key() const override { return node.get(); }
  void run(const execution& x, void* data, allocation* owner) const override {
    index_t dense[max_rank];
    dense_steps(extents, rank, dense);
    const graph_target to{data, dense, owner, type->type.element, type->bytes, type->type.spelling};
    evaluate(space, x, &node, &to, 1, extents, rank);
  }
};

class graph_evaluation {
 public:
  graph_evaluation(const graph_space& s, const execution& x) : space_(s), x_(x) {
    refused_.all_rows = x.choice == plan_choice::cut;
    refused_.nested = refused_.all_rows || !s.on_device;
  }

  void evaluate(const std::vector<const graph_node*>& roots, const graph_target* targets, const index_t* extents,
                int rank) {
    if (!x_.values->kept.empty())
      for (const graph_node* n : order_of(roots))
        if (const auto at = x_.values->known.find(n); n->stage && at != x_.values->known.end())
          memory_.put(n, {at->second, &memory_type(*n)});
    run(roots, targets, extents, rank, nullptr, false);
  }

 private:
  const graph_space& space_;
  const execution& x_;
  memory_of_graph memory_;
  refused_kernels refused_;

  bool is_operand(const graph_node* n) const { return memory_.is_operand(n); }

  /// planned: plan_groups() made it one kernel, without reductions and scans, unless it is too much for one.
  void run(const std::vector<const graph_node*>& roots, const graph_target* targets, const index_t* extents, int rank,
           const char* because, bool planned) {
    for (;;) {
      const std::vector<const graph_node*> order = order_of(roots);
      if (compute_first(order)) continue;
      if (!planned && (has_stages(order) || has_repeated(order, roots, extents, rank))) {
        if (put_large_arguments_in_memory(order)) continue;
        if (run_groups({order, roots, extents, rank, targets[0].steps, refused_}, targets, because)) return;
        continue;
      }
      if (cut(order, roots)) continue;
      return run_transform(space_, because ? x_.for_part(because) : x_, memory_, order, roots, targets, extents, rank);
    }
  }

  /// All nodes below the roots, each behind its arguments; what is in memory has none, and stands before its first
  /// reader. to_stages: only down to these.
  std::vector<const graph_node*> order_of(const std::vector<const graph_node*>& roots, bool to_stages = false) const {
    const auto is_end = [&](const graph_node* n) { return is_operand(n) || (to_stages && stage_read(*n)); };
    scratch memory;
    std::vector<const graph_node*> order;
    order.reserve(16);
    std::pmr::unordered_set<const graph_node*> ordered(&memory);
    const auto put = [&](const graph_node* n) {
      if (ordered.insert(n).second) order.push_back(n);
    };
    std::pmr::vector<const graph_node*> open(roots.rbegin(), roots.rend(), &memory);
    while (!open.empty()) {
      const graph_node* const n = open.back();
      if (is_end(n) || ordered.contains(n)) {
        put(n);
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      for (auto a = n->arguments.rbegin(); a != n->arguments.rend(); ++a)
        if (!is_end(*a) && !ordered.contains(*a)) open.push_back(*a);
      if (open.size() > before) continue;
      for (const graph_node* a : n->arguments) put(a);
      put(n);
      open.pop_back();
    }
    return order;
  }

  /// Reductions and the like, and before them those that they read, however many one behind the other.
  bool compute_first(const std::vector<const graph_node*>& order) {
    const std::vector<const graph_computation*> all = computations_of(order);
    for (const graph_computation* c : all) {
      if (x_.values->known.contains(c->key())) continue;
      const room at = room_for(space_, x_, *c->type, c->extents, c->rank);
      c->run(x_.for_part(c->because), at.data, at.owner);
      x_.values->keys.push_back(counted<graph_computation>::share(c).handle());
      x_.values->known[c->key()] = at;
    }
    return !all.empty();
  }
  std::vector<const graph_computation*> computations_of(const std::vector<const graph_node*>& order) const {
    std::vector<const graph_computation*> all;
    scratch memory;
    std::pmr::unordered_set<const void*> met(&memory);
    for (const graph_node* n : order)
      if (n->computation) put_in_order(n, met, all);
    return all;
  }
  /// Adds the computations at and below a node that are not in memory, each behind those that it reads. Nodes and
  /// computations are met once.
  void put_in_order(const graph_node* root, std::pmr::unordered_set<const void*>& met,
                    std::vector<const graph_computation*>& all) const {
    struct step {
      const graph_node* node;
      bool left;  // all below it has been put
    };
    std::vector<step> open{{root, false}};
    while (!open.empty()) {
      const auto [n, left] = open.back();
      open.pop_back();
      const graph_computation* const c = n->computation.get();
      if (left) {
        all.push_back(c);
        continue;
      }
      if (x_.values->known.contains(n) || !met.insert(n).second) continue;
      for (const graph_node* a : n->arguments) open.push_back({a, false});
      if (!c || x_.values->known.contains(c->key()) || !met.insert(c).second) continue;
      open.push_back({n, true});
      for (int i = 0; i < c->read_count; ++i)
        if (is_node(c->reads[i])) open.push_back({static_cast<const graph_node*>(c->reads[i]), false});
    }
  }
  bool has_stages(const std::vector<const graph_node*>& order) const {
    return std::any_of(order.begin(), order.end(),
                       [&](const graph_node* n) { return stage_read(*n) && !is_operand(n); });
  }
  /// What a kernel with stages could not take beside them.
  bool put_large_arguments_in_memory(const std::vector<const graph_node*>& order) {
    for (const graph_node* n : order) {
      if (!n->stage || is_operand(n)) continue;
      const graph_node* const argument = n->arguments[0];
      if (!argument->operation || is_operand(argument)) continue;
      int operands = 0, steps = 0;
      for (const graph_node* below : order_of({argument}, true))
        if (is_operand(below) || stage_read(*below)) ++operands;
        else if (!below->arguments.empty()) ++steps;
      if (operands + most_graph_results <= most_operands && steps < space_.most_steps) continue;
      put_in_memory(argument, "more operands or operations than a kernel takes");
      return true;
    }
    return false;
  }
  /// Where no kernel takes a stage with what it is computed from, that is in memory first.
  void put_an_argument_in_memory(const std::vector<const graph_node*>& order) {
    for (const graph_node* n : order) {
      if (!n->stage || is_operand(n)) continue;
      const graph_node* const argument = n->arguments[0];
      if (argument->operation && !is_operand(argument))
        return put_in_memory(argument, "a kernel of its own, since none takes it with what reads it");
    }
    throw error(backend_refuses + place_asked());
  }
  /// The first kernels of a graph with stages. True if they were all that it takes.
  bool run_groups(const graph_request& wanted, const graph_target* targets, const char* because) {
    const std::vector<graph_group> groups = plan_groups(space_, memory_, wanted);
    if (groups.empty()) {
      put_an_argument_in_memory(wanted.order);
      return false;
    }
    if (!groups[0].empty()) say_why(wanted);
    for (const graph_group& g : groups) {
      const bool last = g.empty();
      if (last ? run_group(wanted.roots, targets, wanted.extents, wanted.rank, because) : to_memory(g, why_first(g)))
        continue;
      refuse(last ? wanted.roots : g, last ? wanted.extents : g[0]->extents, last ? wanted.rank : g[0]->rank);
      return false;
    }
    return groups.back().empty();
  }
  void refuse(const std::vector<const graph_node*>& roots, const index_t* extents, int rank) {
    stage_layout layout;
    const bool reduces =
        !lay_out(memory_, roots, extents, rank, refused_, layout) && layout.pattern == std::string_view("reduce");
    (reduces ? refused_.reductions : refused_.roots).push_back(roots);
  }
  /// Why the roots are not one kernel.
  void say_why(const graph_request& wanted) const {
    stage_layout layout;
    const char* const why = lay_out(memory_, wanted.roots, wanted.extents, wanted.rank, wanted.refused, layout);
    if (why) x_.refuse("rows", why);
  }
  static const char* why_first(const graph_group& g) {
    for (const graph_node* n : g)
      if (n->stage) return n->stage->stage->axes > 0 ? "cut at a reduction" : "cut at a scan";
    return "read by several kernels, or by many positions";
  }
  bool run_group(const std::vector<const graph_node*>& roots, const graph_target* targets, const index_t* extents,
                 int rank, const char* because) {
    if (std::find(extents, extents + rank, 0) != extents + rank) return true;
    stage_layout layout;
    scratch room;
    placed_graph placed(room);
    if (lay_out(memory_, roots, extents, rank, refused_, layout)) return false;
    if (layout.stages.empty()) {
      run(roots, targets, extents, rank, because, true);
      return true;
    }
    if (!place(memory_, roots, layout, space_.most_steps, placed)) return false;
    if (const auto turned = space_.on_device ? operand_to_copy(memory_, layout, placed) : operand_in_order{};
        turned.node) {
      copy_in_order(*turned.node, turned.order);
      return run_group(roots, targets, extents, rank, because);
    }
    if (const auto multiplied = space_.on_device ? multiplied_to_copy(layout, placed, targets) : operand_in_order{};
        multiplied.node) {
      copy_in_order(*multiplied.node, multiplied.order);
      return run_group(roots, targets, extents, rank, because);
    }
    return run_stages(space_, because ? x_.for_part(because) : x_, memory_, layout, placed, targets, extents, rank);
  }
  /// What a library would multiply, but that it lies as none reads it.
  operand_in_order multiplied_to_copy(const stage_layout& layout, const placed_graph& placed,
                                      const graph_target* targets) const {
    const auto speed = space_.this_machine().products_per_us;
    if (!speed) return {};
    const std::optional<product_types> p = product_of_matrices(memory_, layout, placed, targets[0].steps);
    return p && speed(p->factors, p->result, false, nullptr) > 0 ? factor_to_copy(memory_, layout, *p)
                                                                 : operand_in_order{};
  }
  /// Others of the evaluation find it there, too.
  void put(const graph_node* n, const in_memory_value& v) {
    memory_.put(n, v);
    if (!n->stage || !x_.values->known.try_emplace(n, v.at).second) return;
    x_.values->kept.push_back(graph_ref::share(n));
  }
  /// Values of one shape, dense.
  struct targets_in_memory {
    std::vector<graph_target> targets;
    std::vector<in_memory_value> made;
    index_t dense[max_rank];
  };
  void make_room(const std::vector<const graph_node*>& nodes, targets_in_memory& to) const {
    const graph_node& first = *nodes[0];
    dense_steps(first.extents, first.rank, to.dense);
    for (const graph_node* n : nodes) {
      const graph_source_type& type = memory_type(*n);
      const room at = room_for(space_, x_, type, n->extents, n->rank);
      to.made.push_back({at, &type});
      to.targets.push_back({at.data, to.dense, at.owner, type.type.element, type.bytes, type.type.spelling});
    }
  }
  /// By one kernel. False if it is refused.
  bool to_memory(const std::vector<const graph_node*>& nodes, const char* because) {
    targets_in_memory to;
    make_room(nodes, to);
    if (!run_group(nodes, to.targets.data(), nodes[0]->extents, nodes[0]->rank, because)) return false;
    for (std::size_t i = 0; i < nodes.size(); ++i) put(nodes[i], to.made[i]);
    return true;
  }
  /// An operand, for kernels that would read it in another order than the rest.
  void copy_in_order(const graph_node& n, const axis_order& order) {
    const graph_source_type& type = *n.source_type;
    const room at = room_for(space_, x_, type, n.extents, n.rank);
    index_t dense[max_rank];
    dense_steps(n.extents, n.rank, dense, order);
    const graph_target to{at.data, dense, at.owner, type.type.element, type.bytes, type.type.spelling};
    run_transform(space_, x_.for_part("copied, for it lies in another order than what is read beside it"), memory_,
                  {&n}, {&n}, &to, n.extents, n.rank);
    memory_.put(&n, {at, &type, order});
  }
  /// By as many kernels as it takes.
  void put_in_memory(const graph_node* node, const char* because) {
    targets_in_memory to;
    make_room({node}, to);
    run({node}, to.targets.data(), node->extents, node->rank, because, false);
    put(node, to.made[0]);
  }
  /// Whether something dear is read by many positions, so that it may have to be in memory first.
  bool has_repeated(const std::vector<const graph_node*>& order, const std::vector<const graph_node*>& roots,
                    const index_t* extents, int rank) const {
    index_t positions = 1;
    for (int k = 0; k < rank; ++k) positions *= extents[k];
    if (positions < least_positions_of_parts) return false;
    const auto is_dear = [&](const graph_node* n, index_t readers) {
      return !is_operand(n) && is_repeated(*n, n->size(), readers);
    };
    return std::any_of(order.begin(), order.end(),
                       [&](const graph_node* n) {
                         return !is_operand(n) &&
                                std::any_of(n->arguments.begin(), n->arguments.end(),
                                            [&](const graph_node* a) { return is_dear(a, n->size()); });
                       }) ||
           std::any_of(roots.begin(), roots.end(), [&](const graph_node* r) { return is_dear(r, positions); });
  }
  /// Where a kernel would read or compute too much: what the first part of the order leaves to the rest is computed
  /// first. The place is where that is least, among those that leave the kernel full enough.
  bool cut(const std::vector<const graph_node*>& order, const std::vector<const graph_node*>& roots) {
    std::size_t end = 0;
    int operands = 0, steps = 0;
    const auto is_value = [&](const graph_node* n) { return !is_operand(n) && !n->arguments.empty(); };  // no literal
    for (; end < order.size(); ++end) {
      if (is_operand(order[end])) ++operands;
      else if (is_value(order[end])) ++steps;
      if (operands > most_operands || (space_.most_steps > 0 && steps > space_.most_steps)) break;
    }
    if (end == order.size()) return false;
    std::unordered_map<const graph_node*, std::size_t> last;  // who reads it last
    for (std::size_t i = 0; i < order.size(); ++i)
      if (!is_operand(order[i]))
        for (const graph_node* a : order[i]->arguments) last[a] = i;
    for (const graph_node* r : roots) last[r] = order.size();
    std::vector<int> left(end + 2);  // how many values each place leaves to what follows
    for (std::size_t i = 0; i < end; ++i) {
      if (!is_value(order[i])) continue;
      ++left[i + 1];
      --left[std::min(last[order[i]], end) + 1];
    }
    for (std::size_t at = 1; at <= end; ++at) left[at] += left[at - 1];
    std::size_t place = 0;
    for (std::size_t at = end; at > 0; --at) {
      if (left[at] == 0) continue;
      if (place == 0 || left[at] < left[place]) place = at;
      if (left[place] == 1 || (at <= end / 2 && left[place] <= most_graph_results)) break;
    }
    std::vector<const graph_node*> best;
    for (std::size_t i = 0; i < place; ++i)
      if (is_value(order[i]) && last[order[i]] >= place) best.push_back(order[i]);
    if (best.empty()) throw error("one operation reads more arrays than a kernel takes" + place_asked());
    // Those of one shape share a kernel.
    while (!best.empty()) {
      const graph_node& first = *best[0];
      std::vector<const graph_node*> alike, others;
      for (const graph_node* n : best)
        (alike.size() < most_graph_results && same_extents(*n, first.extents, first.rank) ? alike : others)
            .push_back(n);
      to_memory(alike, "more operands or operations than a kernel takes");
      best = std::move(others);
    }
    return true;
  }
};

}  // namespace

run_detail::room in_memory_of(const graph_space& space, const execution& x, const graph_ref& root,
                              const graph_source_type& type) {
  const graph_node& node = *root;
  if (const auto at = x.values->known.find(&node); at != x.values->known.end()) return at->second;
  const room to = room_for(space, x, type, node.extents, node.rank);
  index_t dense[max_rank];
  dense_steps(node.extents, node.rank, dense);
  const graph_target target{to.data, dense, to.owner, type.type.element, type.bytes, type.type.spelling};
  evaluate(space, x.for_part("a lazy_array that a reduction reads"), &root, &target, 1, node.extents, node.rank);
  x.values->keys.push_back(root.handle());
  return x.values->known[&node] = to;
}
namespace {

/// Views of the values of nodes, which are in memory where they do not move along their axes, equal ones once.
class views_of_nodes {
 public:
  explicit views_of_nodes(const graph_space& space) : space_(space) {}
  graph_ref of(const graph_source_type& type, const graph_ref& node, const listed_view& v) {
    if (graph_ref along_axes = view_node(node, v.rank, v.extents, v.steps, v.offset)) return along_axes;
    return computed_node(computation_of(type, node), type, v.rank, v.extents, v.steps, v.offset);
  }

 private:
  const graph_space& space_;
  std::vector<const graph_node*> nodes_;
  std::vector<counted<graph_computation>> computations_;

  counted<graph_computation> computation_of(const graph_source_type& type, const graph_ref& node) {
    nodes_.push_back(node.get());
    const std::vector<graph_ref> one = canonical(nodes_);
    const auto known = std::find(one.begin(), one.end() - 1, one.back()) - one.begin();
    if (known + 1 < std::ssize(one)) {
      nodes_.pop_back();
      return computations_[static_cast<std::size_t>(known)];
    }
    return computations_.emplace_back(new node_computation(space_, type, node));
  }
};
/// An operation, whose arguments are broadcast.
graph_ref broadcast_operation(const graph_operation& op, const graph_ref* arguments) {
  int rank = 0;
  index_t extents[max_rank];
  for (int i = 0; i < op.arity; ++i) rank = std::max(rank, arguments[i]->rank);
  std::fill_n(extents, rank, index_t{1});
  for (int i = 0; i < op.arity; ++i) {
    const graph_node& a = *arguments[i];
    for (int k = 0; k < a.rank; ++k)
      if (a.extents[k] != 1) extents[k + rank - a.rank] = a.extents[k];
  }
  return operation_node(op, arguments, rank, extents);
}

}  // namespace

void nodes_of(const graph_space& space, const listed_trees& trees, graph_ref* roots) {
  views_of_nodes views(space);
  std::vector<graph_ref> open;
  open.reserve(static_cast<std::size_t>(trees.count));
  const void* const* parts = trees.parts;
  for (const listed_node& n : std::span(trees.nodes, static_cast<std::size_t>(trees.count))) {
    if (n.operation) {
      const std::size_t first = open.size() - static_cast<std::size_t>(n.operation->arity);
      graph_ref made = broadcast_operation(*n.operation, open.data() + first);
      open.resize(first);
      open.push_back(std::move(made));
    } else if (n.value) open.push_back(operand_node(*n.source, n.value, nullptr, 0, nullptr, nullptr));
    else {
      const listed_view v(n, parts);
      if (n.stage) {
        const graph_ref made = stage_node(*n.stage, open.back(), n.argument_rank, v.argument);
        open.back() = views.of(*n.stage->memory, made, v);
      } else if (n.leaf->place) {
        alignas(16) unsigned char source[most_source_bytes];
        n.leaf->place(v.leaf, source);
        open.push_back(operand_node(*n.source, source, n.leaf->owner(v.leaf), v.rank, v.extents, v.steps));
      } else if (n.leaf->computed) open.push_back(n.leaf->computed(v.leaf));
      else open.push_back(views.of(*n.source, graph_ref::share(static_cast<graph_node*>(n.leaf->owner(v.leaf))), v));
    }
    if (!n.is_root) continue;
    *roots++ = std::move(open.back());
    open.pop_back();
  }
}

namespace {

/// A root that shows a reduction with its axes in another order, and what is computed of that alone: the reduction as
/// it is, stored in this order.
struct turned_root {
  graph_ref node;
  index_t steps[max_rank] = {};
};
std::optional<turned_root> turned_back(const graph_node& root, const graph_target& to, const index_t* extents,
                                       int rank) {
  std::vector<const graph_operation*> operations;
  const graph_node* n = &root;
  for (; n->operation && n->arguments.size() == 1; n = n->arguments[0]) operations.push_back(n->operation);
  if (!n->view || !n->arguments[0]->stage || !same_extents(*n, extents, rank)) return {};
  const graph_view& v = *n->view;
  const graph_node& stage = *n->arguments[0];
  if (stage.stage->stage->axes == 0) return {};
  turned_root turned;
  unsigned shown = 0;
  int before = -1;
  bool in_order = true;
  for (int k = 0; k < rank; ++k) {
    if (extents[k] == 1) continue;
    const int axis = v.axis[k];
    if (axis < 0 || v.by[k] != 1 || v.start[axis] != 0 || extents[k] != stage.extents[axis] || (shown >> axis & 1))
      return {};
    shown |= 1u << axis;
    in_order = in_order && axis > before;
    before = axis;
    turned.steps[axis] = to.steps[k];
  }
  for (int axis = 0; axis < stage.rank; ++axis)
    if (stage.extents[axis] != 1 && !(shown >> axis & 1)) return {};
  if (in_order) return {};
  turned.node = graph_ref::share(&stage);
  for (auto op = operations.rbegin(); op != operations.rend(); ++op)
    turned.node = operation_node(**op, &turned.node, stage.rank, stage.extents);
  return turned;
}

void evaluate_nodes(const graph_space& space, const execution& x, const graph_ref* roots, const graph_target* targets,
                    int count, const index_t* extents, int rank) {
  std::vector<const graph_node*> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back(roots[i].get());
  const std::vector<graph_ref> graph = canonical(all);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = graph[i].get();
  if (count == 1)
    if (const std::optional<turned_root> t = turned_back(*all[0], targets[0], extents, rank)) {
      graph_target to = targets[0];
      to.steps = t->steps;
      all[0] = t->node.get();
      return graph_evaluation(space, x).evaluate(all, &to, all[0]->extents, all[0]->rank);
    }
  graph_evaluation(space, x).evaluate(all, targets, extents, rank);
}
bool has_no_elements(const index_t* extents, int rank) {
  return std::find(extents, extents + rank, 0) != extents + rank;
}
void evaluate_roots(const graph_space& space, const own_values& own, const graph_ref* roots,
                    const graph_target* targets, int count, const index_t* extents, int rank) {
  const auto run = [&] { evaluate_nodes(space, own.x, roots, targets, count, extents, rank); };
  if (!own.are_kept(space)) return run();
  run_kept(space, own.x, graph_signature(space, roots, targets, count, extents, rank), targets, count, run);
}

}  // namespace

void evaluate(const graph_space& space, const execution& x, const graph_ref* roots, const graph_target* targets,
              int count, const index_t* extents, int rank) {
  if (has_no_elements(extents, rank)) return;
  evaluate_roots(space, own_values(x), roots, targets, count, extents, rank);
}

void evaluate(const graph_space& space, const execution& x, const listed_trees& trees, const graph_target* targets,
              const index_t* extents, int rank) {
  if (has_no_elements(extents, rank)) return;
  const own_values own(x);
  const auto as_nodes = [&](const auto& run_roots) {
    std::vector<graph_ref> roots(static_cast<std::size_t>(trees.trees));
    nodes_of(space, trees, roots.data());
    run_roots(space, own, roots.data(), targets, trees.trees, extents, rank);
  };
  if (!trees.is_whole || !own.are_kept(space)) return as_nodes(evaluate_roots);
  run_kept(space, own.x, graph_signature(space, trees, targets, extents, rank), targets, trees.trees, [&] {
    as_nodes([](const graph_space& s, const own_values& o, auto... rest) { evaluate_nodes(s, o.x, rest...); });
  });
}

}  // namespace lazyfuse::graph_detail

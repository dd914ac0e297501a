// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of graphs: made, viewed and let go without recursion, however deep a graph is.
#include <lazyfuse/plan/graph.hpp>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace lazyfuse::planning {

namespace {

constexpr int heaviest = 1 << 20;

/// Releases a node and all nodes that only it holds, linked by a member that nobody else uses.
void release_node(allocation* a) noexcept {
  a->readers.store(nullptr, std::memory_order_relaxed);
  for (allocation* next = a; next;) {
    auto* const n = static_cast<graph_node*>(next);
    next = static_cast<allocation*>(n->readers.load(std::memory_order_relaxed));
    for (const graph_node* argument : n->arguments) {
      auto* const below = const_cast<graph_node*>(argument);
      if (below->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      below->readers.store(next, std::memory_order_relaxed);
      next = below;
    }
    lazy_detail::drop(&n->memory, 1);
    delete n;
  }
}

/// One axis of a view: which axis of the node it moves along, and by how many elements a step.
struct moved_axis {
  int axis;
  index_t by;
};
/// A view in the node's own axes.
struct axis_view {
  int rank;
  index_t extents[max_rank];
  moved_axis moved[max_rank];
  index_t start[max_rank];  ///< of each axis of the node
};

/// Whether a view of a dense array moves along its axes; other views do not fit the extents.
bool find_axes(const graph_node& n, int rank, const index_t* extents, const index_t* steps, index_t offset,
               axis_view& to) {
  index_t dense[max_rank], stride = 1;
  for (int k = n.rank - 1; k >= 0; --k) dense[k] = std::exchange(stride, stride * n.extents[k]);
  to.rank = rank;
  for (int k = 0; k < n.rank; ++k) to.start[k] = std::exchange(offset, offset % dense[k]) / dense[k];
  bool used[max_rank] = {};
  for (int j = 0; j < rank; ++j) {
    to.extents[j] = extents[j];
    to.moved[j] = {-1, 0};
    if (steps[j] == 0 || extents[j] <= 1) continue;
    int k = 0;
    const auto fits = [&] {
      const index_t by = steps[j] / dense[k], last = to.start[k] + by * (extents[j] - 1);
      return n.extents[k] > 1 && !used[k] && steps[j] % dense[k] == 0 && by != 0 && last >= 0 && last < n.extents[k];
    };
    while (k < n.rank && !fits()) ++k;
    if (k == n.rank) return false;
    used[k] = true;
    to.moved[j] = {k, steps[j] / dense[k]};
  }
  return true;
}

}  // namespace

graph_node::graph_node(int r, const index_t* e) : rank(r) {
  std::copy_n(e, r, extents);
  release = release_node;
}

index_t graph_node::size() const {
  index_t n = 1;
  for (int k = 0; k < rank; ++k) n *= extents[k];
  return n;
}

graph_ref graph_ref::share(const graph_node* n) {
  auto* const shared = const_cast<graph_node*>(n);
  shared->owners.fetch_add(1, std::memory_order_relaxed);
  return graph_ref(shared);
}

graph_ref operation_node(const graph_operation& op, const graph_ref* arguments, int rank, const index_t* extents) {
  graph_ref made(new graph_node(rank, extents));
  made->operation = &op;
  made->arguments.reserve(static_cast<std::size_t>(op.arity));
  made->weight = op.cost;
  for (int i = 0; i < op.arity; ++i) {
    made->arguments.push_back(graph_ref::share(arguments[i].get()).get());
    arguments[i]->owners.fetch_add(1, std::memory_order_relaxed);
    made->weight = std::min(heaviest, made->weight + arguments[i]->weight);
    made->device = std::max(made->device, arguments[i]->device);
  }
  return made;
}

graph_ref operand_node(const graph_source_type& type, const void* source, allocation* memory, int rank,
                       const index_t* extents, const index_t* steps) {
  graph_ref made(new graph_node(rank, extents));
  made->source_type = &type;
  std::memcpy(made->source, source, static_cast<std::size_t>(type.type.bytes));
  for (int k = 0; k < rank; ++k) made->steps[k] = extents[k] > 1 ? steps[k] : 0;
  made->memory = memory;
  if (memory) {
    memory->owners.fetch_add(1, std::memory_order_relaxed);
    made->device = memory->device;
  }
  return made;
}

graph_ref computed_node(std::shared_ptr<const graph_computation> what, int rank, const index_t* extents,
                        const index_t* steps, index_t offset) {
  graph_ref made(new graph_node(rank, extents));
  made->source_type = what->type;
  for (int k = 0; k < rank; ++k) made->steps[k] = extents[k] > 1 ? steps[k] : 0;
  made->first = offset;
  made->computation = std::move(what);
  return made;
}

namespace {

/// The view of one node whose arguments have been viewed.
graph_ref viewed(const graph_node& n, const axis_view& v,
                 const std::unordered_map<const graph_node*, graph_ref>& known) {
  if (n.operation) {
    std::vector<graph_ref> arguments;
    for (const graph_node* a : n.arguments) arguments.push_back(known.at(a));
    return operation_node(*n.operation, arguments.data(), v.rank, v.extents);
  }
  graph_ref made(new graph_node(v.rank, v.extents));
  made->source_type = n.source_type;
  made->computation = n.computation;
  made->memory = n.memory;
  if (n.memory) n.memory->owners.fetch_add(1, std::memory_order_relaxed);
  made->device = n.device;
  for (int j = 0; j < v.rank; ++j) {
    const auto [axis, by] = v.moved[j];
    made->steps[j] = axis >= 0 ? by * n.steps[axis] : 0;
  }
  index_t offset = 0;
  for (int k = 0; k < n.rank; ++k) offset += v.start[k] * n.steps[k];
  std::memcpy(made->source, n.source, sizeof made->source);
  if (n.computation) made->first = n.first + offset;
  else n.source_type->move(made->source, offset);
  return made;
}

/// The view as an argument sees it, whose axes are the last of the node's, and may be repeated.
axis_view of_argument(const axis_view& v, const graph_node& n, const graph_node& argument) {
  axis_view to = v;
  const int missing = n.rank - argument.rank;
  for (int k = 0; k < argument.rank; ++k) to.start[k] = argument.extents[k] == 1 ? 0 : v.start[k + missing];
  for (int j = 0; j < v.rank; ++j) {
    const int axis = v.moved[j].axis - missing;
    if (axis < 0 || argument.extents[axis] == 1) to.moved[j] = {-1, 0};
    else to.moved[j].axis = axis;
  }
  return to;
}

}  // namespace

graph_ref viewed_node(const graph_ref& node, int rank, const index_t* extents, const index_t* steps, index_t offset) {
  axis_view whole;
  if (!find_axes(*node.get(), rank, extents, steps, offset, whole)) return {};
  // A node may be read through two views that differ: by axes that are repeated on the way to one of them. These read
  // the same elements, so the first will do.
  std::unordered_map<const graph_node*, graph_ref> known;
  std::vector<std::pair<const graph_node*, axis_view>> open{{node.get(), whole}};
  while (!open.empty()) {
    const auto [n, v] = open.back();
    if (known.contains(n)) {
      open.pop_back();
      continue;
    }
    bool ready = true;
    for (const graph_node* a : n->arguments)
      if (!known.contains(a)) {
        open.emplace_back(a, of_argument(v, *n, *a));
        ready = false;
      }
    if (!ready) continue;
    known.emplace(n, viewed(*n, v, known));
    open.pop_back();
  }
  return known.at(node.get());
}

}  // namespace lazyfuse::planning

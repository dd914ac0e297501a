// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of graphs: made, viewed and let go without recursion, however deep a graph is.
#include <lazyfuse/plan/graph.hpp>

#include <algorithm>
#include <cstring>
#include <string>
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

/// Whether a view of a dense array moves along its axes; other views do not fit the extents.
bool find_axes(const graph_node& n, int rank, const index_t* extents, const index_t* steps, index_t offset,
               graph_view& to) {
  index_t dense[max_rank], stride = 1;
  for (int k = n.rank - 1; k >= 0; --k) dense[k] = std::exchange(stride, stride * n.extents[k]);
  to.rank = rank;
  if (n.size() == 0) {  // nothing moves
    for (int j = 0; j < rank; ++j) to.extents[j] = extents[j], to.axis[j] = -1;
    return true;
  }
  for (int k = 0; k < n.rank; ++k) to.start[k] = std::exchange(offset, offset % dense[k]) / dense[k];
  bool used[max_rank] = {};
  for (int j = 0; j < rank; ++j) {
    to.extents[j] = extents[j];
    to.axis[j] = -1;
    to.by[j] = 0;
    if (steps[j] == 0 || extents[j] <= 1) continue;
    const auto fits = [&](int k) {
      const index_t by = steps[j] / dense[k], last = to.start[k] + by * (extents[j] - 1);
      return n.extents[k] > 1 && !used[k] && steps[j] % dense[k] == 0 && by != 0 && last >= 0 && last < n.extents[k];
    };
    int k = 0;
    while (k < n.rank && !fits(k)) ++k;
    if (k == n.rank) return false;
    used[k] = true;
    to.axis[j] = k;
    to.by[j] = steps[j] / dense[k];
  }
  return true;
}
graph_view whole(const graph_node& n) {
  graph_view v{};
  v.rank = n.rank;
  for (int k = 0; k < n.rank; ++k) {
    v.extents[k] = n.extents[k];
    v.axis[k] = n.extents[k] > 1 ? k : -1;
    v.by[k] = n.extents[k] > 1 ? 1 : 0;
  }
  return v;
}
bool is_whole(const graph_node& n, const graph_view& v) {
  if (v.rank != n.rank) return false;
  for (int k = 0; k < n.rank; ++k)
    if (v.extents[k] != n.extents[k] || (n.extents[k] > 1 && (v.axis[k] != k || v.by[k] != 1))) return false;
  return true;
}
/// `outer` of what `inner` shows.
graph_view composed(const graph_view& outer, const graph_view& inner, int viewed_rank) {
  graph_view v = outer;
  for (int j = 0; j < outer.rank; ++j) {
    const int a = outer.axis[j];
    v.axis[j] = a < 0 ? -1 : inner.axis[a];
    v.by[j] = v.axis[j] < 0 ? 0 : outer.by[j] * inner.by[a];
  }
  std::copy_n(inner.start, viewed_rank, v.start);
  for (int a = 0; a < inner.rank; ++a)
    if (inner.axis[a] >= 0) v.start[inner.axis[a]] += outer.start[a] * inner.by[a];
  return v;
}
/// The view as an argument sees it, whose axes are the last of the node's, and may be repeated.
graph_view of_argument(const graph_view& v, const graph_node& n, const graph_node& argument) {
  graph_view to = v;
  const int missing = n.rank - argument.rank;
  for (int k = 0; k < argument.rank; ++k) to.start[k] = argument.extents[k] == 1 ? 0 : v.start[k + missing];
  for (int j = 0; j < v.rank; ++j) {
    to.axis[j] = v.axis[j] - missing;
    if (to.axis[j] >= 0 && argument.extents[to.axis[j]] != 1) continue;
    to.axis[j] = -1;
    to.by[j] = 0;
  }
  return to;
}
/// Without the axes that an argument repeats, where it has them as axes of extent 1 or not at all, the view of its own
/// shape: so an argument that is broadcast stays so.
graph_view of_own_shape(const graph_view& v, const graph_view& of_argument) {
  graph_view to = of_argument;
  int first = 0;
  while (first < v.rank && of_argument.axis[first] < 0) ++first;
  to.rank = v.rank - first;
  for (int j = 0; j < to.rank; ++j) {
    const int from = j + first;
    to.axis[j] = of_argument.axis[from];
    to.by[j] = of_argument.by[from];
    to.extents[j] = to.axis[j] < 0 ? 1 : v.extents[from];
  }
  return to;
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

graph_ref computed_node(std::shared_ptr<const graph_computation> what, const graph_source_type& type, int rank,
                        const index_t* extents, const index_t* steps, index_t offset) {
  graph_ref made(new graph_node(rank, extents));
  made->source_type = &type;
  for (int k = 0; k < rank; ++k) made->steps[k] = extents[k] > 1 ? steps[k] : 0;
  made->first = offset;
  made->computation = std::move(what);
  return made;
}

graph_ref view_node(const graph_ref& node, int rank, const index_t* extents, const index_t* steps, index_t offset) {
  graph_view v{};
  if (!find_axes(*node.get(), rank, extents, steps, offset, v)) return {};
  if (is_whole(*node.get(), v)) return node;
  graph_ref made(new graph_node(rank, extents));
  made->view = std::make_unique<const graph_view>(v);
  made->arguments.push_back(node.get());
  node->owners.fetch_add(1, std::memory_order_relaxed);
  made->weight = node->weight;
  made->device = node->device;
  return made;
}

namespace {

template <class T>
void append(std::string& key, const T* values, std::size_t count) {
  key.append(reinterpret_cast<const char*>(values), sizeof(T) * count);
}
std::string key_of(const graph_node* n, const graph_view& v) {
  std::string key;
  append(key, &n, 1);
  append(key, &v.rank, 1);
  const auto rank = static_cast<std::size_t>(v.rank);
  append(key, v.extents, rank);
  append(key, v.axis, rank);
  append(key, v.by, rank);
  append(key, v.start, static_cast<std::size_t>(n->rank));
  return key;
}

class canonical_graph {
 public:
  graph_ref of(const graph_node* root) {
    std::vector<state> open{{root, whole(*root)}};
    std::string last;
    while (!open.empty()) {
      const state now = open.back();
      last = key_of(now.node, now.view);
      if (seen_.contains(last)) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      std::vector<graph_ref> arguments;
      for (const graph_node* a : now.node->arguments) {
        const state below = now.node->view ? state{a, composed(now.view, *now.node->view, a->rank)}
                                           : state{a, of_own_shape(now.view, of_argument(now.view, *now.node, *a))};
        if (const auto at = seen_.find(key_of(below.node, below.view)); at == seen_.end()) open.push_back(below);
        else arguments.push_back(at->second);
      }
      if (open.size() > before) continue;
      seen_.emplace(last, now.node->view ? arguments[0] : one_of(made(now, arguments)));
      open.pop_back();
    }
    return seen_.at(last);
  }

 private:
  struct state {
    const graph_node* node;
    graph_view view;
  };
  std::unordered_map<std::string, graph_ref> seen_, nodes_;

  static graph_ref made(const state& s, const std::vector<graph_ref>& arguments) {
    const graph_node& n = *s.node;
    const graph_view& v = s.view;
    if (n.operation) return operation_node(*n.operation, arguments.data(), v.rank, v.extents);
    graph_ref to(new graph_node(v.rank, v.extents));
    to->source_type = n.source_type;
    to->computation = n.computation;
    to->memory = n.memory;
    if (n.memory) n.memory->owners.fetch_add(1, std::memory_order_relaxed);
    to->device = n.device;
    for (int j = 0; j < v.rank; ++j) to->steps[j] = v.axis[j] >= 0 ? v.by[j] * n.steps[v.axis[j]] : 0;
    index_t offset = 0;
    for (int k = 0; k < n.rank; ++k) offset += v.start[k] * n.steps[k];
    std::memcpy(to->source, n.source, sizeof to->source);
    if (n.computation) to->first = n.first + offset;
    else n.source_type->move(to->source, offset);
    return to;
  }
  /// The node, or one that is equal.
  graph_ref one_of(const graph_ref& n) {
    std::string key;
    append(key, &n->rank, 1);
    append(key, n->extents, static_cast<std::size_t>(n->rank));
    append(key, &n->operation, 1);
    append(key, n->arguments.data(), n->arguments.size());
    if (!n->operation) {
      const graph_computation* const c = n->computation.get();
      append(key, &n->source_type, 1);
      append(key, &c, 1);
      append(key, &n->memory, 1);
      append(key, &n->first, 1);
      append(key, n->source, static_cast<std::size_t>(n->source_type->type.bytes));
      append(key, n->steps, static_cast<std::size_t>(n->rank));
    }
    return nodes_.try_emplace(std::move(key), n).first->second;
  }
};

}  // namespace

std::vector<graph_ref> canonical(const std::vector<const graph_node*>& roots) {
  canonical_graph g;
  std::vector<graph_ref> all;
  all.reserve(roots.size());
  for (const graph_node* r : roots) all.push_back(g.of(r));
  return all;
}

}  // namespace lazyfuse::planning

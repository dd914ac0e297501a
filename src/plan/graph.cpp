// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of graphs: made, viewed and let go without recursion, however deep a graph is.
#include "array/counted.hpp"
#include "core/scratch.hpp"
#include "plan/graph_program.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lazyfuse::planning {

namespace {

constexpr int heaviest = 1 << 20;

/// Releases a node and all that only it holds, one after the other: what becomes free meanwhile, behind a computation
/// too, waits in a list, linked by a member that nobody else uses.
void release_node(allocation* a) noexcept {
  constinit thread_local allocation* waiting = nullptr;
  constinit thread_local bool releasing = false;
  const auto wait = [](allocation* n) {
    n->readers = waiting;
    waiting = n;
  };
  wait(a);
  if (releasing) return;
  releasing = true;
  while (waiting) {
    auto* const n = static_cast<graph_node*>(waiting);
    waiting = static_cast<allocation*>(n->readers);
    for (const graph_node* argument : n->arguments) {
      auto* const below = const_cast<graph_node*>(argument);
      if (memory_detail::owners_of(below).fetch_sub(1, std::memory_order_acq_rel) == 1) wait(below);
    }
    lazy_detail::drop(&n->memory, 1);
    delete n;
  }
  releasing = false;
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

listed_view::listed_view(const listed_node& n, const void* const*& parts) {
  const auto index = [](const void* p) { return static_cast<const index_t*>(p); };
  if (n.stage) {
    rank = n.rank;
    extents = index(parts[0]);
    steps = index(parts[1]);
    offset = *index(parts[2]);
    argument = index(parts[3]);
    parts += parts_of_stage;
    return;
  }
  leaf = *parts++;
  const auto at = [&](int bytes) { return index(static_cast<const char*>(leaf) + bytes); };
  rank = n.leaf->rank;
  if (n.leaf->computed) return;
  extents = at(n.leaf->extents);
  steps = at(n.leaf->steps);
  offset = *at(n.leaf->offset);
}

bool is_node(const allocation* a) { return a && a->release == release_node; }

index_t graph_node::size() const {
  index_t n = 1;
  for (int k = 0; k < rank; ++k) n *= extents[k];
  return n;
}

graph_program::graph_program() {
  release = [](allocation* a) noexcept { delete static_cast<graph_program*>(a); };
}

namespace {

void count_one_more(allocation* a) { memory_detail::owners_of(a).fetch_add(1, std::memory_order_relaxed); }

void add_argument(graph_node& n, const graph_node& argument) {
  n.arguments.push_back(&argument);
  count_one_more(const_cast<graph_node*>(&argument));
  n.has_views = n.has_views || argument.has_views;
  n.device = std::max(n.device, argument.device);
}

/// arguments: references, or pointers.
template <class Argument>
graph_ref operation_on(const graph_operation& op, const Argument* arguments, int rank, const index_t* extents) {
  graph_ref made(new graph_node(rank, extents));
  made->operation = &op;
  made->arguments.reserve(static_cast<std::size_t>(op.arity));
  made->weight = op.cost;
  for (int i = 0; i < op.arity; ++i) {
    const graph_node& argument = *arguments[i];
    add_argument(*made, argument);
    made->weight = std::min(heaviest, made->weight + argument.weight);
  }
  return made;
}
graph_ref stage_of(const graph_stage& stage, const graph_node& argument, int rank, const index_t* extents) {
  graph_ref made(new graph_node(rank - stage.axes, extents));
  auto what = std::make_unique<graph_stage_of>(graph_stage_of{&stage, rank, {}});
  std::copy_n(extents, rank, what->extents);
  made->stage = std::move(what);
  add_argument(*made, argument);
  return made;
}
graph_ref with_arguments(const graph_node& n, int rank, const index_t* extents, const graph_node* const* arguments) {
  if (n.stage) return stage_of(*n.stage->stage, *arguments[0], n.stage->rank, n.stage->extents);
  return operation_on(*n.operation, arguments, rank, extents);
}
graph_ref view_of(const graph_node& node, const graph_view& v) {
  graph_ref made(new graph_node(v.rank, v.extents));
  made->view = std::make_unique<const graph_view>(v);
  add_argument(*made, node);
  made->weight = node.weight;
  made->has_views = true;
  return made;
}

}  // namespace

graph_ref with_arguments(const graph_node& n, const graph_node* const* arguments) {
  return n.view ? view_of(*arguments[0], *n.view) : with_arguments(n, n.rank, n.extents, arguments);
}

graph_ref stage_node(const graph_stage& stage, const graph_ref& argument, int rank, const index_t* extents) {
  return stage_of(stage, *argument, rank, extents);
}

graph_ref operation_node(const graph_operation& op, const graph_ref* arguments, int rank, const index_t* extents) {
  return operation_on(op, arguments, rank, extents);
}

graph_ref operand_node(const graph_source_type& type, const void* source, allocation* memory, int rank,
                       const index_t* extents, const index_t* steps) {
  graph_ref made(new graph_node(rank, extents));
  made->source_type = &type;
  std::memcpy(made->source, source, static_cast<std::size_t>(type.type.bytes));
  for (int k = 0; k < rank; ++k) made->steps[k] = extents[k] > 1 ? steps[k] : 0;
  made->memory = memory;
  if (memory) {
    count_one_more(memory);
    made->device = memory->device;
  }
  return made;
}

graph_ref computed_node(counted<graph_computation> what, const graph_source_type& type, int rank,
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
  return view_of(*node, v);
}

namespace {

/// FNV-1a (Fowler, Noll, Vo), of 8 bytes at a time.
std::size_t mixed(std::size_t h, std::uint64_t value) { return (h ^ value ^ (value >> 29)) * 0x100000001b3; }
template <class T>
std::size_t mixed(std::size_t h, T* p) {
  return mixed(h, reinterpret_cast<std::uintptr_t>(p) >> 4);
}

/// A node as some view shows it.
struct state {
  const graph_node* node;
  graph_view view;
};
std::size_t mixed(std::size_t h, const graph_view& v, int viewed_rank) {
  for (int j = 0; j < v.rank; ++j)
    h = mixed(mixed(mixed(h, static_cast<std::uint64_t>(v.extents[j])), static_cast<std::uint64_t>(v.by[j])),
              static_cast<std::uint64_t>(v.axis[j]) + 1);
  for (int k = 0; k < viewed_rank; ++k) h = mixed(h, static_cast<std::uint64_t>(v.start[k]));
  return h;
}
struct state_hash {
  std::size_t operator()(const state& s) const {
    return mixed(mixed(0xcbf29ce484222325, s.node), s.view, s.node->rank);
  }
};
bool same_view(const graph_view& a, const graph_view& b, int viewed_rank) {
  const int rank = a.rank;
  return rank == b.rank && std::equal(a.extents, a.extents + rank, b.extents) && std::equal(a.by, a.by + rank, b.by) &&
         std::equal(a.axis, a.axis + rank, b.axis) && std::equal(a.start, a.start + viewed_rank, b.start);
}
bool operator==(const state& a, const state& b) { return a.node == b.node && same_view(a.view, b.view, a.node->rank); }

/// Nodes by what they compute, whose arguments are canonical.
struct content_hash {
  std::size_t operator()(const graph_node* n) const {
    std::size_t h = mixed(0xcbf29ce484222325, n->operation);
    for (const graph_node* a : n->arguments) h = mixed(h, a);
    for (int k = 0; k < n->rank; ++k) h = mixed(h, static_cast<std::uint64_t>(n->extents[k]));
    if (n->operation) return h;
    if (n->stage) return mixed(h, n->stage->stage);
    if (n->view) return mixed(h, *n->view, n->arguments[0]->rank);
    h = mixed(mixed(mixed(h, n->source_type), n->computation.handle().memory[0]), static_cast<std::uint64_t>(n->first));
    std::uint64_t words[most_source_bytes / 8] = {};
    std::memcpy(words, n->source, static_cast<std::size_t>(n->source_type->type.bytes));
    for (const std::uint64_t w : words) h = mixed(h, w);
    for (int k = 0; k < n->rank; ++k) h = mixed(h, static_cast<std::uint64_t>(n->steps[k]));
    return h;
  }
};
bool same_stage(const graph_stage_of& a, const graph_stage_of& b) {
  return a.stage == b.stage && a.rank == b.rank && std::equal(a.extents, a.extents + a.rank, b.extents);
}
struct same_content {
  bool operator()(const graph_node* a, const graph_node* b) const {
    if (a->operation != b->operation || a->rank != b->rank || a->arguments != b->arguments ||
        !std::equal(a->extents, a->extents + a->rank, b->extents))
      return false;
    if (a->operation) return true;
    if (a->stage || b->stage) return a->stage && b->stage && same_stage(*a->stage, *b->stage);
    if (a->view || b->view) return a->view && b->view && same_view(*a->view, *b->view, a->arguments[0]->rank);
    return a->source_type == b->source_type && a->computation == b->computation && a->memory == b->memory &&
           a->first == b->first && std::equal(a->steps, a->steps + a->rank, b->steps) &&
           std::memcmp(a->source, b->source, static_cast<std::size_t>(a->source_type->type.bytes)) == 0;
  }
};

class canonical_graph {
 public:
  explicit canonical_graph(std::pmr::memory_resource* memory) : memory_(memory) {
    known_.reserve(16);
    nodes_.reserve(16);
  }
  graph_ref of(const graph_node* root) {
    return graph_ref::share(root->has_views ? without_views(root) : as_it_is(root));
  }

 private:
  std::pmr::memory_resource* memory_;
  std::pmr::unordered_map<const graph_node*, const graph_node*> known_{memory_};
  std::pmr::unordered_map<state, const graph_node*, state_hash> seen_{memory_};
  std::pmr::unordered_set<const graph_node*, content_hash, same_content> nodes_{memory_};
  std::pmr::vector<graph_ref> made_{memory_};  ///< nodes that nobody else holds yet

  /// Of a graph without views, most nodes of which are canonical themselves.
  const graph_node* as_it_is(const graph_node* root) {
    const auto find = [&](const graph_node* n) {
      const auto at = known_.find(n);
      return at == known_.end() ? nullptr : at->second;
    };
    make_bottom_up(root, find, [&](const graph_node* n, const std::vector<const graph_node*>& arguments) {
      const bool same = arguments == n->arguments;
      known_.emplace(n, same ? one_of(n) : one_of(with_arguments(*n, n->rank, n->extents, arguments.data())));
    });
    return known_.at(root);
  }
  /// What a state needs below it: of a view of a stage, the stage as it is.
  static state below(const state& now, const graph_node* a) {
    const graph_node& n = *now.node;
    if (n.view) return {a, composed(now.view, *n.view, a->rank)};
    if (n.stage) return {a, whole(*a)};
    return {a, of_own_shape(now.view, of_argument(now.view, n, *a))};
  }
  const graph_node* without_views(const graph_node* root) {
    std::pmr::vector<state> open({{root, whole(*root)}}, memory_);
    std::pmr::vector<const graph_node*> arguments(memory_);
    while (!open.empty()) {
      const state now = open.back();
      if (seen_.contains(now)) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      arguments.clear();
      const auto need = [&](const state& s) {
        if (const auto at = seen_.find(s); at == seen_.end()) open.push_back(s);
        else arguments.push_back(at->second);
      };
      const bool looks = now.node->stage && !is_whole(*now.node, now.view);
      if (looks) need({now.node, whole(*now.node)});
      else
        for (const graph_node* a : now.node->arguments) need(below(now, a));
      if (open.size() > before) continue;
      if (looks) {
        const graph_view compact = of_own_shape(now.view, now.view);
        const bool same = is_whole(*arguments[0], compact);
        seen_.emplace(now, same ? arguments[0] : one_of(view_of(*arguments[0], compact)));
      } else seen_.emplace(now, now.node->view ? arguments[0] : one_of(made(now, arguments.data())));
      open.pop_back();
    }
    return seen_.at({root, whole(*root)});
  }

  static graph_ref made(const state& s, const graph_node* const* arguments) {
    const graph_node& n = *s.node;
    const graph_view& v = s.view;
    if (n.operation || n.stage) return with_arguments(n, v.rank, v.extents, arguments);
    graph_ref to(new graph_node(v.rank, v.extents));
    to->source_type = n.source_type;
    to->computation = n.computation;
    to->memory = n.memory;
    if (n.memory) count_one_more(n.memory);
    to->device = n.device;
    for (int j = 0; j < v.rank; ++j) to->steps[j] = v.axis[j] >= 0 ? v.by[j] * n.steps[v.axis[j]] : 0;
    index_t offset = 0;
    for (int k = 0; k < n.rank; ++k) offset += v.start[k] * n.steps[k];
    std::memcpy(to->source, n.source, sizeof to->source);
    if (n.computation) to->first = n.first + offset;
    else n.source_type->move(to->source, offset);
    to->moved = n.moved || offset != 0;
    return to;
  }
  /// The node, or one that is equal.
  const graph_node* one_of(const graph_node* n) { return *nodes_.insert(n).first; }
  const graph_node* one_of(const graph_ref& n) {
    made_.push_back(n);
    const graph_node* const known = one_of(n.get());
    if (known != n.get()) made_.pop_back();
    return known;
  }
};

}  // namespace

std::vector<graph_ref> canonical(const std::vector<const graph_node*>& roots) {
  scratch memory;
  canonical_graph g(&memory);
  std::vector<graph_ref> all;
  all.reserve(roots.size());
  for (const graph_node* r : roots) all.push_back(g.of(r));
  return all;
}

}  // namespace lazyfuse::planning

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of results that one kernel can write, and what those of one group read of another's.
#include "core/keys.hpp"
#include "evaluate/graph_recording.hpp"
#include "evaluate/graph_stages.hpp"

#include <lazyfuse/evaluate/graph_assignments.hpp>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lazyfuse::graph_detail {

namespace {

using node_list = std::vector<const graph_node*>;
using node_set = std::unordered_set<const graph_node*>;

bool same_shape(const graph_result& a, const graph_result& b) {
  return a.rank == b.rank && std::equal(a.extents, a.extents + a.rank, b.extents);
}
std::vector<graph_ref> roots_of(const graph_space& space, const listed_trees& trees) {
  std::vector<graph_ref> roots(static_cast<std::size_t>(trees.trees));
  nodes_of(space, trees, roots.data());
  return roots;
}
node_list pointers(const std::vector<graph_ref>& refs) {
  node_list all;
  for (const graph_ref& r : refs) all.push_back(r.get());
  return all;
}
node_set below(const graph_node* root) {
  node_set met;
  node_list open = root->arguments;
  while (!open.empty()) {
    const graph_node* const n = open.back();
    open.pop_back();
    if (met.insert(n).second) open.insert(open.end(), n->arguments.begin(), n->arguments.end());
  }
  return met;
}

/// Whether one kernel writes all these results.
bool fit(const graph_space& space, const node_list& roots, const graph_result& of) {
  const memory_of_graph none;
  stage_layout layout;
  scratch room;
  placed_graph placed(room);
  return !lay_out(none, roots, of.extents, of.rank, {}, layout) &&
         (layout.stages.empty() || place(none, roots, layout, space.most_steps, placed));
}

/// Each result goes to the first group that one kernel with it can be; then groups whose results others contain come
/// first, as far as they do not contain each other's.
std::vector<int> found_groups(const graph_space& space, const std::vector<graph_ref>& roots,
                              const graph_result* results) {
  struct members {
    node_list roots;
    std::vector<std::size_t> numbers;
  };
  std::vector<members> all;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto takes = [&](const members& g) {
      if (g.roots.size() == most_graph_results || !same_shape(results[g.numbers[0]], results[i])) return false;
      node_list with = g.roots;
      with.push_back(roots[i].get());
      return fit(space, with, results[i]);
    };
    auto g = std::find_if(all.begin(), all.end(), takes);
    if (g == all.end()) g = all.insert(all.end(), members{});
    g->roots.push_back(roots[i].get());
    g->numbers.push_back(i);
  }
  std::vector<node_set> inside;
  for (const members& g : all) {
    node_set& set = inside.emplace_back();
    for (const graph_node* r : g.roots) set.merge(below(r));
  }
  std::vector<int> group(roots.size());
  std::vector<std::size_t> waiting(all.size());
  for (std::size_t g = 0; g < all.size(); ++g) waiting[g] = g;
  for (int next = 0; !waiting.empty(); ++next) {
    const auto waits = [&](std::size_t g) {
      return std::any_of(waiting.begin(), waiting.end(), [&](std::size_t other) {
        return other != g && std::any_of(all[other].roots.begin(), all[other].roots.end(),
                                         [&](const graph_node* r) { return inside[g].contains(r); });
      });
    };
    auto at = std::find_if_not(waiting.begin(), waiting.end(), waits);
    if (at == waiting.end()) at = waiting.begin();
    for (const std::size_t i : all[*at].numbers) group[i] = next;
    waiting.erase(at);
  }
  return group;
}

/// The groups of trees by their signatures.
struct group_table {
  std::shared_mutex mutex;
  std::unordered_map<std::string, std::vector<int>, text_hash, std::equal_to<>> known;
};
constexpr std::size_t most_kept_groups = 4096;
group_table& groups() {
  static auto& table = *new group_table;
  return table;
}
int count_of(const std::vector<int>& group, int* to) {
  std::copy(group.begin(), group.end(), to);
  return 1 + *std::max_element(group.begin(), group.end());
}

/// Results in memory, and what of other trees is read of them instead of being computed again.
class finished_results {
 public:
  /// roots: canonical. Behind those of the results come these with their axes in other orders, as arguments of
  /// reductions have them.
  explicit finished_results(std::vector<graph_ref>& roots, const graph_result* results) {
    const std::size_t count = roots.size();
    std::vector<graph_ref> all;
    for (std::size_t i = 0; i < count; ++i) add_views(roots[i], i, results[i], all);
    node_list views = pointers(roots);
    for (const graph_ref& v : all) views.push_back(v.get());
    const std::vector<graph_ref> one = canonical(views);
    roots.assign(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(count));
    held_.assign(one.begin() + static_cast<std::ptrdiff_t>(count), one.end());
  }
  /// Result i is in memory now.
  void finish(std::size_t i, const graph_result& of) {
    for (std::size_t v = 0; v < views_.size(); ++v) {
      const graph_node& n = *held_[v];
      if (views_[v].result != i || !(n.operation || n.stage) || memory_type(n).type.element != of.target.type) continue;
      index_t steps[max_rank];
      if (!lies_in(n, of, views_[v].order, steps) || !pays(n)) continue;
      finished_.insert_or_assign(
          &n, operand_node(memory_type(n), &of.target.data, of.target.owner, n.rank, n.extents, steps));
    }
  }
  /// A root that reads what is finished.
  graph_ref reading(const graph_node* root) const {
    std::unordered_map<const graph_node*, graph_ref> known = finished_;
    const auto find = [&](const graph_node* n) -> const graph_node* {
      const auto at = known.find(n);
      return at == known.end() ? nullptr : at->second.get();
    };
    make_bottom_up(root, find, [&](const graph_node* n, const node_list& arguments) {
      known.emplace(n, arguments == n->arguments ? graph_ref::share(n) : with_arguments(*n, arguments.data()));
    });
    return known.at(root);
  }

 private:
  static constexpr int most_turned = 3, least_cost = 4;
  struct view {
    std::size_t result;
    int order[max_rank];
  };
  std::vector<view> views_;
  std::vector<graph_ref> held_;
  std::unordered_map<const graph_node*, graph_ref> finished_;  ///< what stands for a node

  void add_views(const graph_ref& n, std::size_t i, const graph_result& of, std::vector<graph_ref>& to) {
    if (!same_extents(*n, of.extents, of.rank)) return;
    view v{i, {}};
    for (int k = 0; k < of.rank; ++k) v.order[k] = k;
    index_t dense[max_rank], extents[max_rank], steps[max_rank];
    dense_steps(of.extents, of.rank, dense);
    do {
      for (int k = 0; k < of.rank; ++k) extents[k] = of.extents[v.order[k]], steps[k] = dense[v.order[k]];
      if (graph_ref seen = view_node(n, of.rank, extents, steps, 0)) {
        views_.push_back(v);
        to.push_back(std::move(seen));
      }
    } while (of.rank <= most_turned && std::next_permutation(v.order, v.order + of.rank));
  }
  /// Whether a node is all of a result with its axes in this order, and the steps of its own axes: nodes do without the
  /// first axes where these have extent 1.
  static bool lies_in(const graph_node& n, const graph_result& of, const int* order, index_t* steps) {
    const int missing = of.rank - n.rank;
    for (int k = 0; k < of.rank; ++k) {
      const index_t extent = of.extents[order[k]];
      if (extent != (k < missing ? 1 : n.extents[k - missing])) return false;
      if (k >= missing) steps[k - missing] = of.target.steps[order[k]];
    }
    return missing >= 0;
  }
  /// Reading a value moves no more bytes than computing it; few operations on one array are computed again.
  static bool pays(const graph_node& n) {
    index_t bytes = 0;
    int arrays = 0;
    bool has_stage = n.stage != nullptr;
    for (const graph_node* b : below(&n)) {
      has_stage = has_stage || b->stage;
      if (b->operation || b->stage || b->view || !b->source_type->in_memory) continue;
      bytes += b->size() * b->source_type->bytes;
      ++arrays;
    }
    return has_stage || (n.size() * memory_type(n).bytes <= bytes && (arrays > 1 || n.weight >= least_cost));
  }
};

}  // namespace

int find_groups(const graph_space& space, const listed_trees& trees, const graph_result* results, int* group) {
  const auto count = static_cast<std::size_t>(trees.trees);
  const std::span nodes(trees.nodes, static_cast<std::size_t>(trees.count));
  const bool elementwise = std::none_of(nodes.begin(), nodes.end(),
                                        [](const listed_node& n) { return n.stage || (n.leaf && !n.leaf->place); });
  if (elementwise && trees.trees <= most_graph_results &&
      std::all_of(results + 1, results + count, [&](const graph_result& r) { return same_shape(r, results[0]); })) {
    std::fill_n(group, count, 0);
    return 1;
  }
  const auto find = [&] {
    const std::vector<graph_ref> roots = canonical(pointers(roots_of(space, trees)));
    return found_groups(space, roots, results);
  };
  const graph_signature signature(space, trees, results, false);
  if (!signature.exists()) return count_of(find(), group);
  group_table& table = groups();
  {
    const std::shared_lock lock(table.mutex);
    if (const auto at = table.known.find(signature.key()); at != table.known.end()) return count_of(at->second, group);
  }
  const std::vector<int> found = find();
  const std::lock_guard lock(table.mutex);
  if (table.known.size() >= most_kept_groups) table.known.clear();  // it begins anew
  table.known.try_emplace(std::string(signature.key()), found);
  return count_of(found, group);
}

namespace {
void evaluate_one_by_one(const graph_space& space, const execution& x, const listed_trees& trees,
                         const graph_result* results, const int* group, int groups) {
  const auto count = static_cast<std::size_t>(trees.trees);
  std::vector<graph_ref> roots = roots_of(space, trees);
  finished_results finished(roots, results);
  for (int g = 0; g < groups; ++g) {
    std::vector<graph_ref> of_group;
    std::vector<graph_target> targets;
    std::size_t first = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (group[i] != g) continue;
      first = std::min(first, i);
      of_group.push_back(finished.reading(roots[i].get()));
      targets.push_back(results[i].target);
    }
    evaluate(space, x, of_group.data(), targets.data(), static_cast<int>(of_group.size()), results[first].extents,
             results[first].rank);
    for (std::size_t i = 0; i < count; ++i)
      if (group[i] == g) finished.finish(i, results[i]);
  }
}
}  // namespace

void evaluate_groups(const graph_space& space, const execution& x, const listed_trees& trees,
                     const graph_result* results, const int* group, int groups) {
  std::vector<graph_target> targets;
  targets.reserve(static_cast<std::size_t>(trees.trees));
  for (int i = 0; i < trees.trees; ++i) targets.push_back(results[i].target);
  if (groups == 1) return evaluate(space, x, trees, targets.data(), results[0].extents, results[0].rank);
  const own_values own(x);
  const auto run = [&] { evaluate_one_by_one(space, own.x, trees, results, group, groups); };
  if (!own.are_kept(space)) return run();
  run_kept(space, own.x, graph_signature(space, trees, results, true), targets.data(), trees.trees, run);
}

}  // namespace lazyfuse::graph_detail

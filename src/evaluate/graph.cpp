// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs become kernels: nodes in order, equal ones as one, cut where a kernel cannot take or need not repeat them.
#include "core/scratch.hpp"
#include "core/text.hpp"
#include "plan/graph_program.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/evaluate/with_graphs.hpp>
#include <lazyfuse/plan/axes.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <map>
#include <memory_resource>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lazyfuse::graph_detail {

struct graph_values {
  std::map<const void*, run_detail::room> known;  ///< dense; by graph_computation::key(), and by node
  run_detail::temporaries made;
  std::set<const void*> read;          ///< graphs that a kernel has computed for itself: the next one reads memory
  const graph_space* space = nullptr;  ///< of kernels that read graphs
};

}  // namespace lazyfuse::graph_detail

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

/// Parts that are read by many positions are computed first where that saves more than a kernel costs: from so many
/// operations on, where each is read so often, by so many positions.
constexpr int least_weight = 16, least_repeats = 8;
constexpr index_t least_positions = 1 << 16;
bool is_repeated(const graph_node& n, index_t own, index_t readers) {
  return n.weight >= least_weight && own * least_repeats <= readers;
}
/// A reduction computes again what it reads up to so many operations, which takes no longer than to write and read it.
constexpr int most_weight = 48;

void dense_steps(const index_t* extents, int rank, index_t* steps) {
  index_t step = 1;
  for (int k = rank - 1; k >= 0; --k) {
    steps[k] = step;
    step *= extents[k];
  }
}
bool same_extents(const graph_node& n, const index_t* extents, int rank) {
  return n.rank == rank && std::equal(extents, extents + rank, n.extents);
}

/// Memory for values that others of the evaluation may read.
room room_for(const graph_space& space, const execution& x, const graph_source_type& type, const index_t* extents,
              int rank) {
  std::size_t bytes = static_cast<std::size_t>(type.bytes);
  for (int k = 0; k < rank; ++k) bytes *= static_cast<std::size_t>(extents[k]);
  return run_detail::room_for(x, x.values->made, bytes, [&](std::size_t n) {
    return space.allocate(n, {"temporary", type.type.element, extents, rank});
  });
}

/// Values that have been computed into memory, dense.
struct in_memory_value {
  room at;
  const graph_source_type* type;
};

/// A computation that is a node of the same graph.
struct node_computation : graph_computation {
  const graph_space& space;
  graph_ref node;
  node_computation(const graph_space& s, const graph_source_type& t, graph_ref n)
      : graph_computation(t, "part of a lazy_array, read through a view"), space(s), node(std::move(n)) {
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

/// The values of a kernel as its program numbers them: operands first, and steps behind them.
struct numbered_graph {
  explicit numbered_graph(scratch& m) : operands(&m), steps(&m), arguments(&m), value(&m) {}

  std::pmr::vector<const graph_source_type*> operands;  ///< null: one of the kernel that the graphs become part of
  std::pmr::vector<const graph_operation*> steps;
  std::pmr::vector<int> arguments;
  std::pmr::unordered_map<const graph_node*, int> value;
};

class graph_evaluation {
 public:
  graph_evaluation(const graph_space& s, const execution& x) : space_(s), x_(x) {}

  void run(const std::vector<const graph_node*>& roots, const graph_target* targets, const index_t* extents, int rank,
           const char* because) {
    for (;;) {
      const std::vector<const graph_node*> order = order_of(roots);
      if (compute_first(order)) continue;
      if (compute_repeated(order, roots, extents, rank)) continue;
      if (cut(order, roots)) continue;
      return one_kernel(order, roots, targets, extents, rank, because);
    }
  }
  /// Whether a kernel takes these graphs beside so many other operands; what they read is then in memory.
  bool fit(const std::vector<const graph_node*>& roots, int others) {
    std::vector<const graph_node*> order = order_of(roots);
    while (compute_first(order)) order = order_of(roots);
    return has_room(order, others);
  }
  bool take(const kernel_plan& given);

 private:
  const graph_space& space_;
  const execution& x_;
  std::unordered_map<const graph_node*, in_memory_value> values_;

  bool is_operand(const graph_node* n) const { return !n->operation || values_.contains(n); }

  /// All nodes below the roots, each behind its arguments; what is in memory has none, and stands before its first
  /// reader.
  std::vector<const graph_node*> order_of(const std::vector<const graph_node*>& roots) const {
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
      if (is_operand(n) || ordered.contains(n)) {
        put(n);
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      for (auto a = n->arguments.rbegin(); a != n->arguments.rend(); ++a)
        if (!is_operand(*a) && !ordered.contains(*a)) open.push_back(*a);
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
  bool has_room(const std::vector<const graph_node*>& order, int others) const {
    const auto operands =
        static_cast<int>(std::count_if(order.begin(), order.end(), [&](const graph_node* n) { return is_operand(n); }));
    return operands + others <= most_operands && static_cast<int>(order.size()) - operands <= space_.most_steps;
  }
  void to_memory(const std::vector<const graph_node*>& nodes, const char* because) {
    std::vector<graph_target> targets;
    std::vector<in_memory_value> made;
    index_t dense[max_rank];
    const graph_node& first = *nodes[0];
    dense_steps(first.extents, first.rank, dense);
    for (const graph_node* n : nodes) {
      const graph_source_type& type = *n->operation->memory;
      const room at = room_for(space_, x_, type, n->extents, n->rank);
      made.push_back({at, &type});
      targets.push_back({at.data, dense, at.owner, type.type.element, type.bytes, type.type.spelling});
    }
    run(nodes, targets.data(), first.extents, first.rank, because);
    for (std::size_t i = 0; i < nodes.size(); ++i) values_[nodes[i]] = made[i];
  }
  /// What many positions read.
  bool compute_repeated(const std::vector<const graph_node*>& order, const std::vector<const graph_node*>& roots,
                        const index_t* extents, int rank) {
    index_t positions = 1;
    for (int k = 0; k < rank; ++k) positions *= extents[k];
    if (positions < least_positions) return false;
    const auto pays = [&](const graph_node* n, index_t readers) {
      return !is_operand(n) && is_repeated(*n, n->size(), readers);
    };
    for (const graph_node* n : order) {
      if (is_operand(n)) continue;
      for (const graph_node* a : n->arguments)
        if (pays(a, n->size())) {
          to_memory({a}, "read by many positions");
          return true;
        }
    }
    for (const graph_node* r : roots)
      if (pays(r, positions)) {
        to_memory({r}, "read by many positions");
        return true;
      }
    return false;
  }
  /// Where a kernel would read or compute too much: what the first part of the order leaves to the rest is computed
  /// first. The place is where that is least, among those that leave the kernel full enough.
  bool cut(const std::vector<const graph_node*>& order, const std::vector<const graph_node*>& roots) {
    std::size_t end = 0;
    int operands = 0, steps = 0;
    for (; end < order.size(); ++end) {
      (is_operand(order[end]) ? operands : steps) += 1;
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
      if (is_operand(order[i])) continue;
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
      if (!is_operand(order[i]) && last[order[i]] >= place) best.push_back(order[i]);
    if (best.empty()) throw error("lazy_array: one operation reads more arrays than a kernel takes" + place_asked());
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

  void one_kernel(const std::vector<const graph_node*>& order, const std::vector<const graph_node*>& roots,
                  const graph_target* targets, const index_t* extents, int rank, const char* because);
  int operand_of(const graph_node& n, numbered_graph& g, graph_plan& p, int rank, int targets) const;
  void number(const std::vector<const graph_node*>& order, numbered_graph& g, graph_plan& p, int rank,
              int targets) const;
};

/// The operand of a node that is in memory or computed from positions, over the axes of an iteration.
int graph_evaluation::operand_of(const graph_node& n, numbered_graph& g, graph_plan& p, int rank, int targets) const {
  const graph_source_type* type = n.source_type;
  index_t own[max_rank], steps[max_rank] = {};
  alignas(16) unsigned char source[most_source_bytes];
  allocation* owner = n.memory;
  const auto at = values_.find(&n);
  if (at != values_.end() || n.computation) {
    const room memory = at != values_.end() ? at->second.at : x_.values->known.at(n.computation->key());
    if (at != values_.end()) {
      type = at->second.type;
      dense_steps(n.extents, n.rank, own);
    } else std::copy_n(n.steps, n.rank, own);
    const auto* const data = static_cast<const unsigned char*>(memory.data) + n.first * type->bytes;
    std::memset(source, 0, sizeof source);
    std::memcpy(source, &data, sizeof data);
    owner = memory.owner;
  } else {
    std::copy_n(n.steps, n.rank, own);
    std::memcpy(source, n.source, sizeof source);
  }
  for (int k = 0; k < n.rank; ++k)
    if (n.extents[k] != 1) steps[rank - n.rank + k] = own[k];
  const auto bytes = static_cast<std::size_t>(type->type.bytes);
  const auto known = static_cast<int>(g.operands.size());
  for (int i = 0; i < known; ++i) {
    const int other = targets + i;
    if (g.operands[static_cast<std::size_t>(i)] == type && std::memcmp(p.sources[other].bytes, source, bytes) == 0 &&
        (type->is_constant || std::equal(steps, steps + rank, p.steps[other])))
      return i;
  }
  const int slot = targets + known;
  g.operands.push_back(type);
  std::memcpy(p.sources[slot].bytes, source, sizeof source);
  std::copy_n(steps, rank, p.steps[slot]);
  const void* data = nullptr;
  if (type->in_memory) std::memcpy(&data, source, sizeof data);
  p.bound[slot] = {data,   type->is_constant ? nullptr : p.steps[slot],
                   owner,  type->in_memory ? type->bytes : 0,
                   n.rank, p.sources[slot].bytes};
  return known;
}

/// Buffers for the results of steps, each free again behind its last reader.
void find_buffers(graph_program& g) {
  const auto operands = static_cast<int>(g.operands.size()), steps = static_cast<int>(g.steps.size());
  std::vector<int> last(static_cast<std::size_t>(steps), -1), free;
  for (int k = 0; k < steps; ++k)
    for (int a = 0; a < g.steps[static_cast<std::size_t>(k)].operation->arity; ++a)
      if (const int v = g.arguments[static_cast<std::size_t>(g.steps[static_cast<std::size_t>(k)].first) +
                                    static_cast<std::size_t>(a)];
          v >= operands)
        last[static_cast<std::size_t>(v - operands)] = k;
  for (const int r : g.roots)
    if (r >= operands) last[static_cast<std::size_t>(r - operands)] = steps;
  for (int k = 0; k < steps; ++k) {
    graph_program::step& s = g.steps[static_cast<std::size_t>(k)];
    if (free.empty()) s.buffer = g.buffers++;
    else {
      s.buffer = free.back();
      free.pop_back();
    }
    std::vector<int> ended;
    for (int a = 0; a < s.operation->arity; ++a) {
      const int v = g.arguments[static_cast<std::size_t>(s.first) + static_cast<std::size_t>(a)] - operands;
      if (v >= 0 && last[static_cast<std::size_t>(v)] == k) ended.push_back(v);
    }
    std::sort(ended.begin(), ended.end());
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
    for (const int v : ended) free.push_back(g.steps[static_cast<std::size_t>(v)].buffer);
  }
}

/// How often each value of a graph is read.
std::vector<int> readers_of(const graph_program& g) {
  std::vector<int> readers(g.operands.size() + g.steps.size());
  for (const int a : g.arguments) ++readers[static_cast<std::size_t>(a)];
  return readers;
}
/// Adds the codes of values of a graph to its code: what is read more often than once is named where it is computed
/// (program/code.hpp).
class code_writer {
 public:
  code_writer(graph_program& g, std::vector<int> readers)
      : g_(g), readers_(std::move(readers)), name_(readers_.size(), -1) {}

  void put(const std::string& word) { g_.code += word + " "; }
  void put(int root) {
    const auto operands = static_cast<int>(g_.operands.size());
    if (root >= operands) put("(");
    std::vector<visit> open{{root, 0}};
    while (!open.empty()) {
      auto& [value, next] = open.back();
      const auto v = static_cast<std::size_t>(value);
      if (value < operands) put("x" + std::to_string(value));
      else if (next == 0 && name_[v] >= 0) put("v" + std::to_string(name_[v]));
      else {
        const graph_program::step& s = g_.steps[v - static_cast<std::size_t>(operands)];
        if (next < s.operation->arity) {
          const auto argument = static_cast<std::size_t>(s.first) + static_cast<std::size_t>(next++);
          open.push_back({g_.arguments[argument], 0});
          continue;
        }
        g_.code += s.operation->word;
        if (readers_[v] > 1) {
          name_[v] = names_++;
          put("=" + std::to_string(name_[v]));
        }
      }
      open.pop_back();
    }
    if (root >= operands) put(")");
  }

 private:
  struct visit {
    int value, next;
  };
  graph_program& g_;
  std::vector<int> readers_, name_;
  int names_ = 0;
};
void write_code(graph_program& g) {
  std::vector<int> readers = readers_of(g);
  for (const int r : g.roots) ++readers[static_cast<std::size_t>(r)];
  code_writer code(g, std::move(readers));
  for (const int r : g.roots) code.put(r);
}
/// The code of a kernel, with values of a graph in place of its operands.
void write_code(graph_program& g, std::string_view given, std::span<const int> value_of) {
  struct word {
    std::string_view text;
    int value;
  };
  std::vector<int> readers = readers_of(g);
  std::vector<word> words;
  while (!given.empty()) {
    const std::string_view text = given.substr(0, given.find(' '));
    given.remove_prefix(std::min(text.size() + 1, given.size()));
    int operand = -1;
    if (text.starts_with('x') && text.find('/') == std::string_view::npos)
      std::from_chars(text.data() + 1, text.data() + text.size(), operand);
    words.push_back({text, operand < 0 ? -1 : value_of[static_cast<std::size_t>(operand)]});
    if (operand >= 0) ++readers[static_cast<std::size_t>(words.back().value)];
  }
  code_writer code(g, std::move(readers));
  for (const word& w : words) w.value < 0 ? code.put(std::string(w.text)) : code.put(w.value);
}

void append_bytes(auto& text, const auto&... part) {
  const auto append = [&]<class T>(const T& one) {
    static_assert(std::is_scalar_v<T>, "structs have gaps");
    const auto bytes = std::as_bytes(std::span(&one, 1));
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  (append(part), ...);
}

/// The program of device kernels stays: what is compiled for it is kept by its address.
counted<graph_program> one_of_its_kind(const counted<graph_program>& g) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, counted<graph_program>>;
  std::string key = std::string(g->type.space) + "|" + g->type.pattern + "|" + g->code;
  const auto put = [&](const auto... part) { append_bytes(key, part...); };
  put(g->type.rank, g->type.kept);
  for (const operand_type& t : g->types) put(t.element, t.kind, t.bytes, t.alignment, t.kept_bytes, t.spelling);
  for (const dtype t : g->results) put(t);
  for (const char* const s : g->result_spellings) put(s);
  key += g->structs;
  const std::lock_guard lock(mutex);
  return known.try_emplace(std::move(key), g).first->second;
}

/// kept: of the rank, the axes of the results.
void complete(graph_program& g, const graph_space& space, const char* pattern, int rank, int kept) {
  for (const graph_source_type* t : g.operands) {
    g.slots.push_back(static_cast<int>(g.slots.size()));
    if (!t) continue;
    if (t->type.element == dtype::other) g.structs += t->name;
    g.widest = std::max(g.widest, t->bytes);
  }
  for (const graph_program::step& s : g.steps) {
    g.widest = std::max(g.widest, s.operation->bytes);
    g.cost += s.operation->cost;
  }
  g.type = {pattern,
            space.name,
            g.code.c_str(),
            g.types.data(),
            g.results.data(),
            g.structs.c_str(),
            static_cast<int>(g.results.size()),
            static_cast<int>(g.operands.size()),
            rank,
            kept,
            static_cast<int>(g.operands.size()),
            g.slots.data(),
            int(sizeof(graph_plan)),
            false,
            space.on_device,
            space.on_device,
            space.decide,
            space.start,
            [](const kernel_plan& p) { return static_cast<double>(static_cast<const graph_plan&>(p).program->cost); },
            space.this_machine,
            nullptr,
            g.result_spellings.data()};
}

void graph_evaluation::number(const std::vector<const graph_node*>& order, numbered_graph& g, graph_plan& p, int rank,
                              int targets) const {
  for (const graph_node* n : order)
    if (is_operand(n)) g.value[n] = operand_of(*n, g, p, rank, targets);
  for (const graph_node* n : order) {
    if (is_operand(n)) continue;
    g.value[n] = static_cast<int>(g.operands.size() + g.steps.size());
    g.steps.push_back(n->operation);
    for (const graph_node* a : n->arguments) g.arguments.push_back(g.value.at(a));
  }
}

/// A program with the values of a graph.
counted<graph_program> program_with(const numbered_graph& values) {
  counted<graph_program> made(new graph_program);
  graph_program& g = *made;
  g.operands.assign(values.operands.begin(), values.operands.end());
  g.arguments.assign(values.arguments.begin(), values.arguments.end());
  int first = 0;
  for (const graph_operation* op : values.steps) {
    g.steps.push_back({op, first, 0});
    first += op->arity;
  }
  return made;
}

/// What a program is found by without being written: addresses and numbers.
class program_key {
 public:
  program_key(scratch& m, const numbered_graph& g) : bytes_(&m) {
    bytes_.reserve(256);
    put(g.operands.size(), g.steps.size());
    for (const graph_source_type* t : g.operands) put(t);
    for (const graph_operation* op : g.steps) put(op);
    for (const int a : g.arguments) put(a);
  }
  void put(const auto... part) { append_bytes(bytes_, part...); }
  operator std::string_view() const { return bytes_; }

 private:
  std::pmr::string bytes_;
};
struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
/// The programs of device kernels by their keys.
struct program_table {
  std::shared_mutex mutex;
  std::unordered_map<std::string, counted<graph_program>, text_hash, std::equal_to<>> known;
};
program_table& programs() {
  static auto& table = *new program_table;
  return table;
}
/// The program of this key, which is written the first time.
counted<graph_program> program_of(std::string_view key, const auto& write) {
  program_table& table = programs();
  {
    const std::shared_lock lock(table.mutex);
    if (const auto at = table.known.find(key); at != table.known.end()) return at->second;
  }
  const counted<graph_program> made = one_of_its_kind(write());
  const std::lock_guard lock(table.mutex);
  return table.known.try_emplace(std::string(key), made).first->second;
}

void graph_evaluation::one_kernel(const std::vector<const graph_node*>& order,
                                  const std::vector<const graph_node*>& roots, const graph_target* targets,
                                  const index_t* extents, int rank, const char* because) {
  graph_plan p;
  const int results = static_cast<int>(roots.size());
  for (int i = 0; i < results; ++i) {
    std::copy_n(targets[i].steps, rank, p.steps[i]);
    std::memcpy(p.sources[i].bytes, &targets[i].data, sizeof(void*));
    p.bound[i] = {targets[i].data, p.steps[i], targets[i].owner, targets[i].bytes, rank, p.sources[i].bytes};
  }
  scratch memory;
  numbered_graph values(memory);
  number(order, values, p, rank, results);
  const auto write = [&] {
    counted<graph_program> made = program_with(values);
    graph_program& g = *made;
    for (const graph_source_type* t : g.operands) g.types.push_back(t->type);
    for (int i = 0; i < results; ++i) {
      g.results.push_back(targets[i].type);
      g.result_spellings.push_back(targets[i].spelling);
      g.roots.push_back(values.value.at(roots[static_cast<std::size_t>(i)]));
    }
    find_buffers(g);
    write_code(g);
    complete(g, space_, "transform", rank, rank);
    return made;
  };
  counted<graph_program> program;
  if (space_.on_device) {
    program_key key(memory, values);
    key.put(&space_, rank);
    for (int i = 0; i < results; ++i)
      key.put(targets[i].type, targets[i].spelling, values.value.at(roots[static_cast<std::size_t>(i)]));
    program = program_of(key, write);
  } else program = write();
  p.type = &program->type;
  p.info = p.bound;
  p.program = program.get();
  std::copy_n(extents, rank, p.extents);
  const int all = results + static_cast<int>(program->operands.size());
  order_axes(p.extents, 0, rank, p.info, all, results);
  coalesce(p.extents, 0, rank, p.info, all);
  std::copy_n(p.extents, rank, p.results);
  if (x_.list) x_.list->keep(program.handle());
  const execution how = because ? x_.for_part(because) : x_;
  if (!how.take(p)) throw error(std::string("lazy_array: ") + backend_refuses + place_asked());
}

/// The view that a plan has of a graph among its operands, which pretends to lie where its node is.
graph_ref view_of(const operand_info& o, int rank, const index_t* extents) {
  const char* data = nullptr;
  std::memcpy(&data, o.place, sizeof data);
  const index_t first = (data - reinterpret_cast<const char*>(o.owner)) / o.element_size;
  return view_node(graph_ref::share(o.owner), rank, extents, o.steps, first);
}

/// The same kernel, whose operands are what the graphs among them read. False if that is none, or if a part of them is
/// better computed first.
bool graph_evaluation::take(const kernel_plan& given) {
  const kernel_type& type = *given.type;
  const int rank = type.rank, results = type.targets;
  const std::string_view pattern = type.pattern;
  const bool abbreviated = std::string_view(type.program).find("...") != std::string_view::npos;
  if (results > most_graph_results || abbreviated || (pattern == "rows" && given.rows.beside)) return false;
  const index_t positions = given.elements();
  const auto pays = [&](const graph_node& n, index_t own) {
    return positions >= least_positions && is_repeated(n, own, positions);
  };
  std::vector<graph_ref> views;
  std::vector<const graph_node*> roots;
  views.reserve(static_cast<std::size_t>(type.operands));
  roots.reserve(static_cast<std::size_t>(type.operands));
  for (int i = results; i < results + type.operands; ++i) {
    const operand_info& o = given.info[i];
    if (!is_node(o.owner)) continue;
    index_t own = 1;
    for (int k = 0; k < rank; ++k) own *= o.steps[k] != 0 ? given.extents[k] : 1;
    graph_ref view = view_of(o, rank, given.extents);
    if (!view || pays(*view, own)) return false;
    roots.push_back(view.get());
    views.push_back(std::move(view));
  }
  const std::vector<graph_ref> graph = canonical(roots);
  for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = graph[i].get();
  const std::vector<const graph_node*> order = order_of(roots);
  if (!has_room(order, type.operands - static_cast<int>(roots.size()))) return false;
  for (const graph_node* n : order)
    if (!is_operand(n) && pays(*n, n->size())) return false;

  graph_plan p;
  scratch memory;
  numbered_graph values(memory);
  const auto copy = [&](const operand_info& from, int bytes, int slot) {
    std::memcpy(p.sources[slot].bytes, from.place, static_cast<std::size_t>(bytes));
    if (from.steps) std::copy_n(from.steps, rank, p.steps[slot]);
    p.bound[slot] = from;
    p.bound[slot].steps = from.steps ? p.steps[slot] : nullptr;
    p.bound[slot].place = p.sources[slot].bytes;
  };
  for (int i = 0; i < results; ++i) copy(given.info[i], sizeof(void*), i);
  std::pmr::vector<int> value_of(static_cast<std::size_t>(type.operands), -1, &memory);
  for (int i = 0; i < type.operands; ++i) {
    const operand_info& o = given.info[results + i];
    if (is_node(o.owner)) continue;
    const auto slot = static_cast<int>(values.operands.size());
    copy(o, type.types[i].bytes, results + slot);
    value_of[static_cast<std::size_t>(i)] = slot;
    values.operands.push_back(nullptr);
  }
  const std::size_t given_operands = values.operands.size();
  number(order, values, p, rank, results);
  std::size_t next = 0;
  for (int& v : value_of)
    if (v < 0) v = values.value.at(roots[next++]);
  const auto write = [&] {
    counted<graph_program> made = program_with(values);
    graph_program& g = *made;
    g.structs = type.structs;
    g.cost = static_cast<int>(type.cost(given));
    for (int i = 0; i < results; ++i) {
      g.results.push_back(type.results[i]);
      g.result_spellings.push_back(type.result_spellings[i]);
    }
    g.types.resize(g.operands.size());
    for (int i = 0; i < type.operands; ++i)
      if (const auto v = static_cast<std::size_t>(value_of[static_cast<std::size_t>(i)]); v < given_operands)
        g.types[v] = type.types[i];
    for (std::size_t i = given_operands; i < g.operands.size(); ++i) g.types[i] = g.operands[i]->type;
    write_code(g, type.program, value_of);
    complete(g, space_, type.pattern, rank, type.kept);
    return made;
  };
  program_key key(memory, values);
  key.put(&type, &space_);
  for (const int v : value_of) key.put(v);
  const counted<graph_program> program = program_of(key, write);

  p.type = &program->type;
  p.info = p.bound;
  p.program = program.get();
  p.rows = given.rows;
  p.rows.type = p.type;  // what is found out about it does not hold for arrays
  std::copy_n(given.extents, rank, p.extents);
  const int all = results + static_cast<int>(program->operands.size());
  int row = type.kept;  // axes before those that are reduced, or scanned
  if (pattern == "rows") row = given.rows.outer;
  if (pattern == "scan") row = rank - (given.rows.beside ? 2 : 1);
  if (pattern == "reduce") order_reduced_axes(p.extents, row, rank, p.info + results, all - results);
  coalesce(p.extents, 0, row, p.info, all);
  if (pattern != "scan") coalesce(p.extents, row, rank, p.info, all);
  for (int k = 0; k < rank; ++k) p.results[k] = pattern != "reduce" || k < row ? p.extents[k] : 1;
  if (x_.list) x_.list->keep(program.handle());
  return x_.take(p);
}

}  // namespace

struct graph_operands::contents {
  std::set<const allocation*> nodes;
  std::vector<graph_ref> views;
};
graph_operands::graph_operands() : contents_(new contents) {}
graph_operands::~graph_operands() { delete contents_; }

void graph_operands::add(allocation* node, int rank, const index_t* extents, const index_t* steps, index_t offset) {
  contents_->nodes.insert(node);
  contents_->views.push_back(view_node(graph_ref::share(node), rank, extents, steps, offset));
}
bool graph_operands::fit(const graph_space& space, const execution& x, int others) const {
  graph_values& values = *x.values;
  for (const allocation* n : contents_->nodes)
    if (values.known.contains(n) || !values.read.insert(n).second) return false;
  std::vector<const graph_node*> roots;
  for (const graph_ref& v : contents_->views) {
    if (!v || v->weight > most_weight) return false;
    roots.push_back(v.get());
  }
  const std::vector<graph_ref> graph = canonical(roots);
  for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = graph[i].get();
  values.space = &space;
  return graph_evaluation(space, x).fit(roots, others);
}
bool reads_graphs(const kernel_plan& p) {
  if (!p.type->only_made) return false;
  const operand_info* const first = p.info + p.type->targets;
  return std::any_of(first, first + p.type->operands, [](const operand_info& o) { return is_node(o.owner); });
}
bool take_with_graphs(const execution& x, const kernel_plan& p) {
  return graph_evaluation(*x.values->space, x).take(p);
}

run_detail::room in_memory_of(const graph_space& space, const execution& x, const graph_ref& root,
                              const graph_source_type& type) {
  const graph_node& node = *root;
  if (const auto at = x.values->known.find(&node); at != x.values->known.end()) return at->second;
  const room to = room_for(space, x, type, node.extents, node.rank);
  index_t dense[max_rank];
  dense_steps(node.extents, node.rank, dense);
  const graph_target target{to.data, dense, to.owner, type.type.element, type.bytes, type.type.spelling};
  evaluate(space, x.for_part("a lazy_array that a reduction reads"), &root, &target, 1, node.extents, node.rank);
  return x.values->known[&node] = to;
}
graph_ref seen_in_memory(const graph_space& space, const graph_source_type& type, const graph_ref& node, int rank,
                         const index_t* extents, const index_t* steps, index_t offset) {
  return computed_node(counted<graph_computation>(new node_computation(space, type, node)), type, rank, extents, steps,
                       offset);
}

void evaluate(const graph_space& space, const execution& x, const graph_ref* roots, const graph_target* targets,
              int count, const index_t* extents, int rank) {
  if (std::find(extents, extents + rank, 0) != extents + rank) return;
  std::vector<const graph_node*> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back(roots[i].get());
  const std::vector<graph_ref> graph = canonical(all);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = graph[i].get();
  graph_evaluation(space, x).run(all, targets, extents, rank, nullptr);
}

}  // namespace lazyfuse::graph_detail

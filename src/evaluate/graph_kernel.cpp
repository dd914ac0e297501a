// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of graphs: operands that are one occur once, and what is compiled for a program is found by its address.
#include "evaluate/graph_kernel.hpp"

#include "core/keys.hpp"
#include "core/text.hpp"
#include "evaluate/graph_recording.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/plan/axes.hpp>
#include <lazyfuse/plan/compilation.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace lazyfuse::graph_detail {

using run_detail::room;

namespace {

/// The values of a kernel as its program numbers them: operands first, and steps behind them.
struct numbered_graph {
  explicit numbered_graph(scratch& m) : operands(&m), steps(&m), arguments(&m), roots(&m) {}

  std::pmr::vector<const graph_source_type*> operands;
  std::pmr::vector<const graph_node*> steps;
  std::pmr::vector<int> arguments;
  std::pmr::vector<int> roots;
};

/// Where the elements of an operand are: an array, what is computed from positions, or what was computed first.
struct source_of_node {
  const graph_source_type* type;
  allocation* owner;
  index_t steps[max_rank] = {};  ///< along the node's axes
  alignas(16) unsigned char bytes[most_source_bytes] = {};

  source_of_node(const graph_node& n, const memory_of_graph& memory, const graph_values& values) : owner(n.memory) {
    const in_memory_value* const at = memory.find(&n);
    if (!at && !n.computation) {
      type = n.source_type;
      std::copy_n(n.steps, n.rank, steps);
      std::memcpy(bytes, n.source, sizeof bytes);
      return;
    }
    const room from = at ? at->at : values.known.at(n.computation->key());
    type = at ? at->type : n.source_type;
    owner = from.owner;
    index_t first = n.first;
    if (!at) std::copy_n(n.steps, n.rank, steps);
    else if (n.view) first += steps_of_view(*n.view, *n.arguments[0], steps);
    else dense_steps(n.extents, n.rank, steps, at->order);
    const auto* const data = static_cast<const unsigned char*>(from.data) + first * type->bytes;
    std::memcpy(bytes, &data, sizeof data);
  }
};

/// Binds operands and targets to the iteration of a kernel.
class binding {
 public:
  binding(const memory_of_graph& memory, const graph_values& values, graph_plan& p, numbered_graph& g, int rank,
          int targets)
      : memory_(memory), values_(values), p_(p), g_(g), rank_(rank), targets_(targets) {}

  /// axis(k): of the iteration, that axis k of a target moves along.
  void target(int i, const graph_target& t, int own_rank, const index_t* extents, const auto& axis) {
    std::fill_n(p_.steps[i], rank_, index_t{0});
    for (int k = 0; k < own_rank; ++k)
      if (extents[k] != 1 && axis(k) >= 0) p_.steps[i][axis(k)] = t.steps[k];
    std::memcpy(p_.sources[i].bytes, &t.data, sizeof(void*));
    p_.bound[i] = {t.data, p_.steps[i], t.owner, t.bytes, rank_, p_.sources[i].bytes};
  }
  /// The number of a node's operand.
  int operand(const graph_node& n, const auto& axis) {
    const source_of_node source(n, memory_, values_);
    index_t steps[max_rank] = {};
    for (int k = 0; k < n.rank; ++k)
      if (n.extents[k] != 1 && axis(k) >= 0) steps[axis(k)] = source.steps[k];
    const graph_source_type& type = *source.type;
    const auto bytes = static_cast<std::size_t>(type.type.bytes);
    const auto known = static_cast<int>(g_.operands.size());
    for (int i = 0; i < known; ++i) {
      const int other = targets_ + i;
      if (g_.operands[static_cast<std::size_t>(i)] == &type &&
          std::memcmp(p_.sources[other].bytes, source.bytes, bytes) == 0 &&
          (type.is_constant || std::equal(steps, steps + rank_, p_.steps[other]))) {
        if (type.in_memory && p_.bound[other].owner != source.owner && values_.recording) values_.recording->give_up();
        return i;
      }
    }
    const int slot = targets_ + known;
    if (n.moved && !type.in_memory && !type.is_constant && values_.recording) values_.recording->give_up();
    g_.operands.push_back(&type);
    std::memcpy(p_.sources[slot].bytes, source.bytes, sizeof source.bytes);
    std::copy_n(steps, rank_, p_.steps[slot]);
    const void* data = nullptr;
    if (type.in_memory) std::memcpy(&data, source.bytes, sizeof data);
    p_.bound[slot] = {data,         type.is_constant ? nullptr : p_.steps[slot],
                      source.owner, type.in_memory ? type.bytes : 0,
                      n.rank,       p_.sources[slot].bytes};
    return known;
  }

 private:
  const memory_of_graph& memory_;
  const graph_values& values_;
  graph_plan& p_;
  numbered_graph& g_;
  int rank_, targets_;
};

/// Buffers for the results of steps, each free again behind its last reader.
void find_buffers(graph_program& g) {
  const auto operands = static_cast<int>(g.operands.size()), steps = static_cast<int>(g.steps.size());
  std::vector<int> last(static_cast<std::size_t>(steps), -1), free;
  for (int k = 0; k < steps; ++k)
    for (int a = 0; a < g.steps[static_cast<std::size_t>(k)].arity(); ++a)
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
    for (int a = 0; a < s.arity(); ++a) {
      const int v = g.arguments[static_cast<std::size_t>(s.first) + static_cast<std::size_t>(a)] - operands;
      if (v >= 0 && last[static_cast<std::size_t>(v)] == k) ended.push_back(v);
    }
    std::sort(ended.begin(), ended.end());
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
    for (const int v : ended) free.push_back(g.steps[static_cast<std::size_t>(v)].buffer);
  }
}

/// Values of a graph as its code (program/code.hpp): what is read more often than once is named where it is computed.
class code_writer {
 public:
  /// pass_of: of each value that is a stage of rows, the pass that computes it; -1 of others.
  code_writer(graph_program& g, std::span<const int> pass_of)
      : g_(g), pass_of_(pass_of), operands_(static_cast<int>(g.operands.size())) {
    const std::size_t values = g.operands.size() + g.steps.size();
    readers_.resize(values);
    name_.assign(values, -1);
    result_.assign(values, -1);
    words_.assign(values, 1);
    for (const int a : g.arguments) ++readers_[at(a)];
    for (const int r : g.roots) ++readers_[at(r)];
    for (std::size_t k = 0; k < g.steps.size(); ++k) {
      const graph_program::step& s = g.steps[k];
      if (!s.operation) continue;  // what reads a stage reads one word
      int& words = words_[g.operands.size() + k];
      for (int a = 0; a < s.arity(); ++a) words = std::min(most_part + 1, words + words_[at(argument(s, a))]);
    }
  }
  void put(int passes) {
    for (int pass = 0; pass < passes; ++pass) {
      for (int v = operands_; v < static_cast<int>(readers_.size()); ++v)
        if (pass_of_[at(v)] == pass) put_value(v);
      for (int v = operands_; v < static_cast<int>(readers_.size()); ++v)
        if (pass_of_[at(v)] == pass) result_[at(v)] = results_++;
      put_word("|");
    }
    for (const int r : g_.roots) put_value(r);
  }

 private:
  struct visit {
    int value, next;
    bool is_part;
  };
  graph_program& g_;
  std::span<const int> pass_of_;
  int operands_, names_ = 0, results_ = 0;
  std::vector<int> readers_, name_, result_, words_;

  static std::size_t at(int v) { return static_cast<std::size_t>(v); }
  int argument(const graph_program::step& s, int a) const { return g_.arguments[at(s.first + a)]; }
  const graph_program::step* step_of(int v) const { return v < operands_ ? nullptr : &g_.steps[at(v - operands_)]; }
  bool is_part(int v) const {
    const graph_program::step* const s = step_of(v);
    return s && s->operation && words_[at(v)] > most_part;
  }
  void put_word(const std::string& word) { g_.code += word + " "; }
  void put_value(int root) {
    std::vector<visit> open{{root, 0, is_part(root)}};
    while (!open.empty()) {
      const visit now = open.back();
      const int v = now.value;
      const graph_program::step* const s = step_of(v);
      if (now.next == 0 && now.is_part) put_word("(");
      if (!s) put_word("x" + std::to_string(v));
      else if (now.next == 0 && result_[at(v)] >= 0) put_word("r" + std::to_string(result_[at(v)]));
      else if (now.next == 0 && name_[at(v)] >= 0) put_word("v" + std::to_string(name_[at(v)]));
      else {
        if (now.next < s->arity()) {
          const int below = argument(*s, open.back().next++);
          open.push_back({below, 0, !s->operation && is_part(below)});
          continue;
        }
        g_.code += s->word();
        if (readers_[at(v)] > 1 && s->arity() > 0 && (pass_of_.empty() || pass_of_[at(v)] < 0)) {
          name_[at(v)] = names_++;
          put_word("=" + std::to_string(name_[at(v)]));
        }
      }
      if (now.is_part) put_word(")");
      open.pop_back();
    }
  }
};

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
    if (t->type.element == dtype::other) g.structs += t->name;
    g.widest = std::max(g.widest, t->bytes);
  }
  for (const graph_program::step& s : g.steps) {
    g.widest = std::max(g.widest, s.memory().bytes);
    g.cost += s.operation ? s.operation->cost : 1;
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
            -1,  // its operands are in an order of their own
            nullptr,
            int(sizeof(graph_plan)),
            false,
            space.on_device,
            space.on_device,
            space.decide,
            space.start,
            [](const kernel_plan& p) { return static_cast<double>(static_cast<const graph_plan&>(p).program->cost); },
            space.this_machine,
            space.on_device ? +[](const kernel_plan&) { return true; } : nullptr,
            g.result_spellings.data(),
            planning::this_compilation::text,
            space.together};
}

/// A program with the values of a graph.
counted<graph_program> program_with(const numbered_graph& values) {
  counted<graph_program> made(new graph_program);
  graph_program& g = *made;
  g.operands.assign(values.operands.begin(), values.operands.end());
  g.arguments.assign(values.arguments.begin(), values.arguments.end());
  int first = 0;
  for (const graph_node* n : values.steps) {
    g.steps.push_back({n->operation, n->stage ? n->stage->stage : nullptr, first, 0});
    first += g.steps.back().arity();
  }
  return made;
}

/// What a program is found by without being written: addresses and numbers.
class program_key {
 public:
  program_key(scratch& m, const numbered_graph& g) : bytes_(&m) {
    bytes_.reserve(256);
    put(g.operands.size(), g.steps.size(), g.roots.size());
    for (const graph_source_type* t : g.operands) put(t);
    for (const graph_node* n : g.steps) n->operation ? put(n->operation) : put(n->stage->stage);
    for (const int a : g.arguments) put(a);
    for (const int r : g.roots) put(r);
  }
  void put(const auto... part) { append_bytes(bytes_, part...); }
  operator std::string_view() const { return bytes_; }

 private:
  std::pmr::string bytes_;
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

/// The plan of a program over what is bound, without its axes in order.
counted<graph_program> find_program(const graph_space& space, const numbered_graph& values, const graph_target* targets,
                                    const char* pattern, int rank, int kept, std::span<const int> pass_of, int passes,
                                    scratch& memory) {
  const auto write = [&] {
    counted<graph_program> made = program_with(values);
    graph_program& g = *made;
    for (const graph_source_type* t : g.operands) g.types.push_back(t->type);
    for (std::size_t i = 0; i < values.roots.size(); ++i) {
      g.results.push_back(targets[i].type);
      g.result_spellings.push_back(targets[i].spelling);
    }
    g.roots.assign(values.roots.begin(), values.roots.end());
    if (!space.on_device) find_buffers(g);
    code_writer(g, pass_of).put(passes);
    complete(g, space, pattern, rank, kept);
    return made;
  };
  if (!space.on_device) return write();
  program_key key(memory, values);
  key.put(&space, pattern, rank, kept);
  for (std::size_t i = 0; i < values.roots.size(); ++i) key.put(targets[i].type, targets[i].spelling);
  return program_of(key, write);
}
void take_program(graph_plan& p, const counted<graph_program>& program, const execution& x) {
  p.type = &program->type;
  p.info = p.bound;
  p.program = program.get();
  if (x.list) x.list->keep(program.handle());
  else if (record_detail::recorder* const recorder = record_detail::current()) recorder->keep(program.handle());
}

/// Axis `from` of the iteration becomes the last.
void make_last(graph_plan& p, int from, int rank, int operands) {
  const auto turn = [&](index_t* values) { std::rotate(values + from, values + from + 1, values + rank); };
  turn(p.extents);
  for (int i = 0; i < operands; ++i) turn(p.steps[i]);
}
/// The last axis is walked from its end.
void begin_at_the_end(graph_plan& p, int rank, const numbered_graph& values, int results, graph_recording* recording) {
  const index_t last = p.extents[rank - 1] - 1;
  for (int i = 0; i < results + static_cast<int>(values.operands.size()); ++i) {
    index_t& step = p.steps[i][rank - 1];
    operand_info& o = p.bound[i];
    if (i < results || values.operands[static_cast<std::size_t>(i - results)]->in_memory) {
      o.data = static_cast<const char*>(o.data) + last * step * o.element_size;
      std::memcpy(p.sources[i].bytes, &o.data, sizeof o.data);
    } else {
      values.operands[static_cast<std::size_t>(i - results)]->move(p.sources[i].bytes, last * step);
      if (recording && last * step != 0) recording->give_up();
    }
    step = -step;
  }
}
/// Puts the axes in their order, as plans of types do (evaluate/bound_plan.hpp).
void arrange(graph_plan& p, const stage_layout& layout, const graph_stage& first, const numbered_graph& values,
             int results, graph_recording* recording) {
  const int rank = layout.rank, kept = layout.kept, all = results + static_cast<int>(values.operands.size());
  operand_info* const operands = p.info + results;
  const std::string_view pattern = layout.pattern;
  if (pattern == "scan") {
    make_last(p, first.axis, rank, all);
    if (first.reverse) begin_at_the_end(p, rank, values, results, recording);
    order_axes(p.extents, 0, rank - 1, p.info, all, results);
    coalesce(p.extents, 0, rank - 1, p.info, all);
    // Lines of fewer columns take longer than steps.
    p.rows.beside = rank > 1 && p.extents[rank - 2] >= 2 && runs_along_kept(p.extents, rank - 1, rank, p.info, all);
    if (p.rows.beside) make_last(p, rank - 2, rank, all);
  } else if (pattern == "nested") {
    order_axes(p.extents, 0, kept, p.info, all, results);
    coalesce(p.extents, 0, kept, p.info, all);
  } else {
    order_axes(p.extents, 0, kept, p.info, all, results);
    const bool rows = pattern == "rows";
    order_reduced_axes(p.extents, kept, rank, rows ? p.info : operands, rows ? all : all - results);
    coalesce(p.extents, 0, kept, p.info, all);
    coalesce(p.extents, kept, rank, p.info, all);
    p.rows.outer = kept;
    if (rows && kept > 0 && runs_along_kept(p.extents, kept, rank, p.info, all)) {
      p.rows.beside = true;
      p.rows.outer = kept - 1;
      make_last(p, kept - 1, rank, all);
    }
  }
  for (int k = 0; k < rank; ++k)
    p.results[k] = (pattern != "reduce" && pattern != "nested") || k < kept ? p.extents[k] : 1;
}

}  // namespace

void run_transform(const graph_space& space, const execution& x, const memory_of_graph& memory,
                   const std::vector<const graph_node*>& order, const std::vector<const graph_node*>& roots,
                   const graph_target* targets, const index_t* extents, int rank) {
  graph_plan p;
  const int results = static_cast<int>(roots.size());
  scratch room;
  numbered_graph values(room);
  binding bind(memory, *x.values, p, values, rank, results);
  for (int i = 0; i < results; ++i) bind.target(i, targets[i], rank, extents, [](int k) { return k; });
  std::pmr::unordered_map<const graph_node*, int> number(&room);
  for (const graph_node* n : order)
    if (memory.is_operand(n)) number[n] = bind.operand(*n, [&](int k) { return rank - n->rank + k; });
  for (const graph_node* n : order) {
    if (memory.is_operand(n)) continue;
    number[n] = static_cast<int>(values.operands.size() + values.steps.size());
    values.steps.push_back(n);
    for (const graph_node* a : n->arguments) values.arguments.push_back(number.at(a));
  }
  for (const graph_node* r : roots) values.roots.push_back(number.at(r));
  const counted<graph_program> program = find_program(space, values, targets, "transform", rank, rank, {}, 0, room);
  take_program(p, program, x);
  std::copy_n(extents, rank, p.extents);
  const int all = results + static_cast<int>(values.operands.size());
  order_axes(p.extents, 0, rank, p.info, all, results);
  coalesce_elementwise(p.extents, rank, p.info, all, space.on_device);
  std::copy_n(p.extents, rank, p.results);
  if (x.values->recording) x.values->recording->kernel(p, targets, results, x.because);
  if (!x.take(p)) throw error(backend_refuses + place_asked());
}

bool run_stages(const graph_space& space, const execution& x, const memory_of_graph& memory, const stage_layout& layout,
                const placed_graph& placed, const graph_target* targets, const index_t* extents, int rank) {
  graph_plan p;
  const int results = static_cast<int>(placed.roots.size());
  scratch room;
  numbered_graph values(room);
  binding bind(memory, *x.values, p, values, layout.rank, results);
  const axis_map& root = layout.frames[0];
  for (int i = 0; i < results; ++i) bind.target(i, targets[i], rank, extents, [&](int k) { return int{root.axis[k]}; });
  std::pmr::vector<int> number(placed.values.size(), &room), pass_of(&room);
  for (std::size_t i = 0; i < placed.values.size(); ++i)
    if (const placed_node& v = placed.values[i]; v.is_operand)
      number[i] = bind.operand(*v.node, [&](int k) { return axis_in(v.axes, k); });
  const bool rows = layout.pattern == std::string_view("rows"), nested = layout.pattern == std::string_view("nested"),
             staged = rows || nested;
  if (staged) pass_of.assign(values.operands.size(), -1);
  const graph_stage* first = nullptr;
  for (std::size_t i = 0; i < placed.values.size(); ++i) {
    const placed_node& v = placed.values[i];
    if (v.is_operand) continue;
    const placed_stage* const s = v.stage >= 0 ? &layout.stages[static_cast<std::size_t>(v.stage)] : nullptr;
    if (s && !first) first = s->stage->stage->stage;
    number[i] = static_cast<int>(values.operands.size() + values.steps.size());
    values.steps.push_back(s ? s->stage : v.node);
    for (int a = 0; a < v.count; ++a) values.arguments.push_back(number[placed.argument(v, a)]);
    if (staged) pass_of.push_back(s ? s->level : -1);
  }
  for (const int r : placed.roots) values.roots.push_back(number[static_cast<std::size_t>(r)]);
  const int kept = nested || layout.pattern == std::string_view("reduce") ? layout.kept : layout.rank;
  const counted<graph_program> program = find_program(space, values, targets, layout.pattern, layout.rank, kept,
                                                      pass_of, staged ? layout.levels : 0, room);
  take_program(p, program, x);
  std::copy_n(layout.extents, layout.rank, p.extents);
  arrange(p, layout, *first, values, results, x.values->recording);
  plan_choice wanted = x.choice;
  if (rows) {
    index_t outer = 1, length = 1;
    for (int k = 0; k < layout.kept; ++k) outer *= layout.extents[k];
    for (int k = layout.kept; k < layout.rank; ++k) length *= layout.extents[k];
    p.rows.passes = layout.levels + 1;
    p.rows.type = p.type;
    p.rows.rows = outer;
    p.rows.length = length;
    p.rows.one_result = layout.one_result;
    if (wanted == plan_choice::automatic) wanted = run_detail::remembered_choice(p.rows);
    if (wanted == plan_choice::cut) return false;
  }
  graph_recording* const recording = x.values->recording;
  const graph_plan before = p;
  if (const index_t elements = p.rows.rows * p.rows.length;
      rows && wanted == plan_choice::automatic && rows_are_to_be_compared(p.rows.length, elements)) {
    p.type->decide(p);
    if (!p.path || !rows_pay(p.rows.where, p.touched(), layout.levels, elements, space.this_machine())) return false;
  }
  if (!x.take(p)) return false;
  if (!recording) return true;
  recording->kernel(before, targets, results, x.because);
  return true;
}

}  // namespace lazyfuse::graph_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the reductions and scans of a graph lie in one kernel.
#include "evaluate/graph_stages.hpp"

#include "program/graph.hpp"

#include <lazyfuse/plan/matrix_product.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

namespace lazyfuse::graph_detail {

namespace {

constexpr int most_stages = 32;
constexpr int most_words = 400;  ///< of a type of a program: compilers walk all of it
constexpr int no_axis = 15;

/// How a stage is read: what the layout of rows asks of a reduction of a tree.
struct reading {
  index_t extents[max_rank], steps[max_rank] = {}, offset = 0;
  int rank;

  explicit reading(const placed_stage& s) : rank(s.read->rank) {
    std::copy_n(s.read->extents, rank, extents);
    if (s.read->view) offset = steps_of_view(*s.read->view, *s.stage, steps);
    else dense_steps(extents, rank, steps);
  }
};

/// All stages that the roots read, or that these read, each where it is read. False if there are too many.
bool find_stages(const memory_of_graph& memory, const std::vector<const graph_node*>& roots,
                 std::vector<placed_stage>& to) {
  scratch room;
  using visit = std::pair<const graph_node*, int>;
  struct hash {
    std::size_t operator()(const visit& v) const {
      return std::hash<const void*>()(v.first) * 31 + static_cast<std::size_t>(v.second);
    }
  };
  std::pmr::unordered_map<visit, bool, hash> met(&room);
  std::pmr::vector<visit> open(&room);
  // The stages of one frame are found before those that they read.
  const auto walk = [&](const graph_node* from, int frame) {
    open.push_back({from, frame});
    while (!open.empty()) {
      const auto [n, f] = open.back();
      open.pop_back();
      if (memory.is_operand(n) || !met.try_emplace({n, f}, true).second) continue;
      if (const graph_node* const stage = stage_read(*n)) to.push_back({n, stage, f});
      else
        for (auto a = n->arguments.rbegin(); a != n->arguments.rend(); ++a) open.push_back({*a, f});
    }
  };
  for (const graph_node* r : roots) walk(r, 0);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (i == most_stages) return false;
    walk(to[i].stage->arguments[0], static_cast<int>(i) + 1);
  }
  for (std::size_t i = to.size(); i-- > 0;)
    if (to[i].frame > 0) {
      int& above = to[static_cast<std::size_t>(to[i].frame) - 1].level;
      above = std::max(above, to[i].level + 1);
    }
  return true;
}

/// Scans along one axis of the results.
const char* lay_out_scans(const index_t* extents, int rank, stage_layout& to) {
  const graph_stage& first = *to.stages[0].stage->stage->stage;
  for (const placed_stage& s : to.stages) {
    const graph_stage& stage = *s.stage->stage->stage;
    if (stage.axes > 0) return "reductions are beside scans";
    if (s.frame != 0) return "a scan is computed from another one";
    if (stage.axis != first.axis || stage.reverse != first.reverse)
      return "scans run along different axes, or from different ends";
    if (s.read->view || !same_extents(*s.stage, extents, rank))
      return "a scan is broadcast, or read in another order than its own";
  }
  to.pattern = "scan";
  to.rank = to.kept = rank;
  std::copy_n(extents, rank, to.extents);
  to.frames.assign(to.stages.size() + 1, axis_map::identity(rank));
  return nullptr;
}

/// Whether results lie along the first axes of an iteration, and along which of them each of theirs.
bool of_first_axes(const index_t* extents, int rank, const index_t* iteration, int kept) {
  index_t dense[max_rank];
  dense_steps(extents, rank, dense);
  return same_order(extents, dense, rank, iteration, kept);
}
axis_map axes_in(const index_t* extents, int rank, const index_t* iteration) {
  axis_map to;
  to.rank = rank;
  for (int k = 0, from = 0; k < rank; ++k) {
    to.axis[k] = -1;
    if (extents[k] == 1) continue;
    while (iteration[from] == 1) ++from;
    to.axis[k] = static_cast<short>(from++);
  }
  return to;
}

/// Reductions of arguments of one shape, one result for each kept position.
bool lay_out_reductions(const std::vector<reading>& reads, const index_t* extents, int rank, stage_layout& to) {
  const graph_stage_of& first = *to.stages[0].stage->stage;
  const int kept = first.rank - first.stage->axes;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const graph_stage_of& s = *to.stages[i].stage->stage;
    const reading& r = reads[i];
    if (to.stages[i].frame != 0 || s.rank != first.rank || s.stage->axes != first.stage->axes || r.offset != 0 ||
        !std::equal(s.extents, s.extents + s.rank, first.extents) ||
        !same_order(r.extents, r.steps, r.rank, s.extents, kept))
      return false;
  }
  if (!of_first_axes(extents, rank, first.extents, kept)) return false;
  to.pattern = "reduce";
  to.rank = first.rank;
  to.kept = kept;
  std::copy_n(first.extents, first.rank, to.extents);
  to.frames.assign(to.stages.size() + 1, axis_map::identity(first.rank));
  to.frames[0] = axes_in(extents, rank, first.extents);
  return true;
}

/// Reductions over the last axis but one of an iteration, of arguments that hold reductions over its last one.
bool lay_out_nested(const std::vector<reading>& reads, const index_t* extents, int rank, stage_layout& to) {
  const graph_stage_of *outer = nullptr, *inner = nullptr;
  for (const placed_stage& s : to.stages) (s.frame == 0 ? outer : inner) = s.stage->stage.get();
  if (to.levels != 2 || !outer || !inner || inner->rank != outer->rank + 1 || outer->rank < 2) return false;
  const int kept = outer->rank - 1;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const bool is_outer = to.stages[i].frame == 0;
    const graph_stage_of &s = *to.stages[i].stage->stage, &all = is_outer ? *outer : *inner;
    const reading& r = reads[i];
    if (s.stage->axes != 1 || s.rank != all.rank || !std::equal(s.extents, s.extents + s.rank, all.extents) ||
        r.offset != 0 || !same_order(r.extents, r.steps, r.rank, s.extents, s.rank - 1))
      return false;
    if (is_outer ? to.stages[i].level != 1
                 : to.stages[i].level != 0 || r.rank != outer->rank ||
                       !std::equal(r.extents, r.extents + r.rank, outer->extents))
      return false;
  }
  if (!std::equal(outer->extents, outer->extents + outer->rank, inner->extents) ||
      std::find(inner->extents, inner->extents + inner->rank, 0) != inner->extents + inner->rank ||
      !of_first_axes(extents, rank, outer->extents, kept))
    return false;
  to.pattern = "nested";
  to.rank = inner->rank;
  to.kept = kept;
  std::copy_n(inner->extents, to.rank, to.extents);
  to.frames.assign(1, axes_in(extents, rank, outer->extents));
  for (const placed_stage& s : to.stages) to.frames.push_back(axis_map::identity(s.stage->stage->rank));
  return true;
}

}  // namespace

double stage_layout::positions() const {
  double n = 1;
  for (int k = 0; k < rank; ++k) n *= static_cast<double>(extents[k]);
  return n;
}

const char* lay_out(const memory_of_graph& memory, const std::vector<const graph_node*>& roots, const index_t* extents,
                    int rank, const refused_kernels& refused, stage_layout& to) {
  to = {};
  if (!find_stages(memory, roots, to.stages)) return "it holds more reductions than one kernel takes";
  for (const placed_stage& s : to.stages) to.levels = std::max(to.levels, s.level + 1);
  if (to.stages.empty()) {
    to.rank = to.kept = rank;
    std::copy_n(extents, rank, to.extents);
    to.frames.assign(1, axis_map::identity(rank));
    return nullptr;
  }
  const graph_stage_of& first = *to.stages[0].stage->stage;
  if (first.stage->axes == 0) return lay_out_scans(extents, rank, to);
  bool alike = true;
  for (const placed_stage& s : to.stages) {
    if (s.stage->stage->stage->axes == 0) return "reductions are beside scans";
    alike = alike && s.stage->stage->stage->axes == first.stage->axes && s.stage->stage->rank == first.rank;
  }
  std::vector<reading> reads(to.stages.begin(), to.stages.end());
  const auto is_among = [&](const auto& all) { return std::find(all.begin(), all.end(), roots) != all.end(); };
  if (is_among(refused.reductions)) return backend_refuses;
  if (lay_out_reductions(reads, extents, rank, to)) return nullptr;
  if (is_among(refused.roots)) return backend_refuses;
  if (!refused.nested && lay_out_nested(reads, extents, rank, to)) return nullptr;
  if (std::find(first.extents, first.extents + first.rank, 0) != first.extents + first.rank) return "nothing to reduce";
  if (!alike) return "reductions are over different numbers of axes, or of arguments of different ranks";
  if (refused.all_rows) return "the cut was asked for";
  std::vector<reduction_record> records;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const graph_stage_of& s = *to.stages[i].stage->stage;
    records.push_back({reads[i].extents, reads[i].steps, reads[i].offset, reads[i].rank, s.extents, s.rank,
                       s.stage->axes, to.stages[i].frame});
  }
  row_layout rows;
  to.frames.assign(records.size() + 1, {});
  if (const char* const why =
          lay_out_rows(extents, rank, records.data(), static_cast<int>(records.size()), rows, to.frames.data()))
    return why;
  to.pattern = "rows";
  to.rank = first.rank;
  to.kept = first.rank - first.stage->axes;
  to.one_result = rows.one_result;
  std::copy_n(rows.extents, to.rank, to.extents);
  return nullptr;
}

int axis_in(node_axes axes, int k) {
  const int axis = static_cast<int>(axes >> (4 * k) & 15);
  return axis == no_axis ? -1 : axis;
}
namespace {
node_axes with_axis(node_axes axes, int k, int axis) {
  return axes | static_cast<node_axes>(axis < 0 ? no_axis : axis) << (4 * k);
}
/// Of an argument of a node.
node_axes axes_of_argument(const graph_node& n, node_axes axes, const graph_node& a) {
  node_axes to = 0;
  for (int k = 0; k < a.rank; ++k) to = with_axis(to, k, a.extents[k] == 1 ? -1 : axis_in(axes, k + n.rank - a.rank));
  return to;
}
}  // namespace
node_axes axes_of(const graph_node& n, const axis_map& frame) {
  node_axes to = 0;
  for (int k = 0; k < n.rank; ++k) to = with_axis(to, k, n.extents[k] == 1 ? -1 : frame.axis[k + frame.rank - n.rank]);
  return to;
}

namespace {
struct key {
  const graph_node* node;
  node_axes axes;
  friend bool operator==(const key&, const key&) = default;
};
struct key_hash {
  std::size_t operator()(const key& k) const {
    return std::hash<const void*>()(k.node) ^ static_cast<std::size_t>(k.axes * 0x9e3779b97f4a7c15);
  }
};
}  // namespace

namespace {
/// How long the type of a kernel's program is, which has what a stage computes as often as the stage is read. Parts
/// that would be longer than most_part are functions.
int words_of(const placed_graph& g) {
  struct words {
    int part, behind_stages;
  };
  std::vector<words> all;
  all.reserve(g.values.size());
  for (const placed_node& v : g.values) {
    words own{1, 0};
    int most = 0;
    for (int a = 0; a < v.count; ++a) {
      const words& below = all[g.argument(v, a)];
      own.part = std::min(own.part + below.part, most_part + 1);
      own.behind_stages = std::min(own.behind_stages + below.behind_stages, most_words + 1);
      most = std::max(most, below.behind_stages);
    }
    if (own.part > most_part) own.behind_stages = most;
    all.push_back(v.stage < 0 ? own : words{1, std::min(own.part + own.behind_stages, most_words + 1)});
  }
  int most = 0;
  for (const int r : g.roots) most = std::max(most, all[static_cast<std::size_t>(r)].behind_stages);
  return most;
}
}  // namespace

bool place(const memory_of_graph& memory, const std::vector<const graph_node*>& roots, const stage_layout& layout,
           int most_steps, placed_graph& to) {
  scratch room;
  std::pmr::unordered_map<key, int, key_hash> read_as(&room), number(&room);  // stages of the layout; values
  for (std::size_t i = 0; i < layout.stages.size(); ++i) {
    const placed_stage& s = layout.stages[i];
    read_as.try_emplace({s.read, axes_of(*s.read, layout.frames[static_cast<std::size_t>(s.frame)])},
                        static_cast<int>(i));
  }
  int operands = 0, steps = 0;
  const auto enter = [&](const key& k, bool is_operand, int stage, const key* arguments, int count) {
    const int first = static_cast<int>(to.arguments.size());
    for (int i = 0; i < count; ++i) to.arguments.push_back(number.at(arguments[i]));
    number.emplace(k, static_cast<int>(to.values.size()));
    to.values.push_back({k.node, k.axes, stage, first, count, is_operand});
    if (is_operand) ++operands;
    else if (count > 0) ++steps;  // literals are none
  };
  std::pmr::vector<key> open(&room), below(&room);
  const auto visit = [&](const key& root) {
    open.push_back(root);
    while (!open.empty()) {
      if (operands > most_operands || (most_steps > 0 && steps > most_steps)) return false;
      const key now = open.back();
      if (number.contains(now)) {
        open.pop_back();
        continue;
      }
      const graph_node& n = *now.node;
      below.clear();
      int stage = -1;
      const bool is_operand = memory.is_operand(&n);
      if (!is_operand) {
        if (stage_read(n)) {
          stage = read_as.at(now);
          const axis_map& frame = layout.frames[static_cast<std::size_t>(stage) + 1];
          // The same stage read in two ways is one value if its argument lies in the same place.
          const graph_node& argument = *layout.stages[static_cast<std::size_t>(stage)].stage->arguments[0];
          below.push_back({&argument, axes_of(argument, frame)});
        } else
          for (const graph_node* a : n.arguments) below.push_back({a, axes_of_argument(n, now.axes, *a)});
      }
      const std::size_t before = open.size();
      for (auto a = below.rbegin(); a != below.rend(); ++a)
        if (!number.contains(*a)) open.push_back(*a);
      if (open.size() > before) continue;
      open.pop_back();
      if (stage >= 0)
        for (std::size_t i = 0; i < to.values.size(); ++i) {
          const placed_node& other = to.values[i];
          if (other.stage < 0 || to.arguments[static_cast<std::size_t>(other.first)] != number.at(below[0]) ||
              layout.stages[static_cast<std::size_t>(other.stage)].stage->stage->stage !=
                  layout.stages[static_cast<std::size_t>(stage)].stage->stage->stage)
            continue;
          number.emplace(now, static_cast<int>(i));
          stage = -2;
          break;
        }
      if (stage != -2) enter(now, is_operand, stage, below.data(), static_cast<int>(below.size()));
    }
    return true;
  };
  for (const graph_node* r : roots) {
    const key root{r, axes_of(*r, layout.frames[0])};
    if (!visit(root)) return false;
    to.roots.push_back(number.at(root));
  }
  return operands <= most_operands && (most_steps == 0 || steps <= most_steps) && words_of(to) <= most_words;
}

namespace {
/// Whether two operands, nodes of other shapes, are one array that lies in the iteration in the same way.
bool are_one(const placed_node& a, const placed_node& b) {
  const graph_node &x = *a.node, &y = *b.node;
  if (x.computation || y.computation || x.source_type != y.source_type ||
      std::memcmp(x.source, y.source, sizeof(void*)) != 0)
    return false;
  index_t steps[max_rank] = {};
  const auto add = [&](const placed_node& of, index_t sign) {
    for (int k = 0; k < of.node->rank; ++k)
      if (const int axis = axis_in(of.axes, k); axis >= 0) steps[axis] += sign * of.node->steps[k];
  };
  add(a, 1);
  add(b, -1);
  return std::all_of(steps, steps + max_rank, [](index_t step) { return step == 0; });
}
}  // namespace

namespace {

/// The steps of an operand along its own axes.
void memory_steps(const placed_node& v, const memory_of_graph& memory, index_t* steps) {
  const graph_node& n = *v.node;
  const in_memory_value* const at = memory.find(&n);
  if (!at) std::copy_n(n.steps, n.rank, steps);
  else if (n.view) steps_of_view(*n.view, *n.arguments[0], steps);
  else dense_steps(n.extents, n.rank, steps, at->order);
}

/// How the operands of a kernel lie in memory: those whose neighbours are along another axis than those of most bytes
/// are turned. Tiles turn some of them in shared memory; elsewhere all that a GPU reads together is read for each
/// element, or they are copied first.
class memory_order {
 public:
  memory_order(const memory_of_graph& memory, const stage_layout& layout) : memory_(memory), layout_(layout) {}
  void read(const placed_node& v, double bytes, int size) {
    index_t steps[max_rank] = {};
    const graph_node& n = *v.node;
    memory_steps(v, memory_, steps);
    operand o{.node = &n, .bytes = bytes, .size = size};
    for (int k = 0; k < n.rank; ++k) {
      const int axis = axis_in(v.axes, k);
      o.axis[k] = axis;
      if (axis < 0 || n.extents[k] == 1) continue;
      o.steps[axis] = std::abs(steps[k]);
      if (o.steps[axis] == 1) o.neighbours = axis;
    }
    add(o);
  }
  /// Results, dense in the order of their axes.
  void write(double bytes) {
    const axis_map& to = layout_.frames[0];
    operand o{.node = nullptr, .bytes = bytes, .size = 0};
    index_t step = 1;
    for (int k = to.rank - 1; k >= 0; --k) {
      const int axis = to.axis[k];
      if (axis < 0) continue;
      o.steps[axis] = step;
      step *= layout_.extents[axis];
      if (o.neighbours < 0) o.neighbours = axis;
    }
    add(o);
  }
  /// Bytes that are read and written beside those of the elements.
  double more_bytes() const {
    constexpr double of_tiles = 0.2, of_copy = 2.4;
    double more = 0;
    for (const operand& o : operands_)
      if (is_turned(o)) more += o.bytes * std::min(read_for_each(o) - 1, in_tiles(o) ? of_tiles : of_copy);
    return more;
  }
  /// What is read in less time once it is copied.
  operand_in_order to_copy() const {
    constexpr double least_bytes = 4 << 20, least_read_for_each = 4;
    for (const operand& o : operands_) {
      const auto is_read_in_order = [&](const operand& other) { return other.node == o.node && !is_turned(other); };
      if (is_turned(o) && !in_tiles(o) && o.bytes >= least_bytes && read_for_each(o) >= least_read_for_each &&
          o.node->source_type && o.node->source_type->in_memory && !o.node->computation && !memory_.find(o.node) &&
          std::none_of(operands_.begin(), operands_.end(), is_read_in_order))
        return {o.node, order_for(o)};
    }
    return {};
  }

 private:
  struct operand {
    const graph_node* node;
    double bytes;
    int size;
    int neighbours = -1;           ///< the axis along which they are
    index_t steps[max_rank] = {};  ///< along the axes of the kernel, without their signs
    int axis[max_rank] = {};       ///< of the kernel, for each of the node; or -1
  };
  void add(const operand& o) {
    if (o.neighbours >= 0) beside_[o.neighbours] += o.bytes;
    operands_.push_back(o);
  }
  /// As the largest of the others lie.
  axis_order order_for(const operand& o) const {
    const operand* as = nullptr;
    for (const operand& other : operands_)
      if (other.neighbours == inner() && (!as || other.bytes > as->bytes)) as = &other;
    const auto step = [&](int k) {
      const index_t along = o.axis[k] < 0 ? 0 : as->steps[o.axis[k]];
      return along == 0 ? std::numeric_limits<index_t>::max() : along;
    };
    axis_order order;
    std::stable_sort(order.axis.begin(), order.axis.begin() + o.node->rank,
                     [&](int a, int b) { return step(a) > step(b); });
    return order;
  }
  int inner() const { return static_cast<int>(std::max_element(beside_, beside_ + layout_.rank) - beside_); }
  bool is_turned(const operand& o) const {
    const int along = inner();
    return o.node && o.neighbours >= 0 && o.neighbours != along && o.steps[along] != 0 &&
           layout_.extents[along] >= least_tile;
  }
  bool in_tiles(const operand& o) const {
    return layout_.pattern == std::string_view("transform") ||
           (layout_.pattern == std::string_view("reduce") && layout_.extents[o.neighbours] >= least_tile &&
            o.neighbours == turned());
  }
  /// The axis along which most of what is not contiguous along the inner one is.
  int turned() const {
    double beside[max_rank] = {};
    for (const operand& o : operands_)
      if (is_turned(o)) beside[o.neighbours] += o.bytes;
    return static_cast<int>(std::max_element(beside, beside + layout_.rank) - beside);
  }
  /// Bytes that are read for an element, over its own: others of those that are read together are used where they are
  /// near.
  double read_for_each(const operand& o) const {
    return std::min(std::max(32.0 / o.size, 1.0), static_cast<double>(o.steps[inner()]));
  }

  static constexpr index_t least_tile = 16;

  const memory_of_graph& memory_;
  const stage_layout& layout_;
  std::vector<operand> operands_;
  double beside_[max_rank] = {};
};
/// Different elements of an operand.
double elements_of(const placed_node& v, const stage_layout& layout) {
  double own = 1;
  for (int k = 0; k < v.node->rank; ++k)
    if (const int axis = axis_in(v.axes, k); axis >= 0) own *= static_cast<double>(layout.extents[axis]);
  return own;
}

}  // namespace

operand_in_order operand_to_copy(const memory_of_graph& memory, const stage_layout& layout, const placed_graph& g) {
  if (layout.pattern != std::string_view("rows") && layout.pattern != std::string_view("reduce")) return {};
  constexpr double bytes_of_result = 4;  // as most are
  memory_order order(memory, layout);
  const bool reduces = layout.pattern == std::string_view("reduce");
  if (!reduces && !layout.one_result) order.write(layout.positions() * bytes_of_result);
  for (auto v = g.values.begin(); v != g.values.end(); ++v) {
    const auto is_read = [&](const placed_node& other) { return other.is_operand && are_one(other, *v); };
    if (!v->is_operand || std::any_of(g.values.begin(), v, is_read)) continue;
    const in_memory_value* const at = memory.find(v->node);
    const graph_source_type& type = at ? *at->type : *v->node->source_type;
    if (type.in_memory) order.read(*v, elements_of(*v, layout) * type.bytes, type.bytes);
  }
  return order.to_copy();
}

namespace {

bool is_small(dtype type) { return type == dtype_of<half> || type == dtype_of<bfloat16>; }

/// Whether a library adds an operand: it lies along the lines of the results, or as they do.
bool is_added(const placed_node& v, const memory_of_graph& memory, const stage_layout& layout, const index_t* results) {
  const axis_map& to = layout.frames[0];
  int along = -1;  // the axis of the iteration along which results are contiguous
  for (int k = 0; k < to.rank; ++k)
    if (to.axis[k] >= 0 && results[k] == 1) along = to.axis[k];
  if (along < 0) return false;
  index_t own[max_rank] = {}, steps[max_rank] = {};
  memory_steps(v, memory, own);
  for (int k = 0; k < v.node->rank; ++k)
    if (const int axis = axis_in(v.axes, k); axis >= 0 && v.node->extents[k] > 1) steps[axis] = own[k];
  for (int k = layout.kept; k < layout.rank; ++k)
    if (steps[k] != 0) return false;
  const auto is_possible = [&](index_t step) { return step == 0 || step >= layout.extents[along]; };
  steps[along] = steps[along] == 1 ? 0 : -1;
  return std::all_of(steps, steps + max_rank, is_possible);
}

}  // namespace

std::optional<product_types> product_of_matrices(const memory_of_graph& memory, const stage_layout& layout,
                                                 const placed_graph& g, const index_t* results) {
  constexpr double least_positions = 1 << 18, least_reads = 32;
  const double all = layout.positions();
  if (layout.pattern != std::string_view("reduce") || layout.stages.size() != 1 || g.roots.size() != 1 ||
      all < least_positions)
    return {};
  const auto source_of = [&](const placed_node& v) -> const graph_source_type& {
    const in_memory_value* const at = memory.find(v.node);
    return at ? *at->type : *v.node->source_type;
  };
  std::vector<ir::plain_step> steps(g.values.size());
  const placed_node *product = nullptr, *sum = nullptr;
  for (std::size_t i = 0; i < g.values.size(); ++i) {
    const placed_node& v = g.values[i];
    if (v.count > 2) return {};
    for (int a = 0; a < v.count; ++a) steps[i].arguments[a] = static_cast<int>(g.argument(v, a));
    if (v.is_operand)
      steps[i].what = source_of(v).in_memory     ? ir::step::memory
                      : source_of(v).is_constant ? ir::step::constant
                                                 : ir::step::other;
    else if (v.stage >= 0) {
      if (!ir::adds(layout.stages[0].stage->stage->stage->word)) return {};
      sum = &v;
      product = &g.values[g.argument(v, 0)];
      steps[i].what = ir::step::sum;
    } else steps[i].what = v.count > 0 ? ir::step_of_word(v.node->operation->word) : ir::step::other;
    if (v.count == 1 && !v.is_operand && v.stage < 0 && ir::changes_type(v.node->operation->word) &&
        is_small(memory_type(*v.node).type.element))
      steps[i].what = ir::step::rounded;
  }
  if (!sum || product->is_operand || !product->node->operation || !ir::multiplies(product->node->operation->word))
    return {};
  dtype type = dtype::other;
  const placed_node* operands[2];
  for (int a = 0; a < 2; ++a) {
    const placed_node*& factor = operands[a];
    factor = &g.values[g.argument(*product, a)];
    if (!factor->is_operand && factor->node->operation && ir::changes_type(factor->node->operation->word))
      factor = &g.values[g.argument(*factor, 0)];
    if (!factor->is_operand) return {};
    const graph_source_type& source = source_of(*factor);
    if (!source.in_memory || elements_of(*factor, layout) * least_reads > all) return {};
    if (a > 0 && source.type.element != type) return {};
    type = source.type.element;
  }
  const placed_node& root = g.values[static_cast<std::size_t>(g.roots[0])];
  const std::optional<ir::around_product> around = ir::around_product_of(steps, g.roots[0]);
  if (!around) return {};
  product_types found{type,
                      memory_type(root.stage >= 0 ? *layout.stages[0].stage : *root.node).type.element,
                      *around,
                      {operands[0], operands[1]}};
  const auto is_zero = [&](int constant) {
    const placed_node& v = g.values[static_cast<std::size_t>(constant)];
    const auto* const bytes = reinterpret_cast<const unsigned char*>(v.node->source);
    return std::all_of(bytes, bytes + source_of(v).bytes, [](unsigned char b) { return b == 0; });
  };
  const auto multiplies_by_zero = [&](const ir::multiplied_by& by) {
    return by.constant >= 0 && is_zero(by.constant);  // libraries do not read what they multiply by 0
  };
  if ((around->zero >= 0 && !is_zero(around->zero)) || multiplies_by_zero(around->scale)) return {};
  for (const ir::around_product::array& a : around->added)
    if (multiplies_by_zero(a.share) || !is_added(g.values[static_cast<std::size_t>(a.step)], memory, layout, results))
      return {};
  return found;
}

operand_in_order factor_to_copy(const memory_of_graph& memory, const stage_layout& layout, const product_types& p) {
  index_t steps[2][max_rank] = {};
  const auto take = [&](int i, const index_t* own) {
    const placed_node& v = *p.operands[i];
    for (int k = 0; k < v.node->rank; ++k)
      if (const int axis = axis_in(v.axes, k); axis >= 0 && v.node->extents[k] > 1) steps[i][axis] = own[k];
  };
  index_t own[2][max_rank], dense[2][max_rank];
  bool may_be_copied[2];
  for (int i = 0; i < 2; ++i) {
    const graph_node& n = *p.operands[i]->node;
    memory_steps(*p.operands[i], memory, own[i]);
    dense_steps(n.extents, n.rank, dense[i]);
    may_be_copied[i] = n.source_type && n.source_type->in_memory && !n.computation && !memory.find(&n);
  }
  const auto is_product = [&](bool first_copied, bool second_copied) {
    take(0, first_copied ? dense[0] : own[0]);
    take(1, second_copied ? dense[1] : own[1]);
    return static_cast<bool>(planning::matrix_product_of(layout.extents, layout.kept, layout.rank, steps[0], steps[1]));
  };
  if (is_product(false, false)) return {};
  if (may_be_copied[0] && is_product(true, false)) return {p.operands[0]->node, {}};
  if (may_be_copied[1] && is_product(false, true)) return {p.operands[1]->node, {}};
  if (may_be_copied[0] && may_be_copied[1] && is_product(true, true)) return {p.operands[0]->node, {}};
  return {};
}

work work_of(const memory_of_graph& memory, const stage_layout& layout, const placed_graph& g, double written,
             bool on_device) {
  const bool reduces = layout.pattern == std::string_view("reduce"), rows = layout.pattern == std::string_view("rows");
  double bytes = 0, operations = 0;
  memory_order order(memory, layout);
  if (!reduces && !layout.one_result) order.write(written);
  const double all = layout.positions();
  double kept = 1;
  for (int k = 0; k < layout.kept; ++k) kept *= static_cast<double>(layout.extents[k]);
  std::vector<bool> inside(g.values.size());  // the argument of a stage
  for (std::size_t i = g.values.size(); i-- > 0;) {
    const placed_node& v = g.values[i];
    for (int a = 0; a < v.count; ++a)
      if (v.stage >= 0 || inside[i]) inside[g.argument(v, a)] = true;
  }
  for (std::size_t i = 0; i < g.values.size(); ++i) {
    const placed_node& v = g.values[i];
    const double own = elements_of(v, layout);
    bool along_row = false;
    const auto along = [&](int axis) {
      for (int k = 0; k < v.node->rank; ++k)
        if (axis_in(v.axes, k) == axis) return true;
      return false;
    };
    for (int k = 0; k < v.node->rank; ++k) along_row = along_row || axis_in(v.axes, k) >= layout.kept;
    if (v.is_operand) {
      const in_memory_value* const at = memory.find(v.node);
      const graph_source_type& type = at ? *at->type : *v.node->source_type;
      const auto is_read = [&](const placed_node& other) { return other.is_operand && are_one(other, v); };
      const auto here = g.values.begin() + static_cast<std::ptrdiff_t>(i);
      if (type.in_memory && (at || std::none_of(g.values.begin(), here, is_read))) {
        bytes += own * type.bytes;
        order.read(v, own * type.bytes, type.bytes);
      }
    } else if (layout.pattern == std::string_view("nested")) {
      // Along the rows alone, along rows and columns, or along the depth, too.
      const double depth = static_cast<double>(layout.extents[layout.rank - 1]);
      const bool is_deep =
          along(layout.rank - 1) || (v.stage >= 0 && layout.stages[static_cast<std::size_t>(v.stage)].level == 0);
      operations += (v.stage >= 0 ? 1 : v.node->operation->cost) * (!inside[i] && v.stage < 0 ? kept
                                                                    : is_deep                 ? all
                                                                                              : all / depth);
    } else if (v.stage >= 0) operations += all;
    else operations += v.node->operation->cost * (reduces ? inside[i] ? all : kept : rows && !along_row ? kept : all);
  }
  if (on_device) bytes += order.more_bytes();
  return {static_cast<index_t>(bytes), static_cast<index_t>(written), 0, operations, 1, 0};
}

}  // namespace lazyfuse::graph_detail

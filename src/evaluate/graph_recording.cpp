// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations of graphs that are run again without being planned.
#include "evaluate/graph_recording.hpp"

#include "core/keys.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace lazyfuse::graph_detail {

using run_detail::room;

namespace {

constexpr std::size_t most_rooms = 32, most_kept = 4096;

std::uint8_t alignment_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data) & 15; }

struct recorded {
  std::vector<recorded_room> rooms;
  std::vector<recorded_kernel> kernels;
  unsigned tuned;
  mutable std::atomic<bool> refused = false;
  recorded(const std::vector<recorded_room>& r, const std::vector<recorded_kernel>& k, unsigned t)
      : rooms(r), kernels(k), tuned(t) {}
};
/// It begins anew when it is full.
struct table {
  std::shared_mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const recorded>, text_hash, std::equal_to<>> known;
};
table& all() {
  static auto& t = *new table;
  return t;
}

}  // namespace

int graph_signature::number_of(const graph_node* n) const {
  if (met_count_ <= few) {
    const auto* const at = std::find(met_, met_ + met_count_, n);
    return at == met_ + met_count_ ? -1 : static_cast<int>(at - met_);
  }
  std::size_t at = (reinterpret_cast<std::uintptr_t>(n) / alignof(graph_node) * 0x9e3779b97f4a7c15 >> 32) % places;
  while (number_at_[at] >= 0 && met_[number_at_[at]] != n) at = (at + 1) % places;
  return number_at_[at] >= 0 ? number_at_[at] : -1 - static_cast<int>(at);
}
void graph_signature::meet(const graph_node* n) {
  const auto enter = [this](std::size_t number) {
    number_at_[-1 - number_of(met_[number])] = static_cast<short>(number);
  };
  met_[met_count_++] = n;
  if (met_count_ == few + 1) {
    std::fill_n(number_at_, places, short{-1});
    for (std::size_t i = 0; i < met_count_; ++i) enter(i);
  } else if (met_count_ > few) enter(met_count_ - 1);
}

const char* graph_signature::operand::data() const {
  const char* at = nullptr;
  std::memcpy(&at, source, sizeof at);
  return at;
}
bool graph_signature::operand::is_beside(const operand& other) const {
  if (type->in_memory) return other.type->in_memory && memory == other.memory && (memory || data() == other.data());
  return type == other.type && std::memcmp(source, other.source, static_cast<std::size_t>(type->type.bytes)) == 0;
}

void graph_signature::begin(const graph_space& space, int count, const index_t* extents, int rank) {
  append(&space, count, rank);
  put_extents(extents, rank);
}
void graph_signature::put_target(const graph_target& t, int rank) {
  append(t.type, t.spelling, alignment_of(t.data));
  put_extents(t.steps, rank);
}

graph_signature::graph_signature(const graph_space& space, const graph_ref* roots, const graph_target* targets,
                                 int count, const index_t* extents, int rank) {
  begin(space, count, extents, rank);
  for (int i = 0; i < count && exists_; ++i) {
    put(roots[i].get());
    if (!has_room()) return;
    append('r', number_of(roots[i].get()));
    put_target(targets[i], rank);
  }
}

graph_signature::graph_signature(const graph_space& space, const listed_trees& trees, const graph_target* targets,
                                 const index_t* extents, int rank) {
  begin(space, trees.trees, extents, rank);
  append('t', trees.nodes);
  for (int i = 0; i < trees.trees; ++i) {
    if (!has_room()) return;
    put_target(targets[i], rank);
  }
  put(trees);
}
graph_signature::graph_signature(const graph_space& space, const listed_trees& trees, const graph_result* results,
                                 bool with_targets) {
  append(&space, with_targets ? 'h' : 'g', trees.nodes);
  for (int i = 0; i < trees.trees; ++i) {
    if (!has_room()) return;
    put_extents(results[i].extents, results[i].rank);
    if (with_targets) put_target(results[i].target, results[i].rank);
  }
  put(trees);
}

void graph_signature::put(const listed_trees& trees) {
  exists_ = exists_ && trees.is_whole;
  const void* const* parts = trees.parts;
  for (const listed_node& n : std::span(trees.nodes, static_cast<std::size_t>(trees.count))) {
    if (!n.leaf && !n.stage) continue;
    if (!has_room()) return;
    const listed_view v(n, parts);
    if (n.leaf && !n.leaf->place) {
      const auto* const node = static_cast<const graph_node*>(n.leaf->owner(v.leaf));
      put(node);
      if (!has_room()) return;
      append(number_of(node), v.offset);
    }
    put_extents(v.extents, v.rank);
    put_extents(v.steps, v.rank);
    if (n.stage) {
      append(v.offset);
      put_extents(v.argument, n.argument_rank);
    }
    if (!n.leaf || !n.leaf->place) continue;
    if (operand_count_ == most_operands || placed_bytes_ + most_source_bytes > most_placed_bytes) {
      exists_ = false;
      return;
    }
    void* const source = placed_ + placed_bytes_;
    placed_bytes_ += (static_cast<std::size_t>(n.source->type.bytes) + 15) / 16 * 16;
    n.leaf->place(v.leaf, source);
    put_operand({n.source, source, n.leaf->owner(v.leaf)});
  }
}

void graph_signature::put(const graph_node* root) {
  struct visit {
    const graph_node* node;
    std::size_t next;
  };
  visit open[most_nodes];
  std::size_t depth = 0;
  const auto go_down = [&](const graph_node* n) {
    if (is_met(n)) return;
    if (depth == most_nodes) exists_ = false;
    else open[depth++] = {n, 0};
  };
  go_down(root);
  while (depth > 0 && exists_) {
    auto& [n, next] = open[depth - 1];
    if (next < n->arguments.size()) {
      go_down(n->arguments[next++]);
      continue;
    }
    --depth;
    if (met_count_ == most_nodes || n->computation || !has_room(n->arguments.size())) {
      exists_ = false;
      return;
    }
    meet(n);
    append(n->rank);
    put_extents(n->extents, n->rank);
    if (n->operation) append('o', n->operation);
    else if (n->stage) {
      append('s', n->stage->stage, n->stage->rank);
      put_extents(n->stage->extents, n->stage->rank);
    } else if (n->view) {
      append('v');
      for (int j = 0; j < n->rank; ++j) append(n->view->axis[j], n->view->by[j]);
      put_extents(n->view->start, n->arguments[0]->rank);
    } else if (operand_count_ == most_operands) exists_ = false;
    else {
      append('x', n->source_type);
      put_extents(n->steps, n->rank);
      put_operand({n->source_type, n->source, n->memory});
    }
    for (const graph_node* a : n->arguments) append(number_of(a));
  }
}

/// An array is told by the first one of its memory and how far it is from there, anything else by the first equal one.
void graph_signature::put_operand(const operand& o) {
  std::size_t first = 0;
  while (first < operand_count_ && !o.is_beside(operands_[first])) ++first;
  append(first);
  if (o.type->in_memory) {
    append(o.memory ? o.memory->device : -1, alignment_of(o.data()));
    if (first < operand_count_) append(o.data() - operands_[first].data());
  } else if (o.memory) append(o.memory->device);  // a table
  operands_[operand_count_++] = o;
}

void graph_recording::room(const run_detail::room& at, const recorded_room& of) {
  complete_ = complete_ && at.owner;
  at_.push_back(at);
  rooms_.push_back(of);
}

void graph_recording::kernel(const graph_plan& p, const graph_target* targets, int results, const char* because) {
  using place = recorded_kernel::place;
  recorded_kernel& k = kernels_.emplace_back();
  k.plan = p;
  k.plan.because = because;
  k.program = p.program;
  const auto enter = [&](int i, place from, std::size_t number, const void* begin) {
    recorded_kernel::bound& b = k.operands.emplace_back();
    b.info = p.bound[i];
    std::copy_n(p.steps[i], max_rank, b.steps);
    b.from = from;
    b.number = static_cast<int>(number);
    b.offset = begin ? static_cast<const char*>(p.bound[i].data) - static_cast<const char*>(begin) : 0;
  };
  const auto enter_room = [&](int i) {
    for (std::size_t r = 0; r < at_.size(); ++r)
      if (p.bound[i].owner == at_[r].owner) {
        enter(i, place::room, r, at_[r].data);
        return true;
      }
    return false;
  };
  const auto enter_target = [&](int i, const auto& is_it) {
    const auto at = std::find_if(targets_.begin(), targets_.end(), is_it);
    if (at == targets_.end()) return false;
    enter(i, place::target, static_cast<std::size_t>(at - targets_.begin()), at->data);
    return true;
  };
  for (int i = 0; i < results; ++i) {
    const auto is_it = [&](const graph_target& t) { return t.data == targets[i].data && t.owner == targets[i].owner; };
    if (!enter_target(i, is_it) && !enter_room(i)) complete_ = false;
  }
  const std::span<const graph_signature::operand> operands = of_.operands();
  for (int i = results; i < results + p.type->operands && complete_; ++i) {
    const graph_source_type& type = *p.program->operands[static_cast<std::size_t>(i - results)];
    if (type.in_memory && enter_room(i)) continue;
    std::size_t j = 0;
    const graph_signature::operand o{&type, p.sources[i].bytes, p.bound[i].owner};
    while (j < operands.size() && !o.is_beside(operands[j])) ++j;
    if (j == operands.size()) {  // a result that is read again, or something that cannot be found
      const auto is_it = [&](const graph_target& t) { return t.owner && t.owner == o.memory; };
      if (!type.in_memory || !enter_target(i, is_it)) complete_ = false;
    } else enter(i, type.in_memory ? place::operand : place::scalar, j, type.in_memory ? operands[j].data() : nullptr);
  }
}

void graph_recording::keep() const {
  if (!complete_ || rooms_.size() > most_rooms) return;
  auto made = std::make_shared<recorded>(rooms_, kernels_, tuned_);
  table& t = all();
  const std::lock_guard lock(t.mutex);
  if (t.known.size() >= most_kept) t.known.clear();
  t.known.insert_or_assign(std::string(of_.key()), std::move(made));
}

bool run_recorded(const graph_space& space, const execution& x, const graph_signature& of,
                  const graph_target* targets) {
  std::shared_ptr<const recorded> found;
  {
    table& t = all();
    const std::shared_lock lock(t.mutex);
    const auto at = t.known.find(of.key());
    if (at == t.known.end()) return false;
    found = at->second;
  }
  if (found->refused.load(std::memory_order_relaxed) || found->tuned != tune_detail::changes()) return false;
  room rooms[most_rooms];
  for (std::size_t r = 0; r < found->rooms.size(); ++r) {
    const recorded_room& wanted = found->rooms[r];
    rooms[r] = run_detail::room_for(x, x.values->made, wanted.bytes, [&](std::size_t n) {
      return space.allocate(n, {"temporary", wanted.type, wanted.extents, wanted.rank});
    });
  }
  for (const recorded_kernel& k : found->kernels) {
    graph_plan p;
    static_cast<kernel_plan&>(p) = k.plan;
    p.info = p.bound;
    p.program = k.program;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
      const recorded_kernel::bound& b = k.operands[i];
      operand_info& o = p.bound[i];
      o = b.info;
      std::copy_n(b.steps, max_rank, p.steps[i]);
      if (o.steps) o.steps = p.steps[i];
      o.place = p.sources[i].bytes;
      const auto number = static_cast<std::size_t>(b.number);
      if (b.from == recorded_kernel::place::scalar) {
        const graph_signature::operand& from = of.operands()[number];
        std::memcpy(p.sources[i].bytes, from.source, static_cast<std::size_t>(from.type->type.bytes));
        o.owner = from.memory;
        continue;
      }
      const void* data = nullptr;
      if (b.from == recorded_kernel::place::room) {
        data = rooms[number].data;
        o.owner = rooms[number].owner;
      } else if (b.from == recorded_kernel::place::target) {
        data = targets[number].data;
        o.owner = targets[number].owner;
      } else {
        data = of.operands()[number].data();
        o.owner = of.operands()[number].memory;
      }
      o.data = static_cast<const char*>(data) + b.offset;
      std::memcpy(p.sources[i].bytes, &o.data, sizeof o.data);
    }
    const execution how = k.plan.because ? x.for_part(k.plan.because) : x;
    if (!how.take(p)) {
      found->refused.store(true, std::memory_order_relaxed);
      return false;
    }
  }
  return true;
}

}  // namespace lazyfuse::graph_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations of graphs that are run again without being planned.
#include "evaluate/graph_recording.hpp"

#include "core/keys.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace lazyfuse::graph_detail {

using run_detail::room;

namespace {

constexpr std::size_t most_rooms = 32, most_kept = 4096;

const char* memory_of(const graph_node& n) {
  const char* data = nullptr;
  std::memcpy(&data, n.source, sizeof data);
  return data;
}
std::uint8_t alignment_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data) & 15; }

struct recorded {
  std::vector<recorded_room> rooms;
  std::vector<recorded_kernel> kernels;
  mutable std::atomic<bool> refused = false;
};
/// What is in it stays.
struct table {
  std::shared_mutex mutex;
  std::unordered_map<std::string, const recorded*, text_hash, std::equal_to<>> known;
};
table& all() {
  static auto& t = *new table;
  return t;
}

}  // namespace

int graph_signature::number_of(const graph_node* n) const {
  return static_cast<int>(std::find(met_, met_ + met_count_, n) - met_);
}

graph_signature::graph_signature(const graph_space& space, const graph_ref* roots, const graph_target* targets,
                                 int count, const index_t* extents, int rank) {
  append_all(&space, count, rank);
  for (int k = 0; k < rank; ++k) append_all(extents[k]);
  for (int i = 0; i < count && exists_; ++i) {
    put(roots[i].get());
    append_all('r', number_of(roots[i].get()), targets[i].type, targets[i].spelling, alignment_of(targets[i].data));
    for (int k = 0; k < rank; ++k) append_all(targets[i].steps[k]);
  }
}

void graph_signature::append(const void* from, std::size_t bytes) {
  exists_ = exists_ && size_ + bytes <= most_bytes;
  if (!exists_) return;
  std::memcpy(bytes_ + size_, from, bytes);
  size_ += bytes;
}

void graph_signature::put(const graph_node* root) {
  struct visit {
    const graph_node* node;
    std::size_t next;
  };
  visit open[most_nodes];
  std::size_t depth = 0;
  const auto is_met = [&](const graph_node* n) { return number_of(n) < static_cast<int>(met_count_); };
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
    if (met_count_ == most_nodes || n->computation) {
      exists_ = false;
      return;
    }
    met_[met_count_++] = n;
    append_all(n->rank);
    for (int k = 0; k < n->rank; ++k) append_all(n->extents[k]);
    if (n->operation) append_all('o', n->operation);
    else if (n->stage) {
      append_all('s', n->stage->stage, n->stage->rank);
      for (int k = 0; k < n->stage->rank; ++k) append_all(n->stage->extents[k]);
    } else if (n->view) {
      append_all('v');
      for (int j = 0; j < n->rank; ++j) append_all(n->view->axis[j], n->view->by[j]);
      for (int k = 0; k < n->arguments[0]->rank; ++k) append_all(n->view->start[k]);
    } else put_operand(*n);
    for (const graph_node* a : n->arguments) append_all(number_of(a));
  }
}

/// An array is told by the first one of its memory and how far it is from there, anything else by the first equal one.
void graph_signature::put_operand(const graph_node& n) {
  const graph_source_type& type = *n.source_type;
  if (type.in_memory && !n.memory) {  // whether borrowed memory is that of another operand, nobody can say
    exists_ = false;
    return;
  }
  append_all('x', &type, n.device);
  for (int k = 0; k < n.rank; ++k) append_all(n.steps[k]);
  const auto bytes = static_cast<std::size_t>(type.type.bytes);
  std::size_t first = 0;
  for (; first < operand_count_; ++first) {
    const graph_node& other = *operands_[first];
    if (type.in_memory ? other.memory == n.memory && other.source_type->in_memory
                       : other.source_type == &type && std::memcmp(other.source, n.source, bytes) == 0)
      break;
  }
  append_all(first);
  if (type.in_memory) {
    append_all(alignment_of(memory_of(n)));
    if (first < operand_count_) append_all(memory_of(n) - memory_of(*operands_[first]));
  }
  operands_[operand_count_++] = &n;
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
  for (int i = 0; i < results; ++i)
    if (targets == targets_) enter(i, place::target, static_cast<std::size_t>(i), targets[i].data);
    else if (!enter_room(i)) complete_ = false;
  const std::span<const graph_node* const> operands = of_.operands();
  for (int i = results; i < results + p.type->operands && complete_; ++i) {
    const graph_source_type& type = *p.program->operands[static_cast<std::size_t>(i - results)];
    if (type.in_memory && enter_room(i)) continue;
    std::size_t j = 0;
    for (; j < operands.size(); ++j) {
      const graph_node& n = *operands[j];
      if (type.in_memory ? n.source_type->in_memory && n.memory == p.bound[i].owner
                         : n.source_type == &type && std::memcmp(n.source, p.sources[i].bytes,
                                                                 static_cast<std::size_t>(type.type.bytes)) == 0)
        break;
    }
    if (j == operands.size()) complete_ = false;
    else
      enter(i, type.in_memory ? place::operand : place::scalar, j, type.in_memory ? memory_of(*operands[j]) : nullptr);
  }
}

void graph_recording::keep() const {
  if (!complete_ || rooms_.size() > most_rooms) return;
  table& t = all();
  const std::lock_guard lock(t.mutex);
  if (t.known.size() == most_kept) return;
  const auto [at, is_new] = t.known.try_emplace(std::string(of_.key()), nullptr);
  if (is_new) at->second = new recorded{rooms_, kernels_, false};
}

bool run_recorded(const graph_space& space, const execution& x, const graph_signature& of,
                  const graph_target* targets) {
  const recorded* found = nullptr;
  {
    table& t = all();
    const std::shared_lock lock(t.mutex);
    const auto at = t.known.find(of.key());
    if (at == t.known.end()) return false;
    found = at->second;
  }
  if (found->refused.load(std::memory_order_relaxed)) return false;
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
        std::memcpy(p.sources[i].bytes, of.operands()[number]->source, most_source_bytes);
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
        data = memory_of(*of.operands()[number]);
        o.owner = of.operands()[number]->memory;
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

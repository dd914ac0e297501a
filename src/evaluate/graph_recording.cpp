// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations of graphs that are run again without being planned.
#include "evaluate/graph_recording.hpp"

#include "core/keys.hpp"

#include <algorithm>
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
    append_all(number_of(roots[i].get()), targets[i].type, targets[i].spelling, alignment_of(targets[i].data));
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

/// An array is told by the first one of its memory and how far it is from there, a number by the first equal one.
void graph_signature::put_operand(const graph_node& n) {
  const graph_source_type& type = *n.source_type;
  append_all('x', &type, n.device);
  for (int k = 0; k < n.rank; ++k) append_all(n.steps[k]);
  const auto bytes = static_cast<std::size_t>(type.type.bytes);
  std::size_t first = 0;
  for (; first < operand_count_; ++first) {
    const graph_node& other = *operands_[first];
    if (type.in_memory
            ? other.source_type->in_memory && other.memory == n.memory && (n.memory || memory_of(other) == memory_of(n))
            : other.source_type == &type && std::memcmp(other.source, n.source, bytes) == 0)
      break;
  }
  append_all(first);
  if (type.in_memory) {
    append_all(alignment_of(memory_of(n)));
    if (first < operand_count_) append_all(memory_of(n) - memory_of(*operands_[first]));
  } else if (!type.is_constant) append(n.source, bytes);
  operands_[operand_count_++] = &n;
}

void graph_recording::room(const run_detail::room& at, const recorded_room& of) {
  complete_ = complete_ && at.owner;
  at_.push_back(at);
  rooms_.push_back(of);
}

void graph_recording::kernel(const graph_plan& p, int results, const char* because) {
  using place = recorded_kernel::place;
  recorded_kernel& k = kernels_.emplace_back();
  k.plan = p;
  k.plan.because = because;
  k.program = p.program;
  const int all = results + p.type->operands;
  for (int i = 0; i < all; ++i) {
    const operand_info& o = p.bound[i];
    recorded_kernel::bound& b = k.operands.emplace_back();
    b.info = o;
    std::copy_n(p.steps[i], max_rank, b.steps);
    b.number = -1;
    const auto* const data = static_cast<const char*>(o.data);
    const bool in_memory = i < results || p.program->operands[static_cast<std::size_t>(i - results)]->in_memory;
    for (std::size_t r = 0; r < at_.size() && in_memory; ++r)
      if (o.owner && o.owner == at_[r].owner)
        b.from = place::room, b.number = static_cast<int>(r), b.offset = data - static_cast<const char*>(at_[r].data);
    if (b.number >= 0) continue;
    if (i < results) {
      for (int t = 0; t < count_; ++t)
        if (targets_[t].owner == o.owner && (o.owner || targets_[t].data == o.data)) {
          b.from = place::target, b.number = t, b.offset = data - static_cast<const char*>(targets_[t].data);
          // Of several targets in one memory, the one that begins there.
          if (b.offset == 0) break;
        }
    } else {
      const std::span<const graph_node* const> operands = of_.operands();
      const graph_source_type* const type = p.program->operands[static_cast<std::size_t>(i - results)];
      for (std::size_t j = 0; j < operands.size() && b.number < 0; ++j) {
        const graph_node& n = *operands[j];
        if (in_memory) {
          if (!n.source_type->in_memory || n.memory != o.owner || (!o.owner && memory_of(n) != data)) continue;
          b.from = place::operand, b.offset = data - memory_of(n);
        } else {
          if (n.source_type != type ||
              std::memcmp(n.source, p.sources[i].bytes, static_cast<std::size_t>(type->type.bytes)) != 0)
            continue;
          b.from = place::scalar, b.offset = 0;
        }
        b.number = static_cast<int>(j);
      }
    }
    complete_ = complete_ && b.number >= 0;
  }
}

void graph_recording::keep() const {
  if (!complete_ || rooms_.size() > most_rooms) return;
  table& t = all();
  const std::lock_guard lock(t.mutex);
  if (t.known.size() == most_kept) return;
  const auto [at, is_new] = t.known.try_emplace(std::string(of_.key()), nullptr);
  if (is_new) at->second = new recorded{rooms_, kernels_};
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
    if (!how.take(p)) return false;
  }
  return true;
}

}  // namespace lazyfuse::graph_detail

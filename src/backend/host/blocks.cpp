// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of positions, step by step.
#include "plan/graph_program.hpp"

#include <lazyfuse/backend/host/blocks.hpp>
#include <lazyfuse/backend/host/threads.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace lazyfuse::host_detail {

using planning::graph_plan, planning::graph_program, planning::operand_info;

namespace {

using tuned = dpp::tuning<dpp::graph, host>;
constexpr std::align_val_t alignment{64};

struct aligned_delete {
  void operator()(std::byte* p) const { ::operator delete(p, alignment); }
};

/// The positions of a plan in row-major order.
class positions {
 public:
  positions(const index_t* extents, int rank) : rank_(rank), extents_(extents) {
    for (int k = 0; k < rank; ++k) size_ *= extents[k];
    inner_ = rank > 0 ? extents[rank - 1] : 1;
  }
  index_t size() const { return size_; }
  index_t inner() const { return inner_; }

  /// Calls f(element, done, n) for the n positions from `first` on that lie in one row, from an operand's element on.
  template <class F>
  void for_runs(index_t first, index_t n, const index_t* steps, const F& f) const {
    for (index_t done = 0; done < n;) {
      index_t at = first + done, element = 0;
      const index_t column = at % inner_, length = std::min(n - done, inner_ - column);
      if (rank_ > 0 && steps) {
        at /= inner_;
        element = column * steps[rank_ - 1];
        for (int k = rank_ - 2; k >= 0 && at > 0; --k) {
          element += at % extents_[k] * steps[k];
          at /= extents_[k];
        }
      }
      f(element, done, length);
      done += length;
    }
  }

 private:
  int rank_;
  const index_t* extents_;
  index_t size_ = 1, inner_ = 1;
};

template <int Bytes>
void scatter(const std::byte* from, std::byte* to, index_t step, index_t n) {
  for (index_t i = 0; i < n; ++i) std::memcpy(to + i * step * Bytes, from + i * Bytes, Bytes);
}
void scatter(const std::byte* from, std::byte* to, index_t step, index_t n, int bytes) {
  if (step == 1) return void(std::memmove(to, from, static_cast<std::size_t>(n * bytes)));
  switch (bytes) {
    case 1:
      return scatter<1>(from, to, step, n);
    case 2:
      return scatter<2>(from, to, step, n);
    case 4:
      return scatter<4>(from, to, step, n);
    case 8:
      return scatter<8>(from, to, step, n);
    default:
      for (index_t i = 0; i < n; ++i)
        std::memcpy(to + i * step * bytes, from + i * bytes, static_cast<std::size_t>(bytes));
  }
}

class block_run {
 public:
  explicit block_run(const graph_plan& p)
      : plan_(p), program_(*p.program), all_(p.extents, p.type->rank), targets_(p.type->targets) {
    const int buffers = program_.buffers + static_cast<int>(program_.operands.size());
    const index_t room = std::max<index_t>(tuned::block_bytes / (std::max(buffers, 1) * index_t{program_.widest}), 1);
    length_ = std::clamp(room / 64 * 64, tuned::least_block, tuned::most_block);
    length_ = std::min(length_, all_.size());
    buffer_bytes_ = (length_ * program_.widest + 63) / 64 * 64;
    blocks_ = (all_.size() + length_ - 1) / length_;
    tasks_ = std::min<index_t>(blocks_, index_t{4} * thread_count());
    task_bytes_ = static_cast<std::size_t>(buffer_bytes_) * static_cast<std::size_t>(std::max(buffers, 1));
    memory_.reset(static_cast<std::byte*>(::operator new(task_bytes_* static_cast<std::size_t>(tasks_), alignment)));
    values_.resize((program_.operands.size() + program_.steps.size()) * static_cast<std::size_t>(tasks_));
    most_arguments_ = 1;
    for (const graph_program::step& s : program_.steps) most_arguments_ = std::max(most_arguments_, s.operation->arity);
    arguments_.resize(static_cast<std::size_t>(most_arguments_) * static_cast<std::size_t>(tasks_));
    // A single root that is computed last, and lies in one piece, is written where it belongs.
    const int last = static_cast<int>(program_.operands.size() + program_.steps.size()) - 1;
    // Of several results one may be stored where another one is read from: such operands go through a buffer.
    is_result_.resize(program_.operands.size());
    for (const int r : program_.roots)
      if (targets_ > 1 && r < operands()) is_result_[static_cast<std::size_t>(r)] = true;
    to_target_ = targets_ == 1 && !program_.steps.empty() && program_.roots[0] == last;
  }

  void run() const {
    for_tasks(tasks_, static_cast<double>(all_.size()) * std::max(program_.cost, 1), [this](index_t task) {
      // Tasks take neighbouring blocks, as equally many as possible.
      const index_t first = task * blocks_ / tasks_, last = (task + 1) * blocks_ / tasks_;
      fill_constants(task);
      for (index_t b = first; b < last; ++b) one_block(task, b * length_, std::min(length_, all_.size() - b * length_));
    });
  }

 private:
  const graph_plan& plan_;
  const graph_program& program_;
  positions all_;
  int targets_, most_arguments_;
  bool to_target_;
  index_t length_, blocks_, tasks_, buffer_bytes_;
  std::size_t task_bytes_;
  std::unique_ptr<std::byte, aligned_delete> memory_;
  mutable std::vector<const void*> values_, arguments_;
  std::vector<bool> is_result_;

  int operands() const { return static_cast<int>(program_.operands.size()); }
  const operand_info& operand(int i) const { return plan_.info[targets_ + i]; }
  std::byte* buffer(index_t task, int i) const {
    return memory_.get() + static_cast<std::size_t>(task) * task_bytes_ + static_cast<std::size_t>(i * buffer_bytes_);
  }
  const void** values(index_t task) const {
    return values_.data() + static_cast<std::size_t>(task) * (program_.operands.size() + program_.steps.size());
  }
  index_t inner_step(const operand_info& o) const {
    return o.steps && plan_.type->rank > 0 ? o.steps[plan_.type->rank - 1] : 1;
  }

  void fill_constants(index_t task) const {
    for (int i = 0; i < operands(); ++i) {
      const auto& type = *program_.operands[static_cast<std::size_t>(i)];
      if (!type.is_constant) continue;
      void* const to = buffer(task, i);
      type.load(operand(i).place, 0, 0, length_, to);
      values(task)[i] = to;
    }
  }
  /// Where an operand's block is in memory, or in a buffer.
  const void* load(index_t task, int i, index_t first, index_t n) const {
    const auto& type = *program_.operands[static_cast<std::size_t>(i)];
    const operand_info& o = operand(i);
    const bool in_row = first % all_.inner() + n <= all_.inner();
    const index_t step = inner_step(o);
    if (type.in_memory && in_row && step == 1 && !is_result_[static_cast<std::size_t>(i)]) {
      const void* found = nullptr;
      all_.for_runs(first, n, o.steps, [&](index_t element, index_t, index_t) {
        found = static_cast<const std::byte*>(o.data) + element * type.bytes;
      });
      return found;
    }
    std::byte* const to = buffer(task, i);
    all_.for_runs(first, n, o.steps, [&](index_t element, index_t done, index_t length) {
      type.load(o.place, element, step, length, to + done * type.bytes);
    });
    return to;
  }
  void store(int i, const void* from, index_t first, index_t n) const {
    const operand_info& t = plan_.info[i];
    const int bytes = t.element_size;
    all_.for_runs(first, n, t.steps, [&](index_t element, index_t done, index_t length) {
      scatter(static_cast<const std::byte*>(from) + done * bytes,
              static_cast<std::byte*>(const_cast<void*>(t.data)) + element * bytes, inner_step(t), length, bytes);
    });
  }
  void one_block(index_t task, index_t first, index_t n) const {
    const void** const known = values(task);
    const void** const arguments = arguments_.data() + task * most_arguments_;
    for (int i = 0; i < operands(); ++i)
      if (!program_.operands[static_cast<std::size_t>(i)]->is_constant) known[i] = load(task, i, first, n);
    const bool in_row = first % all_.inner() + n <= all_.inner();
    const bool direct = to_target_ && in_row && inner_step(plan_.info[0]) == 1;
    const auto count = static_cast<int>(program_.steps.size());
    for (int k = 0; k < count; ++k) {
      const graph_program::step& s = program_.steps[static_cast<std::size_t>(k)];
      for (int a = 0; a < s.operation->arity; ++a)
        arguments[a] = known[program_.arguments[static_cast<std::size_t>(s.first) + static_cast<std::size_t>(a)]];
      void* to = buffer(task, operands() + s.buffer);
      if (direct && k + 1 == count)
        all_.for_runs(first, n, plan_.info[0].steps, [&](index_t element, index_t, index_t) {
          to = static_cast<std::byte*>(const_cast<void*>(plan_.info[0].data)) + element * plan_.info[0].element_size;
        });
      s.operation->block(arguments, to, n);
      known[operands() + k] = to;
    }
    if (!direct)
      for (int i = 0; i < targets_; ++i) store(i, known[program_.roots[static_cast<std::size_t>(i)]], first, n);
  }
};

}  // namespace

void run_graph(const graph_plan& p) {
  if (p.elements() > 0) block_run(p).run();
}

}  // namespace lazyfuse::host_detail

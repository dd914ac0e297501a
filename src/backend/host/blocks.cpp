// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of positions, step by step.
#include "gathered.hpp"
#include "packing.hpp"
#include "plan/graph_program.hpp"

#include <lazyfuse/backend/host/blocks.hpp>
#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/threads.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace lazyfuse::host_detail {

using planning::graph_plan, planning::graph_program, planning::graph_source_type, planning::operand_info;

namespace {

using tuned = dpp::tuning<dpp::graph, host>;

class block_run {
 public:
  explicit block_run(const graph_plan& p)
      : plan_(p),
        program_(*p.program),
        rank_(p.type->rank),
        targets_(p.type->targets),
        operands_(count_of(program_.operands)),
        copies_(std::make_unique<bool[]>(program_.operands.size() + 1)) {
    for (int i = 0; i < operands_; ++i) {
      const graph_source_type& type = *program_.operands[at(i)];
      const operand_info& o = plan_.info[targets_ + i];
      // Of several results one may be stored where another one is read from: such operands go through a buffer.
      copies_[at(i)] = targets_ > 1 && is_root(i);
      read_.push_back({static_cast<std::byte*>(const_cast<void*>(o.data)), o.steps ? o.steps : no_steps,
                       type.is_constant ? 0 : type.bytes, 0, type.in_memory});
    }
    for (int i = 0; i < targets_; ++i) {
      const operand_info& t = plan_.info[i];
      written_.push_back(
          {static_cast<std::byte*>(const_cast<void*>(t.data)), t.steps ? t.steps : no_steps, t.element_size, 0, true});
    }
    for (const graph_program::step& s : program_.steps) most_arguments_ = std::max(most_arguments_, s.operation->arity);
    cut();
    // The last step writes a single root where it belongs.
    to_target_ =
        targets_ == 1 && !program_.steps.empty() && program_.roots[0] == operands_ + count_of(program_.steps) - 1;
  }

  void run() const {
    // All memory is had before the first result is stored.
    parts_of_memory counted;
    task_state(*this, counted);
    const index_t bytes = counted.used();
    const scratch<std::byte> memory(bytes * tasks_);
    for_tasks(tasks_, static_cast<double>(rows_ * inner_) * std::max(program_.cost, 1), [&](index_t task) {
      // Tasks take neighbouring blocks, as equally many as possible.
      const index_t blocks = rows_of_blocks_ * pieces_, first = task * blocks / tasks_,
                    last = (task + 1) * blocks / tasks_;
      parts_of_memory own(&memory[task * bytes]);
      task_state state(*this, own);
      fill_constants(state);
      for (index_t b = first; b < last; ++b) one_block(state, b);
    });
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  template <class List>
  static int count_of(const List& l) {
    return static_cast<int>(l.size());
  }
  bool is_root(int value) const {
    return std::find(program_.roots.begin(), program_.roots.end(), value) != program_.roots.end();
  }
  static index_t parts(index_t n, index_t each) { return (n + each - 1) / each; }

  /// A block is some rows, or a piece of one.
  void cut() {
    for (int k = 0; k < rank_ - 1; ++k) rows_ *= plan_.extents[k];
    if (rank_ > 0) inner_ = plan_.extents[rank_ - 1];
    const index_t values = program_.buffers + operands_ + targets_;
    const index_t length =
        std::clamp<index_t>(tuned::block_bytes / (values * program_.widest), tuned::least_block, tuned::most_block);
    pieces_ = parts(inner_, length);
    columns_ = pieces_ == 1 ? inner_ : parts(parts(inner_, pieces_), 64) * 64;
    pieces_ = parts(inner_, columns_);
    rows_each_ = pieces_ > 1 ? 1 : std::min(std::max<index_t>(length / inner_, 1), rows_);
    rows_of_blocks_ = parts(rows_, rows_each_);
    tasks_ = std::min<index_t>(rows_of_blocks_ * pieces_, index_t{4} * thread_count());
    value_bytes_ = parts(rows_each_ * columns_ * index_t{program_.widest}, 64) * 64;
  }

  gathered_operands what_is_read() const { return {read_.data(), operands_, plan_.extents, rank_, copies_.get()}; }
  gathered_operands what_is_written() const { return {written_.data(), targets_, plan_.extents, rank_}; }

  /// What a task works with.
  struct task_state {
    gathered read, written;
    const void **values, **arguments;
    std::byte* buffers;  ///< of steps, then of constants
    task_state(const block_run& r, parts_of_memory& m)
        : read(r.what_is_read(), r.rows_each_, r.columns_, m),
          written(r.what_is_written(), r.rows_each_, r.columns_, m),
          values(m.take<const void*>(r.operands_ + count_of(r.program_.steps))),
          arguments(m.take<const void*>(r.most_arguments_)),
          buffers(m.take<std::byte>(r.value_bytes_ * (r.program_.buffers + r.operands_))) {}
  };
  std::byte* buffer(const task_state& t, int i) const { return t.buffers + i * value_bytes_; }
  void fill_constants(const task_state& t) const {
    for (int i = 0; i < operands_; ++i) {
      const graph_source_type& type = *program_.operands[at(i)];
      if (!type.is_constant) continue;
      void* const to = buffer(t, program_.buffers + i);
      type.load(place_of(i), 0, 0, rows_each_ * columns_, to);
      t.values[i] = to;
    }
  }
  const void* place_of(int operand) const { return plan_.info[targets_ + operand].place; }

  void load(task_state& t, index_t rows) const {
    t.read.find(rows);
    t.read.for_rows(rows, [&](int i, index_t offset, std::byte* to, index_t count) {
      const strided& o = read_[at(i)];
      const index_t across = t.read.across(i), along = t.read.along(i), n = t.read.columns();
      if (o.in_memory) return pack_rows(to, o.data + offset * o.bytes, o.bytes, across, along, count, n);
      for (index_t r = 0; r < count; ++r)
        program_.operands[at(i)]->load(place_of(i), offset + r * across, along, n, to + r * n * o.bytes);
    });
    for (int i = 0; i < operands_; ++i)
      if (!program_.operands[at(i)]->is_constant) t.values[i] = t.read.runs()[i].data;
  }
  void one_block(task_state& t, index_t block) const {
    const index_t row = block / pieces_ * rows_each_, first = block % pieces_ * columns_;
    const index_t rows = std::min(rows_each_, rows_ - row), columns = std::min(columns_, inner_ - first);
    t.read.seek(row, first, columns);
    t.written.seek(row, first, columns);
    load(t, rows);
    t.written.find(rows);
    const int count = count_of(program_.steps);
    for (int k = 0; k < count; ++k) {
      const graph_program::step& s = program_.steps[at(k)];
      for (int a = 0; a < s.operation->arity; ++a) t.arguments[a] = t.values[program_.arguments[at(s.first + a)]];
      void* const to = to_target_ && k + 1 == count ? t.written.runs()[0].data : buffer(t, s.buffer);
      s.operation->block(t.arguments, to, rows * columns);
      t.values[operands_ + k] = to;
    }
    // Results that are not where they belong yet: all are known before the first is stored.
    const std::size_t one = static_cast<std::size_t>(rows * columns);
    for (int i = 0; i < targets_; ++i) {
      const void* const from = t.values[program_.roots[at(i)]];
      if (void* const to = t.written.runs()[i].data; to != from) std::memcpy(to, from, one * at(written_[at(i)].bytes));
    }
    t.written.for_rows(rows, [&](int i, index_t offset, const std::byte* from, index_t some) {
      const strided& o = written_[at(i)];
      scatter_rows(o.data + offset * o.bytes, from, o.bytes, t.written.across(i), t.written.along(i), some, columns);
    });
  }

  static constexpr index_t no_steps[max_rank] = {};
  const graph_plan& plan_;
  const graph_program& program_;
  int rank_, targets_, operands_;
  bool to_target_;
  index_t rows_ = 1, inner_ = 1;
  index_t pieces_, columns_, rows_each_, rows_of_blocks_, tasks_, value_bytes_;
  int most_arguments_ = 1;
  std::vector<strided> read_, written_;
  std::unique_ptr<bool[]> copies_;  ///< of operands
};

}  // namespace

void run_graph(const graph_plan& p) {
  if (p.elements() > 0) block_run(p).run();
}

}  // namespace lazyfuse::host_detail

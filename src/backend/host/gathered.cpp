// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gathered.hpp"

#include "packing.hpp"

#include <lazyfuse/backend/host/scratch.hpp>
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/core/algorithm.hpp>

namespace lazyfuse::host_detail {

using gathering = dpp::tuning<dpp::transforms, host>;

bool gathered_operands::is_dense(int i) const {
  if (!all[i].in_memory) return false;
  index_t step = 1;
  for (int k = rank - 1; k >= 0; --k) {
    if (extents[k] > 1 && all[i].steps[k] != step) return false;
    step *= extents[k];
  }
  return true;
}
index_t gathered_operands::copied_bytes() const {
  index_t n = 0;
  for (int i = 0; i < count; ++i)
    if (may_be_copied(i)) n += all[i].bytes;
  return n;
}

gathered::gathered(const gathered_operands& operands, index_t rows, index_t columns, parts_of_memory& memory)
    : of_(operands),
      columns_(columns),
      numbers_(memory.take<index_t>(of_.rank + of_.count)),
      each_(memory.take<one>(of_.count)),
      runs_(memory.take<element_run>(of_.count)) {
  if (numbers_) algorithm::fill_n(numbers_, of_.rank + of_.count, 0);
  for (int i = 0; i < of_.count; ++i) {
    std::byte* const buffer =
        of_.may_be_copied(i) ? memory.take<std::byte>(rows * columns * of_.all[i].bytes) : nullptr;
    if (!each_) continue;
    each_[i] = {buffer, of_.is_dense(i), false};
    runs_[i] = {nullptr, 0};
  }
}
void gathered::seek(index_t row, index_t first, index_t n) {
  odometer().seek(row);
  column_ = first;
  columns_ = n;
}
void gathered::find(index_t rows) {
  for (int i = 0; i < of_.count; ++i) {
    const strided& o = of_.all[i];
    if (o.bytes == 0) continue;
    const bool runs = o.in_memory && (each_[i].dense || (rows == 1 && (columns_ == 1 || along(i) == 1)));
    each_[i].copied = !runs || (of_.copies && of_.copies[i]);
    runs_[i] = {each_[i].copied ? each_[i].buffer : o.data + offset(i) * o.bytes, columns_};
  }
}

bool worth_gathering(const short_rows& all, index_t rows, bool blocked) {
  const index_t n = all.extents[all.rank - 1];
  const index_t bytes = gathered_operands{all.read, all.read_count, all.extents, all.rank}.copied_bytes() +
                        gathered_operands{all.written, all.written_count, all.extents, all.rank}.copied_bytes();
  return n > 0 && n * bytes <= gathering::gathered_row_bytes && (!blocked || n <= gathering::gathered_blocked_row) &&
         rows >= gathering::gathered_rows;
}

void gather_rows(const short_rows& all, index_t rows, double cost, void (*run)(const void*, const gathered_rows&),
                 const void* context) {
  const gathered_operands from{all.read, all.read_count, all.extents, all.rank},
      to{all.written, all.written_count, all.extents, all.rank};
  const index_t n = all.extents[all.rank - 1], each = algorithm::max<index_t>(block_elements / n, 1),
                tasks = (rows + each - 1) / each;
  const index_t bytes = n * algorithm::max<index_t>(from.copied_bytes() + to.copied_bytes(), 1),
                together = algorithm::clamp<index_t>(gathering::gathered_bytes / bytes, 1, algorithm::min(each, rows));
  struct state {
    gathered read, written;
  };
  const auto state_in = [&](parts_of_memory memory, index_t* used = nullptr) {
    gathered read(from, together, n, memory), written(to, together, n, memory);
    if (used) *used = memory.used();
    return state{read, written};
  };
  // All memory is had before the first result is stored.
  index_t used = 0;
  state_in(parts_of_memory{}, &used);
  const index_t workers = algorithm::min<index_t>(tasks, cost < worth_threads || !threads_wake() ? 1 : thread_count());
  alignas(64) std::byte on_stack[gathering::gathered_bytes + 4096];
  const bool is_little = workers * used <= index_t{sizeof(on_stack)};
  const scratch<std::byte> on_heap(is_little ? 0 : workers * used);
  for_tasks(workers, cost, [&](index_t worker) {
    state own = state_in(parts_of_memory{(is_little ? on_stack : &on_heap[0]) + worker * used});
    for (index_t task = worker; task < tasks; task += workers) {
      const index_t begin = task * each, end = algorithm::min(begin + each, rows);
      own.read.seek(begin, 0, n);
      own.written.seek(begin, 0, n);
      for (index_t r = begin; r < end; r += together) {
        const index_t some = algorithm::min(together, end - r);
        own.read.find(some);
        own.written.find(some);
        own.read.for_rows(some, [&](int i, index_t offset, std::byte* copy, index_t count) {
          const strided& o = all.read[i];
          pack_rows(copy, o.data + offset * o.bytes, o.bytes, own.read.across(i), own.read.along(i), count, n);
        });
        run(context, {own.read.runs(), own.written.runs(), r, some});
        own.written.for_rows(some, [&](int i, index_t offset, const std::byte* copy, index_t count) {
          const strided& o = all.written[i];
          scatter_rows(o.data + offset * o.bytes, copy, o.bytes, own.written.across(i), own.written.along(i), count, n);
        });
      }
    }
  });
}

}  // namespace lazyfuse::host_detail

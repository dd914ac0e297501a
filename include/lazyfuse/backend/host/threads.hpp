// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the host backend: tasks are numbered, and who runs which does not change a result.
#pragma once

#include <lazyfuse/backend/host/tuning.hpp>
#include <lazyfuse/plan/residence.hpp>

#include <vector>

namespace lazyfuse::host_detail {

/// How many of `width` columns of so many bytes pass through all stages while they are in the cache of a thread; 0
/// where they are too few for it to be worth it: memory is faster in longer runs.
constexpr index_t columns_together(index_t bytes_of_column, index_t width) {
  using tuned = dpp::tuning<dpp::row_stages, host>;
  const index_t n = tuned::columns_in_cache / (bytes_of_column > 0 ? bytes_of_column : 1);
  return n < (width < tuned::least_columns ? width : tuned::least_columns) ? 0 : n;
}

/// Calls body(context, task) for every task in [0, tasks); in parallel when cost (about one per simple
/// element operation) is worth waking threads for.
void run_tasks(index_t tasks, double cost, void (*body)(void*, index_t), void* context);

/// The threads that run_tasks would wake.
int thread_count();
/// The processor's model, and the vectors that are used of it.
const char* processor_name();
/// Bytes of the last caches that so many threads have together, as the system says; else 32 MiB.
double cache_bytes();

/// Whether it would wake others at all: not within a parallel region.
bool threads_wake();

/// Calls body(context) where OpenMP gives this thread no others.
void in_one_thread(void (*body)(void*), void* context);
template <class Body>
void in_one_thread(const Body& body) {
  in_one_thread([](void* c) { (*static_cast<const Body*>(c))(); }, const_cast<Body*>(&body));
}

/// Blocks that threads take as they are free, and of which a part has to be done in their order.
class blocks_in_order {
 public:
  explicit blocks_in_order(index_t blocks) : blocks_(blocks) {}
  /// One that nobody has; past the last one there is none.
  index_t next();
  /// Waits until all before b have been done. False if a thread failed: then nobody does them.
  bool wait_for(index_t b);
  void done(index_t b);
  void fail();

 private:
  index_t blocks_, taken_ = 0, done_ = 0;
  bool failed_ = false;
};

/// For n places a flag that any thread raises, and no other one need see at once.
class task_flags {
 public:
  explicit task_flags(index_t n);
  ~task_flags();
  bool raised(index_t i);
  void raise(index_t i);

 private:
  std::vector<unsigned char> flags_;
};

/// Where rows are between their passes: axes [outer kept ones | those of the row | inner one]; columns: the inner axis
/// is kept. bytes: of all operands at one position.
void find_residence(const index_t* extents, int rank, int outer, bool columns, int bytes, planning::row_residence& to);

template <class Body>
void for_tasks(index_t tasks, double cost, const Body& body) {
  run_tasks(
      tasks, cost, [](void* c, index_t task) { (*static_cast<const Body*>(c))(task); }, const_cast<Body*>(&body));
}

}  // namespace lazyfuse::host_detail

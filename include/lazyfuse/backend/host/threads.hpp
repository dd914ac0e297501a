// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the host backend: tasks are numbered, and who runs which does not change a result.
#pragma once

#include <lazyfuse/plan/homes.hpp>

namespace lazyfuse::host_detail {

/// Fewer rows than these are each shared by all threads, one after the other, if they are long.
inline constexpr index_t few_rows = 8;
/// Columns that pass through all stages together, at most.
inline constexpr int columns_at_a_time = 512;

/// Calls body(context, task) for every task in [0, tasks); in parallel when cost (about one per simple
/// element operation) is worth waking threads for.
void run_tasks(index_t tasks, double cost, void (*body)(void*, index_t), void* context);

/// The threads that run_tasks would wake.
int thread_count();

/// Where rows are between their passes: axes [outer kept ones | those of the row | inner one]; columns: the inner axis
/// is kept.
void find_homes(const index_t* extents, int rank, int outer, bool columns, row_homes& to);

template <class Body>
void for_tasks(index_t tasks, double cost, const Body& body) {
  run_tasks(
      tasks, cost, [](void* c, index_t task) { (*static_cast<const Body*>(c))(task); }, const_cast<Body*>(&body));
}

}  // namespace lazyfuse::host_detail

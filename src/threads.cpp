// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host threads: OpenMP, used here and nowhere else.
#include <lazyfuse/backend/host/threads.hpp>

#include <exception>

#include <omp.h>

namespace lazyfuse::host_detail {

void run_tasks(index_t tasks, double cost, void (*body)(void*, index_t), void* context) {
  constexpr double worth_threads = 60000;  // element operations: tens of microseconds
  if (tasks <= 1 || cost < worth_threads || omp_in_parallel()) {
    for (index_t task = 0; task < tasks; ++task) body(context, task);
    return;
  }
  std::exception_ptr failure;
#pragma omp parallel for schedule(static)
  for (index_t task = 0; task < tasks; ++task) {
    try {
      body(context, task);
    } catch (...) {
#pragma omp critical(lazyfuse_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lazyfuse::host_detail

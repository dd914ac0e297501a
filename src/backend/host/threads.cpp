// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host threads: OpenMP, used here and nowhere else.
#include <lazyfuse/backend/host/threads.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <fstream>
#include <string>
#include <thread>

#include <omp.h>

namespace lazyfuse::host_detail {

using namespace planning;

void run_tasks(index_t tasks, double cost, void (*body)(void*, index_t), void* context) {
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

int thread_count() { return omp_get_max_threads(); }

double cache_bytes() {
  struct last_cache {
    double bytes = 0;
    int sharers = 0;
  };
  static const last_cache of_first = [] {
    last_cache found;
    for (int level = 0; level < 8; ++level) {
      const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/";
      std::ifstream size(folder + "size"), map(folder + "shared_cpu_map");
      double kilobytes = 0;
      if (!(size >> kilobytes)) break;
      found = {kilobytes * 1024, 0};
      for (char c = 0; map >> c;)  // hexadecimal digits, and commas
        if (c != ',') found.sharers += std::popcount(static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10));
    }
    return found;
  }();
  if (of_first.sharers == 0) return static_cast<double>(last_cache_bytes);
  const int caches = (thread_count() + of_first.sharers - 1) / of_first.sharers;
  return of_first.bytes * caches;
}

bool threads_wake() { return omp_get_max_threads() > 1 && omp_in_parallel() == 0; }

void let_others_run() { std::this_thread::yield(); }

void find_residence(const index_t* extents, int rank, int outer, bool columns, int bytes, row_residence& to) {
  constexpr index_t cache_of_a_thread = dpp::tuning<dpp::row_stages, host>::row_in_cache;
  to.results = residence::thread;
  index_t rows = 1, length = 1;
  for (int k = 0; k < rank - 1; ++k) (k < outer ? rows : length) *= extents[k];
  if (columns) {
    to.row = columns_together(length * bytes, extents[rank - 1]) > 0 ? residence::cache : residence::memory;
    return;
  }
  const index_t row = to.again_bytes / std::max<index_t>(rows, 1);
  to.row = row <= cache_of_a_thread * (rows < few_rows ? thread_count() : 1) ? residence::cache : residence::memory;
}

}  // namespace lazyfuse::host_detail

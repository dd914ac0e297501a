// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host threads: OpenMP, used here and nowhere else.
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>

#include <algorithm>
#include <atomic>
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

const char* processor_name() {
  static const auto* const name = [] {
    std::string model, maker, part;
    std::ifstream facts("/proc/cpuinfo");
    const auto value_of = [](const std::string& line) { return line.substr(std::min(line.find(':'), line.size())); };
    for (std::string line; model.empty() && std::getline(facts, line);) {
      if (line.starts_with("model name")) model = value_of(line);
      if (line.starts_with("CPU implementer")) maker = value_of(line);  // those of ARM have numbers alone
      if (line.starts_with("CPU part")) part = value_of(line);
    }
    return new std::string((model.empty() ? maker + part : model) + ", vectors of " + std::to_string(bytes_of_vectors));
  }();
  return name->c_str();
}

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

void in_one_thread(void (*body)(void*), void* context) {
  struct number_of_threads {
    int before = omp_get_max_threads();
    ~number_of_threads() { omp_set_num_threads(before); }
  };
  const number_of_threads restored;  // whatever the body throws
  omp_set_num_threads(1);
  body(context);
}

index_t blocks_in_order::next() {
  const index_t b = std::atomic_ref(taken_).fetch_add(1, std::memory_order_relaxed);
  return b < blocks_ ? b : blocks_;
}
bool blocks_in_order::wait_for(index_t b) {
  while (std::atomic_ref(done_).load(std::memory_order_acquire) != b) {
    if (std::atomic_ref(failed_).load(std::memory_order_relaxed)) return false;
    std::this_thread::yield();
  }
  return true;
}
void blocks_in_order::done(index_t b) { std::atomic_ref(done_).store(b + 1, std::memory_order_release); }
void blocks_in_order::fail() { std::atomic_ref(failed_).store(true, std::memory_order_relaxed); }

task_flags::task_flags(index_t n) : flags_(static_cast<std::size_t>(n)) {}
task_flags::~task_flags() = default;
bool task_flags::raised(index_t i) {
  return std::atomic_ref(flags_[static_cast<std::size_t>(i)]).load(std::memory_order_relaxed) != 0;
}
void task_flags::raise(index_t i) {
  std::atomic_ref(flags_[static_cast<std::size_t>(i)]).store(1, std::memory_order_relaxed);
}

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

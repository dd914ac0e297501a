// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tune has measured, for all threads of the process.
#include <lazyfuse/evaluate/tune.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace lazyfuse {

namespace {

/// What a kernel computes of what, and where: "host x0 sum/1 | x0 r0 //2 float32".
std::string key_of(const planning::kernel_type& type) {
  std::string key = std::string(type.space) + " " + type.program;
  for (int i = 0; i < type.operands; ++i)
    key += std::string(type.types[i].constant() ? "constant " : "") + name_of(type.types[i].element) + " ";
  return key + type.structs;
}

/// That, and powers of two above the number of rows and their length.
using tuning_class = std::tuple<std::string, int, int>;
tuning_class class_of(const planning::row_report& r) {
  return {key_of(*r.type), std::bit_width(static_cast<std::uint64_t>(r.rows)),
          std::bit_width(static_cast<std::uint64_t>(r.length))};
}

std::atomic<index_t> count = 0;  // asked first: most processes never tune
std::mutex mutex;
std::map<tuning_class, plan_choice>& table() {
  static auto* const t = new std::map<tuning_class, plan_choice>;  // never destroyed: threads may end after it
  return *t;
}

}  // namespace

namespace run_detail {
plan_choice remembered_choice(const row_report& rows) {
  if (count.load(std::memory_order_relaxed) == 0) return plan_choice::automatic;
  const std::lock_guard lock(mutex);
  const auto found = table().find(class_of(rows));
  return found == table().end() ? plan_choice::automatic : found->second;
}
}  // namespace run_detail

namespace tuning {
void clear() {
  const std::lock_guard lock(mutex);
  table().clear();
  count = 0;
}
index_t size() { return count; }
}  // namespace tuning

namespace tune_detail {

void remember(const planning::row_report& rows, plan_choice choice) {
  const std::lock_guard lock(mutex);
  table()[class_of(rows)] = choice;
  count = static_cast<index_t>(table().size());
}

double shortest_us(void (*f)(void*), void* context) {
  using clock = std::chrono::steady_clock;
  const auto microseconds = [&](int runs) {
    const auto start = clock::now();
    for (int k = 0; k < runs; ++k) f(context);
    synchronize();
    return std::chrono::duration<double, std::micro>(clock::now() - start).count() / runs;
  };
  f(context);
  synchronize();
  double best = microseconds(1);
  const int runs = static_cast<int>(std::clamp(200.0 / best, 1.0, 50.0));  // short ones many times: the clock is coarse
  for (int sample = 0; sample < 5; ++sample) best = std::min(best, microseconds(runs));
  return best;
}

}  // namespace tune_detail

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tune has measured, for all threads of the process.
#include <lazyfuse/evaluate/tune.hpp>

#include "core/scratch.hpp"
#include "disk/folder.hpp"
#include "evaluate/findings.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace lazyfuse {

namespace {

void append(std::pmr::string& to, int number) {
  char digits[16];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// A letter for powers of two above a number, from "0" to "o".
char class_of(index_t n) { return static_cast<char>('0' + std::bit_width(static_cast<std::uint64_t>(n))); }

/// Classes of the number of rows and of their length; where they run, and by which compiler; and what is computed of
/// what: "57a model 8\n12.2.0 optimising\nhost x0 sum/1 | x0 r0 //2 float32 ".
std::pmr::string key_of(const planning::row_report& r, scratch& room) {
  const planning::kernel_type& type = *r.type;
  const planning::machine m = type.this_machine();
  std::pmr::string key(&room);
  key.reserve(1024);
  key.push_back(class_of(r.rows));
  key.push_back(class_of(r.length));
  key.append(m.name ? m.name() : "").append(" ");
  append(key, m.processors);
  key.append("\n").append(type.compiled_by).append("\n").append(type.space).append(" ").append(type.program);
  for (int i = 0; i < type.operands; ++i)
    key.append(type.types[i].constant() ? "constant " : "").append(name_of(type.types[i].element)).append(" ");
  key.append(type.structs);
  return key;
}
std::string key_of(const planning::row_report& r) {
  scratch room;
  return std::string(key_of(r, room));
}

/// All that is known: what is on the disk is read when it is first asked for.
class known_findings {
 public:
  /// The first question of every evaluation that has a choice: most users never tune.
  index_t size() {
    const index_t n = count_.load(std::memory_order_acquire);
    return n == not_read ? read() : n;
  }
  /// The second one: whether there may be a finding of such rows. Writing a key takes longer.
  bool may_have(const planning::row_report& r) const {
    return (shapes_.load(std::memory_order_acquire) & shape_bit(class_of(r.rows), class_of(r.length))) != 0;
  }
  plan_choice of(std::string_view key) {
    const std::shared_lock lock(mutex_);
    const auto found = all_.find(key);
    return found == all_.end() ? plan_choice::automatic : found->second;
  }
  void put(const std::string& key, plan_choice choice) {
    size();
    const std::lock_guard lock(mutex_);
    all_.insert_or_assign(key, choice);
    has_changed(is_read());
  }
  void drop(bool read_again) {
    const std::lock_guard lock(mutex_);
    all_.clear();
    has_changed(!read_again);
  }
  /// Reads nothing: what is found on the disk is a change.
  unsigned changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  static constexpr index_t not_read = -1;
  std::atomic<index_t> count_ = not_read;
  std::atomic<std::uint64_t> shapes_ = 0;
  std::atomic<unsigned> changes_ = 0;
  std::shared_mutex mutex_;
  tune_detail::findings all_;

  static std::uint64_t shape_bit(char rows, char length) { return std::uint64_t{1} << (rows * 13 + length) % 64; }
  bool is_read() const { return count_.load(std::memory_order_relaxed) != not_read; }
  /// The number of changes comes last: who sees it sees what has changed. with_file: what is there is among them.
  void has_changed(bool with_file) {
    std::uint64_t shapes = 0;
    for (const auto& [key, choice] : all_)
      if (key.size() > 1) shapes |= shape_bit(key[0], key[1]);
    shapes_.store(shapes, std::memory_order_release);
    count_.store(with_file ? static_cast<index_t>(all_.size()) : not_read, std::memory_order_release);
    changes_.fetch_add(1, std::memory_order_release);
  }
  /// Where memory runs out it is as if there were no file, until the next question.
  index_t read() {
    const std::lock_guard lock(mutex_);
    try {
      if (!is_read()) {
        all_.merge(tune_detail::load_findings(disk_detail::cache_folder()));
        if (all_.empty()) count_.store(0, std::memory_order_release);  // no change
        else has_changed(true);
      }
    } catch (const std::exception&) {
    }
    return static_cast<index_t>(all_.size());
  }
};
known_findings& known() {
  alignas(known_findings) static char room[sizeof(known_findings)];
  static auto& all = *new (room) known_findings;  // never destroyed: threads may end after it
  return all;
}

}  // namespace

namespace run_detail {
plan_choice remembered_choice(const row_report& rows) {
  if (known().size() == 0 || !known().may_have(rows)) return plan_choice::automatic;
  scratch room;
  return known().of(key_of(rows, room));
}
}  // namespace run_detail

namespace tuning {
void clear() {
  known().drop(false);
  tune_detail::remove_findings(disk_detail::cache_folder());
}
index_t size() { return known().size(); }
}  // namespace tuning

namespace tune_detail {

void remember(const planning::row_report& rows, plan_choice choice) { known().put(key_of(rows), choice); }
void keep(const planning::row_report& rows, plan_choice choice) {
  const std::string key = key_of(rows);
  known().put(key, choice);
  store_finding(disk_detail::cache_folder(), key, choice);
}
void forget() { known().drop(true); }
unsigned changes() { return known().changes(); }

double shortest_us(void (*f)(void*), void* context) {
  record_detail::refuse_computing("tune");
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

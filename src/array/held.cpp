// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Held memory: what would give it back is put off. Apart from the allocations, of which few are ever held.
#include "array/held.hpp"

#include <mutex>
#include <unordered_map>

namespace lazyfuse::memory_detail {

namespace {

struct holding {
  long holds = 0;
  void (*release)(allocation*) noexcept = nullptr;  ///< what the last handle would have called
  bool unowned = false;                             ///< there is no handle any more
};
struct every_holding {
  std::mutex mutex;
  std::unordered_map<const allocation*, holding> of;
};
every_holding& holdings() {
  static auto* const a = new every_holding;  // never destroyed: arrays may end after static objects
  return *a;
}

/// In the place of its own release, once it has been held.
void release_held(allocation* a) noexcept {
  void (*release)(allocation*) noexcept = nullptr;
  {
    const std::lock_guard lock(holdings().mutex);
    const auto at = holdings().of.find(a);
    if (at->second.holds > 0) {
      at->second.unowned = true;
      return;
    }
    release = at->second.release;
    holdings().of.erase(at);
  }
  release(a);
}

}  // namespace

void hold(allocation* a) {
  const std::lock_guard lock(holdings().mutex);
  holding& h = holdings().of[a];
  if (!h.release) {
    h.release = a->release;
    a->release = release_held;  // read by the last handle alone, and somebody has one
  }
  ++h.holds;
}

void let_go(allocation* a) noexcept {
  void (*release)(allocation*) noexcept = nullptr;
  {
    const std::lock_guard lock(holdings().mutex);
    const auto at = holdings().of.find(a);
    if (--at->second.holds > 0 || !at->second.unowned) return;
    release = at->second.release;
    holdings().of.erase(at);
  }
  release(a);
}

}  // namespace lazyfuse::memory_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of transforms that are kept: those that were used last.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace lazyfuse::fft_detail {

/// Values by their keys, for any thread. What falls out lives on while it is in use.
template <class Key, class Value>
class recently_used {
 public:
  explicit recently_used(std::size_t most) : most_(most) {}
  /// The value of the key, or make(). Several threads may make the same one, of which one is kept.
  template <class Make>
  std::shared_ptr<Value> find_or(const Key& key, const Make& make) {
    if (auto known = find(key)) return known;
    std::shared_ptr<Value> made = make();
    if (auto known = find(key)) return known;
    const std::lock_guard lock(mutex_);
    all_.emplace_front(key, made);
    if (all_.size() > most_) all_.pop_back();
    return made;
  }

 private:
  std::size_t most_;
  std::list<std::pair<Key, std::shared_ptr<Value>>> all_;
  std::mutex mutex_;

  std::shared_ptr<Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    for (auto at = all_.begin(); at != all_.end(); ++at)
      if (at->first == key) {
        all_.splice(all_.begin(), all_, at);
        return at->second;
      }
    return nullptr;
  }
};

}  // namespace lazyfuse::fft_detail

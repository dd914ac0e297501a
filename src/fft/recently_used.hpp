// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of transforms that are kept: those that were used last.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>

namespace lazyfuse::fft_detail {

/// Values by their keys, for any thread: as many as are allowed, and of so many bytes, but the last one used in any
/// case. What falls out lives on while it is in use.
template <class Key, class Value>
class recently_used {
 public:
  explicit recently_used(std::size_t most, std::size_t most_bytes = ~std::size_t{0})
      : most_(most), most_bytes_(most_bytes) {}
  /// The value of the key, or make(), of bytes_of(value) bytes. Several threads may make the same one, of which one is
  /// kept.
  template <class Make, class Bytes>
  std::shared_ptr<Value> find_or(const Key& key, const Make& make, const Bytes& bytes_of) {
    {
      const std::lock_guard lock(mutex_);
      if (auto known = find(key)) return known;
    }
    std::list<entry> made(1, entry{key, make(), 0}), fallen;  // what falls out is destroyed without the lock
    made.front().bytes = bytes_of(*made.front().value);
    const std::lock_guard lock(mutex_);
    if (auto known = find(key)) return known;
    bytes_ += made.front().bytes;
    all_.splice(all_.begin(), made);
    while (all_.size() > 1 && (all_.size() > most_ || bytes_ > most_bytes_)) {
      bytes_ -= all_.back().bytes;
      fallen.splice(fallen.begin(), all_, std::prev(all_.end()));
    }
    return all_.front().value;
  }

 private:
  struct entry {
    Key key;
    std::shared_ptr<Value> value;
    std::size_t bytes;
  };
  std::size_t most_, most_bytes_, bytes_ = 0;
  std::list<entry> all_;
  std::mutex mutex_;

  std::shared_ptr<Value> find(const Key& key) {
    for (auto at = all_.begin(); at != all_.end(); ++at)
      if (at->key == key) {
        all_.splice(all_.begin(), all_, at);
        return at->value;
      }
    return nullptr;
  }
};

}  // namespace lazyfuse::fft_detail

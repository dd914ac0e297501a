// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether an expression reads the memory that is written, and where (compiled).
#pragma once

#include <lazyfuse/plan/bind.hpp>

namespace lazyfuse::planning {

/// What an assignment finds out about the memory its expression reads, seen from its destination.
struct alias_scan {
  const allocation* owner;  ///< of the destination; null for borrowed memory
  const char* data;
  int element_size, rank;
  const index_t* extents;
  const index_t* steps;
  bool elsewhere = false;  ///< the destination is read at other positions than it is written

  template <class E>
  void scan(const E& e) {
    if constexpr (lower_detail::leaf_count < E >> 0) {
      const lower_detail::leaves<E> all(e);
      see(all.record, all.count);
    }
  }
  void see(const leaf_record* leaves, int count);
  /// Whether some of the elements are, or share bytes with, those of another one.
  bool overlaps(const alias_scan& other, index_t patience = index_t{1} << 62) const;
};

}  // namespace lazyfuse::planning

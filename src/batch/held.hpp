// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations that stand for others: they hold handles to these, and nothing else is freed with them.
#pragma once

#include <lazyfuse/batch/libraries.hpp>

#include <cstddef>
#include <vector>

namespace lazyfuse::batch_detail {

struct standing_for : allocation {
  std::vector<allocation*> held;
  std::vector<std::byte> table;  ///< on the host
  standing_for() = default;
  ~standing_for() { lazy_detail::drop(held.data(), static_cast<int>(held.size())); }
  standing_for(const standing_for&) = delete;
  standing_for& operator=(const standing_for&) = delete;

  /// Holds it too, unless it is nobody's.
  void hold(allocation* a);
  /// Of a batch: its arrays are held, and the table says where they are.
  void hold_all(const members& m);
};

}  // namespace lazyfuse::batch_detail

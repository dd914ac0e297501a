// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operation of a gather: its first operand is a table of elements (program/table.hpp), the others say which.
#pragma once

#include <lazyfuse/op/operation.hpp>
#include <lazyfuse/op/rule.hpp>

namespace lazyfuse::op {

/// The element of a table at an offset and an index along each of its axes.
struct take : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "take";
  static constexpr int cost = 4;
  template <class Table, class... Index>
    requires requires { Table::is_table; }
  LAZYFUSE_HD constexpr auto operator()(const Table& t, index_t offset, Index... i) const { return t.at(offset, i...); }
};

}  // namespace lazyfuse::op

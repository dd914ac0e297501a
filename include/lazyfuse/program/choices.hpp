// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations choose between operands by position, and read tables: those of programs that compute nothing.
#pragma once

#include <lazyfuse/op/bitwise.hpp>
#include <lazyfuse/op/comparison.hpp>
#include <lazyfuse/op/selection.hpp>
#include <lazyfuse/op/take.hpp>

namespace lazyfuse::ir {

template <class Op>
concept choice = __is_same(Op, op::where);
template <class Op>
concept comparison = __is_same(Op, op::less);
/// The opposite of that.
template <class Op>
concept opposite_comparison = __is_same(Op, op::greater_equal);
template <class Op>
concept conjunction = __is_same(Op, op::bitwise_and);
template <class Op>
concept table_read = __is_same(Op, op::take);

}  // namespace lazyfuse::ir

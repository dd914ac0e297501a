// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs cost less than their types say, once their operands are known: a power may be a square.
#pragma once

#include <lazyfuse/program/operand.hpp>
#include <lazyfuse/program/schedule.hpp>

namespace lazyfuse::ir {

namespace cost_detail {
template <class N, class Operands>
constexpr int saved_by(N*, const Operands&) {
  return 0;
}
template <class Op, class A, int I, class Operands>
constexpr int saved_by(apply<Op, A, arg<I>>*, const Operands& operands) {
  if constexpr (requires { Op::cost_saved(get<I>(operands).source.value); })
    return Op::cost_saved(get<I>(operands).source.value);
  else return 0;
}
template <class... N, class Operands>
constexpr int saved_by_all(list<N...>, const Operands& operands) {
  return (0 + ... + saved_by(static_cast<N*>(nullptr), operands));
}
}  // namespace cost_detail

/// Of the distinct sub-programs of a schedule, in the unit of its cost.
template <class Schedule, class Operands>
constexpr int cost_saved(const Operands& operands) {
  if constexpr (Schedule::found.saves)
    return cost_detail::saved_by_all(typename schedule_detail::nodes_of<typename Schedule::roots>::order{}, operands);
  else return 0;
}

}  // namespace lazyfuse::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs in a loop: an operation that applies a program to a value again and again, without leaving registers.
#pragma once

#include <lazyfuse/core/select.hpp>
#include <lazyfuse/op/operation.hpp>
#include <lazyfuse/op/rule.hpp>
#include <lazyfuse/program/evaluate.hpp>

namespace lazyfuse::ir {

namespace iterated_detail {
/// Operand 0 is the value so far, the others stay as they are.
template <class T, class Operands>
struct context {
  static constexpr bool precomputes = false;
  const T& value;
  const Operands& operands;
  template <int I>
  LAZYFUSE_HD const auto& operand() const {
    if constexpr (I == 0) return value;
    else return get<I - 1>(operands);
  }
};
template <class T>
struct result {
  static constexpr bool stores = false;
  T value;
  template <int>
  LAZYFUSE_HD void put(const T& v) {
    value = v;
  }
};
}  // namespace iterated_detail

/// Program of the value and of other operands, so many times: x = Program(x, operands...). The number of times is an
/// operand as well, so that one kernel is there for all of them.
template <class Program>
struct iterated : exact_operation {
  using rule = rules::unchanged;
  using once = schedule<list<Program>>;
  static constexpr const char* name = "repeat";
  /// Of many rounds, for types do not tell how many there will be: a thread of a GPU then takes one element.
  static constexpr int cost = 512 * (once::cost > 0 ? once::cost : 1);
  static constexpr int unrolled = once::cost >= 32 ? 1 : 32 / (once::cost > 0 ? once::cost : 1);

  template <class T, class... X>
  LAZYFUSE_HD T operator()(int64 times, T x, const X&... operands) const {
    const numbered<make_index_sequence<sizeof...(X)>, X...> others{{operands}...};
    const auto next = [&] {
      iterated_detail::result<T> made{x};
      evaluate<once>(iterated_detail::context<T, bare_t<decltype(others)>>{x, others}, made);
      x = made.value;
    };
#if defined(__CUDA_ARCH__)
#pragma unroll unrolled
    for (int64 i = 0; i < times; ++i) next();
#else
    // At least once, so that g++ vectorises the loop over elements around this one.
    const T start = x;
    int64 i = 0;
    do next();
    while (++i < times);
    x = math::select(times > 0, x, start);
#endif
    return x;
  }
};

}  // namespace lazyfuse::ir

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
  static constexpr int cost_of_once = once::cost > 0 ? once::cost : 1;
  /// Of many rounds, for types do not tell how many there will be; and of those that a GPU's compiler writes.
  static constexpr int cost = 512 * cost_of_once, written = cost_of_once < 96 ? 96 : cost_of_once;

  template <class T, class... X>
  LAZYFUSE_HD T operator()(int64 times, T x, const X&... operands) const {
#if defined(__CUDA_ARCH__)
    lanes<T, 1> one{{ x }};
    together(times, one, lanes<X, 1>{{ operands }}...);
    return one.value[0];
#else
    // At least once, so that g++ vectorises the loop over elements around this one.
    const numbered_from_1<X...> others{{operands}...};
    const T start = x;
    int64 i = 0;
    do x = next(x, others);
    while (++i < times);
    return math::select(times > 0, x, start);
#endif
  }

#if defined(__CUDACC__)
  /// Of elements of a thread together: rounds in turns of so many that counting them, by 32 bits, costs nothing.
  template <class T, int N, class... X>
  __device__ __forceinline__ static void together(int64 times, lanes<T, N>& x, const lanes<X, N>&... operands) {
    constexpr int most = 1 << 30, room = 512 / (cost_of_once * N),
                  turn = room >= 64   ? 64
                         : room >= 16 ? 16
                         : room >= 4  ? 4
                                      : 1;
#pragma unroll 1
    for (int64 left = times; left > 0; left -= most)
      turns<turn>(left < most ? static_cast<int>(left) : most, x, operands...);
  }
#endif

 private:
  template <class... X>
  using numbered_from_1 = numbered<make_index_sequence<sizeof...(X)>, X...>;
  template <class T, class Others>
  LAZYFUSE_HD static T next(const T& x, const Others& others) {
    iterated_detail::result<T> made{x};
    evaluate<once>(iterated_detail::context<T, Others>{x, others}, made);
    return made.value;
  }
#if defined(__CUDACC__)
  template <int Rounds, class T, int N, class... X>
  __device__ __forceinline__ static void turns(int left, lanes<T, N>& x, const lanes<X, N>&... operands) {
#pragma unroll 1
    for (; left >= Rounds; left -= Rounds)
#pragma unroll
      for (int i = 0; i < Rounds; ++i)
#pragma unroll
        for (int k = 0; k < N; ++k) x.value[k] = next(x.value[k], numbered_from_1<X...>{{operands.value[k]}...});
    if constexpr (Rounds > 1) turns<Rounds / 4>(left, x, operands...);
  }
#endif
};

}  // namespace lazyfuse::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of several elements by the usual case of their operations, without branches between them: where one of them
// is another case, all are computed again.
#pragma once

#include <lazyfuse/core/usual.hpp>
#include <lazyfuse/program/evaluate.hpp>

namespace lazyfuse::cuda_detail {

template <class Op, class... T>
concept has_usual_case = requires {
  Op::usual(standard::declval<bool&>(), standard::declval<const T&>()...);
};

/// Of operations that tell a usual case from others, that case; unusual: where one was another.
template <class Context>
struct usual_context : Context {
  static constexpr bool computes = true;
  bool& unusual;
  template <class Op, class... T>
  __device__ __forceinline__ auto compute(const T&... x) const {
    if constexpr (requires { Op::steps(*this, x...); }) return Op::steps(*this, x...);
    else if constexpr (has_usual_case<Op, T...>) return Op::usual(unusual, x...);
    else if constexpr (has_usual_case<Op, bare_t<decltype(math::plain(x))>...>)
      return Op::usual(unusual, math::plain(x)...);
    else return lazyfuse::compute<Op>(math::plain(x)...);
  }
};

/// Values of several elements. Operations on them stand side by side, so that one does not wait for another.
template <class T, int Count>
struct side_by_side {
  T value[Count];
};
template <int I, class T>
__device__ __forceinline__ const T& one_of(const T& x) {
  return x;
}
template <int I, class T, int Count>
__device__ __forceinline__ const T& one_of(const side_by_side<T, Count>& x) {
  return x.value[I];
}
/// Computes the usual case of Count elements; context_of(i): of one of them.
template <int Count, class ContextOf>
struct usual_contexts {
  static constexpr bool computes = true;
  static constexpr auto all = make_index_sequence<Count>{};
  const ContextOf& context_of;
  bool& unusual;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    return of_all([&](auto n) { return context_of(n.value).template operand<I>(); }, all);
  }
  template <class Op, class... T>
  __device__ __forceinline__ auto compute(const T&... x) const {
    const usual_context<bare_t<decltype(context_of(0))>> each{context_of(0), unusual};
    return of_all([&](auto n) { return each.template compute<Op>(one_of<n.value>(x)...); }, all);
  }

 private:
  template <int N>
  struct number {
    static constexpr int value = N;
  };
  template <class F, int... N>
  static __device__ __forceinline__ auto of_all(const F& f, index_sequence<N...>) {
    return side_by_side<decltype(f(number<0>{})), Count>{{f(number<N>{})...}};
  }
};
/// Takes what such contexts compute; sink_of(i): of one of them.
template <int Count, class SinkOf>
struct usual_sinks {
  static constexpr bool stores = bare_t<decltype(standard::declval<const SinkOf&>()(0))>::stores;
  const SinkOf& sink_of;
  template <int I, class T>
  __device__ __forceinline__ void put(const T& values) {
    put_each<I>(values, make_index_sequence<Count>{});
  }

 private:
  template <int I, class T, int... N>
  __device__ __forceinline__ void put_each(const T& values, index_sequence<N...>) {
    (sink_of(N).template put<I>(math::plain(one_of<N>(values))), ...);
  }
};
/// Evaluates the usual case of the schedule for Count elements, and says where one was another.
template <class Schedule, int Count, class ContextOf, class SinkOf>
__device__ __forceinline__ void evaluate_usual(bool& unusual, const ContextOf& context_of, const SinkOf& sink_of) {
  usual_sinks<Count, SinkOf> sinks{sink_of};
  ir::evaluate<Schedule>(usual_contexts<Count, ContextOf>{context_of, unusual}, sinks);
}

namespace usual_detail {
template <class P>
inline constexpr bool of_program = false;
template <class Op, class... A>
inline constexpr bool of_program<ir::apply<Op, A...>> = ir::has_branches<Op> || (of_program<A> || ...);
template <class Roots>
inline constexpr bool of_roots = false;
template <class... P>
inline constexpr bool of_roots<list<P...>> = (of_program<P> || ...);
}  // namespace usual_detail

/// Whether several elements are computed before what follows of any, since operations of the program take branches.
/// Kernels that are compiled with a program do without: the compiler would write all of it twice.
template <class Schedule>
#if defined(__CUDACC_RTC__)
inline constexpr bool computes_together = usual_detail::of_roots<typename Schedule::roots>;
#else
inline constexpr bool computes_together = false;
#endif

/// Evaluates the schedule for Count elements: context_of(i) and sink_of(i), which may be put a value twice.
template <class Schedule, int Count, class ContextOf, class SinkOf>
__device__ __forceinline__ void evaluate_all(const ContextOf& context_of, const SinkOf& sink_of) {
  bool unusual = !computes_together<Schedule>;
  if constexpr (computes_together<Schedule>) evaluate_usual<Schedule, Count>(unusual, context_of, sink_of);
  if (unusual)
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      auto sink = sink_of(i);
      ir::evaluate<Schedule>(context_of(i), sink);
    }
}

}  // namespace lazyfuse::cuda_detail

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

/// Takes what such a context computes.
template <class Sink>
struct usual_sink : Sink {
  template <int I, class T>
  __device__ __forceinline__ void put(const T& value) {
    Sink::template put<I>(math::plain(value));
  }
};

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
  if constexpr (computes_together<Schedule>)
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      usual_sink<bare_t<decltype(sink_of(i))>> sink{sink_of(i)};
      ir::evaluate<Schedule>(usual_context<bare_t<decltype(context_of(i))>>{context_of(i), unusual}, sink);
    }
  if (unusual)
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      auto sink = sink_of(i);
      ir::evaluate<Schedule>(context_of(i), sink);
    }
}

}  // namespace lazyfuse::cuda_detail

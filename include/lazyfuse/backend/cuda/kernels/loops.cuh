// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in a program (ir::iterated) run for all elements of a thread at a time: chains of operations that do not wait
// for each other, whose common operands the registers' cache keeps, and one counter for all.
#pragma once

#include <lazyfuse/backend/cuda/kernels/fetch.cuh>
#include <lazyfuse/program/evaluate.hpp>
#include <lazyfuse/program/value.hpp>

namespace lazyfuse::cuda_detail {

/// The distinct loops of programs, inner ones first.
struct visit_loops {
  template <class Found, class Op, class... A>
  struct apply {
    using inner = typename ir::gathered_all<visit_loops, Found, A...>::type;
    using self = ir::apply<Op, A...>;
    static constexpr bool is_new = requires { Op::written; }
    &&!contains<self, inner>;
    using type = typename appended_if<is_new, inner, self>::type;
  };
  template <class Found, class Kind, class... P>
  struct stage {
    using type = Found;
  };
};
template <class Roots>
struct loops_of;
template <class... P>
struct loops_of<list<P...>> : ir::gathered_all<visit_loops, list<>, P...> {};

/// What one loop made of each element.
template <class Loop, class Lanes>
struct loop_result {
  Lanes of;
};
template <class Loop, class Lanes>
__device__ __forceinline__ const Lanes& result_of(const loop_result<Loop, Lanes>& r) {
  return r.of;
}
template <class... Result>
struct loop_results : Result... {};

/// The context of a program some of whose loops have run.
template <class Fetched, int Width, class Results>
struct looped_context : register_context<Fetched> {
  static constexpr bool precomputes = true;
  const Results& loops;
  __device__ __forceinline__ looped_context(const Fetched& values, const Results& r, int d, int k)
      : register_context<Fetched>{values, d, k}, loops(r) {}
  template <class P>
    requires requires(const Results& r) { result_of<P>(r); }
  __device__ __forceinline__ auto precomputed() const { return result_of<P>(loops).value[this->d * Width + this->k]; }
};

/// Of all elements of a thread.
template <class P, int Width, int Depth, class Fetched, class Results>
__device__ __forceinline__ auto lanes_of(const Fetched& values, const Results& so_far) {
  using context = looped_context<Fetched, Width, Results>;
  using T = bare_t<decltype(ir::evaluator<P>::at(context(values, so_far, 0, 0)))>;
  ir::lanes<T, Width * Depth> all;
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) all.value[d * Width + k] = ir::evaluator<P>::at(context(values, so_far, d, k));
  return all;
}
/// The number of times is the same for all elements.
template <class Op, class Times, class Start, class... A, int Width, int Depth, class Fetched, class Results>
__device__ __forceinline__ auto run_loop(ir::apply<Op, Times, Start, A...>, index_sequence<Width, Depth>,
                                         const Fetched& values, const Results& so_far) {
  using context = looped_context<Fetched, Width, Results>;
  auto x = lanes_of<Start, Width, Depth>(values, so_far);
  Op::together(ir::evaluator<Times>::at(context(values, so_far, 0, 0)), x,
               lanes_of<A, Width, Depth>(values, so_far)...);
  return x;
}
/// Calls then(results) when all loops of the list have run.
template <int Width, int Depth, class Fetched, class Results, class Then>
__device__ __forceinline__ void with_loops(list<>, const Fetched&, const Results& so_far, const Then& then) {
  then(so_far);
}
template <int Width, int Depth, class Loop, class... Rest, class Fetched, class... Result, class Then>
__device__ __forceinline__ void with_loops(list<Loop, Rest...>, const Fetched& values,
                                           const loop_results<Result...>& so_far, const Then& then) {
  const auto x = run_loop(Loop{}, index_sequence<Width, Depth>{}, values, so_far);
  using made = loop_result<Loop, bare_t<decltype(x)>>;
  with_loops<Width, Depth>(list<Rest...>{}, values,
                           loop_results<Result..., made>{static_cast<const Result&>(so_far)..., made{x}}, then);
}

}  // namespace lazyfuse::cuda_detail

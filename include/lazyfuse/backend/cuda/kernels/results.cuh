// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From registers to memory: the results of a thread, and the evaluation that makes them.
#pragma once

#include <lazyfuse/backend/cuda/kernels/fetch.cuh>
#include <lazyfuse/backend/cuda/kernels/loops.cuh>
#include <lazyfuse/program/evaluate.hpp>
#include <lazyfuse/program/value.hpp>

namespace lazyfuse::cuda_detail {

/// The elements of one vector of results. Unrounded: their type until they are stored.
template <class T, class Unrounded, int Width>
struct result_lanes {
  T value[Width];
  __device__ __forceinline__ T operator[](int k) const { return value[k]; }
  template <class V>
  __device__ __forceinline__ void put(int k, const V& v) {
    value[k] = static_cast<T>(v);
  }
  __device__ __forceinline__ wide<T, Width> together() const {
    wide<T, Width> all;
#pragma unroll
    for (int k = 0; k < Width; ++k) all.value[k] = value[k];
    return all;
  }
};
/// What a program rounds to 16 bits last is rounded when it is stored, two by one instruction.
template <small_real T, int Width>
  requires(Width % 2 == 0)
struct result_lanes<T, float, Width> {
  float value[Width];
  __device__ __forceinline__ T operator[](int k) const { return T(value[k]); }
  __device__ __forceinline__ void put(int k, float v) { value[k] = v; }
  __device__ __forceinline__ wide<unsigned, Width / 2> together() const {
    wide<unsigned, Width / 2> all;
#pragma unroll
    for (int k = 0; k < Width; k += 2) {
      unsigned& pair = all.value[k / 2];
      if constexpr (standard::is_same_v<T, half>)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(value[k + 1]), "f"(value[k]));
      else asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(value[k + 1]), "f"(value[k]));
    }
    return all;
  }
};

/// Results of a thread before they are stored.
template <int Width, int Depth, class T, class Unrounded>
struct result {
  static constexpr bool can_be_wide = Width > 1 && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) * Width <= 16;
  result_lanes<T, Unrounded, Width> value[Depth];
  /// Row d, at once where it can be.
  __device__ __forceinline__ void one(int d, elements<T> to) const {
    if constexpr (can_be_wide) {
      const auto together = value[d].together();
      *reinterpret_cast<bare_t<decltype(together)>*>(reached<Width>(to)) = together;
    } else
#pragma unroll
      for (int k = 0; k < Width; ++k) to[k] = value[d][k];
  }
  /// The same for what nobody reads soon: caches give it up first.
  __device__ __forceinline__ void stream(int d, elements<T> to) const {
    if constexpr (can_be_wide && sizeof(T) * Width == 16)
      __stcs(reinterpret_cast<uint4*>(reached<Width>(to)), __builtin_bit_cast(uint4, value[d].together()));
    else one(d, to);
  }
  /// Whole rows, each at once where it can be.
  __device__ __forceinline__ void rows(elements<T> to, int pitch) const {
#pragma unroll
    for (int d = 0; d < Depth; ++d) one(d, to + d * pitch);
  }
  /// One by one, as far as there are `left`.
  __device__ __forceinline__ void each(elements<T> to, index_t step, int first, int pitch, int spacing,
                                       int left) const {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const int at = first + d * pitch + k * spacing;
        if (at < left) to[at * step] = value[d][k];
      }
  }
};
/// float for a root that rounds a float to T of 16 bits.
template <class Root, class Sources, class T>
struct unrounded_result {
  using type = T;
};
template <class Op, class P, class Sources, small_real T>
  requires(standard::is_same_v<typename Op::converts_to, T>&& standard::is_same_v<program_value_t<P, Sources>, float>)
struct unrounded_result<apply<Op, P>, Sources, T> {
  using type = float;
};

/// The results of the programs of a schedule.
template <class Roots, class Sources, int Width, int Depth, class... T>
struct results;
template <class... P, class Sources, int Width, int Depth, class... T>
struct results<list<P...>, Sources, Width, Depth, T...>
    : pack<result<Width, Depth, T, typename unrounded_result<P, Sources, T>::type>...> {
  template <int K>
  static constexpr bool rounds_on_store =
      !standard::is_same_v<type_at<K, T...>, type_at<K, typename unrounded_result<P, Sources, T>::type...>>;
};

template <class Results>
struct register_sink {
  static constexpr bool stores = false;
  /// Whether it takes what the program's root is to round as it is.
  template <int K>
  static constexpr bool rounds_on_store = Results::template rounds_on_store<K>;
  Results& to;
  int d, k;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& v) {
    get<I>(to).value[d].put(k, v);
  }
};

/// Apart: where elements of a thread are no neighbours, mostly.
template <int Apart = interleave, int Width, int Depth, class T, class Unrounded>
__device__ __forceinline__ void store(const result<Width, Depth, T, Unrounded>& from, elements<T> to, index_t pitch,
                                      index_t step, bool as_one, int spacing, bool full, const int (&valid)[Depth]) {
#pragma unroll
  for (int d = 0; d < Depth; ++d) {
    if constexpr (bare_t<decltype(from)>::can_be_wide) {
      if (as_one && (full || valid[d] >= Width)) {
        from.one(d, to + d * pitch);
        continue;
      }
    }
    if (step == 1 && spacing == Apart) {
#pragma unroll
      for (int k = 0; k < Width; ++k)
        if (full || k * Apart < valid[d]) to[d * pitch + k * Apart] = from.value[d][k];
    } else {
#pragma unroll
      for (int k = 0; k < Width; ++k)
        if (k * spacing < valid[d]) to[d * pitch + k * (spacing * step)] = from.value[d][k];
    }
  }
}

/// Whether results may lie in turn, one of each: those of pixels, of points, of what is stacked along a last axis.
/// launch/geometry.cpp finds out whether they do, and says so by targets that are wide and whose step is their number.
/// Checked builds look at what each of them writes.
template <class... T>
inline constexpr bool can_be_in_turn = false;
template <class First, class... T>
  requires(sizeof...(T) >= 1 && sizeof...(T) < most_in_turn)
inline constexpr bool can_be_in_turn<First, T...> =
    !ir::checked_build && (sizeof(First) == 1 || sizeof(First) == 2 || sizeof(First) == 4 || sizeof(First) == 8) &&
    ((sizeof(T) == sizeof(First)) && ...);
/// Row d of all of them: as many vectors as there are results.
template <class Roots, class Sources, int Width, int Depth, class First, class... T>
__device__ __forceinline__ void store_in_turn(const results<Roots, Sources, Width, Depth, First, T...>& from, int d,
                                              elements<First> to) {
  constexpr int count = 1 + int(sizeof...(T));
  using word = bits_of_size<sizeof(First)>;
  word all[Width * count];
  [&]<int... J>(index_sequence<J...>) {
#pragma unroll
    for (int k = 0; k < Width; ++k) ((all[k * count + J] = __builtin_bit_cast(word, get<J>(from).value[d][k])), ...);
  }
  (make_index_sequence<count>{});
  auto* const first = reinterpret_cast<wide<word, Width>*>(reached<Width * count>(to));
#pragma unroll
  for (int v = 0; v < count; ++v) {
    wide<word, Width> vector;
#pragma unroll
    for (int k = 0; k < Width; ++k) vector.value[k] = all[v * Width + k];
    first[v] = vector;
  }
}

template <class Schedule, int Width, int Depth, class ContextAt, class Results>
__device__ __forceinline__ void evaluate_each(const ContextAt& context_at, Results& to) {
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      register_sink<Results> sink{to, d, k};
      evaluate<Schedule>(context_at(d, k), sink);
    }
}
/// Evaluates the schedule for all elements of the thread.
template <class Schedule, int Width, int Depth, class Fetched, class Results>
__device__ __forceinline__ void compute(const Fetched& values, Results& to) {
  if constexpr (Schedule::found.loops)
    with_loops<Width, Depth>(
        typename loops_of<typename Schedule::roots>::type{}, values, loop_results<>{}, [&]<class All>(const All& all) {
          evaluate_each<Schedule, Width, Depth>(
              [&](int d, int k) { return looped_context<Fetched, Width, All>(values, all, d, k); }, to);
        });
  else evaluate_each<Schedule, Width, Depth>([&](int d, int k) { return register_context<Fetched>{values, d, k}; }, to);
}

}  // namespace lazyfuse::cuda_detail

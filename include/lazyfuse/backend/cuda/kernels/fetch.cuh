// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From memory to registers: the operands of one thread's elements, each as wide as its own layout allows.
#pragma once

#include <lazyfuse/backend/cuda/kernels/accesses.cuh>
#include <lazyfuse/backend/cuda/kernels/shares.hpp>
#include <lazyfuse/program/operand.hpp>

namespace lazyfuse::cuda_detail {

using namespace ir;

/// Distance between the elements of a thread where threads take neighbouring elements.
inline constexpr int interleave = 32;

/// How a kernel's threads share a row of Width elements each: neighbours within a thread, or across the warp.
struct spread {
  int spacing;  ///< between a thread's elements: 1, or interleave, or as many threads as there are, if they are fewer
  template <int Width>
  __device__ __forceinline__ int first(int thread) const {
    return spacing == 1 ? thread * Width : (thread & ~(interleave - 1)) * Width + (thread & (interleave - 1));
  }
};

/// The values of one operand for Depth times Width elements; here of what is computed.
template <class Source, int Width, int Depth>
struct fetched {
  static constexpr bool loads = true, is_memory = false;
  typename Source::value_type value[Depth][Width];
  __device__ __forceinline__ void all(const Source& s, index_t offset, index_t pitch, index_t step, bool, int spacing) {
    if constexpr (grouped_source<Source>) s.rows(value, offset, pitch, spacing * step);
    else {
      const index_t across = spacing * step;
#pragma unroll
      for (int d = 0; d < Depth; ++d, offset += pitch) {
        index_t at = offset;  // sums, for products of 64 bits cost more
#pragma unroll
        for (int k = 0; k < Width; ++k, at += across) value[d][k] = s.at(at);
      }
    }
  }
  __device__ __forceinline__ void some(const Source& s, index_t offset, index_t pitch, index_t step, bool as_one,
                                       int spacing, const int (&)[Depth]) {
    all(s, offset, pitch, step, as_one, spacing);
  }
  /// Of a source that is read through a map, elements that lie in what it reads as they do here: from an offset there.
  __device__ __forceinline__ void lying(const Source& s, index_t offset, index_t pitch, index_t step) {
#pragma unroll
    for (int d = 0; d < Depth; ++d) read_neighbours(value[d], s.source, offset + d * pitch, step);
  }
};

template <class T, int Width, int Depth>
struct fetched<constant<T>, Width, Depth> {
  static constexpr bool loads = false, is_memory = false;
  constant<T> in_registers;
  __device__ __forceinline__ void keep(const constant<T>& c, unsigned zero) {
    if constexpr (sizeof(T) == 4)
      new (&in_registers) constant<T>(__builtin_bit_cast(T, __builtin_bit_cast(unsigned, c.value) | zero));
    else new (&in_registers) constant<T>(c);
  }
};
template <class T, int Width, int Depth>
struct fetched<memory<T>, Width, Depth> {
  static constexpr bool loads = true, is_memory = true;
  static constexpr bool can_be_wide = Width > 1 && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) * Width <= 16;
  vector_elements<T, Width> value[Depth];

  __device__ __forceinline__ void one(int d, elements<const T> from) { value[d].read(reached<Width>(from)); }
  /// All elements exist, contiguous in rows a pitch apart; aligned if a thread takes neighbours.
  __device__ __forceinline__ void dense(elements<const T> from, index_t pitch, bool neighbours) {
    if constexpr (can_be_wide) {
      if (neighbours) {
#pragma unroll
        for (int d = 0; d < Depth; ++d) one(d, from + d * pitch);
        return;
      }
    }
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) value[d].put(k, from[d * pitch + k * interleave]);
  }
  /// The same, not aligned, and neighbours or interleaved.
  template <int Apart>
  __device__ __forceinline__ void singly(elements<const T> from, index_t pitch) {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) value[d].put(k, from[d * pitch + k * Apart]);
  }
  /// Of row d those elements whose distance from the first is below left, each d less by `piece`: neighbours or
  /// interleaved.
  template <int Apart, int... K>
  __device__ __forceinline__ void singly_below(elements<const T> from, index_t pitch, int left, int piece,
                                               index_sequence<K...>) {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
      (value[d].put(K, read_if<K * Apart>(from + d * pitch, d * piece + K * Apart < left)), ...);
  }
  /// The same, `step` apart.
  __device__ __forceinline__ void each_below(elements<const T> from, index_t pitch, index_t step, int left, int piece,
                                             int spacing) {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k)
        value[d].put(k, read_if<0>(from + (d * pitch + k * (spacing * step)), d * piece + k * spacing < left));
  }
  /// One element of each row, where it exists.
  __device__ __forceinline__ void same_below(elements<const T> from, index_t pitch, int left, int piece) {
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const T one = read_if<0>(from + d * pitch, d * piece < left);
#pragma unroll
      for (int k = 0; k < Width; ++k) value[d].put(k, one);
    }
  }
  /// The same of rows of which elements exist: what is computed of one value is computed once.
  __device__ __forceinline__ void same_valid(elements<const T> from, index_t pitch, const int (&valid)[Depth]) {
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const T one = read_if<0, true>(from + d * pitch, valid[d] > 0);
#pragma unroll
      for (int k = 0; k < Width; ++k) value[d].put(k, one);
    }
  }
  /// Of row d those elements whose distance from the first is below valid[d]: neighbours, or Apart from each other.
  template <int Apart, int... K>
  __device__ __forceinline__ void singly_valid(elements<const T> from, index_t pitch, const int (&valid)[Depth],
                                               index_sequence<K...>) {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
      (value[d].put(K, read_if<K * Apart, true>(from + d * pitch, K * Apart < valid[d])), ...);
  }
  /// Row d, at once where it can be.
  __device__ __forceinline__ void row(int d, elements<const T> from) {
    if constexpr (can_be_wide) one(d, from);
    else
#pragma unroll
      for (int k = 0; k < Width; ++k) value[d].put(k, from[k]);
  }
  /// One value for the first row.
  __device__ __forceinline__ void same(const T& v) {
#pragma unroll
    for (int k = 0; k < Width; ++k) value[0].put(k, v);
  }
  /// Whole rows.
  __device__ __forceinline__ void rows(elements<const T> from, int pitch) {
#pragma unroll
    for (int d = 0; d < Depth; ++d) row(d, from + d * pitch);
  }
  /// One by one, the last instead of what would lie beyond it.
  __device__ __forceinline__ void each(elements<const T> from, index_t step, int first, int pitch, int spacing,
                                       int last) {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const int at = first + d * pitch + k * spacing;
        value[d].put(k, from[(at < last ? at : last) * step]);
      }
  }
  /// All elements exist. pitch: from one d to the next; step: between neighbours of a row.
  __device__ __forceinline__ void all(const memory<T>& s, index_t offset, index_t pitch, index_t step, bool as_one,
                                      int spacing) {
    const elements<const T> from = s.data + offset;
    if constexpr (can_be_wide) {
      if (as_one) {
#pragma unroll
        for (int d = 0; d < Depth; ++d) one(d, from + d * pitch);
        return;
      }
    }
    if (step == 1 && spacing == interleave) {
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; ++k) value[d].put(k, from[d * pitch + k * interleave]);
    } else if (step == 0) {
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        const T same = from[d * pitch];
#pragma unroll
        for (int k = 0; k < Width; ++k) value[d].put(k, same);
      }
    } else {
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; ++k) value[d].put(k, from[d * pitch + k * (spacing * step)]);
    }
  }
  /// Of row d, only elements whose distance from the first is below valid[d] exist. AtOnce: without branches between
  /// single elements, in their place among other accesses, for the kernel may write what it reads.
  template <bool AtOnce = false>
  __device__ __forceinline__ void some(const memory<T>& s, index_t offset, index_t pitch, index_t step, bool as_one,
                                       int spacing, const int (&valid)[Depth]) {
    const elements<const T> from = s.data + offset;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      if constexpr (can_be_wide) {
        if (as_one && valid[d] >= Width) {
          one(d, from + d * pitch);
          continue;
        }
      }
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        if constexpr (AtOnce)
          value[d].put(k, read_if<0, true>(from + (d * pitch + k * (spacing * step)), k * spacing < valid[d]));
        else if (k * spacing < valid[d]) value[d].put(k, from[d * pitch + k * (spacing * step)]);
        else value[d].put(k, T{});
      }
    }
  }
};

/// The values of all operands of a thread.
template <int Width, int Depth, class Sources>
struct fetched_pack;
template <int Width, int Depth, class... Src>
struct fetched_pack<Width, Depth, list<Src...>> : pack<fetched<Src, Width, Depth>...> {};

/// What is not read from memory. A zero that the compiler does not know keeps constants in registers: it would
/// read them again at every use.
template <class Fetched, class Operand>
__device__ __forceinline__ void keep_constant(Fetched& f, const Operand& o, unsigned zero) {
  if constexpr (!Fetched::loads) f.keep(o.source, zero);
}
template <class Fetched, int... I>
__device__ __forceinline__ void keep_constants(Fetched& values, const auto& operands, unsigned zero,
                                               index_sequence<I...>) {
  (keep_constant(get<I>(values), get<I>(operands), zero), ...);
}

/// The context of a program: element (d, k) of the thread.
template <class Fetched>
struct register_context {
  const Fetched& values;
  int d, k;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    const auto& f = get<I>(values);
    if constexpr (bare_t<decltype(f)>::loads) return f.value[d][k];
    else return f.in_registers.value;
  }
};
}  // namespace lazyfuse::cuda_detail

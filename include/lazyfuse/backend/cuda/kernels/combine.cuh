// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions share: merging over blocks and the grid, the epilogue.
#pragma once

#include <lazyfuse/backend/cuda/kernels/merge_lanes.cuh>
#include <lazyfuse/backend/cuda/kernels/reduce_layout.hpp>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int K, int R, class Facts = layout_facts<>>
struct reduce_parameters : bound_to<Operands, Targets>, reduce_numbers<K, R> {
  using facts = Facts;
};

/// What a thread that adds up Width lanes has in registers, of elements that it reads at a time.
template <class Set, int Width>
constexpr int sum_bytes(auto sources, int elements) {
  return memory_bytes(sources) * elements + 2 * Width * int(sizeof(typename Set::accumulators));
}

/// Merges some of many values into each of Count totals: first, first + step, ... of all there are, in runs, which are
/// merged among themselves first. value(k, i): the i-th for total k.
template <int Count, class Set, class Value>
__device__ __forceinline__ void merge_in_runs(typename Set::accumulators (&total)[Count], unsigned first, unsigned all,
                                              unsigned step, const Value& value) {
  constexpr unsigned run = 8;
  for (; first < all; first += run * step) {
    typename Set::accumulators part[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) part[k] = value(k, first);
    const unsigned end = all - first < run * step ? all : first + run * step;
    for (unsigned i = first + step; i < end; i += step)
#pragma unroll
      for (int k = 0; k < Count; ++k) Set::merge(part[k], value(k, i));
#pragma unroll
    for (int k = 0; k < Count; ++k) Set::merge(total[k], part[k]);
  }
}

/// Whether a merge takes so long that several at a time, on one level, take less.
template <class M, class T>
concept dearly_merged = levelling_monoid<M, T> && M::merges_dearly;
/// How many accumulators a thread merges at a time, as many as its registers have room for; or one by one, as two would
/// be.
template <class Set>
inline constexpr int merged_at_a_time = []<int... I>(index_sequence<I...>) {
  int n = (dearly_merged<typename Set::template monoid<I>, typename Set::template value_type<I>> || ...) ? 8 : 1;
  while (n > 1 && n * int(sizeof(typename Set::accumulators)) > reduce_tuning::most_merged_bytes) n /= 2;
  return n > 2 ? n : 1;
}
(make_index_sequence<Set::size>{});
/// Merges value(own), value(own + step), ... before value(all) into a, several at a time, in an order that is always
/// the same; own < step, but for threads whose result nobody takes, and all > 0. All threads take the same turns, and
/// read whether there are so many or not: what is read under a condition waits for what was read before, and where
/// lanes of a warp took different turns, memcheck found reads at addresses that none of them had computed (ptxas 13.0
/// keeps their base in a register of the warp).
template <class Set, class Value>
__device__ __forceinline__ void merge_together(typename Set::accumulators& a, int own, int all, int step,
                                               const Value& value) {
  constexpr int together = merged_at_a_time<Set>;
  for (int turn = 0; turn < all; turn += (together - 1) * step) {
    typename Set::accumulators part[together];
    part[0] = a;
#pragma unroll
    for (int i = 1; i < together; ++i) {
      const int next = turn + (i - 1) * step + own;
      part[i] = value(next < all ? next : all - 1);
      if (next >= all) Set::clear(part[i]);
    }
    merge_within<Set>(part);
    a = part[0];
  }
}
/// Reads one of an array in scratch memory, which begins at a whole uint4, in the widest words that divide it: its type
/// asks for the alignment of what is in it, and to ask for more takes team kernels registers.
template <class T>
__device__ __forceinline__ T read_in_words(const T* from) {
  static_assert(standard::is_trivially_copyable_v<T> && sizeof(T) % sizeof(unsigned) == 0);
  using word = standard::conditional_t<sizeof(T) % sizeof(uint4) == 0, uint4,
                                       standard::conditional_t<sizeof(T) % sizeof(uint2) == 0, uint2, unsigned>>;
  word parts[sizeof(T) / sizeof(word)];
#pragma unroll
  for (unsigned w = 0; w < sizeof(T) / sizeof(word); ++w) parts[w] = reinterpret_cast<const word*>(from)[w];
  T value;
  memcpy(&value, parts, sizeof(T));
  return value;
}

/// Whether this block is the last of `blocks` to arrive at the ticket; what others wrote before is then visible.
__device__ __forceinline__ bool arrives_last(unsigned* ticket, unsigned blocks) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {  // for the whole block: the barriers around it order what the others write and read
    unsigned before;       // wraps to zero for the next kernel
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(ticket), "r"(blocks - 1)
                 : "memory");
    last = before == blocks - 1;
  }
  __syncthreads();
  return last;
}

template <class Set, class Operands, int K>
struct output_context {
  const Operands& operands;
  const index_t (&at)[K > 0 ? K : 1];
  const typename Set::accumulators& values;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    const auto& o = get<I>(operands);
    if constexpr (requires { o.steps; }) {
      index_t offset = 0;
#pragma unroll
      for (int k = 0; k < K; ++k) offset += at[k] * o.steps[k];
      return o.source.at(offset);
    } else return o.source.value;
  }
  template <class P>
  __device__ __forceinline__ auto stage_value() const {
    return get<Set::template index_of<P>>(values);
  }
};
template <int K, class Targets>
struct output_sink {
  static constexpr bool stores = true;
  const Targets& targets;
  const index_t (&at)[K > 0 ? K : 1];
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    const auto& t = get<I>(targets);
    auto to = t.data;
#pragma unroll
    for (int k = 0; k < K; ++k) to += at[k] * t.steps[k];
    *to = value;
  }
};
template <class Set, class Epilogue, int K>
__device__ __forceinline__ void finish(const auto& p, const index_t (&at)[K > 0 ? K : 1],
                                       const typename Set::accumulators& total) {
  output_sink<K, bare_t<decltype(p.targets)>> sink{p.targets, at};
  evaluate<Epilogue>(output_context<Set, bare_t<decltype(p.operands)>, K>{p.operands, at, total}, sink);
}

/// Adds the offsets of all operands at a position of a walk over axes [From, ...).
template <int From, int... I>
__device__ __forceinline__ void add_offsets(index_t* offset, const auto& walk, index_t linear, const auto& operands,
                                            index_sequence<I...>) {
  walk(linear, [&](int axis, index_t at) {
    const auto add = [&](index_t& to, const auto& o) {
      if constexpr (requires { o.steps; }) to += at * o.steps[From + axis];
    };
    (add(offset[I], get<I>(operands)), ...);
  });
}

/// Combines what is in registers; exists(d, k): whether an element is of the array. InOrder: no other call of the
/// thread has elements of earlier places.
template <class Set, bool Guarded, bool InOrder, int Width, int Depth, bool Columns, class Values, class Exists>
__device__ __forceinline__ void combine_values(thread_sums<Set, Width, Columns>& sums, const Values& values,
                                               const Exists& exists) {
  combine<Set, Guarded, false, InOrder, Width, Depth, true>(
      sums,
      [&](int d, int k) {
        return register_context<Values>{values, d, k};
      },
      exists);
}

/// Between a thread's elements along the inner axis.
__device__ __forceinline__ int spacing_of(const auto& p) {
  return bare_t<decltype(p)>::facts::all_dense || p.consecutive ? 1 : interleave;
}

/// Depth full units whose offsets are a pitch apart. dense: all memory is contiguous along both axes, and
/// aligned where threads take neighbours, so that there is nothing to decide per operand. InOrder: the units of a
/// thread come in the order of their places, which those of several axes, sorted by their steps, do not.
template <class Set, bool InOrder, int Width, int Depth, bool Columns, class... Src, int... I>
__device__ __forceinline__ void combine_full(thread_sums<Set, Width, Columns>& sums, const auto& p,
                                             const index_t (&base)[sizeof...(Src) + 1], index_t at, index_t pitch,
                                             int walked, int axis, int spacing, bool dense, list<Src...>,
                                             index_sequence<I...>) {
  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&]<int N>(auto& f, const auto& o, index_sequence<N>) {
    using facts = typename bare_t<decltype(p)>::facts;
    constexpr along_inner known = facts::template of<N>;
    if constexpr (bare_t<decltype(f)>::loads) {
      if constexpr (known != along_inner::not_known) {
        const index_t step = walked != axis ? o.steps[walked] : known == along_inner::same ? 0 : 1;
        if constexpr (known == along_inner::same) f.all(o.source, base[N] + at * step, pitch * step, 0, false, spacing);
        else if constexpr (known == along_inner::neighbours)
          f.template singly<1>(o.source.data + base[N] + at * step, pitch * step);
        else if constexpr (known == along_inner::interleaved)
          f.template singly<interleave>(o.source.data + base[N] + at * step, pitch * step);
        else f.dense(o.source.data + base[N] + at * step, pitch * step, true);
        return;
      } else if constexpr (requires { o.source.data; }) {
        if constexpr (facts::all_dense) {
          const index_t step = walked != axis ? o.steps[walked] : 1;
          // It is dense; but behind a branch the loads stay together, before what is computed with the first.
          if (p.dense) f.dense(o.source.data + base[N] + at * step, pitch * step, true);
          return;
        }
        if (dense) return f.dense(o.source.data + base[N] + at, pitch, p.consecutive);
      }
      const index_t step = o.steps[walked];
      f.all(o.source, base[N] + at * step, pitch * step, o.steps[axis], p.consecutive && has_bit(p.wide, N), spacing);
    }
  };
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}), ...);
  keep_constants(values, p.operands, 0, index_sequence<I...>{});
  combine_values<Set, false, InOrder, Width, Depth>(sums, values, [](int, int) { return true; });
}
/// One unit of which only some elements exist.
template <class Set, int Width, bool Columns, class... Src, int... I>
__device__ __forceinline__ void combine_some(thread_sums<Set, Width, Columns>& sums, const auto& p,
                                             const index_t (&offset)[sizeof...(Src) + 1], int valid, int axis,
                                             int spacing, list<Src...>, index_sequence<I...>) {
  fetched_pack<Width, 1, list<Src...>> values;
  const int some[1] = {valid};
  const auto load = [&](auto& f, const auto& o, int i) {
    using fetched = bare_t<decltype(f)>;
    if constexpr (fetched::loads) {
      constexpr bool known = fetched::is_memory && bare_t<decltype(p)>::facts::all_dense;
      f.some(o.source, offset[i], 0, known ? 1 : o.steps[axis], known || (p.consecutive && has_bit(p.wide, i)), spacing,
             some);
    }
  };
  (load(get<I>(values), get<I>(p.operands), I), ...);
  keep_constants(values, p.operands, 0, index_sequence<I...>{});
  combine_values<Set, true, false, Width, 1>(sums, values, [&](int, int k) { return k * spacing < valid; });
}
/// Depth units of rows, of which the thread's first elements are a pitch apart along axis `walked`, and `piece` along
/// the inner axis. left: elements from the first of them to the end of the row, or of the block's part of it; none if
/// it is not above 0. What is read in vectors has whole ones.
template <class Set, int Width, int Depth, class... Src, int... I>
__device__ __forceinline__ void combine_left(thread_sums<Set, Width>& sums, const auto& p,
                                             const index_t (&offset)[sizeof...(Src) + 1], int walked, index_t pitch,
                                             int piece, int left, int axis, int spacing, list<Src...>,
                                             index_sequence<I...>) {
  using facts = typename bare_t<decltype(p)>::facts;
  constexpr auto across = make_index_sequence<Width>{};
  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&]<int N>(auto& f, const auto& o, index_sequence<N>) {
    using fetched = bare_t<decltype(f)>;
    if constexpr (fetched::loads) {
      constexpr along_inner known = facts::template of<N>;
      const index_t apart = pitch * o.steps[walked];
      if constexpr (!fetched::is_memory)
        f.all(o.source, offset[N], apart + piece * o.steps[axis], o.steps[axis], false, spacing);
      else {
        const auto from = o.source.data + offset[N];
        if constexpr (known == along_inner::same) f.same_below(from, apart, left, piece);
        else if constexpr (known == along_inner::neighbours)
          f.template singly_below<1>(from, apart + piece, left, piece, across);
        else if constexpr (known == along_inner::interleaved)
          f.template singly_below<interleave>(from, apart + piece, left, piece, across);
        else {
          if constexpr (fetched::can_be_wide) {
            if (facts::all_dense || known == along_inner::vectors || (p.consecutive && has_bit(p.wide, N))) {
              // The row's last vector instead of those beyond.
#pragma unroll
              for (int d = 0; d < Depth; ++d)
                f.row(d, from + (d * apart + (d * piece < left - Width ? d * piece : left - Width)));
              return;
            }
          }
          f.each_below(from, apart + piece * o.steps[axis], o.steps[axis], left, piece, spacing);
        }
      }
    }
  };
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}), ...);
  keep_constants(values, p.operands, 0, index_sequence<I...>{});
  const auto exists = [&](int d, int k) { return d * piece + k * spacing < left; };
  if constexpr (Depth > 1 && takes_some_together<Set>)
    if (exists(Depth - 1, Width - 1)) return combine_values<Set, false, false, Width, Depth>(sums, values, exists);
  combine_values<Set, true, false, Width, Depth>(sums, values, exists);
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce on the GPU: every thread combines the prologue's values of its elements in registers, groups of
// threads merge through warp shuffles and shared memory, blocks that share an output through memory. No
// value is combined by an atomic, so results repeat bit for bit; a ticket only elects the block that ends.
#pragma once

#include <lazyfuse/backend/cuda/transform.cuh>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int K, int R>
struct reduce_parameters {
  Operands operands;
  Targets targets;
  axes_walk<K> kept;
  axes_walk<R - K> reduced;  ///< all reduced axes; the last one counts chunks if the inner loop runs along it
  index_t outputs, inner, units, units_per_split;
  index_t whole_chunks;  ///< pieces of the inner axis without a gap
  bool small_units;
  wide_bits wide;
  unsigned chunks, splits;
  divisor chunk_divisor;
  int group, lanes;
  bool consecutive;
  unsigned* tickets;
  void* partial;
};

/// The accumulators of one thread: Width of each, so that neighbours do not wait for each other.
template <class Set, int Width>
struct thread_sums {
  typename Set::accumulators lane[Width];
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int k = 0; k < Width; ++k) Set::clear(lane[k]);
  }
};

template <class Set, bool Guarded>
struct combine_sink {
  typename Set::accumulators& to;
  bool valid;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    auto& mine = get<I>(to);
    const auto combined = typename Set::template monoid<I>{}(mine, value);
    mine = !Guarded || valid ? combined : mine;
  }
};

/// The value of another lane of the warp, for any trivially copyable type.
template <class T>
__device__ __forceinline__ T shuffle_xor(const T& value, int mask) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using word = ::cuda::std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    return __builtin_bit_cast(T, __shfl_xor_sync(~0u, __builtin_bit_cast(word, value), mask));
  } else {
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned part[words] = {};
    T result = value;
    __builtin_memcpy(part, &value, sizeof(T));
#pragma unroll
    for (int w = 0; w < words; ++w) part[w] = __shfl_xor_sync(~0u, part[w], mask);
    __builtin_memcpy(&result, part, sizeof(T));
    return result;
  }
}
template <class Set, int... I>
__device__ __forceinline__ void merge_lanes(typename Set::accumulators& a, int mask, indices<I...>) {
  typename Set::accumulators other;
  ((get<I>(other) = shuffle_xor(get<I>(a), mask)), ...);
  Set::merge(a, other);
}

/// Merges over groups of `group` neighbouring threads; every thread of a warp-sized group, and the first
/// thread of a larger one, ends with the total. All threads of the block take part.
template <class Set>
__device__ __forceinline__ void merge_group(typename Set::accumulators& a, int group) {
  using accumulators = typename Set::accumulators;
  const int within = group < 32 ? group : 32;
  for (int mask = 1; mask < within; mask *= 2) merge_lanes<Set>(a, mask, make_indices<Set::size>{});
  if (group > 32) {
    __shared__ accumulators warp_totals[block_threads / 32];
    const int warp = threadIdx.x / 32, warps = group / 32;
    __syncthreads();
    if ((threadIdx.x & 31) == 0) warp_totals[warp] = a;
    __syncthreads();
    if ((threadIdx.x & (group - 1)) == 0)
      for (int w = 1; w < warps; ++w) Set::merge(a, warp_totals[warp + w]);
  }
}

/// Whether this block is the last of `blocks` to arrive at the ticket; what others wrote before is then visible.
__device__ __forceinline__ bool arrives_last(unsigned* ticket, unsigned blocks) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(ticket, blocks - 1) == blocks - 1;  // wraps to zero for the next kernel
  __syncthreads();
  __threadfence();
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
  __device__ __forceinline__ auto reduced() const {
    return get<Set::template index_of<P>>(values);
  }
};
template <int K, class Targets>
struct output_sink {
  const Targets& targets;
  const index_t (&at)[K > 0 ? K : 1];
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    const auto& t = get<I>(targets);
    auto* to = t.data;
#pragma unroll
    for (int k = 0; k < K; ++k) to += at[k] * t.steps[k];
    *to = value;
  }
};
template <class Set, class Epilogue, int K>
__device__ __forceinline__ void finish(const auto& p, const index_t (&at)[K > 0 ? K : 1], const typename Set::accumulators& total) {
  output_sink<K, bare_t<decltype(p.targets)>> sink{p.targets, at};
  evaluate<Epilogue>(output_context<Set, bare_t<decltype(p.operands)>, K>{p.operands, at, total}, sink);
}

/// Adds the offsets of all operands at a position of a walk over axes [From, ...).
template <int From, int... I>
__device__ __forceinline__ void add_offsets(index_t* offset, const auto& walk, index_t linear, const auto& operands, indices<I...>) {
  walk(linear, [&](int axis, index_t at) {
    const auto add = [&](index_t& to, const auto& o) {
      if constexpr (requires { o.steps; }) to += at * o.steps[From + axis];
    };
    (add(offset[I], get<I>(operands)), ...);
  });
}

/// Evaluates the prologue for the elements in registers and combines them.
template <class Set, bool Guarded, int Width, int Depth, class Values>
__device__ __forceinline__ void combine(thread_sums<Set, Width>& sums, const Values& values, const auto& operands, int spacing, int valid) {
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      combine_sink<Set, Guarded> sink{sums.lane[k], k * spacing < valid};
      evaluate<typename Set::prologue>(register_context<Values, bare_t<decltype(operands)>>{values, operands, d, k}, sink);
    }
}

/// Depth full units whose offsets are a pitch apart.
template <class Set, int Width, int Depth, class... Src, int... I>
__device__ __forceinline__ void combine_full(thread_sums<Set, Width>& sums, const auto& p, const index_t (&base)[sizeof...(Src) + 1], index_t at, index_t pitch, int walked, int axis,
                                             int spacing, list<Src...>, indices<I...>) {
  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&]<int N>(auto& f, const auto& o, indices<N>) {
    if constexpr (f.loads) {
      const index_t step = o.steps[walked];
      f.all(o.source, base[N] + at * step, pitch * step, o.steps[axis], p.consecutive && ((p.wide >> N) & 1), spacing);
    }
  };
  (load(get<I>(values), get<I>(p.operands), indices<I>{}), ...);
  combine<Set, false, Width, Depth>(sums, values, p.operands, spacing, 0);
}
/// One unit of which only some elements exist.
template <class Set, int Width, class... Src, int... I>
__device__ __forceinline__ void combine_some(thread_sums<Set, Width>& sums, const auto& p, const index_t (&offset)[sizeof...(Src) + 1], int valid, int axis, int spacing, list<Src...>,
                                             indices<I...>) {
  fetched_pack<Width, 1, list<Src...>> values;
  const int some[1] = {valid};
  const auto load = [&](auto& f, const auto& o, int i) {
    if constexpr (f.loads) f.some(o.source, offset[i], 0, o.steps[axis], p.consecutive && ((p.wide >> i) & 1), spacing, some);
  };
  (load(get<I>(values), get<I>(p.operands), I), ...);
  combine<Set, true, Width, 1>(sums, values, p.operands, spacing, valid);
}

/// The inner loop runs along the reduced axis R - 1: `group` threads share an output.
template <class Set, class Epilogue, int K, int R, int Width, int Depth, class... Src>
__device__ __forceinline__ void rows_body(const auto& p, list<Src...> sources) {
  constexpr auto seq = make_indices<sizeof...(Src)>{};
  constexpr int count = sizeof...(Src) + 1;
  const unsigned tile = blockIdx.x / p.splits, split = blockIdx.x - tile * p.splits;
  const int member = static_cast<int>(threadIdx.x) & (p.group - 1);
  const int lane = member & (p.lanes - 1), line = member / p.lanes, lines = p.group / p.lanes;
  const index_t output = static_cast<index_t>(tile) * (block_threads / p.group) + threadIdx.x / p.group;
  const bool active = output < p.outputs;
  const spread threads{p.consecutive ? 1 : interleave};
  const int spacing = threads.spacing, first = threads.template first<Width>(lane);
  const int span = p.lanes * Width;

  index_t base[count] = {};
  if (active) add_offsets<0>(base, p.kept, output, p.operands, seq);

  thread_sums<Set, Width> sums;
  sums.clear();
  const index_t begin = split * p.units_per_split, limit = begin + p.units_per_split < p.units ? begin + p.units_per_split : p.units;
  const index_t end = active ? limit : begin;
  index_t unit = begin + line;
  if (p.units == p.chunks) {  // one axis is reduced: units are pieces of it
    const index_t whole = p.whole_chunks < end ? p.whole_chunks : end;
    for (; unit + (Depth - 1) * lines < whole; unit += Depth * lines)
      combine_full<Set, Width, Depth>(sums, p, base, unit * span + first, static_cast<index_t>(lines) * span, R - 1, R - 1, spacing, sources, seq);
  }
  for (; unit < end; unit += lines) {
    index_t row = 0, chunk = unit;
    if (p.units != p.chunks) {
      if (p.small_units) {
        const unsigned q = p.chunk_divisor.quotient(static_cast<unsigned>(unit));
        row = q;
        chunk = static_cast<unsigned>(unit) - q * p.chunks;
      } else {
        row = unit / p.chunks;
        chunk = unit - row * p.chunks;
      }
    }
    const index_t column = chunk * span + first, left = p.inner - column;
    index_t offset[count];
    const auto start = [&](index_t& to, index_t from, const auto& o) {
      if constexpr (requires { o.steps; }) to = from + column * o.steps[R - 1];
      else to = 0;
    };
    [&]<int... I>(indices<I...>) { (start(offset[I], base[I], get<I>(p.operands)), ...); }(seq);
    if constexpr (R - K > 1) add_offsets<K>(offset, p.reduced, row, p.operands, seq);
    combine_some<Set, Width>(sums, p, offset, static_cast<int>(left < Width * interleave ? left : Width * interleave), R - 1, spacing, sources, seq);
  }

#pragma unroll
  for (int half = Width / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) Set::merge(sums.lane[k], sums.lane[k + half]);
  merge_group<Set>(sums.lane[0], p.group);

  if (p.splits > 1) {  // then the group is the block
    using accumulators = typename Set::accumulators;
    accumulators* const partial = static_cast<accumulators*>(p.partial) + static_cast<index_t>(tile) * p.splits;
    if (threadIdx.x == 0) partial[split] = sums.lane[0];
    if (!arrives_last(p.tickets + tile, p.splits)) return;
    Set::clear(sums.lane[0]);
    for (unsigned s = threadIdx.x; s < p.splits; s += block_threads) Set::merge(sums.lane[0], partial[s]);
    merge_group<Set>(sums.lane[0], block_threads);
  }
  if (active && member == 0) {
    index_t at[K > 0 ? K : 1] = {};
    if constexpr (K > 0) p.kept(output, [&](int axis, index_t i) { at[axis] = i; });
    finish<Set, Epilogue, K>(p, at, sums.lane[0]);
  }
}

template <class Set, class Epilogue, class Sources, int K, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) reduce_rows(const __grid_constant__ Parameters p) {
  rows_body<Set, Epilogue, K, R, Width, Depth>(p, Sources{});
}

/// The inner loop runs along the kept axis K - 1: lanes own columns, lines share the reduced range.
template <class Set, class Epilogue, int K, int R, int Width, int Depth, class... Src>
__device__ __forceinline__ void columns_body(const auto& p, list<Src...> sources) {
  constexpr auto seq = make_indices<sizeof...(Src)>{};
  constexpr int count = sizeof...(Src) + 1;
  using accumulators = typename Set::accumulators;
  __shared__ accumulators shared[block_threads];
  const unsigned tile = blockIdx.x / p.splits, split = blockIdx.x - tile * p.splits;
  const unsigned outer = tile / p.chunks, chunk = tile - outer * p.chunks;
  const int lane = static_cast<int>(threadIdx.x) & (p.lanes - 1), line = static_cast<int>(threadIdx.x) / p.lanes, lines = block_threads / p.lanes;
  const spread threads{p.consecutive ? 1 : interleave};
  const int spacing = threads.spacing, first = threads.template first<Width>(lane);
  const int span = p.lanes * Width;
  const index_t column = static_cast<index_t>(chunk) * span + first, left = p.inner - column;
  const int in_row = static_cast<int>(left < Width * interleave ? left : Width * interleave);
  const bool whole_columns = (static_cast<index_t>(chunk) + 1) * span <= p.inner;

  // Kept position of the first element: the outer axes, and the column.
  index_t base[count] = {}, at[K] = {};
  p.kept(outer * p.inner, [&](int axis, index_t i) { at[axis] = i; });
  at[K - 1] = column;
  const auto kept_offset = [&](index_t& to, const auto& o) {
    if constexpr (requires { o.steps; })
#pragma unroll
      for (int k = 0; k < K; ++k) to += at[k] * o.steps[k];
  };
  [&]<int... I>(indices<I...>) { (kept_offset(base[I], get<I>(p.operands)), ...); }(seq);

  thread_sums<Set, Width> sums;
  sums.clear();
  const index_t begin = split * p.units_per_split, end = begin + p.units_per_split < p.units ? begin + p.units_per_split : p.units;
  index_t unit = begin + line;
  if (whole_columns && p.reduced.first == R - K - 1) {  // one axis is reduced
    for (; unit + (Depth - 1) * lines < end; unit += Depth * lines)
      combine_full<Set, Width, Depth>(sums, p, base, unit, lines, R - 1, K - 1, spacing, sources, seq);
  }
  for (; unit < end; unit += lines) {
    index_t offset[count];
#pragma unroll
    for (int i = 0; i < count; ++i) offset[i] = base[i];
    add_offsets<K>(offset, p.reduced, unit, p.operands, seq);
    combine_some<Set, Width>(sums, p, offset, in_row, K - 1, spacing, sources, seq);
  }

  // Lines merge through shared memory, a column at a time; the order is fixed.
  const auto merge_lines = [&] {
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      for (int half = lines / 2; half > 0; half /= 2) {
        __syncthreads();
        if (line >= half && line < 2 * half) shared[threadIdx.x] = sums.lane[k];
        __syncthreads();
        if (line < half) Set::merge(sums.lane[k], shared[threadIdx.x + half * p.lanes]);
      }
    }
  };
  merge_lines();

  if (p.splits > 1) {
    accumulators* const partial = static_cast<accumulators*>(p.partial) + static_cast<index_t>(tile) * p.splits * span;
    const int slot = lane * Width;  // of the thread, whatever its columns
    if (line == 0)
#pragma unroll
      for (int k = 0; k < Width; ++k) partial[static_cast<index_t>(split) * span + slot + k] = sums.lane[k];
    if (!arrives_last(p.tickets + tile, p.splits)) return;
    sums.clear();
    for (unsigned s = line; s < p.splits; s += lines)
#pragma unroll
      for (int k = 0; k < Width; ++k) Set::merge(sums.lane[k], partial[static_cast<index_t>(s) * span + slot + k]);
    merge_lines();
  }
  if (line == 0) {
#pragma unroll
    for (int k = 0; k < Width; ++k)
      if (k * spacing < in_row) {
        at[K - 1] = column + k * spacing;
        finish<Set, Epilogue, K>(p, at, sums.lane[k]);
      }
  }
}

template <class Set, class Epilogue, class Sources, int K, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) reduce_columns(const __grid_constant__ Parameters p) {
  columns_body<Set, Epilogue, K, R, Width, Depth>(p, Sources{});
}

template <class Set, class Epilogue, class Sources, int K, int R, class Bound, class... T>
const char* reduce(shape<R>& s, Bound& bound, const target_pack<K, T...>& to, bool along_kept, bool dry) {
  constexpr int width = width_for(Sources{}, list<>{});
  constexpr int bytes = memory_bytes(Sources{});
  constexpr thread_share share = share_for(width, bytes, Set::prologue::cost, kernel_kind::reduce);
  using accumulators = typename Set::accumulators;
  const reduce_geometry g = plan_reduce(s.extent, K, R, bound.info + sizeof...(T), bound.count, along_kept, share.width, share.depth);
  if (!dry) {
    index_t outputs = 1;
    for (int k = 0; k < K; ++k) outputs *= s[k];
    using parameters = reduce_parameters<bare_t<decltype(bound.operands)>, target_pack<K, T...>, K, R>;
    shape<R> walked = s;
    if (!along_kept) walked[R - 1] = 1;  // the loop over chunks walks it
    const index_t inner = along_kept ? s[K > 0 ? K - 1 : 0] : s[R - 1];
    parameters p{bound.operands, to, walk_of<K>(s.extent), walk_of<R - K>(walked.extent + K), outputs, inner, g.units, g.units_per_split,
                 inner / (index_t{g.lanes} * share.width), g.units < (index_t{1} << 31), g.wide, g.chunks, g.splits, divisor::of(g.chunks), g.group, g.lanes, g.consecutive, nullptr, nullptr};
    if (g.splits > 1) {
      const std::size_t per_tile = along_kept ? static_cast<std::size_t>(g.lanes) * share.width : 1;
      const scratch room = scratch_for(sizeof(accumulators) * g.tiles * g.splits * per_tile);
      p.tickets = room.tickets;
      p.partial = room.partial;
    }
    if (along_kept) {
      if constexpr (K > 0) launch(reduce_columns<Set, Epilogue, Sources, K, R, share.width, share.depth, parameters>, g.tiles * g.splits, 0, p);
    } else launch(reduce_rows<Set, Epilogue, Sources, K, R, share.width, share.depth, parameters>, g.tiles * g.splits, 0, p);
  }
  return along_kept ? "columns" : "rows";
}

}  // namespace lazyfuse::cuda_detail

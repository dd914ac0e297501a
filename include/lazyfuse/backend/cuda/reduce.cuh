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

template <class Set>
struct combine_sink {
  typename Set::accumulators& to;
  bool valid;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    auto& mine = get<I>(to);
    const auto combined = typename Set::template monoid<I>{}(mine, value);
    mine = valid ? combined : mine;
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

/// Combines Depth units of the loop, unit d at the offsets of row d.
template <class Set, int Width, int Depth, class... Src, int... I>
__device__ __forceinline__ void combine_units(thread_sums<Set, Width>& sums, const auto& p, const index_t (&offset)[Depth][sizeof...(Src) + 1], const int (&valid)[Depth],
                                              int spacing, int axis, list<Src...>, indices<I...>) {
  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&](auto& f, const auto& o, int i) {
    if constexpr (f.loads) {
      const index_t step = o.steps[axis];
      const bool as_one = p.consecutive && ((p.wide >> i) & 1);
#pragma unroll
      for (int d = 0; d < Depth; ++d) f.fetch(d, o.source, offset[d][i], spacing * step, as_one && valid[d] >= Width, valid[d], spacing);
    }
  };
  (load(get<I>(values), get<I>(p.operands), I), ...);
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      combine_sink<Set> sink{sums.lane[k], k * spacing < valid[d]};
      evaluate<typename Set::prologue>(register_context<bare_t<decltype(values)>, bare_t<decltype(p.operands)>>{values, p.operands, d, k}, sink);
    }
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
  const int spacing = p.consecutive ? 1 : p.lanes;
  const int first = p.consecutive ? lane * Width : lane;
  const int span = p.lanes * Width;

  index_t base[count] = {};
  if (active) add_offsets<0>(base, p.kept, output, p.operands, seq);

  thread_sums<Set, Width> sums;
  sums.clear();
  const index_t begin = split * p.units_per_split, limit = begin + p.units_per_split < p.units ? begin + p.units_per_split : p.units;
  const index_t end = active ? limit : begin;
  for (index_t unit = begin + line; unit < end; unit += lines * Depth) {
    index_t offset[Depth][count];
    int valid[Depth];
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t u = unit + d * lines;
      index_t row = 0, chunk = u;
      if (p.chunks == 1) row = u, chunk = 0;
      else if (p.units > p.chunks) {
        if (p.reduced.small) {
          const unsigned q = p.chunk_divisor.quotient(static_cast<unsigned>(u));
          row = q;
          chunk = static_cast<unsigned>(u) - q * p.chunks;
        } else {
          row = u / p.chunks;
          chunk = u - row * p.chunks;
        }
      }
      const index_t column = chunk * span + first;
      const index_t left = p.inner - chunk * span;
      valid[d] = u < end ? (left < span ? static_cast<int>(left) : span) - first : 0;
      const auto start = [&](index_t& to, index_t from, const auto& o) {
        if constexpr (requires { o.steps; }) to = from + column * o.steps[R - 1];
        else to = 0;
      };
      [&]<int... I>(indices<I...>) { (start(offset[d][I], base[I], get<I>(p.operands)), ...); }(seq);
      if constexpr (R - K > 1) {
        if (row > 0 && u < end) add_offsets<K>(offset[d], p.reduced, row, p.operands, seq);
      }
    }
    combine_units<Set, Width, Depth>(sums, p, offset, valid, spacing, R - 1, sources, seq);
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
  const int spacing = p.consecutive ? 1 : p.lanes;
  const int first = p.consecutive ? lane * Width : lane;
  const int span = p.lanes * Width;
  const index_t column = static_cast<index_t>(chunk) * span + first;
  const index_t left = p.inner - static_cast<index_t>(chunk) * span;
  const int in_row = (left < span ? static_cast<int>(left) : span) - first;

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
  for (index_t unit = begin + line; unit < end; unit += lines * Depth) {
    index_t offset[Depth][count];
    int valid[Depth];
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t u = unit + d * lines;
      valid[d] = u < end ? in_row : 0;
#pragma unroll
      for (int i = 0; i < count; ++i) offset[d][i] = base[i];
      add_offsets<K>(offset[d], p.reduced, u < end ? u : begin, p.operands, seq);
    }
    combine_units<Set, Width, Depth>(sums, p, offset, valid, spacing, K - 1, sources, seq);
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
    const int slot = lane * Width;
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
  constexpr thread_share share = share_for(width, bytes, Set::prologue::cost, false);
  using accumulators = typename Set::accumulators;
  const reduce_geometry g = plan_reduce(s.extent, K, R, bound.info + sizeof...(T), bound.count, along_kept, share.width, share.depth);
  if (!dry) {
    index_t outputs = 1;
    for (int k = 0; k < K; ++k) outputs *= s[k];
    using parameters = reduce_parameters<bare_t<decltype(bound.operands)>, target_pack<K, T...>, K, R>;
    shape<R> walked = s;
    if (!along_kept) walked[R - 1] = 1;  // the loop over chunks walks it
    parameters p{bound.operands, to, walk_of<K>(s.extent), walk_of<R - K>(walked.extent + K), outputs, along_kept ? s[K > 0 ? K - 1 : 0] : s[R - 1], g.units, g.units_per_split,
                 g.wide, g.chunks, g.splits, divisor::of(g.chunks), g.group, g.lanes, g.consecutive, nullptr, nullptr};
    if (!along_kept) p.reduced.small = p.reduced.small && g.units < (index_t{1} << 31);
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

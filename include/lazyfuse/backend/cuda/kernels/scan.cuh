// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans on the GPU: a block scans a tile in registers, and gets what comes before it from the blocks of the tiles
// before. Every value is combined in an order that the extents fix, whatever arrives first: tiles in groups of 32,
// groups in 32s, and these one after the other. After decoupled look-back (Merrill and Garland, "Single-pass parallel
// prefix scan with decoupled look-back", 2016), whose sums depend on what has arrived.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>
#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/program/scans.hpp>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int K>
struct scan_parameters {
  Operands operands;
  Targets targets;
  axes_walk<K> kept;  ///< the axes before those of a tile
  index_t rows;       ///< or, beside, what `kept` counts
  index_t length;     ///< of the scanned axis
  index_t width;      ///< beside: of the kept axis along which threads are
  wide_bits wide_in, wide_out;
  int lanes;  ///< threads along the inner axis: of a row's group, or beside
  bool looks_back;
  unsigned pieces;  ///< beside: strips side by side
  scan_board board;
};

template <class Set, int... I>
__device__ __forceinline__ typename Set::accumulators shuffled_set(const typename Set::accumulators& a,
                                                                   const auto& shuffle, index_sequence<I...>) {
  typename Set::accumulators other;
  ((get<I>(other) = shuffled(get<I>(a), shuffle)), ...);
  return other;
}
/// a, and after it b.
template <class Set>
__device__ __forceinline__ typename Set::accumulators joined(typename Set::accumulators a,
                                                             const typename Set::accumulators& b) {
  Set::merge(a, b);
  return a;
}
/// What lanes from the first of each `group` to each have in all. group: a power of two, at most 32.
template <class Set>
__device__ __forceinline__ typename Set::accumulators scan_lanes(typename Set::accumulators a, int group) {
  const int lane = static_cast<int>(threadIdx.x) & (group - 1);
  for (int off = 1; off < group; off *= 2) {
    const auto before = shuffled_set<Set>(
        a, [off](auto word) { return __shfl_up_sync(~0u, word, off); }, make_index_sequence<Set::size>{});
    if (lane >= off) a = joined<Set>(before, a);
  }
  return a;
}
/// Those before each lane, from what scan_lanes() gives.
template <class Set>
__device__ __forceinline__ typename Set::accumulators before_lanes(const typename Set::accumulators& a, int group) {
  auto before = shuffled_set<Set>(
      a, [](auto word) { return __shfl_up_sync(~0u, word, 1); }, make_index_sequence<Set::size>{});
  if ((threadIdx.x & (group - 1)) == 0) Set::clear(before);
  return before;
}
template <class Set>
__device__ __forceinline__ typename Set::accumulators of_lane(const typename Set::accumulators& a, int lane) {
  return shuffled_set<Set>(
      a, [lane](auto word) { return __shfl_sync(~0u, word, lane); }, make_index_sequence<Set::size>{});
}

__device__ __forceinline__ void raise_flag(unsigned* flag) {
  asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
}
__device__ __forceinline__ void wait_for_flag(const unsigned* flag) {
  unsigned up;
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
  while (up == 0);
}
/// The next tile that nobody has taken; the count is zero again for the next kernel. All threads of the block get it.
__device__ __forceinline__ unsigned take_tile(unsigned* tickets) {
  __shared__ unsigned taken;
  if (threadIdx.x == 0) taken = atomicInc(tickets, gridDim.x - 1);
  __syncthreads();
  return taken;
}

/// For the first warp: gives the tile's total to those after it, and gets what all before it have. One value an entry.
template <class Set>
__device__ __forceinline__ typename Set::accumulators before_tile(const scan_board& board, unsigned strip,
                                                                  unsigned tile,
                                                                  const typename Set::accumulators& total) {
  using accumulators = typename Set::accumulators;
  constexpr unsigned fan = scan_board::fan;
  const unsigned groups = scan_board::count(board.tiles);
  const index_t first = static_cast<index_t>(strip) * scan_board::entries(board.tiles);
  unsigned* const flags = board.flags + first;
  accumulators* const values = static_cast<accumulators*>(board.values) + first;
  const unsigned lane = threadIdx.x;
  const auto give = [&](unsigned entry, const accumulators& value) {
    if (lane != 0) return;
    values[entry] = value;
    raise_flag(flags + entry);
  };
  /// What entries [from, from + count) have, in their order; count < fan.
  const auto gather = [&](unsigned from, unsigned count) {
    accumulators a;
    Set::clear(a);
    if (lane < count) {
      wait_for_flag(flags + from + lane);
      a = values[from + lane];
    }
#pragma unroll
    for (int off = 1; off < 32; off *= 2) {
      const auto after = shuffled_set<Set>(
          a, [off](auto word) { return __shfl_down_sync(~0u, word, off); }, make_index_sequence<Set::size>{});
      a = joined<Set>(a, after);
    }
    return of_lane<Set>(a, 0);
  };
  const unsigned group = tile / fan, super = group / fan, in_group = tile % fan, in_super = group % fan;
  give(tile, total);
  const accumulators in_own = gather(tile - in_group, in_group);
  accumulators of_group;
  if (in_group == fan - 1) {
    of_group = joined<Set>(in_own, total);
    give(board.tiles + group, of_group);
  }
  accumulators before = gather(board.tiles + group - in_super, in_super);
  const unsigned supers = board.tiles + groups;
  accumulators all;
  Set::clear(all);
  if (super > 0) {
    wait_for_flag(flags + supers + super - 1);
    all = values[supers + super - 1];
  }
  before = joined<Set>(all, before);
  if (in_group == fan - 1 && in_super == fan - 1) give(supers + super, joined<Set>(before, of_group));
  return joined<Set>(before, in_own);
}

/// The context of an epilogue: element (d, k) of the thread, and the scans up to it and before it.
template <class Set, class Fetched>
struct scanned_context {
  register_context<Fetched> element;
  const typename Set::accumulators &before, &up_to;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    return element.template operand<I>();
  }
  template <class S>
  __device__ __forceinline__ auto stage_value() const {
    constexpr int i = Set::template index_of<S>;
    if constexpr (Set::template is_exclusive<i>) return get<i>(before);
    else return get<i>(up_to);
  }
};
template <class Accumulators>
struct accumulator_sink {
  Accumulators& to;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& v) {
    get<I>(to) = v;
  }
};

/// The elements of one thread: Depth pieces of a tile, Width neighbours of each. Their offsets: where the piece begins,
/// from one to the next, and between neighbours.
template <class Set, class Epilogue, int R, int Width, int Depth, class Sources, class Types>
struct scan_tile;
template <class Set, class Epilogue, int R, int Width, int Depth, class... Src, class... T>
struct scan_tile<Set, Epilogue, R, Width, Depth, list<Src...>, list<T...>> {
  using accumulators = typename Set::accumulators;
  static constexpr int count = sizeof...(Src);
  fetched_pack<Width, Depth, list<Src...>> values;
  accumulators scanned[Depth][Width];
  results<typename Epilogue::roots, list<Src...>, Width, Depth, T...> out;
  int valid[Depth];
  bool full;

  /// along, down: the axes of neighbours and of pieces, which are `pitch` apart.
  template <int... I>
  __device__ __forceinline__ void load(const auto& p, const index_t (&offset)[count + 1], int along, int down,
                                       index_t pitch, index_sequence<I...>) {
    const auto one = [&](auto& f, const auto& o, int i) {
      if constexpr (f.loads) {
        const index_t step = o.steps[along], next = pitch * o.steps[down];
        if (full) f.all(o.source, offset[i], next, step, has_bit(p.wide_in, i), 1);
        else f.some(o.source, offset[i], next, step, has_bit(p.wide_in, i), 1, valid);
      }
    };
    (one(get<I>(values), get<I>(p.operands), I), ...);
    keep_constants(values, p.operands, 0, index_sequence<I...>{});
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        if (full || k < valid[d]) {
          accumulator_sink<accumulators> sink{scanned[d][k]};
          evaluate<typename Set::prologue>(register_context<bare_t<decltype(values)>>{values, d, k}, sink);
        } else Set::clear(scanned[d][k]);
      }
  }
  __device__ __forceinline__ void finish(int d, int k, const accumulators& before, const accumulators& up_to) {
    register_sink<bare_t<decltype(out)>> sink{out, d, k};
    evaluate<Epilogue>(
        scanned_context<Set, bare_t<decltype(values)>>{register_context<bare_t<decltype(values)>>{values, d, k}, before,
                                                       up_to},
        sink);
  }
  template <int... J>
  __device__ __forceinline__ void put(const auto& p, const index_t (&offset)[sizeof...(T)], int along, int down,
                                      index_t pitch, index_sequence<J...>) const {
    const auto one = [&](const auto& r, const auto& t, int j) {
      store(r, t.data + offset[j], pitch * t.steps[down], t.steps[along], has_bit(p.wide_out, j), 1, full, valid);
    };
    (one(get<J>(out), get<J>(p.targets), J), ...);
  }
};

template <int K, int... I>
__device__ __forceinline__ void target_offsets(index_t* offset, const auto& walk, index_t linear, const auto& targets,
                                               index_sequence<I...>) {
  walk(linear, [&](int axis, index_t at) { ((offset[I] += at * get<I>(targets).steps[axis]), ...); });
}

}  // namespace lazyfuse::cuda_detail

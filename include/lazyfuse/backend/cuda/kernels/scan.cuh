// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans on the GPU: what their kernels share. A block reads a tile, keeps it in shared memory, and gets what comes
// before it from the blocks of the tiles before. Every value is combined in an order that the extents fix, whatever
// arrives first: tiles in groups of 32, groups in 32s, and these one after the other. After decoupled look-back
// (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016), whose sums depend on what
// has arrived; as there, blocks are expected to start in the order of their numbers.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>
#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/program/scans.hpp>

namespace lazyfuse::cuda_detail {

/// Neighbours: a thread's elements are known to be neighbours along the inner axis.
template <class Operands, class Targets, int K, bool Neighbours = false>
struct scan_parameters : bound_to<Operands, Targets>, scan_numbers<K> {
  /// What is between them.
  __device__ __forceinline__ int apart() const { return Neighbours ? 1 : this->spacing; }
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

/// What a tile leaves for those after it: each 32 bits beside a mark that they are there, so that no flag has to be
/// waited for before they are read.
template <class A>
struct board_entry {
  static constexpr int size = (static_cast<int>(sizeof(A)) + 3) / 4;
  __device__ __forceinline__ static void give(unsigned long long* to, const A& value) {
    unsigned word[size] = {};
    memcpy(word, &value, sizeof(A));
#pragma unroll
    for (int i = 0; i < size; ++i)
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to + i), "l"(word[i] | 1ull << 32) : "memory");
  }
  /// What is there by now. Words of large values are not kept in registers until somebody waits for them.
  struct seen {
    static constexpr int size = board_entry::size <= 4 ? board_entry::size : 0;
    unsigned long long word[size > 0 ? size : 1] = {};
  };
  __device__ __forceinline__ static seen look(const unsigned long long* from) {
    seen s;
#pragma unroll
    for (int i = 0; i < seen::size; ++i) s.word[i] = load(from + i);
    return s;
  }
  __device__ __forceinline__ static A wait(const unsigned long long* from, const seen& s) {
    unsigned word[size];
#pragma unroll
    for (int i = 0; i < size; ++i) {
      unsigned long long marked = i < seen::size ? s.word[i < seen::size ? i : 0] : 0;
      while (marked >> 32 == 0) marked = load(from + i);
      word[i] = static_cast<unsigned>(marked);
    }
    A value;
    memcpy(&value, word, sizeof(A));
    return value;
  }

 private:
  __device__ __forceinline__ static unsigned long long load(const unsigned long long* from) {
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
  }
};

/// What all tiles before one have, whose total it gives to those after it. give(entry, value) leaves a value;
/// ask(from, count) may begin to read up to 31 entries, which gather() waits for and combines in their order. All are
/// asked for first: one after the other, each would take as long as all.
template <class Set>
__device__ __forceinline__ typename Set::accumulators look_back(const scan_board& board, unsigned tile,
                                                                const typename Set::accumulators& total,
                                                                const auto& give, const auto& ask, const auto& gather) {
  using accumulators = typename Set::accumulators;
  constexpr unsigned fan = scan_board::fan;
  const unsigned group = tile / fan, super = group / fan, in_group = tile % fan, in_super = group % fan;
  const unsigned groups = board.tiles, supers = groups + scan_board::count(board.tiles);  // where their entries begin
  give(tile, total);
  const auto own = ask(tile - in_group, in_group), own_groups = ask(groups + group - in_super, in_super),
             last_super = ask(supers + super - (super > 0), super > 0);
  const accumulators in_own = gather(own);
  accumulators of_group;
  if (in_group == fan - 1) {
    of_group = joined<Set>(in_own, total);
    give(groups + group, of_group);
  }
  const accumulators in_groups = gather(own_groups);
  const accumulators before = super > 0 ? joined<Set>(gather(last_super), in_groups) : in_groups;
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
  static constexpr bool stores = false;
  Accumulators& to;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& v) {
    get<I>(to) = v;
  }
};

/// Each with those before it among Width neighbours.
template <class Set, int Width>
__device__ __forceinline__ void scan_neighbours(typename Set::accumulators (&a)[Width]) {
#pragma unroll
  for (int k = 1; k < Width; ++k) a[k] = joined<Set>(a[k - 1], a[k]);
}

/// Pieces in shared memory, in which a thread has Width neighbours. It reads what it has written itself, so nobody
/// waits but the threads of a group that turn a piece.
template <class A, int Width>
struct pieces_in_shared {
  static constexpr bool at_once = Width > 1 && (sizeof(A) & (sizeof(A) - 1)) == 0 && sizeof(A) * Width <= 16;
  A* group;  ///< the piece of the threads that share a row
  int member, lanes;
  __device__ __forceinline__ pieces_in_shared(void* room, int of_group)
      : member(static_cast<int>(threadIdx.x) & (of_group - 1)), lanes(of_group) {
    group = static_cast<A*>(room) + (static_cast<int>(threadIdx.x) - member) * Width;
  }
  __device__ __forceinline__ void put(unsigned piece, const A (&a)[Width]) const {
    A* const to = group + piece * (block_threads * Width) + member * Width;
    if constexpr (at_once) {
      wide<A, Width> together;
#pragma unroll
      for (int k = 0; k < Width; ++k) together.value[k] = a[k];
      *reinterpret_cast<wide<A, Width>*>(to) = together;
    } else
#pragma unroll
      for (int k = 0; k < Width; ++k) to[k] = a[k];
  }
  __device__ __forceinline__ void get(unsigned piece, A (&a)[Width]) const {
    const A* const from = group + piece * (block_threads * Width) + member * Width;
    if constexpr (at_once) {
      const auto together = *reinterpret_cast<const wide<A, Width>*>(from);
#pragma unroll
      for (int k = 0; k < Width; ++k) a[k] = together.value[k];
    } else
#pragma unroll
      for (int k = 0; k < Width; ++k) a[k] = from[k];
  }
  /// From elements that are `lanes` apart to neighbours.
  __device__ __forceinline__ void turn(unsigned piece, A (&a)[Width]) const {
    A* const all = group + piece * (block_threads * Width);
#pragma unroll
    for (int k = 0; k < Width; ++k) all[k * lanes + member] = a[k];
    __syncwarp();
    get(piece, a);
    __syncwarp();
  }
};

/// The elements of one thread: Depth pieces, Width of each, neighbours or `spacing` apart. Their offsets: where the
/// first piece begins, from one to the next, and between neighbours.
template <class Set, class Epilogue, int R, int Width, int Depth, class Sources, class Types>
struct scan_pieces;
template <class Set, class Epilogue, int R, int Width, int Depth, class... Src, class... T>
struct scan_pieces<Set, Epilogue, R, Width, Depth, list<Src...>, list<T...>> {
  using accumulators = typename Set::accumulators;
  static constexpr int count = sizeof...(Src);
  fetched_pack<Width, Depth, list<Src...>> values;
  results<typename Epilogue::roots, list<Src...>, Width, Depth, T...> out;
  int valid[Depth];  ///< elements of a piece at a distance below this from the thread's first exist
  bool full;

  /// along, down: the axes of neighbours and of pieces, which are `pitch` apart.
  template <int... I>
  __device__ __forceinline__ void load(const auto& p, const index_t (&offset)[count + 1], int along, int down,
                                       index_t pitch, index_sequence<I...>) {
    const auto one = [&](auto& f, const auto& o, int i) {
      if constexpr (bare_t<decltype(f)>::loads) {
        const index_t step = o.steps[along], next = pitch * o.steps[down];
        if (full) f.all(o.source, offset[i], next, step, has_bit(p.wide_in, i), p.apart());
        else f.some(o.source, offset[i], next, step, has_bit(p.wide_in, i), p.apart(), valid);
      }
    };
    (one(get<I>(values), get<I>(p.operands), I), ...);
    keep_constants(values, p.operands, 0, index_sequence<I...>{});
  }
  /// What is scanned, of the elements that have been read.
  __device__ __forceinline__ void compute(accumulators (&to)[Depth][Width], int spacing) const {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        if (full || k * spacing < valid[d]) {
          accumulator_sink<accumulators> sink{to[d][k]};
          evaluate<typename Set::prologue>(register_context<bare_t<decltype(values)>>{values, d, k}, sink);
        } else Set::clear(to[d][k]);
      }
  }
  /// The results of element (d, k).
  __device__ __forceinline__ void finish(int d, int k, const accumulators& before, const accumulators& up_to) {
    register_sink<bare_t<decltype(out)>> sink{out, d, k};
    evaluate<Epilogue>(
        scanned_context<Set, bare_t<decltype(values)>>{register_context<bare_t<decltype(values)>>{values, d, k}, before,
                                                       up_to},
        sink);
  }
  /// Those of piece d of a row. before: what all before the thread's neighbours have; here: each neighbour with those
  /// before it; turned: whether the results are of elements apart.
  __device__ __forceinline__ void finish(int d, const accumulators& before, const accumulators (&here)[Width],
                                         const pieces_in_shared<accumulators, Width>& shared, unsigned piece,
                                         bool turned) {
    accumulators up_to[Width];
#pragma unroll
    for (int k = 0; k < Width; ++k) up_to[k] = joined<Set>(before, here[k]);
    if (turned) {
      const accumulators start = of_lane<Set>(before, static_cast<int>(threadIdx.x) & 31 & ~(shared.lanes - 1));
      const accumulators* const all = shared.group + piece * (block_threads * Width);
      shared.put(piece, up_to);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const int at = k * shared.lanes + shared.member;
        finish(d, k, at > 0 ? all[at - 1] : start, all[at]);
      }
      __syncwarp();
    } else
#pragma unroll
      for (int k = 0; k < Width; ++k) finish(d, k, k > 0 ? up_to[k > 0 ? k - 1 : 0] : before, up_to[k]);
  }
  template <int... J>
  __device__ __forceinline__ void put(const auto& p, const index_t (&offset)[sizeof...(T)], int along, int down,
                                      index_t pitch, index_sequence<J...>) const {
    const auto one = [&](const auto& r, const auto& t, int j) {
      store(r, t.data + offset[j], pitch * t.steps[down], t.steps[along], has_bit(p.wide_out, j), p.apart(), full,
            valid);
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

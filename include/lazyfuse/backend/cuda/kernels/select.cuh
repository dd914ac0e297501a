// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections on the GPU: the elements at which a mask is true, moved together in their order while they are computed.
// A block takes one tile after the other, and keeps what two of them have selected. While it finds out where those of
// the older one go, the next one is on its way from memory; and all that it waits for are counts, which the tiles
// before it have left a turn ago: with one tile kept, all blocks wait for the slowest.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/select_layout.hpp>

namespace lazyfuse::cuda_detail {

/// Targets: how many there are, and where they go.
template <class Operands, class Targets, int R>
struct select_parameters : bound_to<Operands, Targets>, select_numbers<R> {};

/// Words that several blocks read and write.
__device__ __forceinline__ unsigned long long shared_word(const unsigned long long* at) {
  unsigned long long word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
  return word;
}
__device__ __forceinline__ void add_to_word(unsigned long long* at, unsigned long long value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}
__device__ __forceinline__ unsigned take_tile(const select_board& board) {
  unsigned tile;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(tile) : "l"(board.next_tile()) : "memory");
  return tile;
}

/// For one thread: leaves how many elements a tile selects.
__device__ __forceinline__ void leave_count(const select_board& board, unsigned tile, unsigned count) {
  constexpr unsigned fan = select_board::fan;
  const unsigned long long entry = select_board::entry(count);
  add_to_word(board.tile(tile), entry);
  add_to_word(board.group(tile / fan), entry);
  add_to_word(board.groups(tile / fan / fan), entry);
}

/// For a warp: what all tiles before one have selected. It is asked for tiles in ascending order, and remembers.
struct selected_before {
  unsigned known = 0;  ///< groups of groups
  index_t in_known = 0;

  __device__ __forceinline__ index_t operator()(const select_board& board, unsigned tile) {
    constexpr unsigned fan = select_board::fan;
    const unsigned lane = threadIdx.x & 31, group = tile / fan, groups = group / fan;
    for (; groups - known > fan; known += fan) in_known += add_lanes(wait(board.groups(known + lane), fan * fan));
    const auto ask = [](const unsigned long long* at, bool wanted, unsigned tiles) {
      return wanted ? shared_word(at) : select_board::entry(0) * tiles;
    };
    const auto again = [](unsigned long long word, const unsigned long long* at, unsigned tiles) {
      return select_board::has_all(word, tiles) ? select_board::selected(word) : wait(at, tiles);
    };
    // All are asked for before any is waited for.
    const unsigned long long *const of_tile = board.tile(group * fan + lane),
                                    *const of_group = board.group(groups * fan + lane),
                                    *const of_groups = board.groups(known + lane);
    const unsigned long long a = ask(of_tile, lane < tile % fan, 1), b = ask(of_group, lane < group % fan, fan),
                             c = ask(of_groups, lane < groups - known, fan * fan);
    const unsigned in_own = again(a, of_tile, 1) + again(b, of_group, fan);
    if (known < groups) in_known += add_lanes(again(c, of_groups, fan * fan));
    known = groups;
    return in_known + add_lanes(in_own);
  }

 private:
  __device__ __forceinline__ static unsigned wait(const unsigned long long* at, unsigned tiles) {
    unsigned long long word;
    do word = shared_word(at);
    while (!select_board::has_all(word, tiles));
    return select_board::selected(word);
  }
  __device__ __forceinline__ static unsigned add_lanes(unsigned n) {
    __syncwarp();
#pragma unroll
    for (int off = 16; off > 0; off /= 2) n += __shfl_xor_sync(~0u, n, off);
    return n;
  }
};

/// The values of a thread, and a bit for each that is selected.
template <class T, int Width, int Depth>
struct selected_values {
  T value[Depth][Width];
  unsigned kept[Depth];
};
template <class Values>
struct select_sink {
  static constexpr bool stores = false;
  Values& to;
  int d, k;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& v) {
    if constexpr (I == 0) to.kept[d] |= static_cast<unsigned>(static_cast<bool>(v)) << k;
    else to.value[d][k] = static_cast<bare_t<decltype(to.value[d][k])>>(v);
  }
};

/// A tile: each warp has a part of it, of Depth pieces, in which threads have Width neighbours.
template <class Schedule, int Width, int Depth, class Sources>
struct select_tile;
template <class Schedule, int Width, int Depth, class... Src>
struct select_tile<Schedule, Width, Depth, list<Src...>> {
  static constexpr int warps = block_threads / 32, pitch = 32 * Width, part = pitch * Depth, size = part * warps;
  static constexpr auto numbers = make_index_sequence<int(sizeof...(Src))>{};
  using fetched_type = fetched_pack<Width, Depth, list<Src...>>;
  fetched_type values;
  int left;  ///< elements of the tile that exist

  __device__ __forceinline__ static int first() {
    return static_cast<int>(threadIdx.x) / 32 * part + (static_cast<int>(threadIdx.x) & 31) * Width;
  }
  template <int R>
  __device__ __forceinline__ void load(const auto& p, unsigned tile) {
    const index_t base = static_cast<index_t>(tile) * size;
    left = p.size - base < size ? static_cast<int>(p.size - base) : size;
    if constexpr (R == 1) load_line(p, base, numbers);
    else gather<R>(p, base, numbers);
    keep_constants(values, p.operands, blockIdx.z, numbers);
  }
  template <class Values>
  __device__ __forceinline__ void compute(Values& to) const {
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      to.kept[d] = 0;
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        select_sink<Values> sink{to, d, k};
        evaluate<Schedule>(register_context<fetched_type>{values, d, k}, sink);
      }
      const int n = left - (first() + d * pitch);
      if (n < Width) to.kept[d] &= n > 0 ? (1u << n) - 1 : 0u;
    }
  }

 private:
  template <int... I>
  __device__ __forceinline__ void load_line(const auto& p, index_t base, index_sequence<I...>) {
    const bool full = left == size;
    const auto one = [&](auto& f, const auto& o, int i) {
      using fetched = bare_t<decltype(f)>;
      if constexpr (fetched::is_memory) {
        if (full && has_bit(p.wide_in, i)) f.rows(o.source.data + (base + first()), pitch);
        else f.each(o.source.data + base * o.steps[0], o.steps[0], first(), pitch, 1, left - 1);
      } else if constexpr (fetched::loads) {
        const index_t step = o.steps[0];
        f.all(o.source, (base + first()) * step, pitch * step, step, true, 1);
      }
    };
    (one(get<I>(values), get<I>(p.operands), I), ...);
  }
  /// From anywhere: the linear index is taken to pieces.
  template <int R, int... I>
  __device__ __forceinline__ void gather(const auto& p, index_t base, index_sequence<I...> all) {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) {
        const int at = first() + d * pitch + k;
        index_t offset[sizeof...(Src) + 1] = {};
        p.walk(base + (at < left ? at : left - 1), [&](int axis, index_t along) {
          const auto move = [&](index_t& to, const auto& o) {
            if constexpr (requires { o.steps; }) to += along * o.steps[axis];
          };
          (move(offset[I], get<I>(p.operands)), ...);
        });
        const auto one = [&](auto& f, const auto& o, index_t from) {
          using fetched = bare_t<decltype(f)>;
          if constexpr (fetched::is_memory) f.value[d].put(k, o.source.data[from]);
          else if constexpr (fetched::loads) f.value[d][k] = o.source.at(from);
        };
        (one(get<I>(values), get<I>(p.operands), offset[I]), ...);
      }
  }
};

/// Selects from R axes in their order; from one of whatever steps.
template <class Schedule, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, R == 1 ? select_tuning::residents : select_tuning::residents_of_walks)
    select_tiles(const __grid_constant__ Parameters p) {
  using tile_type = select_tile<Schedule, Width, Depth, Sources>;
  using T = bare_t<decltype(get<1>(p.targets).data[0])>;
  using counts = piece_counts<Width, Depth>;
  constexpr int warps = tile_type::warps;
  constexpr int rooms = 3;
  __shared__ __align__(16) unsigned char memory[rooms][tile_type::size * sizeof(T)];
  __shared__ unsigned of_warp[2][warps], next[2];
  __shared__ index_t places[rooms];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread & 31;

  unsigned upcoming = 0;  // of the first thread: the tile after the one that is loaded
  if (thread == 0) {
    next[1] = take_tile(p.board);
    upcoming = take_tile(p.board);
  }
  __syncthreads();
  unsigned tile = next[1];
  if (tile >= p.board.tiles) return;
  tile_type here;
  here.template load<R>(p, tile);
  // The tiles before, the last one first: which, and how many elements they have in their rooms.
  unsigned kept[rooms - 1] = {}, held[rooms - 1] = {};
  int tiles_kept = 0;
  selected_before before;
  const auto find_place = [&](unsigned of, int to) {
    if (warp != 0) return;
    const index_t place = before(p.board, of);
    if (lane == 0) places[to] = place;
  };
  const auto put = [&](int room, index_t place, unsigned count) {
    const T* const from = reinterpret_cast<const T*>(memory[room]);
    const auto to = get<1>(p.targets).data + place;
    for (unsigned i = threadIdx.x; i < count; i += block_threads) to[i] = from[i];
  };
  // What one turn leaves in shared memory is written again after the barriers of the next.
  for (int turn = 0, own = 0;; turn ^= 1, own = own + 1 < rooms ? own + 1 : 0) {
    selected_values<T, Width, Depth> values;
    here.compute(values);
    typename counts::word mine = 0;
#pragma unroll
    for (int d = 0; d < Depth; ++d) mine += counts::of(__popc(values.kept[d]), d);
    auto up_to = mine;
#pragma unroll
    for (int off = 1; off < 32; off *= 2) {
      const auto other = __shfl_up_sync(~0u, up_to, off);
      if (lane >= off) up_to += other;
    }
    const auto all = __shfl_sync(~0u, up_to, 31);
    unsigned of_this = 0;
#pragma unroll
    for (int d = 0; d < Depth; ++d) of_this += counts::piece(all, d);
    if (lane == 0) of_warp[turn][warp] = of_this;
    if (thread == 0) next[turn] = upcoming;
    __syncthreads();
    unsigned first = 0, count = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const unsigned n = of_warp[turn][w];
      if (w < warp) first += n;
      count += n;
    }
    if (thread == 0) leave_count(p.board, tile, count);
    T* const room = reinterpret_cast<T*>(memory[own]);
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      unsigned at = first + counts::piece(up_to - mine, d);
      first += counts::piece(all, d);
#pragma unroll
      for (int k = 0; k < Width; ++k)
        if (values.kept[d] >> k & 1) room[at++] = values.value[d][k];
    }
    const unsigned following = next[turn];
    if (following >= p.board.tiles) {
#pragma unroll
      for (int age = rooms - 1; age >= 0; --age) {  // the oldest first
        if (age > tiles_kept) continue;
        find_place(age > 0 ? kept[age - 1] : tile, age);
        __syncthreads();
        put((own + rooms - age) % rooms, places[age], age > 0 ? held[age - 1] : count);
      }
      if (thread == 0 && tile == p.board.tiles - 1) get<0>(p.targets).data[0] = places[0] + count;
      return;
    }
    here.template load<R>(p, following);
    constexpr int oldest = rooms - 2;
    const bool is_full = tiles_kept > oldest;
    if (is_full) find_place(kept[oldest], own);
    __syncthreads();
    if (thread == 0) upcoming = take_tile(p.board);  // no sooner: whoever has a tile is waited for
    if (is_full) put(own + 1 < rooms ? own + 1 : 0, places[own], held[oldest]);
    else ++tiles_kept;
#pragma unroll
    for (int age = oldest; age > 0; --age) kept[age] = kept[age - 1], held[age] = held[age - 1];
    kept[0] = tile;
    held[0] = count;
    tile = following;
  }
}

}  // namespace lazyfuse::cuda_detail

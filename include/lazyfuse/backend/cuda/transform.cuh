// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform on the GPU: a thread loads its elements of all operands, evaluates the program for each and
// stores. Three kernels: flat (everything is one axis), strided, and tiled (shared memory turns operands
// that are contiguous across rows).
#pragma once

#include <lazyfuse/backend/cuda/fetch.cuh>
#include <lazyfuse/backend/cuda/runtime.hpp>

namespace lazyfuse::cuda_detail {

/// Results of a thread before they are stored.
template <int Width, int Depth, class T>
struct result {
  T value[Depth][Width];
};
template <int Width, int Depth, class... T>
struct results : pack<result<Width, Depth, T>...> {};

template <class Results>
struct register_sink {
  Results& to;
  int d, k;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& v) {
    get<I>(to).value[d][k] = v;
  }
};

template <int Width, int Depth, class T>
__device__ __forceinline__ void store(const result<Width, Depth, T>& from, int d, T* to, index_t step, bool as_one, int valid, int spacing) {
  if constexpr (Width > 1 && sizeof(T) * Width <= 16) {
    if (as_one) {
      wide<T, Width> all;
#pragma unroll
      for (int k = 0; k < Width; ++k) all.value[k] = from.value[d][k];
      *reinterpret_cast<wide<T, Width>*>(to) = all;
      return;
    }
  }
#pragma unroll
  for (int k = 0; k < Width; ++k)
    if (k * spacing < valid) to[k * step] = from.value[d][k];
}

/// Evaluates the schedule for all elements of the thread.
template <class Schedule, int Width, int Depth, class Fetched, class Operands, class Results>
__device__ __forceinline__ void compute(const Fetched& values, const Operands& operands, Results& to) {
#pragma unroll
  for (int d = 0; d < Depth; ++d)
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      register_sink<Results> sink{to, d, k};
      evaluate<Schedule>(register_context<Fetched, Operands>{values, operands, d, k}, sink);
    }
}

// ---- flat --------------------------------------------------------------------------------------------

/// The parameters of a flat kernel: one step per operand.
template <class Operands, class Targets>
struct flat_parameters {
  Operands operands;
  Targets targets;
  index_t size;
  wide_bits wide_in, wide_out;
  bool consecutive;
};

template <class Schedule, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void flat_body(const auto& p, list<Src...>, list<T...>, indices<I...>, indices<J...>) {
  constexpr int row = block_threads * Width, tile = row * Depth;
  const index_t base = static_cast<index_t>(blockIdx.x) * tile;
  const index_t left = p.size - base;
  const int spacing = p.consecutive ? 1 : block_threads;
  const int first = p.consecutive ? static_cast<int>(threadIdx.x) * Width : static_cast<int>(threadIdx.x);
  const int valid = (left < tile ? static_cast<int>(left) : tile) - first;  // counted from element (0, 0) of the thread
  const bool one = p.consecutive;

  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&](auto& f, const auto& o, int i) {
    if constexpr (f.loads) {
      const index_t step = o.steps[0];
      const bool as_one = one && ((p.wide_in >> i) & 1);
      const index_t start = (base + first) * step;
#pragma unroll
      for (int d = 0; d < Depth; ++d)
        f.fetch(d, o.source, start + d * row * step, spacing * step, as_one && valid - d * row >= Width, valid - d * row, spacing);
    }
  };
  (load(get<I>(values), get<I>(p.operands), I), ...);

  results<Width, Depth, T...> out;
  compute<Schedule, Width, Depth>(values, p.operands, out);

  const auto put = [&](const auto& r, const auto& t, int j) {
    const index_t step = t.steps[0];
    const bool as_one = one && ((p.wide_out >> j) & 1);
    auto* const to = t.data + (base + first) * step;
#pragma unroll
    for (int d = 0; d < Depth; ++d)
      store(r, d, to + d * row * step, spacing * step, as_one && valid - d * row >= Width, valid - d * row, spacing);
  };
  (put(get<J>(out), get<J>(p.targets), J), ...);
}

template <class Schedule, class Sources, class Types, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_flat(const __grid_constant__ Parameters p) {
  flat_body<Schedule, Width, Depth>(p, Sources{}, Types{}, make_indices<Sources::size>{}, make_indices<Types::size>{});
}

// ---- strided and tiled ---------------------------------------------------------------------------------

template <class Operands, class Targets, int R>
struct strided_parameters {
  Operands operands;
  Targets targets;
  axes_walk<R - 1> rows_walk;
  index_t rows, columns;  ///< rows: of all outer axes; of the axis before the last if tiled
  wide_bits wide_in, wide_out, staged;
  unsigned row_tiles, column_tiles;
  int lanes;  ///< threads along the columns; a power of two
  bool consecutive, mirrored;
};

/// Tiles of the tiled kernel are square: 16 lanes by 16 lines of Width times Width elements.
inline constexpr int tile_lanes = 16;

template <class Schedule, bool Tiled, int R, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void strided_body(const auto& p, index_t outer, unsigned tile_row, unsigned tile_column, list<Src...>, list<T...>, indices<I...>, indices<J...>) {
  const int lanes = Tiled ? tile_lanes : p.lanes;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int line = static_cast<int>(threadIdx.x) / lanes, lines = block_threads / lanes;
  const int spacing = p.consecutive ? 1 : lanes;
  const index_t first_row = static_cast<index_t>(tile_row) * (lines * Depth), first_column = static_cast<index_t>(tile_column) * (lanes * Width);
  const index_t column = first_column + (p.consecutive ? lane * Width : lane);
  const index_t columns_left = p.columns - column;
  const int in_row = static_cast<int>(columns_left < Width * lanes ? columns_left : Width * lanes);

  index_t in_offset[Depth][sizeof...(Src) + 1], out_offset[Depth][sizeof...(T)];
  int valid[Depth];
#pragma unroll
  for (int d = 0; d < Depth; ++d) {
    const index_t row = first_row + line + d * lines;
    valid[d] = row < p.rows ? in_row : 0;
    const auto start = [&](auto& offset, const auto& o) {
      if constexpr (requires { o.steps; }) offset = column * o.steps[R - 1];
      else offset = 0;
    };
    (start(in_offset[d][I], get<I>(p.operands)), ...);
    (start(out_offset[d][J], get<J>(p.targets)), ...);
    p.rows_walk(outer * p.rows + (row < p.rows ? row : 0), [&](int axis, index_t i) {
      const auto add = [&](auto& offset, const auto& o) {
        if constexpr (requires { o.steps; }) offset += i * o.steps[axis];
      };
      (add(in_offset[d][I], get<I>(p.operands)), ...);
      (add(out_offset[d][J], get<J>(p.targets)), ...);
    });
  }

  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&](auto& f, const auto& o, int i) {
    if constexpr (f.loads) {
      if (Tiled && ((p.staged >> i) & 1)) return;
      const index_t step = o.steps[R - 1];
      const bool as_one = p.consecutive && ((p.wide_in >> i) & 1);
#pragma unroll
      for (int d = 0; d < Depth; ++d) f.fetch(d, o.source, in_offset[d][i], spacing * step, as_one && valid[d] >= Width, valid[d], spacing);
    }
  };

  if constexpr (Tiled) {
    // Operands contiguous across rows are read along the rows into shared memory, and out of it along the columns.
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    constexpr int side = tile_lanes * Width;
    const index_t rows_left = p.rows - first_row - lane * Width;
    const int rows_valid = static_cast<int>(rows_left < Width ? rows_left : Width);
    int bytes = 0;
    const auto stage = [&](const auto& o, int i) {
      if constexpr (requires { o.source.data; }) {
        if (!((p.staged >> i) & 1)) return;
        using E = bare_t<decltype(*o.source.data)>;
        E* const tile = reinterpret_cast<E*>(shared_bytes + bytes);
        bytes += side * (side + 1) * static_cast<int>(sizeof(E));
        const index_t along = o.steps[R - 2];
        index_t offset = lane * Width * along;
        p.rows_walk(outer * p.rows + first_row, [&](int axis, index_t at) { offset += at * o.steps[axis]; });
        const bool as_one = ((p.wide_in >> i) & 1) && rows_valid >= Width;
        fetched<memory<E>, Width, Depth> part;
#pragma unroll
        for (int d = 0; d < Depth; ++d) {
          const index_t c = first_column + line + d * lines;
          part.fetch(d, o.source, offset + c * o.steps[R - 1], along, as_one && c < p.columns, c < p.columns ? rows_valid : 0, 1);
        }
#pragma unroll
        for (int d = 0; d < Depth; ++d)
#pragma unroll
          for (int k = 0; k < Width; ++k) tile[(lane * Width + k) * (side + 1) + line + d * lines] = part.value[d][k];
      }
    };
    (stage(get<I>(p.operands), I), ...);
    (load(get<I>(values), get<I>(p.operands), I), ...);
    __syncthreads();
    bytes = 0;
    const auto unstage = [&](auto& f, const auto& o, int i) {
      if constexpr (requires { o.source.data; }) {
        if (!((p.staged >> i) & 1)) return;
        using E = bare_t<decltype(*o.source.data)>;
        const E* const tile = reinterpret_cast<const E*>(shared_bytes + bytes);
        bytes += side * (side + 1) * static_cast<int>(sizeof(E));
#pragma unroll
        for (int d = 0; d < Depth; ++d)
#pragma unroll
          for (int k = 0; k < Width; ++k) f.value[d][k] = tile[(line + d * lines) * (side + 1) + lane * Width + k];
      }
    };
    (unstage(get<I>(values), get<I>(p.operands), I), ...);
  } else (load(get<I>(values), get<I>(p.operands), I), ...);

  results<Width, Depth, T...> out;
  compute<Schedule, Width, Depth>(values, p.operands, out);

  const auto put = [&](const auto& r, const auto& t, int j) {
    const index_t step = t.steps[R - 1];
    const bool as_one = p.consecutive && ((p.wide_out >> j) & 1);
#pragma unroll
    for (int d = 0; d < Depth; ++d) store(r, d, t.data + out_offset[d][j], spacing * step, as_one && valid[d] >= Width, valid[d], spacing);
  };
  (put(get<J>(out), get<J>(p.targets), J), ...);
}

template <class Schedule, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_strided(const __grid_constant__ Parameters p) {
  const unsigned tile_row = blockIdx.x / p.column_tiles, tile_column = blockIdx.x - tile_row * p.column_tiles;
  strided_body<Schedule, false, R, Width, Depth>(p, 0, tile_row, tile_column, Sources{}, Types{}, make_indices<Sources::size>{}, make_indices<Types::size>{});
}

/// Square iterations take tiles (i, j) and (j, i) one after the other: what one reads along rows the other
/// reads across, and the cache serves the second. Pairs are numbered along wrapped diagonals.
template <class Schedule, class Sources, class Types, int R, int Width, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_tiled(const __grid_constant__ Parameters p) {
  const unsigned per_plane = p.row_tiles * p.column_tiles;
  unsigned tile = blockIdx.x, row, column;
  index_t outer = 0;
  if (p.mirrored) {
    const unsigned pair = tile / 2;
    const unsigned diagonal = pair / p.column_tiles, i = pair - diagonal * p.column_tiles;
    const unsigned j = i + diagonal < p.column_tiles ? i + diagonal : i + diagonal - p.column_tiles;
    if (diagonal == 0 && (tile & 1)) return;
    row = tile & 1 ? j : i;
    column = tile & 1 ? i : j;
  } else {
    const unsigned plane = tile / per_plane;
    tile -= plane * per_plane;
    row = tile / p.column_tiles;
    column = tile - row * p.column_tiles;
    outer = plane;
  }
  strided_body<Schedule, true, R, Width, Width>(p, outer, row, column, Sources{}, Types{}, make_indices<Sources::size>{}, make_indices<Types::size>{});
}

// ---- launch --------------------------------------------------------------------------------------------

/// How much a thread takes on, from the width of the elements, the bytes it would have in flight and the cost of the program.
constexpr thread_share share_for(int width, int bytes, int cost, bool strided) {
  const int loads = bytes * width;  // per thread and depth
  int depth = strided ? 4 : loads == 0 ? 2 : 64 / loads;
  depth = depth < 1 ? 1 : depth > 4 ? 4 : depth;
  while (depth > 1 && (cost * width * depth > 200 || loads * depth > 320)) depth /= 2;
  if (depth == 3) depth = 2;
  return {width, depth};
}

template <class Operand>
struct flat_operand;
template <class Source, int R>
struct flat_operand<operand<Source, R>> {
  static operand<Source, 1> of(const operand<Source, R>& o) {
    if constexpr (requires { o.steps; }) return {o.source, {{o.steps[R > 0 ? R - 1 : 0]}}};
    else return {o.source};
  }
};

template <int R, class... Src, int... I>
operand_pack<1, Src...> flat_operands(const operand_pack<R, Src...>& p, indices<I...>) {
  return {{{flat_operand<operand<Src, R>>::of(get<I>(p))}...}};
}
template <int R, class... T, int... I>
target_pack<1, T...> flat_targets(const target_pack<R, T...>& p, indices<I...>) {
  return {{{{get<I>(p).data, {{get<I>(p).steps[R > 0 ? R - 1 : 0]}}}}...}};
}

/// One call of the runtime: the kernel on the current stream.
template <class Parameters>
void launch(void (*kernel)(Parameters), unsigned blocks, std::size_t shared, const Parameters& p) {
  static_assert(sizeof(Parameters) <= 32764, "lazyfuse: the expression has more operands than one kernel takes; materialize a part of it");
  void* arguments[] = {const_cast<Parameters*>(&p)};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(block_threads), arguments, shared, current_stream()), "cudaLaunchKernel");
}

/// Shared memory beyond 48 KiB has to be asked for, once per kernel.
void allow_shared(const void* kernel, std::size_t bytes);

template <class Schedule, class Sources, int R, class Bound, class... T>
const char* transform(shape<R>& s, Bound& bound, const target_pack<R, T...>& to, bool dry) {
  constexpr int width = width_for(Sources{}, list<T...>{});
  constexpr int bytes = memory_bytes(Sources{});
  constexpr thread_share flat = share_for(width, bytes, Schedule::cost, false), strided = share_for(width, bytes, Schedule::cost, true);
  constexpr int tile_width = width < 4 ? width : 4;
  const transform_geometry g = plan_transform(s.extent, R, bound.info, sizeof...(T), sizeof...(T) + bound.count, flat, strided);
  if (g.path == transform_path::flat || R < 2) {
    if (!dry) {
      constexpr auto all = make_indices<Sources::size>{};
      const flat_parameters<decltype(flat_operands(bound.operands, all)), target_pack<1, T...>> p{flat_operands(bound.operands, all),
                                                                   flat_targets(to, make_indices<sizeof...(T)>{}),
                                                                   R > 0 ? s[R > 0 ? R - 1 : 0] : 1, g.wide_in, g.wide_out, g.consecutive};
      launch(transform_flat<Schedule, Sources, list<T...>, flat.width, flat.depth, bare_t<decltype(p)>>, g.blocks, 0, p);
    }
    return "flat";
  }
  if constexpr (R >= 2) {
    using parameters = strided_parameters<bare_t<decltype(bound.operands)>, target_pack<R, T...>, R>;
    if (!dry) {
      parameters p{bound.operands, to, walk_of<R - 1>(s.extent), g.path == transform_path::tiled ? s[R - 2] : s.size() / s[R - 1], s[R - 1],
                   g.wide_in, g.wide_out, g.staged, g.row_tiles, g.column_tiles, g.lanes, g.consecutive, g.mirrored};
      if (g.path == transform_path::strided)
        launch(transform_strided<Schedule, Sources, list<T...>, R, strided.width, strided.depth, parameters>, g.blocks, 0, p);
      else {
        const auto kernel = transform_tiled<Schedule, Sources, list<T...>, R, tile_width, parameters>;
        constexpr int side = tile_lanes * tile_width;
        const std::size_t shared = static_cast<std::size_t>(g.staged_bytes) * side * (side + 1);
        if (shared > 49152) allow_shared(reinterpret_cast<const void*>(kernel), shared);
        launch(kernel, g.blocks, shared, p);
      }
    }
  }
  return g.path == transform_path::strided ? "strided" : "tiled";
}

}  // namespace lazyfuse::cuda_detail

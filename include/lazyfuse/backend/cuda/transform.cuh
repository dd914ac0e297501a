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
__device__ __forceinline__ void store(const result<Width, Depth, T>& from, T* to, index_t pitch, index_t step, bool as_one, int spacing, bool full, const int (&valid)[Depth]) {
#pragma unroll
  for (int d = 0; d < Depth; ++d) {
    if constexpr (Width > 1 && sizeof(T) * Width <= 16) {
      if (as_one && (full || valid[d] >= Width)) {
        wide<T, Width> together;
#pragma unroll
        for (int k = 0; k < Width; ++k) together.value[k] = from.value[d][k];
        *reinterpret_cast<wide<T, Width>*>(to + d * pitch) = together;
        continue;
      }
    }
    if (full && step == 1 && spacing == interleave) {
#pragma unroll
      for (int k = 0; k < Width; ++k) to[d * pitch + k * interleave] = from.value[d][k];
    } else {
#pragma unroll
      for (int k = 0; k < Width; ++k)
        if (k * spacing < valid[d]) to[d * pitch + k * (spacing * step)] = from.value[d][k];
    }
  }
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
  bool simple;  ///< every operand and target in memory is contiguous and aligned
};

template <class Schedule, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void flat_body(const auto& p, list<Src...>, list<T...>, indices<I...>, indices<J...>) {
  constexpr int row = block_threads * Width, tile = row * Depth;
  const index_t base = static_cast<index_t>(blockIdx.x) * tile;
  const index_t left = p.size - base;
  const bool full = left >= tile;
  fetched_pack<Width, Depth, list<Src...>> values;
  results<Width, Depth, T...> out;

  if (full && p.simple) {  // everything is contiguous and aligned: nothing to decide per operand
    const index_t at = base + static_cast<int>(threadIdx.x) * Width;
    const auto load = [&]<int N>(auto& f, const auto& o, indices<N>) {
      if constexpr (f.loads) {
        if constexpr (requires { o.source.data; }) f.contiguous(o.source.data + base, static_cast<unsigned>(threadIdx.x) * Width, row);
        else f.all(o.source, at * o.steps[0], row * o.steps[0], o.steps[0], true, 1);
      }
    };
    (load(get<I>(values), get<I>(p.operands), indices<I>{}), ...);
  } else {
    const spread threads{p.consecutive ? 1 : interleave};
    const int first = threads.template first<Width>(static_cast<int>(threadIdx.x));
    int valid[Depth];
#pragma unroll
    for (int d = 0; d < Depth; ++d) valid[d] = (full ? tile : static_cast<int>(left)) - first - d * row;
    const auto load = [&]<int N>(auto& f, const auto& o, indices<N>) {
      if constexpr (f.loads) {
        const index_t step = o.steps[0];
        const bool as_one = p.consecutive && ((p.wide_in >> N) & 1);
        if (full) f.all(o.source, (base + first) * step, row * step, step, as_one, threads.spacing);
        else f.some(o.source, (base + first) * step, row * step, step, as_one, threads.spacing, valid);
      }
    };
    (load(get<I>(values), get<I>(p.operands), indices<I>{}), ...);
  }

  compute<Schedule, Width, Depth>(values, p.operands, out);

  const spread threads{p.consecutive ? 1 : interleave};
  const int first = threads.template first<Width>(static_cast<int>(threadIdx.x));
  int valid[Depth];
#pragma unroll
  for (int d = 0; d < Depth; ++d) valid[d] = (full ? tile : static_cast<int>(left)) - first - d * row;
  const auto put = [&](const auto& r, const auto& t, int j) {
    const index_t step = t.steps[0];
    store(r, t.data + (base + first) * step, row * step, step, p.consecutive && ((p.wide_out >> j) & 1), threads.spacing, full, valid);
  };
  if (full && p.simple) {
    const index_t at = base + static_cast<int>(threadIdx.x) * Width;
    const auto put_simple = [&](const auto& r, const auto& t) {
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        wide<bare_t<decltype(*t.data)>, Width> together;
#pragma unroll
        for (int k = 0; k < Width; ++k) together.value[k] = r.value[d][k];
        *reinterpret_cast<bare_t<decltype(together)>*>(t.data + at + d * row) = together;
      }
    };
    (put_simple(get<J>(out), get<J>(p.targets)), ...);
  } else (put(get<J>(out), get<J>(p.targets), J), ...);
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
  axes_walk<R - 2> planes_walk;  ///< the axes before the rows
  index_t planes, rows, columns;
  wide_bits wide_in, wide_out, staged;
  unsigned row_tiles, column_tiles;
  divisor by_rows, by_columns;
  int lane_shift, line_shift;  ///< log2 of the threads of a block along the columns, along the rows; the rest along planes
  bool consecutive, mirrored;
  bool small;  ///< every offset fits 31 bits
};

/// Tiles of the tiled kernel are square: 16 lanes by 16 lines of Width times Width elements.
inline constexpr int tile_lanes = 16;

template <class Schedule, bool Tiled, int R, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void strided_body(const auto& p, unsigned tile_plane, unsigned tile_row, unsigned tile_column, list<Src...>, list<T...>, indices<I...>, indices<J...>) {
  constexpr int tile_shift = 4;
  static_assert(1 << tile_shift == tile_lanes);
  const int lane_shift = Tiled ? tile_shift : p.lane_shift, line_shift = Tiled ? tile_shift : p.line_shift;
  const int lanes = 1 << lane_shift, lines = 1 << line_shift, planes_here = block_threads >> (lane_shift + line_shift);
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int above = static_cast<int>(threadIdx.x) >> lane_shift, line = above & (lines - 1);
  const spread threads{p.consecutive ? 1 : interleave};
  const index_t first_plane = static_cast<index_t>(tile_plane) * planes_here, plane = first_plane + (above >> line_shift);
  const index_t first_row = static_cast<index_t>(tile_row) * (lines * Depth), row = first_row + line;
  const index_t first_column = static_cast<index_t>(tile_column) * (lanes * Width), column = first_column + threads.template first<Width>(lane);
  const bool full = first_column + lanes * Width <= p.columns && first_row + lines * Depth <= p.rows && first_plane + planes_here <= p.planes;
  int valid[Depth];
  {
    const index_t left = p.columns - column;
    const int in_row = plane < p.planes ? static_cast<int>(left < Width * interleave ? left : Width * interleave) : 0;
#pragma unroll
    for (int d = 0; d < Depth; ++d) valid[d] = row + d * lines < p.rows ? in_row : 0;
  }
  // Offsets of the first element: in 32 bits where all of them fit, decided at launch.
  index_t in_offset[sizeof...(Src) + 1], out_offset[sizeof...(T)];
  const auto start = [&]<class Index>(index_t& offset, const auto& o, Index) {
    if constexpr (requires { o.steps; }) {
      Index at = static_cast<Index>(row) * static_cast<Index>(o.steps[R - 2]) + static_cast<Index>(column) * static_cast<Index>(o.steps[R - 1]);
      if constexpr (R > 2) p.planes_walk(plane < p.planes ? plane : 0, [&](int axis, index_t i) { at += static_cast<Index>(i) * static_cast<Index>(o.steps[axis]); });
      offset = at;
    }
  };
  if (p.small) {
    (start(in_offset[I], get<I>(p.operands), int{}), ...);
    (start(out_offset[J], get<J>(p.targets), int{}), ...);
  } else {
    (start(in_offset[I], get<I>(p.operands), index_t{}), ...);
    (start(out_offset[J], get<J>(p.targets), index_t{}), ...);
  }

  fetched_pack<Width, Depth, list<Src...>> values;
  const auto load = [&](auto& f, const auto& o, int i) {
    if constexpr (f.loads) {
      if (Tiled && ((p.staged >> i) & 1)) return;
      const bool as_one = p.consecutive && ((p.wide_in >> i) & 1);
      const index_t pitch = o.steps[R - 2] << line_shift;
      if (full) f.all(o.source, in_offset[i], pitch, o.steps[R - 1], as_one, threads.spacing);
      else f.some(o.source, in_offset[i], pitch, o.steps[R - 1], as_one, threads.spacing, valid);
    }
  };

  if constexpr (Tiled) {
    // Operands contiguous across rows are read along the rows into shared memory, and out of it along the columns.
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    constexpr int side = tile_lanes * Width;
    int across_valid[Depth];
    {
      const index_t left = p.rows - first_row - lane * Width;
#pragma unroll
      for (int d = 0; d < Depth; ++d) across_valid[d] = first_column + line + d * lines < p.columns ? static_cast<int>(left < Width ? left : Width) : 0;
    }
    int bytes = 0;
    const auto stage = [&](const auto& o, int i) {
      if constexpr (requires { o.source.data; }) {
        if (!((p.staged >> i) & 1)) return;
        using E = bare_t<decltype(*o.source.data)>;
        E* const tile = reinterpret_cast<E*>(shared_bytes + bytes);
        bytes += side * (side + 1) * static_cast<int>(sizeof(E));
        index_t offset = (first_row + lane * Width) * o.steps[R - 2] + (first_column + line) * o.steps[R - 1];
        if constexpr (R > 2) p.planes_walk(plane, [&](int axis, index_t at) { offset += at * o.steps[axis]; });
        const bool as_one = (p.wide_in >> i) & 1;
        fetched<memory<E>, Width, Depth> part;
        if (full) part.all(o.source, offset, lines * o.steps[R - 1], o.steps[R - 2], as_one, 1);
        else part.some(o.source, offset, lines * o.steps[R - 1], o.steps[R - 2], as_one, 1, across_valid);
#pragma unroll
        for (int d = 0; d < Depth; ++d)
#pragma unroll
          for (int k = 0; k < Width; ++k) tile[(lane * Width + k) * (side + 1) + line + d * lines] = part.value[d][k];
      }
    };
    (load(get<I>(values), get<I>(p.operands), I), ...);
    (stage(get<I>(p.operands), I), ...);
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
    store(r, t.data + out_offset[j], t.steps[R - 2] << line_shift, t.steps[R - 1], p.consecutive && ((p.wide_out >> j) & 1), threads.spacing, full, valid);
  };
  (put(get<J>(out), get<J>(p.targets), J), ...);
}

template <class Schedule, class Sources, class Types, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads) transform_strided(const __grid_constant__ Parameters p) {
  const unsigned rest = p.by_columns.quotient(blockIdx.x), tile_column = blockIdx.x - rest * p.column_tiles;
  const unsigned tile_plane = p.by_rows.quotient(rest), tile_row = rest - tile_plane * p.row_tiles;
  strided_body<Schedule, false, R, Width, Depth>(p, tile_plane, tile_row, tile_column, Sources{}, Types{}, make_indices<Sources::size>{}, make_indices<Types::size>{});
}

/// Square iterations take tiles (i, j) and (j, i) one after the other: what one reads along rows the other
/// reads across, and the cache serves the second. Pairs are numbered along wrapped diagonals.
template <class Schedule, class Sources, class Types, int R, int Width, class Parameters>
__global__ void __launch_bounds__(block_threads, Sources::size <= 4 ? 3 : 1) transform_tiled(const __grid_constant__ Parameters p) {
  const unsigned per_plane = p.row_tiles * p.column_tiles;
  unsigned tile = blockIdx.x, row, column, plane = 0;
  if (p.mirrored) {
    const unsigned pair = tile / 2;
    const unsigned diagonal = pair / p.column_tiles, i = pair - diagonal * p.column_tiles;
    const unsigned j = i + diagonal < p.column_tiles ? i + diagonal : i + diagonal - p.column_tiles;
    if (diagonal == 0 && (tile & 1)) return;
    row = tile & 1 ? j : i;
    column = tile & 1 ? i : j;
  } else {
    plane = tile / per_plane;
    tile -= plane * per_plane;
    row = tile / p.column_tiles;
    column = tile - row * p.column_tiles;
  }
  strided_body<Schedule, true, R, Width, Width>(p, plane, row, column, Sources{}, Types{}, make_indices<Sources::size>{}, make_indices<Types::size>{});
}

// ---- launch --------------------------------------------------------------------------------------------

/// How much a thread takes on, from the width of the elements, the bytes it would have in flight and the cost of the program.
enum class kernel_kind { flat, strided, reduce };
constexpr thread_share share_for(int width, int bytes, int cost, kernel_kind kind) {
  const int loads = bytes * width;  // bytes per thread and depth
  int depth = 4;
  if (kind == kernel_kind::flat) depth = cost > 24 || loads == 0 ? 2 : 1;  // short threads stream best; long ones hide each other's arithmetic
  if (kind == kernel_kind::reduce && loads > 16) depth = 2;
  while (depth > 1 && (cost * width * depth > 260 || loads * depth > 320)) depth /= 2;
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
  constexpr thread_share flat = share_for(width, bytes, Schedule::cost, kernel_kind::flat), strided = share_for(width, bytes, Schedule::cost, kernel_kind::strided);
  constexpr int tile_width = width < 4 ? width : 4;
  const transform_geometry g = plan_transform(s.extent, R, bound.info, sizeof...(T), sizeof...(T) + bound.count, flat, strided);
  if (g.path == transform_path::flat || R < 2) {
    if (!dry) {
      constexpr auto all = make_indices<Sources::size>{};
      const flat_parameters<decltype(flat_operands(bound.operands, all)), target_pack<1, T...>> p{flat_operands(bound.operands, all),
                                                                   flat_targets(to, make_indices<sizeof...(T)>{}),
                                                                   R > 0 ? s[R > 0 ? R - 1 : 0] : 1, g.wide_in, g.wide_out, g.consecutive, g.simple};
      launch(transform_flat<Schedule, Sources, list<T...>, flat.width, flat.depth, bare_t<decltype(p)>>, g.blocks, 0, p);
    }
    return "flat";
  }
  if constexpr (R >= 2) {
    using parameters = strided_parameters<bare_t<decltype(bound.operands)>, target_pack<R, T...>, R>;
    if (!dry) {
      const parameters p{bound.operands, to, walk_of<R - 2>(s.extent), s.size() / s[R - 1] / s[R - 2], s[R - 2], s[R - 1],
                         g.wide_in, g.wide_out, g.staged, g.row_tiles, g.column_tiles, divisor::of(g.row_tiles), divisor::of(g.column_tiles), log2_of(g.lanes), log2_of(g.lines), g.consecutive, g.mirrored, g.small};
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

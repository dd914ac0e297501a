// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a tile: those that are contiguous across its rows pass through shared memory, the others are read
// along its columns.
#pragma once

#include <lazyfuse/backend/cuda/kernels/tile_values.cuh>
#include <lazyfuse/backend/cuda/kernels/turned_layout.hpp>

namespace lazyfuse::cuda_detail {

/// Small: every place in memory is less than 2^31 elements from the first.
template <class Operands, class Targets, int B, int O, kept_axes Kept, bool Small, class Facts>
struct turned_parameters : bound_to<Operands, Targets>, turned_numbers<B, O> {
  using facts = Facts;
  using index = standard::conditional_t<Small, int, index_t>;
  static constexpr kept_axes kept = Kept;
  static constexpr int batch_axes = B, outer_axes = O;
};

/// What a thread reads of a turned operand: as many threads as there are rows lie along these, in lines that are a few
/// columns apart.
template <class T, int Depth>
struct turned_part {
  static constexpr int most = turned_steps(Depth);
  int row, first, apart;  ///< its row, its first column, from one to the next
  int columns;            ///< before this one
  T value[most];

  __device__ __forceinline__ turned_part(const turned_threads& n, index_t rows_left, index_t columns_left)
      : first(static_cast<int>(n.by_tall.quotient(threadIdx.x))), apart(n.lines_across) {
    row = static_cast<int>(threadIdx.x) - first * n.lines * Depth;
    columns = first < apart && row < rows_left ? static_cast<int>(columns_left < n.lanes ? columns_left : n.lanes) : 0;
  }
  /// from: the tile's first element.
  template <bool Written, class Index>
  __device__ __forceinline__ void read(elements<const T> from, Index down, Index across) {
    from = from + (row * down + first * across);
    const Index step = apart * across;
#pragma unroll
    for (int k = 0; k < most; ++k, from = from + step)
      value[k] = read_if<0, Written>(from, first + k * apart < columns);
  }
  __device__ __forceinline__ void write(T* tile, int pitch) const {
    T* to = tile + (row * pitch + first);
#pragma unroll
    for (int k = 0; k < most; ++k, to += apart)
      if (first + k * apart < columns) *to = value[k];
  }
};

/// A thread of a tile has Depth rows of one column. Written: the kernel may write what it reads.
template <int Depth, bool Written, class Parameters, class... Src>
struct turned_operands {
  static constexpr auto seq = make_index_sequence<sizeof...(Src)>{};
  using facts = typename Parameters::facts;
  using index = typename Parameters::index;
  static constexpr int before = Parameters::batch_axes;
  static constexpr bool keeps_rows = Parameters::kept == kept_axes::rows || Parameters::kept == kept_axes::both,
                        keeps_columns = Parameters::kept == kept_axes::columns || Parameters::kept == kept_axes::both;
  static constexpr int row_axis = keeps_columns && !keeps_rows ? before + 1 : before,
                       column_axis = 2 * before + 1 - row_axis, outer_axis = before + 2;
  using registers_of = tile_registers<facts, Depth, 1, list<Src...>, bare_t<decltype(seq)>>;

  const Parameters& p;
  unsigned char* const shared;
  index_t base[sizeof...(Src) + 1] = {};  ///< of the batch
  index first_row = 0, first_column = 0;  ///< of the tile
  int line, lane;
  bool idle;
  int left;  ///< rows of the tile from the thread's first one on; none if its column does not exist
  registers_of registers;

  __device__ __forceinline__ turned_operands(const Parameters& parameters, unsigned char* s)
      : p(parameters), shared(s) {
    line = static_cast<int>(p.threads.by_lanes.quotient(threadIdx.x));
    lane = static_cast<int>(threadIdx.x) - line * p.threads.lanes;
    idle = line >= p.threads.lines;
    if (idle) line = 0;
  }
  __device__ __forceinline__ index rows() const { return static_cast<index>(p.rows); }
  __device__ __forceinline__ index columns() const { return static_cast<index>(p.columns); }
  __device__ __forceinline__ int tall() const { return p.threads.lines * Depth; }
  __device__ __forceinline__ void go_to(index row, index column) {
    first_row = row;
    first_column = column;
    const index rows_left = rows() - first_row - line;
    left = idle || first_column + lane >= columns() ? 0 : rows_left < tall() ? static_cast<int>(rows_left) : tall();
  }
  /// Whether the thread's row d is one, and its column.
  __device__ __forceinline__ bool exists(int d) const { return d * p.threads.lines < left; }
  __device__ __forceinline__ auto at(int d) const {
    return tile_context<registers_of, bare_t<decltype(p.operands)>>{registers, p.operands, d, 0};
  }
  /// Of the tile at an outer position. What is to be turned is asked for first, and nothing is waited for before all
  /// has been. Calls take the two buffers in turn, so that one barrier is enough.
  __device__ __forceinline__ void read(unsigned outer, int buffer) {
    index offset[sizeof...(Src) + 1] = {};
    if constexpr (Parameters::outer_axes > 0) go_out(offset, outer, seq);
    read_all(offset, shared + buffer * bytes_before(sizeof...(Src)), seq);
  }

 private:
  /// Adds where an outer position is.
  template <int... I>
  __device__ __forceinline__ void go_out(index* offset, unsigned outer, index_sequence<I...>) const {
    const auto along = [&](int axis, index_t at) {
      const auto add = [&](index& to, const auto& o) {
        if constexpr (requires { o.steps; })
          to += static_cast<index>(at) * static_cast<index>(o.steps[outer_axis + axis]);
      };
      (add(offset[I], get<I>(p.operands)), ...);
    };
    if constexpr (Parameters::outer_axes == 1) along(0, static_cast<index_t>(outer));
    else p.outer(outer, along);
  }
  template <int I, class S>
  static constexpr bool is_turned = S::is_memory && (facts::template of<I> & dense_across) != 0;
  template <int I, class S>
  __device__ __forceinline__ int bytes_of() const {
    if constexpr (is_turned<I, S>)
      return turned_bytes(sizeof(typename S::value_type), p.threads.lanes, p.threads.lines, Depth);
    else return 0;
  }
  template <int... I>
  __device__ __forceinline__ int bytes_before(int n, index_sequence<I...>) const {
    return (0 + ... + (I < n ? bytes_of<I, Src>() : 0));
  }
  __device__ __forceinline__ int bytes_before(int n) const { return bytes_before(n, seq); }

  template <int... I>
  __device__ __forceinline__ void read_all(const index* offset, unsigned char* tiles, index_sequence<I...>) {
    auto parts = pack<part_of<I, Src>...>{part_of<I, Src>(*this)...};
    (get<I>(parts).read(*this, get<I>(p.operands), base[I], offset[I]), ...);
    (read_direct<I, Src>(base[I], offset[I]), ...);
    (get<I>(parts).write(*this, tiles + bytes_before(I)), ...);
    __syncthreads();
    (take<I, Src>(tiles + bytes_before(I)), ...);
  }
  template <int I, class S>
  struct part_of {
    __device__ __forceinline__ explicit part_of(const turned_operands&) {}
    __device__ __forceinline__ void read(const turned_operands&, const auto&, index_t, index) {}
    __device__ __forceinline__ void write(const turned_operands&, unsigned char*) const {}
  };
  template <int I, class S>
    requires is_turned<I, S>
  struct part_of<I, S> : turned_part<typename S::value_type, Depth> {
    using T = typename S::value_type;
    __device__ __forceinline__ explicit part_of(const turned_operands& t)
        : turned_part<T, Depth>(t.p.threads, t.rows() - t.first_row, t.columns() - t.first_column) {}
    __device__ __forceinline__ void read(const turned_operands& t, const auto& o, index_t from, index offset) {
      const index down = static_cast<index>(o.steps[row_axis]), across = static_cast<index>(o.steps[column_axis]);
      turned_part<T, Depth>::template read<Written>(
          o.source.data + from + (offset + t.first_row * down + t.first_column * across), down, across);
    }
    __device__ __forceinline__ void write(const turned_operands& t, unsigned char* tile) const {
      turned_part<T, Depth>::write(reinterpret_cast<T*>(tile), turned_pitch(t.p.threads.lanes));
    }
  };
  template <int I, class S>
  __device__ __forceinline__ void take(const unsigned char* tile) {
    if constexpr (is_turned<I, S>) {
      const int pitch = turned_pitch(p.threads.lanes);
      const auto* const from = reinterpret_cast<const typename S::value_type*>(tile) + (line * pitch + lane);
#pragma unroll
      for (int d = 0; d < Depth; ++d) get<I>(registers).value[d][0] = from[d * p.threads.lines * pitch];
    }
  }
  template <int I, class S>
  __device__ __forceinline__ void read_direct(index_t first, index offset) {
    constexpr unsigned bits = facts::template of<I>;
    const auto& o = get<I>(p.operands);
    if constexpr (requires { o.steps; } && !is_turned<I, S>) {
      auto& to = get<I>(registers);
      constexpr bool by_row = (bits & by_rows) != 0, by_column = (bits & by_columns) != 0;
      const index down = by_row ? static_cast<index>(o.steps[row_axis]) : 0,
                  across = !by_column                  ? 0
                           : (bits & dense_along) != 0 ? 1
                                                       : static_cast<index>(o.steps[column_axis]);
      constexpr int count = by_row ? Depth : 1;
      if constexpr (S::is_memory) {
        auto from = o.source.data + first + (offset + (first_row + line) * down + (first_column + lane) * across);
        const index pitch = p.threads.lines * down;
#pragma unroll
        for (int d = 0; d < count; ++d, from = from + pitch) to.value[d][0] = read_if<0, Written>(from, exists(d));
      } else {  // computed from where it is: in place of those beyond, the last
        const index column = first_column + lane < columns() ? first_column + lane : columns() - 1;
#pragma unroll
        for (int d = 0; d < count; ++d) {
          const index row = first_row + line + d * p.threads.lines;
          to.value[d][0] = o.source.at(first + (offset + (row < rows() ? row : rows() - 1) * down + column * across));
        }
      }
    }
  }
};

}  // namespace lazyfuse::cuda_detail

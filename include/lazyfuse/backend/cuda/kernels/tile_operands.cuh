// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a tile: what all threads read is copied to shared memory while they compute with what came before it;
// what a thread alone reads, to its registers.
#pragma once

#include <lazyfuse/backend/cuda/kernels/tile_copies.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_sums.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_values.cuh>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int B, class Facts>
struct tile_parameters : bound_to<Operands, Targets>, tile_numbers<B> {
  using facts = Facts;
};

/// Whether an operand passes through shared memory: of pairs, what varies along the columns alone; else
/// what varies along the depth and either rows or columns.
template <tiling How, class Src, unsigned Bits>
inline constexpr bool is_staged = [] {
  if (!Src::is_memory || alignof(typename Src::value_type) > 16) return false;
  constexpr unsigned along = Bits & (by_rows | by_columns | by_depth);
  if (How == tiling::pairs) return along == by_columns;
  return along == (by_rows | by_depth) || along == (by_columns | by_depth);
}();

/// Where operands are in shared memory: lines along the depth of rows or columns, twice.
template <tiling How, class Shares, class Facts, class Sources, class Seq>
struct tile_room;
template <tiling How, class Shares, class Facts, class... Src, int... I>
struct tile_room<How, Shares, Facts, list<Src...>, index_sequence<I...>> {
  static constexpr int lines = How == tiling::pairs ? 1 : tile_depth;
  template <int N>
  static constexpr int across = (Facts::template of<N> & by_rows) != 0 ? Shares::tile_rows : Shares::tile_columns;
  /// From one line to the next: threads that copy neighbours along the depth write to different banks.
  template <int N>
  static constexpr int pitch = across<N> + tile_vector;
  static constexpr int sizes[] = {(is_staged<How, Src, Facts::template of<I>>
                                       ? (int(sizeof(typename Src::value_type)) * lines * pitch<I> + 15) / 16 * 16
                                       : 0)...,
                                  0};
  LAZYFUSE_HD static constexpr int offset(int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += sizes[i];
    return sum;
  }
  static constexpr int bytes = offset(sizeof...(Src));  ///< of one of the two
};

/// What a thread knows of the operands. It owns neighbours in fours: of rows (i / 4 * along_rows + row) * 4 + i % 4.
template <tiling How, class Program, int B, class Parameters, class... Src>
struct tile_operands {
  static constexpr auto seq = make_index_sequence<sizeof...(Src)>{};
  using shares = tile_shares<How, Program, list<Src...>>;
  using facts = typename Parameters::facts;
  using room = tile_room<How, shares, facts, list<Src...>, bare_t<decltype(seq)>>;
  static constexpr int rows = shares::rows, columns = shares::columns;
  static constexpr int row_axis = B, column_axis = B + 1, depth_axis = B + 2;
  using registers_of = tile_registers<facts, rows, columns, list<Src...>, bare_t<decltype(seq)>>;

  const Parameters& p;
  unsigned char* const shared;
  index_t base[sizeof...(Src) + 1] = {};  ///< of the batch
  index_t first_row = 0, first_column = 0;
  int row, column;  ///< of the thread: in a warp they are 4 below each other and 8 beside each other
  registers_of registers;

  __device__ __forceinline__ tile_operands(const Parameters& parameters, unsigned char* s) : p(parameters), shared(s) {
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    constexpr int beside = shares::along_columns / 8;
    column = (lane & 7) + 8 * (warp % beside);
    row = lane / 8 + 4 * (warp / beside);
  }
  static __device__ __forceinline__ int place(int i, int thread, int threads, int own) {
    const int vector = own < tile_vector ? own : tile_vector;
    return (i / vector * threads + thread) * vector + i % vector;
  }
  __device__ __forceinline__ index_t row_of(int i) const { return first_row + place(i, row, shares::along_rows, rows); }
  __device__ __forceinline__ index_t column_of(index_t from, int j) const {
    return from + place(j, column, shares::along_columns, columns);
  }
  __device__ __forceinline__ auto at(int i, int j) const {
    return tile_context<registers_of, bare_t<decltype(p.operands)>>{registers, p.operands, i, j};
  }

  /// What varies along the rows at most.
  __device__ __forceinline__ void read_rows() {
    each([&]<int N, class S>(index_sequence<N>, S*) {
      if constexpr ((facts::template of<N> & (by_columns | by_depth)) == 0) read<N>(first_column, 0);
    });
  }
  /// What varies along the columns, from `first` on, and is not in shared memory.
  __device__ __forceinline__ void read_columns(index_t first) {
    each([&]<int N, class S>(index_sequence<N>, S*) {
      constexpr unsigned bits = facts::template of<N>;
      if constexpr ((bits & by_columns) != 0 && (bits & by_depth) == 0 && !is_staged<How, S, bits>) read<N>(first, 0);
    });
  }
  /// One position along the depth: `line` of what has been copied.
  __device__ __forceinline__ void read_depth(int buffer, int line, index_t first, index_t from) {
    each([&]<int N, class S>(index_sequence<N>, S*) {
      constexpr unsigned bits = facts::template of<N>;
      if constexpr (is_staged<How, S, bits>) read_copied<N, S>(buffer, line, 0);
      else if constexpr ((bits & by_depth) != 0) read<N>(first, from + line);
    });
  }
  /// Columns of pairs that have been copied, from `first` on.
  __device__ __forceinline__ void read_pairs(int buffer, int first) {
    each([&]<int N, class S>(index_sequence<N>, S*) {
      if constexpr (is_staged<How, S, facts::template of<N>>) read_copied<N, S>(buffer, 0, first);
    });
  }
  /// Begins to copy from these columns and this depth on. Rows that all steps read are copied with the first one.
  __device__ __forceinline__ void copy(int buffer, index_t first, index_t from, bool with_rows) {
    each([&]<int N, class S>(index_sequence<N>, S*) {
      if constexpr (is_staged<How, S, facts::template of<N>>) copy_one<N, S>(buffer, first, from, with_rows);
    });
    end_of_copies();
  }

 private:
  template <class F>
  static __device__ __forceinline__ void each(const F& f) {
    each(f, seq);
  }
  template <class F, int... I>
  static __device__ __forceinline__ void each(const F& f, index_sequence<I...>) {
    (f(index_sequence<I>{}, static_cast<Src*>(nullptr)), ...);
  }
  template <class S, int N>
  __device__ __forceinline__ typename S::value_type* copied(int buffer) const {
    const bool stays = How == tiling::nested && (facts::template of<N> & by_rows) != 0;
    return reinterpret_cast<typename S::value_type*>(shared + (stays ? 0 : buffer) * room::bytes + room::offset(N));
  }

  /// Elements in memory, or computed from where they are; those beyond the last are replaced by it.
  template <int I>
  __device__ __forceinline__ void read(index_t first, index_t depth) {
    constexpr unsigned bits = facts::template of<I>;
    const auto& o = get<I>(p.operands);
    if constexpr (requires { o.steps; }) {
      auto& to = get<I>(registers);
      using values = bare_t<decltype(to)>;
      const auto moved = [&](unsigned along, index_t n, index_t end, int axis) {
        return (bits & along) != 0 ? (n < end ? n : end - 1) * o.steps[axis] : 0;
      };
#pragma unroll
      for (int i = 0; i < values::rows; ++i) {
        const index_t from =
            base[I] + moved(by_rows, row_of(i), p.rows, row_axis) + moved(by_depth, depth, p.depth, depth_axis);
#pragma unroll
        for (int j = 0; j < values::columns; ++j)
          to.value[i][j] = o.source.at(from + moved(by_columns, column_of(first, j), p.columns, column_axis));
      }
    }
  }
  template <int N, class S>
  __device__ __forceinline__ void read_copied(int buffer, int line, int first) {
    constexpr bool of_rows = (facts::template of<N> & by_rows) != 0;
    constexpr int own = of_rows ? rows : columns, vector = own < tile_vector ? own : tile_vector;
    const auto* const from = copied<S, N>(buffer) + line * room::template pitch<N> + first;
    auto& to = get<N>(registers);
#pragma unroll
    for (int k = 0; k < own; k += vector) {
      const auto* const at =
          from + (of_rows ? place(k, row, shares::along_rows, rows) : place(k, column, shares::along_columns, columns));
      neighbours<typename S::value_type> some;
      if constexpr (vector == tile_vector) some = *reinterpret_cast<const bare_t<decltype(some)>*>(at);
      else
#pragma unroll
        for (int q = 0; q < vector; ++q) some.value[q] = at[q];
#pragma unroll
      for (int q = 0; q < vector; ++q)
        (of_rows ? to.value[of_rows ? k + q : 0][0] : to.value[0][of_rows ? 0 : k + q]) = some.value[q];
    }
  }
  template <int N, class S>
  __device__ __forceinline__ void copy_one(int buffer, index_t first, index_t from, bool with_rows) {
    constexpr unsigned bits = facts::template of<N>;
    constexpr bool of_rows = (bits & by_rows) != 0, dense = (bits & dense_across) != 0 && room::lines > 1;
    if (How == tiling::nested && of_rows && !with_rows) return;
    constexpr int across = room::template across<N>, pitch = room::template pitch<N>, lines = room::lines;
    // All threads at a time: 32 bytes of each line where the depth is dense, elements side by side elsewhere.
    constexpr int side = across < 32 || !dense ? across : 32, deep = block_threads / side;
    const int n = static_cast<int>(threadIdx.x), x = dense ? n / 8 % side : n % side,
              d = dense ? n % 8 + n / (8 * side) * 8 : n / side;
    if (deep > lines && d >= lines) return;
    auto* const to = copied<S, N>(buffer) + d * pitch + x;
    const auto& o = get<N>(p.operands);
    const index_t begin = of_rows ? first_row : first, end = of_rows ? p.rows : p.columns;
    const index_t step = o.steps[of_rows ? row_axis : column_axis], deeper = dense ? 1 : o.steps[depth_axis];
    const auto* const data = o.source.data + base[N] + (begin + x) * step + (from + d) * deeper;
    const int left = static_cast<int>(end - begin < across ? end - begin : across) - x,
              deep_left = static_cast<int>(p.depth - from < lines ? p.depth - from : lines) - d;
#pragma unroll
    for (int i = 0; i < across; i += side)
#pragma unroll
      for (int j = 0; j < lines; j += deep)
        copy_element(to + j * pitch + i, data + (i * step + j * deeper), i < left && j < deep_left);
  }
};

}  // namespace lazyfuse::cuda_detail

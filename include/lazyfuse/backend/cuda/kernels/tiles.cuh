// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over arguments that are broadcast along other axes, by tiles: a thread has several rows and columns, and
// what it reads for one of them serves all of the other.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_layout.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int B, class Facts>
struct tile_parameters : bound_to<Operands, Targets>, tile_numbers<B> {
  using facts = Facts;
};

/// The reductions of a program: over the depth first, then over the columns.
template <tiling How, class Program, class Sources>
struct tile_sets {
  template <class... P>
  static typename reductions_detail::find_all<true, list<>, P...>::type find(list<P...>);
  using all = decltype(find(typename Program::roots{}));
  template <int Level>
  using level = reduction_set<typename stages_detail::of_stage<Level, all>::type, Sources>;
  using none = reduction_set<list<>, Sources>;
  using inner = standard::conditional_t<How == tiling::pairs, none, level<1>>;
  using outer = standard::conditional_t<How == tiling::products, none, level<How == tiling::nested ? 2 : 1>>;
  using results = standard::conditional_t<How == tiling::products, inner, outer>;
  using values = stages_detail::values<typename inner::reductions, Sources>;
};

/// The sums of a thread for one result: short runs, what these were added to, and what that lost.
template <class Set>
struct tile_sum {
  typename Set::accumulators total, run;
  typename Set::rests rest;
  __device__ __forceinline__ void clear() {
    Set::clear(total);
    Set::clear(run);
    rest = {};
  }
  __device__ __forceinline__ void end_run() { end_each(make_index_sequence<Set::size>{}); }
  __device__ __forceinline__ void restore() { restore_each(make_index_sequence<Set::size>{}); }

 private:
  template <int... I>
  __device__ __forceinline__ void end_each(index_sequence<I...>) {
    const auto one = [&]<int K>(index_sequence<K>) {
      using M = typename Set::template monoid<K>;
      using T = typename Set::template value_type<K>;
      if constexpr (rounding_monoid<M, T>) {
        auto &mine = get<K>(total), &added = get<K>(run);
        const auto both = lazyfuse::compute<M>(mine, added);
        get<K>(rest) = get<K>(rest) + M::lost(mine, added, both);
        mine = both;
        added = M::template identity<T>();
      }
    };
    (one(index_sequence<I>{}), ...);
  }
  template <int... I>
  __device__ __forceinline__ void restore_each(index_sequence<I...>) {
    const auto one = [&]<int K>(index_sequence<K>) {
      using M = typename Set::template monoid<K>;
      if constexpr (rounding_monoid<M, typename Set::template value_type<K>>)
        get<K>(total) = M::restored(get<K>(total), get<K>(rest));
    };
    (one(index_sequence<I>{}), ...);
  }
};
/// What rounds goes into the run, all else to the total at once.
template <class Set, bool Guarded>
struct tile_sink {
  static constexpr bool stores = false;
  tile_sum<Set>& to;
  bool valid;
  template <int I, class V>
  __device__ __forceinline__ void put(const V& value) {
    using M = typename Set::template monoid<I>;
    auto& mine = get<I>(rounding_monoid<M, V> ? to.run : to.total);
    const auto combined = lazyfuse::compute<M>(mine, value);
    mine = !Guarded || valid ? combined : mine;
  }
};

/// How much a thread takes on: `rows` and `columns` of results or arguments, whose sums stay in registers.
template <tiling How, class Program, class Sources>
struct tile_shares {
  using sets = tile_sets<How, Program, Sources>;
  template <class Set>
  static constexpr int bytes = Set::size == 0 ? 0
                                              : int(Set::has_rounding ? sizeof(tile_sum<Set>)
                                                                      : sizeof(typename Set::accumulators));
  static constexpr int inner = bytes<typename sets::inner>, outer = bytes<typename sets::outer>;
  static constexpr bool one_side = How != tiling::products;  ///< sums of rows stay beside those of pairs
  static constexpr int rows = How == tiling::pairs      ? (outer <= 16   ? 8
                                                           : outer <= 48 ? 4
                                                                         : 2)
                              : inner <= 4 && !one_side ? 8
                              : inner <= 24             ? 4
                                                        : 2;
  static constexpr int columns = How == tiling::pairs ? 4 : inner <= 12 && !one_side ? 8 : inner <= 24 ? 4 : 2;
  static constexpr int along_columns = tile_columns_of(How), along_rows = block_threads / along_columns;
  static constexpr int tile_rows = rows * along_rows, tile_columns = columns * along_columns;
  static constexpr int partial_bytes =
      int(sizeof(typename sets::results::accumulators)) * rows * (How == tiling::products ? columns : 1);
};

/// What is in shared memory: elements of operands that vary along the depth and along rows or columns, twice, so that
/// the next ones arrive while these are read.
template <class Src, unsigned Bits>
inline constexpr bool is_staged = Src::is_memory && (Bits & by_depth) != 0 &&
                                  (((Bits & by_rows) != 0) != ((Bits & by_columns) != 0));
template <class Shares, class Facts, class Sources, class Seq>
struct tile_room;
template <class Shares, class Facts, class... Src, int... I>
struct tile_room<Shares, Facts, list<Src...>, index_sequence<I...>> {
  template <int N>
  static constexpr int across = (Facts::template of<N> & by_rows) != 0 ? Shares::tile_rows : Shares::tile_columns;
  /// From one step along the depth to the next: threads that copy neighbours along it write to different banks.
  template <int N>
  static constexpr int pitch = across<N> + tile_vector;
  static constexpr int sizes[] = {(is_staged<Src, Facts::template of<I>>
                                       ? (int(sizeof(typename Src::value_type)) * tile_depth * pitch<I> + 15) / 16 * 16
                                       : 0)...,
                                  0};
  LAZYFUSE_HD static constexpr int offset(int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += sizes[i];
    return sum;
  }
  static constexpr int bytes = offset(sizeof...(Src));  ///< of one of two
};

/// An operand's elements in the registers of a thread.
template <class Src, unsigned Bits, int Rows, int Columns>
struct tile_values {
  static constexpr int rows = (Bits & by_rows) != 0 ? Rows : 1, columns = (Bits & by_columns) != 0 ? Columns : 1;
  typename Src::value_type value[rows][columns];
  __device__ __forceinline__ const auto& at(int i, int j) const { return value[rows > 1 ? i : 0][columns > 1 ? j : 0]; }
};
template <class T, unsigned Bits, int Rows, int Columns>
struct tile_values<constant<T>, Bits, Rows, Columns> {};
template <class Facts, int Rows, int Columns, class Sources, class Seq>
struct tile_registers;
template <class Facts, int Rows, int Columns, class... Src, int... I>
struct tile_registers<Facts, Rows, Columns, list<Src...>, index_sequence<I...>>
    : pack<tile_values<Src, Facts::template of<I>, Rows, Columns>...> {};

template <class Registers, class Operands>
struct tile_context {
  const Registers& registers;
  const Operands& operands;
  int i, j;
  template <int I>
  __device__ __forceinline__ auto operand() const {
    if constexpr (requires { get<I>(operands).steps; }) return get<I>(registers).at(i, j);
    else return get<I>(operands).source.value;
  }
};

/// Copies an element to shared memory without waiting for it; a zero where there is none.
template <class T>
__device__ __forceinline__ void copy_async(T* to, const T* from, bool there) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16)
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(from), "n"(sizeof(T)), "r"(there ? int(sizeof(T)) : 0)
        : "memory");
  else *to = there ? *from : T{};
}

/// A block's work. Threads own neighbours in fours: of rows (i / 4 * along_rows + row) * 4 + i % 4.
template <tiling How, class Program, int B, class Parameters, class... Src>
struct tile {
  using sources = list<Src...>;
  static constexpr auto seq = make_index_sequence<sizeof...(Src)>{};
  using shares = tile_shares<How, Program, sources>;
  using sets = typename shares::sets;
  using inner = typename sets::inner;
  using outer = typename sets::outer;
  using results = typename sets::results;
  using facts = typename Parameters::facts;
  using room = tile_room<shares, facts, sources, bare_t<decltype(seq)>>;
  static constexpr int rows = shares::rows, columns = shares::columns;
  static constexpr bool reduces_columns = How != tiling::products, reduces_depth = How != tiling::pairs;
  static constexpr int row_axis = B, column_axis = B + 1, depth_axis = B + 2;
  using registers_of = tile_registers<facts, rows, columns, sources, bare_t<decltype(seq)>>;

  const Parameters& p;
  unsigned char* const shared;
  index_t base[sizeof...(Src) + 1] = {};
  index_t first_row = 0, first_column = 0;
  int row, column;  ///< of the thread
  registers_of registers;
  tile_sum<inner> deep[reduces_depth ? rows : 1][reduces_depth ? columns : 1];
  tile_sum<outer> wide[reduces_columns ? rows : 1];

  /// Threads of a warp are 4 below each other and 8 beside each other.
  __device__ __forceinline__ explicit tile(const Parameters& parameters, unsigned char* s) : p(parameters), shared(s) {
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

  /// Elements of an operand that does not vary along the depth, those beyond the last replaced by it.
  template <int I>
  __device__ __forceinline__ void read(index_t first, bool whole, index_t at_depth = 0) {
    constexpr unsigned bits = facts::template of<I>;
    const auto& o = get<I>(p.operands);
    if constexpr (requires { o.steps; }) {
      auto& to = get<I>(registers);
      using values = bare_t<decltype(to)>;
      if constexpr ((bits & column_vectors) != 0 && (bits & (by_rows | by_columns | by_depth)) == by_columns &&
                    columns % tile_vector == 0) {
        using T = typename bare_t<decltype(o.source)>::value_type;
        if (whole) {
#pragma unroll
          for (int j = 0; j < columns; j += tile_vector) {
            const auto together = *reinterpret_cast<const wide_of<T>*>(o.source.data + base[I] + column_of(first, j));
#pragma unroll
            for (int k = 0; k < tile_vector; ++k) to.value[0][j + k] = together.value[k];
          }
          return;
        }
      }
#pragma unroll
      for (int i = 0; i < values::rows; ++i) {
        const index_t r = row_of(i), known_row = r < p.rows ? r : p.rows - 1;
        const index_t from = base[I] + ((bits & by_rows) != 0 ? known_row * o.steps[row_axis] : 0) +
                             ((bits & by_depth) != 0 ? at_depth * o.steps[depth_axis] : 0);
#pragma unroll
        for (int j = 0; j < values::columns; ++j) {
          const index_t c = column_of(first, j), known = c < p.columns ? c : p.columns - 1;
          to.value[i][j] = o.source.at(from + ((bits & by_columns) != 0 ? known * o.steps[column_axis] : 0));
        }
      }
    }
  }
  template <class T>
  struct alignas(sizeof(T) * tile_vector < 16 ? sizeof(T) * tile_vector : 16) wide_of {
    T value[tile_vector];
  };
  /// Of operands that vary along these axes, and no others beside them.
  template <int... I>
  __device__ __forceinline__ void read_rows(index_sequence<I...>) {
    const auto one = [&]<int N>(index_sequence<N>) {
      if constexpr ((facts::template of<N> & (by_columns | by_depth)) == 0) read<N>(first_column, false);
    };
    (one(index_sequence<I>{}), ...);
  }
  template <int... I>
  __device__ __forceinline__ void read_columns(index_t first, bool whole, index_sequence<I...>) {
    const auto one = [&]<int N>(index_sequence<N>) {
      if constexpr ((facts::template of<N> & by_columns) != 0 && (facts::template of<N> & by_depth) == 0)
        read<N>(first, whole);
    };
    (one(index_sequence<I>{}), ...);
  }

  /// Begins to copy what a step along the depth reads.
  template <int... I>
  __device__ __forceinline__ void stage(int buffer, index_t first, index_t from, index_sequence<I...>) {
    const auto one = [&]<int N, class S>(index_sequence<N>, S*) {
      constexpr unsigned bits = facts::template of<N>;
      if constexpr (is_staged<S, bits>) {
        using T = typename S::value_type;
        constexpr int across = room::template across<N>, pitch = room::template pitch<N>;
        constexpr bool of_rows = (bits & by_rows) != 0, dense = (bits & depth_dense) != 0;
        // All threads at a time: 32 bytes of each line where the depth is dense, elements side by side elsewhere.
        constexpr int side = across < 32 || !dense ? across : 32, deep = block_threads / side;
        const int n = static_cast<int>(threadIdx.x), x = dense ? n / 8 % side : n % side,
                  d = dense ? n % 8 + n / (8 * side) * 8 : n / side;
        T* const to = reinterpret_cast<T*>(shared + buffer * room::bytes + room::offset(N)) + d * pitch + x;
        const auto& o = get<N>(p.operands);
        const index_t begin = of_rows ? first_row : first, end = of_rows ? p.rows : p.columns;
        const index_t step = o.steps[of_rows ? row_axis : column_axis], deeper = dense ? 1 : o.steps[depth_axis];
        const T* const data = o.source.data + base[N] + (begin + x) * step + (from + d) * deeper;
        const int left = static_cast<int>(end - begin < across ? end - begin : across) - x,
                  deep_left = static_cast<int>(p.depth - from < tile_depth ? p.depth - from : tile_depth) - d;
#pragma unroll
        for (int i = 0; i < across; i += side)
#pragma unroll
          for (int j = 0; j < tile_depth; j += deep)
            copy_async(to + j * pitch + i, data + (i * step + j * deeper), i < left && j < deep_left);
      }
    };
    (one(index_sequence<I>{}, static_cast<Src*>(nullptr)), ...);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  /// One position along the depth.
  template <int... I>
  __device__ __forceinline__ void read_depth(int buffer, int d, index_t first, index_t from, index_sequence<I...>) {
    const auto one = [&]<int N, class S>(index_sequence<N>, S*) {
      constexpr unsigned bits = facts::template of<N>;
      if constexpr (is_staged<S, bits>) {
        using T = typename S::value_type;
        constexpr bool of_rows = (bits & by_rows) != 0;
        constexpr int own = of_rows ? rows : columns, vector = own < tile_vector ? own : tile_vector;
        const T* const line =
            reinterpret_cast<const T*>(shared + buffer * room::bytes + room::offset(N)) + d * room::template pitch<N>;
        auto& to = get<N>(registers);
#pragma unroll
        for (int k = 0; k < own; k += vector) {
          const T* const at = line + (of_rows ? place(k, row, shares::along_rows, rows)
                                              : place(k, column, shares::along_columns, columns));
          T some[vector];
          if constexpr (vector == tile_vector) {
            const auto together = *reinterpret_cast<const wide_of<T>*>(at);
#pragma unroll
            for (int q = 0; q < vector; ++q) some[q] = together.value[q];
          } else
#pragma unroll
            for (int q = 0; q < vector; ++q) some[q] = at[q];
#pragma unroll
          for (int q = 0; q < vector; ++q)
            (of_rows ? to.value[of_rows ? k + q : 0][0] : to.value[0][of_rows ? 0 : k + q]) = some[q];
        }
      } else if constexpr ((bits & by_depth) != 0) read<N>(first, false, from + d);
    };
    (one(index_sequence<I>{}, static_cast<Src*>(nullptr)), ...);
  }
  __device__ __forceinline__ void add_depth(int buffer, index_t first, index_t from) {
    const int count = static_cast<int>(p.depth - from < tile_depth ? p.depth - from : tile_depth);
    const auto one = [&](int d) {
      read_depth(buffer, d, first, from, seq);
#pragma unroll
      for (int i = 0; i < rows; ++i)
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          tile_sink<inner, false> sink{deep[i][j], true};
          evaluate<typename inner::prologue>(
              tile_context<registers_of, bare_t<decltype(p.operands)>>{registers, p.operands, i, j}, sink);
        }
    };
    constexpr int unrolled = rows * columns >= 64 ? 2 : rows * columns >= 32 ? 4 : 8;
    if (count == tile_depth) {
#pragma unroll(unrolled)
      for (int d = 0; d < tile_depth; ++d) one(d);
    } else
#pragma unroll 1
      for (int d = 0; d < count; ++d) one(d);
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < columns; ++j) deep[i][j].end_run();
  }
  template <bool Guarded>
  __device__ __forceinline__ void add_columns(index_t first) {
#pragma unroll
    for (int j = 0; j < columns; ++j)
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        tile_sink<outer, Guarded> sink{wide[i], !Guarded || column_of(first, j) < p.columns};
        const tile_context<registers_of, bare_t<decltype(p.operands)>> at{registers, p.operands, i, j};
        if constexpr (reduces_depth) {
          typename sets::values values;
          keep<inner>(values, deep[i][j].total);
          evaluate<typename outer::prologue>(with_values<bare_t<decltype(at)>, typename sets::values>{at, values},
                                             sink);
        } else evaluate<typename outer::prologue>(at, sink);
      }
  }

  /// All columns of pairs.
  __device__ __forceinline__ void run_pairs(unsigned begin, unsigned end) {
    constexpr unsigned run = tile_depth / columns;
    unsigned turns = 0;
    for (unsigned step = begin; step < end; ++step) {
      const index_t first = static_cast<index_t>(step) * shares::tile_columns;
      const bool whole = first + shares::tile_columns <= p.columns;
      read_columns(first, whole, seq);
      if (whole) add_columns<false>(first);
      else add_columns<true>(first);
      if (++turns % run == 0) end_wide();
    }
    end_wide();
  }
  __device__ __forceinline__ void end_wide() {
#pragma unroll
    for (int i = 0; i < rows; ++i) wide[i].end_run();
  }
  __device__ __forceinline__ void clear_deep() {
#pragma unroll
    for (auto& line : deep)
#pragma unroll
      for (auto& d : line) d.clear();
  }
  static __device__ __forceinline__ void arrived(bool but_one) {
    if (but_one) asm volatile("cp.async.wait_group 1;" ::: "memory");
    else asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
  }
  __device__ __forceinline__ void run_products(unsigned begin, unsigned end) {
    clear_deep();
    stage(0, first_column, static_cast<index_t>(begin) * tile_depth, seq);
    int buffer = 0;
    for (unsigned step = begin; step < end; ++step, buffer ^= 1) {
      if (step + 1 < end) stage(buffer ^ 1, first_column, static_cast<index_t>(step + 1) * tile_depth, seq);
      arrived(step + 1 < end);
      add_depth(buffer, first_column, static_cast<index_t>(step) * tile_depth);
      __syncthreads();
    }
#pragma unroll
    for (auto& line : deep)
#pragma unroll
      for (auto& d : line) d.restore();
  }
  __device__ __forceinline__ void run_nested(unsigned begin, unsigned end) {
    const auto deeper = static_cast<unsigned>((p.depth + tile_depth - 1) / tile_depth);
    unsigned next_step = begin, next_depth = 0;
    const auto ask = [&](int buffer) {
      stage(buffer, static_cast<index_t>(next_step) * shares::tile_columns,
            static_cast<index_t>(next_depth) * tile_depth, seq);
      if (++next_depth == deeper) {
        next_depth = 0;
        ++next_step;
      }
    };
    ask(0);
    int buffer = 0;
    for (unsigned step = begin; step < end; ++step) {
      const index_t first = static_cast<index_t>(step) * shares::tile_columns;
      const bool whole = first + shares::tile_columns <= p.columns;
      clear_deep();
      read_columns(first, whole, seq);
      for (unsigned d = 0; d < deeper; ++d, buffer ^= 1) {
        const bool more = next_step < end;
        if (more) ask(buffer ^ 1);
        arrived(more);
        add_depth(buffer, first, static_cast<index_t>(d) * tile_depth);
        __syncthreads();
      }
#pragma unroll
      for (auto& line : deep)
#pragma unroll
        for (auto& d : line) d.restore();
      if (whole) add_columns<false>(first);
      else add_columns<true>(first);
      end_wide();
    }
  }
  /// What this thread has for its results.
  __device__ __forceinline__ auto& total(int i, int j) {
    if constexpr (reduces_columns) return wide[i].total;
    else return deep[i][j].total;
  }
};

template <tiling How, class Program, class Sources, int B, class Parameters>
struct tile_of;
template <tiling How, class Program, class... Src, int B, class Parameters>
struct tile_of<How, Program, list<Src...>, B, Parameters> {
  using type = tile<How, Program, B, Parameters, Src...>;
};
template <tiling How, class Program, class Sources, int B, class Parameters>
inline constexpr int tile_bytes = 2 * tile_of<How, Program, Sources, B, Parameters>::type::room::bytes;

template <tiling How, class Program, class Sources, int B, class Parameters>
__global__ void __launch_bounds__(block_threads, 2) reduce_tiles(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(16) unsigned char room[];
  using tiled = typename tile_of<How, Program, Sources, B, Parameters>::type;
  using shares = typename tiled::shares;
  using set = typename tiled::results;
  constexpr bool reduces_columns = tiled::reduces_columns;
  tiled t(p, room);
  const unsigned number = blockIdx.x / p.splits, split = blockIdx.x - number * p.splits;
  const unsigned above = number / p.column_tiles, batch = above / p.row_tiles;
  t.first_row = static_cast<index_t>(above - batch * p.row_tiles) * shares::tile_rows;
  t.first_column = static_cast<index_t>(number - above * p.column_tiles) * shares::tile_columns;
  add_offsets<0>(t.base, p.batch, batch, p.operands, tiled::seq);
  t.read_rows(tiled::seq);
  const unsigned begin = split * p.steps_per_split,
                 end = begin + p.steps_per_split < p.steps ? begin + p.steps_per_split : p.steps;
  if constexpr (reduces_columns)
#pragma unroll
    for (auto& w : t.wide) w.clear();
  if constexpr (How == tiling::pairs) t.run_pairs(begin, end);
  else if constexpr (How == tiling::products) {
    t.read_columns(t.first_column, false, tiled::seq);
    t.run_products(begin, end);
  } else t.run_nested(begin, end);
  if constexpr (reduces_columns)
#pragma unroll
    for (auto& w : t.wide) w.restore();

  constexpr int columns = reduces_columns ? 1 : shares::columns, each = shares::rows * columns;
  if (p.splits > 1) {
    using accumulators = typename set::accumulators;
    accumulators* const partial = static_cast<accumulators*>(p.partial) +
                                  static_cast<index_t>(number) * p.splits * each * block_threads + threadIdx.x;
#pragma unroll
    for (int e = 0; e < each; ++e)
      partial[(static_cast<index_t>(split) * each + e) * block_threads] = t.total(e / columns, e % columns);
    if (!arrives_last(p.tickets + number, p.splits)) return;
#pragma unroll
    for (int e = 0; e < each; ++e) t.total(e / columns, e % columns) = partial[e * block_threads];
#pragma unroll 1
    for (unsigned n = 1; n < p.splits; ++n)
#pragma unroll
      for (int e = 0; e < each; ++e)
        set::merge(t.total(e / columns, e % columns), partial[(static_cast<index_t>(n) * each + e) * block_threads]);
  }
  constexpr int kept = B + (reduces_columns ? 1 : 2);
  index_t at[kept] = {};
  p.batch(batch, [&](int axis, index_t i) { at[axis] = i; });
#pragma unroll
  for (int i = 0; i < shares::rows; ++i) {
    at[B] = t.row_of(i);
    if constexpr (reduces_columns) merge_group<set>(t.total(i, 0), shares::along_columns);
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      if constexpr (!reduces_columns) at[B + 1] = t.column_of(t.first_column, j);
      const bool there = at[B] < p.rows && (reduces_columns ? t.column == 0 : at[kept - 1] < p.columns);
      if (there) finish<set, Program, kept>(p, at, t.total(i, j));
    }
  }
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over arguments that are broadcast along other axes, by tiles: a thread has several rows and columns, and
// what it reads for one of them serves all of the other.
#pragma once

#include <lazyfuse/backend/cuda/kernels/tile_merge.cuh>
#include <lazyfuse/backend/cuda/kernels/tile_operands.cuh>

namespace lazyfuse::cuda_detail {

/// A thread's work.
template <tiling How, class Program, int B, class Parameters, class... Src>
struct tile : tile_operands<How, Program, B, Parameters, Src...> {
  using base_type = tile_operands<How, Program, B, Parameters, Src...>;
  using typename base_type::shares;
  using sets = typename shares::sets;
  using inner = typename sets::inner;
  using outer = typename sets::outer;
  static constexpr int rows = shares::rows, columns = shares::columns;
  static constexpr bool reduces_columns = sets::reduces_columns, reduces_depth = sets::reduces_depth,
                        by_usual_runs = shares::by_usual_runs;

  typename shares::inner_sum deep[reduces_depth ? rows : 1][reduces_depth ? columns : 1];
  typename shares::outer_sum wide[reduces_columns ? rows : 1];

  using base_type::base_type;

  /// Steps [begin, end) of columns, or of the depth of products.
  __device__ __forceinline__ void run(unsigned begin, unsigned end) {
    for_all(wide, [](auto& w) { w.clear(); });
    if constexpr (How == tiling::pairs) run_pairs(begin, end);
    else if constexpr (How == tiling::products) run_products(begin, end);
    else run_nested(begin, end);
    for_all(wide, [](auto& w) { w.restore(); });
  }
  /// What this thread has for one of its results.
  __device__ __forceinline__ auto& total(int i, int j) {
    if constexpr (reduces_columns) return wide[i].total;
    else return deep[i][j].total;
  }

 private:
  template <class Sum, int N, class F>
  static __device__ __forceinline__ void for_all(Sum (&sums)[N], const F& f) {
#pragma unroll
    for (auto& s : sums) f(s);
  }
  template <class F>
  __device__ __forceinline__ void all_deep(const F& f) {
#pragma unroll
    for (auto& line : deep)
#pragma unroll
      for (auto& sum : line) f(sum);
  }

  __device__ __forceinline__ void run_pairs(unsigned begin, unsigned end) {
    constexpr int step_columns = shares::tile_columns, turn = columns * shares::along_columns,
                  unrolled = outer::prologue::cost > 64 ? 1 : 2, turns_of_run = tile_depth / columns,
                  turns = step_columns / turn, inner_turns = turns < turns_of_run ? turns : turns_of_run;
    constexpr unsigned steps_of_run = turns < turns_of_run ? turns_of_run / turns : 1;
    const auto read = [&](int buffer, index_t first, int from) {
      this->read_pairs(buffer, from);
      this->read_columns(first + from);
    };
    const auto add = [&]<bool Guarded>(int buffer, index_t first, int from) {
      read(buffer, first, from);
      add_columns<Guarded>(first + from);
    };
    // Runs of usual elements alone; the others are begun again, from what is still in shared memory.
    const auto add_run = [&](int buffer, index_t first, int from) {
      bool unusual = false;
#pragma unroll 1
      for (int k = 0; k < inner_turns; k += unrolled)
#pragma unroll
        for (int u = 0; u < unrolled; ++u) {
          read(buffer, first, from + (k + u) * turn);
          add_usual_columns(unusual);
        }
      if (!unusual) return;
      for_all(wide, [](auto& w) { w.clear_run(); });
#pragma unroll 1
      for (int k = 0; k < inner_turns; ++k) add.template operator()<false>(buffer, first, from + k * turn);
    };
    const auto end_runs = [&] { for_all(wide, [](auto& w) { w.end_run(); }); };
    this->copy(0, static_cast<index_t>(begin) * step_columns, 0, false);
    int buffer = 0;
    for (unsigned step = begin; step < end; ++step, buffer ^= 1) {
      const index_t first = static_cast<index_t>(step) * step_columns, left = this->p.columns - first;
      if (step + 1 < end) this->copy(buffer ^ 1, first + step_columns, 0, false);
      copies_have_come(step + 1 < end);
      if (left >= step_columns) {
#pragma unroll 1
        for (int from = 0; from < step_columns; from += inner_turns * turn) {
          if constexpr (by_usual_runs) add_run(buffer, first, from);
          else
#pragma unroll 1
            for (int k = 0; k < inner_turns; k += unrolled)
#pragma unroll
              for (int u = 0; u < unrolled; ++u) add.template operator()<false>(buffer, first, from + (k + u) * turn);
          if (steps_of_run == 1 || (step - begin) % steps_of_run == steps_of_run - 1) end_runs();
        }
      } else {
#pragma unroll 1
        for (int from = 0; from < left; from += turn) {
          add.template operator()<true>(buffer, first, from);
          end_runs();
        }
      }
      __syncthreads();
    }
    if constexpr (steps_of_run > 1) end_runs();
  }
  __device__ __forceinline__ void run_products(unsigned begin, unsigned end) {
    this->read_columns(this->first_column);
    all_deep([](auto& d) { d.clear(); });
    this->copy(0, this->first_column, static_cast<index_t>(begin) * tile_depth, true);
    int buffer = 0;
    for (unsigned step = begin; step < end; ++step, buffer ^= 1) {
      const index_t from = static_cast<index_t>(step) * tile_depth;
      if (step + 1 < end) this->copy(buffer ^ 1, this->first_column, from + tile_depth, true);
      copies_have_come(step + 1 < end);
      add_depth(buffer, this->first_column, from);
      __syncthreads();
    }
    all_deep([](auto& d) { d.restore(); });
  }
  __device__ __forceinline__ void run_nested(unsigned begin, unsigned end) {
    const unsigned deeper =
        How == tiling::nested ? 1 : static_cast<unsigned>((this->p.depth + tile_depth - 1) / tile_depth);
    unsigned next_step = begin, next_depth = 0;
    const auto ask = [&](int buffer) {
      this->copy(buffer, static_cast<index_t>(next_step) * shares::tile_columns,
                 static_cast<index_t>(next_depth) * tile_depth, next_step == begin);
      if (++next_depth == deeper) {
        next_depth = 0;
        ++next_step;
      }
    };
    ask(0);
    int buffer = 0;
    for (unsigned step = begin; step < end; ++step) {
      const index_t first = static_cast<index_t>(step) * shares::tile_columns;
      all_deep([](auto& d) { d.clear(); });
      this->read_columns(first);
      for (unsigned d = 0; d < deeper; ++d, buffer ^= 1) {
        const bool more = next_step < end;
        if (more) ask(buffer ^ 1);
        copies_have_come(more);
        add_depth(buffer, first, static_cast<index_t>(d) * tile_depth);
        __syncthreads();
      }
      all_deep([](auto& d) { d.restore(); });
      if (first + shares::tile_columns <= this->p.columns) add_columns<false>(first);
      else add_columns<true>(first);
      for_all(wide, [](auto& w) { w.end_run(); });
    }
  }

  __device__ __forceinline__ void add_depth(int buffer, index_t first, index_t from) {
    const index_t left = this->p.depth - from;
    const auto one = [&](int d) {
      this->read_depth(buffer, d, first, from);
#pragma unroll
      for (int i = 0; i < rows; ++i)
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          tile_sink<false, false, typename shares::inner_sum> sink{deep[i][j], true};
          evaluate<typename inner::prologue>(this->at(i, j), sink);
        }
    };
    constexpr int unrolled = shares::cost > 24 ? 1 : rows * columns >= 64 ? 2 : 4;
    if (left >= tile_depth) {
#pragma unroll(unrolled)
      for (int d = 0; d < tile_depth; ++d) one(d);
    } else
#pragma unroll 1
      for (int d = 0; d < left; ++d) one(d);
    all_deep([](auto& sum) { sum.end_run(); });
  }
  __device__ __forceinline__ void add_usual_columns(bool& unusual) {
    using sink = tile_sink<false, true, typename shares::outer_sum>;
    // Rows side by side where one would wait for its quotients and roots.
    constexpr int beside = shares::cost > dear_pairs ? rows : 1;
#pragma unroll
    for (int j = 0; j < columns; ++j)
#pragma unroll
      for (int first = 0; first < rows; first += beside)
        evaluate_usual<typename outer::prologue, beside>(
            unusual, [&](int i) { return this->at(first + i, j); },
            [&](int i) {
              return sink{wide[first + i], true};
            });
  }
  template <bool Guarded>
  __device__ __forceinline__ void add_columns(index_t first) {
    using prologue = typename outer::prologue;
    constexpr bool together = !Guarded && !reduces_depth && !by_usual_runs && computes_together<prologue>;
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      typename outer::accumulators noted[rows];
      if constexpr (together)
        evaluate_all<prologue, rows>([&](int i) { return this->at(i, j); },
                                     [&](int i) { return note_sink<outer>{noted[i]}; });
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        tile_sink<Guarded, true, typename shares::outer_sum> sink{
            wide[i], !Guarded || this->column_of(first, j) < this->p.columns};
        const auto at = this->at(i, j);
        if constexpr (together) put_noted<outer>(sink, noted[i], make_index_sequence<outer::size>{});
        else if constexpr (reduces_depth) {
          typename sets::values values;
          keep<inner>(values, deep[i][j].total);
          evaluate<prologue>(with_values<bare_t<decltype(at)>, typename sets::values>{at, values}, sink);
        } else evaluate<prologue>(at, sink);
      }
    }
  }
};

template <tiling How, class Program, class Sources, int B, class Parameters>
struct tile_of;
template <tiling How, class Program, class... Src, int B, class Parameters>
struct tile_of<How, Program, list<Src...>, B, Parameters> {
  using type = tile<How, Program, B, Parameters, Src...>;
};
/// Shared memory of a block.
template <tiling How, class Program, class Sources, int B, class Parameters>
inline constexpr int tile_bytes = 2 * tile_of<How, Program, Sources, B, Parameters>::type::room::bytes;

template <tiling How, class Program, class Sources, int B, class Parameters>
__global__ void __launch_bounds__(block_threads, 2) reduce_tiles(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  using tiled = typename tile_of<How, Program, Sources, B, Parameters>::type;
  using shares = typename tiled::shares;
  using set = typename tiled::sets::results;
  constexpr bool reduces_columns = tiled::reduces_columns;
  tiled t(p, shared_bytes);
  const unsigned number = blockIdx.x / p.splits, split = blockIdx.x - number * p.splits;
  const unsigned above = number / p.column_tiles, batch = above / p.row_tiles;
  t.first_row = static_cast<index_t>(above - batch * p.row_tiles) * shares::tile_rows;
  t.first_column = static_cast<index_t>(number - above * p.column_tiles) * shares::tile_columns;
  add_offsets<0>(t.base, p.batch, batch, p.operands, tiled::seq);
  t.read_rows();
  const unsigned begin = split * p.steps_per_split;
  t.run(begin, begin + p.steps_per_split < p.steps ? begin + p.steps_per_split : p.steps);

  constexpr int columns = reduces_columns ? 1 : shares::columns, each = shares::rows * columns;
  if (p.splits > 1) {  // each thread's own, in the order of the splits
    using accumulators = typename set::accumulators;
    accumulators* const partial = static_cast<accumulators*>(p.partial) +
                                  static_cast<index_t>(number) * p.splits * each * block_threads + threadIdx.x;
#pragma unroll
    for (int e = 0; e < each; ++e)
      partial[(static_cast<index_t>(split) * each + e) * block_threads] = t.total(e / columns, e % columns);
    if (!arrives_last(p.tickets + number, p.splits)) return;
#pragma unroll
    for (int e = 0; e < each; ++e) t.total(e / columns, e % columns) = partial[e * block_threads];
#pragma unroll 4
    for (unsigned n = 1; n < p.splits; ++n)
#pragma unroll
      for (int e = 0; e < each; ++e)
        set::merge(t.total(e / columns, e % columns), partial[(static_cast<index_t>(n) * each + e) * block_threads]);
  }
  constexpr int kept = B + (reduces_columns ? 1 : 2);
  index_t at[kept] = {};
  p.batch(batch, [&](int axis, index_t i) { at[axis] = i; });
  if constexpr (reduces_columns) {
    const lane_share mine = merge_among_lanes<set, shares::along_columns>(t.wide, make_index_sequence<set::size>{});
    constexpr int left = shares::rows > shares::along_columns ? shares::rows / shares::along_columns : 1;
#pragma unroll
    for (int i = 0; i < left; ++i) {
      at[B] = t.row_of(mine.first + i);
      if (mine.stores && at[B] < p.rows) finish<set, Program, kept>(p, at, t.wide[i].total);
    }
  } else {
#pragma unroll
    for (int i = 0; i < shares::rows; ++i)
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        at[B] = t.row_of(i);
        at[B + 1] = t.column_of(t.first_column, j);
        if (at[B] < p.rows && at[B + 1] < p.columns) finish<set, Program, kept>(p, at, t.total(i, j));
      }
  }
}

}  // namespace lazyfuse::cuda_detail

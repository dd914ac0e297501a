// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row reduction kernel: groups of threads, or several blocks, share an output.
#pragma once

#include <lazyfuse/backend/cuda/kernels/combine.cuh>

namespace lazyfuse::cuda_detail {

/// Several axes are reduced: rows that follow each other along the last axis but one, or the pieces of each row,
/// several at a time, with one walk over the other axes for all of them. False where few rows follow each other. Where
/// rows are in pieces and there are several lines, each takes rows of its own, and begin and end are those of rows.
template <class Set, int Width, int Depth, int K, int R, int Count, class... Src, int... I>
__device__ __forceinline__ bool combine_rows(thread_sums<Set, Width>& sums, const auto& p, const index_t (&base)[Count],
                                             index_t begin, index_t end, int line, int lines, int first,
                                             list<Src...> sources, index_sequence<I...> seq) {
  constexpr int before = R - 2, inner = R - 1;
  constexpr index_t far = 1 << 30;
  const bool whole_rows = p.chunks == 1;
  const index_t run = whole_rows ? p.reduced.extents[before - K] : p.chunks;
  if (whole_rows && run < 4 * lines) return false;
  const int spacing = spacing_of(p), span = p.lanes * Width, piece = whole_rows ? 0 : span;
  int turns = 0;
  for (index_t from = whole_rows ? begin : begin + line * run; from < end;) {
    index_t row = from, past = 0;  // how much of the run is before
    if (!whole_rows) {
      row = p.small_units ? p.chunk_divisor.quotient(static_cast<unsigned>(from)) : from / p.chunks;
      past = from - row * p.chunks;
    }
    p.reduced(row, [&](int axis, index_t at) {
      if (whole_rows && axis == before - K) past = at;
    });
    const index_t to = from + run - past < end ? from + run - past : end, column = past * piece + first;
    index_t left = p.inner - column;
    if (!whole_rows && (to - from) * span - first < left) left = (to - from) * span - first;
    index_t offset[Count];
    const auto start = [&](index_t& sum, index_t from_base, const auto& o) {
      sum = from_base;
      if constexpr (requires { o.steps; }) sum += column * o.steps[inner] + (whole_rows ? line * o.steps[before] : 0);
    };
    (start(offset[I], base[I], get<I>(p.operands)), ...);
    add_offsets<K>(offset, p.reduced, row, p.operands, seq);
    const auto turn = [&]<int D>(index_sequence<D>) {
      combine_left<Set, Width, D>(sums, p, offset, before, whole_rows ? lines : 0, piece,
                                  static_cast<int>(left < far ? left : far), inner, spacing, sources, seq);
      const auto move = [&](index_t& sum, const auto& o) {
        if constexpr (requires { o.steps; })
          sum += D * (piece * o.steps[inner] + (whole_rows ? lines * o.steps[before] : 0));
      };
      (move(offset[I], get<I>(p.operands)), ...);
      left -= D * piece;
    };
    const int apart = whole_rows ? lines : 1;
    index_t unit = from + (whole_rows ? line : 0);
    for (; unit + (whole_rows ? (Depth - 1) * lines : 0) < to; unit += Depth * apart) {
      if constexpr (Depth > 1)
        if (++turns % reduce_tuning::turns_to_fold == 0) fold(sums, make_index_sequence<Set::size>{});
      turn(index_sequence<Depth>{});
    }
    for (; unit < to; unit += apart) turn(index_sequence<1>{});  // of whole rows
    from = whole_rows ? to : to + (lines - 1) * run;
  }
  return true;
}

/// The inner loop runs along the reduced axis R - 1: `group` threads share an output.
template <class Set, class Epilogue, int K, int R, int Width, int Depth, class... Src>
__device__ __forceinline__ void rows_body(const auto& p, list<Src...> sources) {
  constexpr auto seq = make_index_sequence<sizeof...(Src)>{};
  constexpr int count = sizeof...(Src) + 1;
  const unsigned tile = blockIdx.x / p.splits, split = blockIdx.x - tile * p.splits;
  const int member = static_cast<int>(threadIdx.x) & (p.group - 1);
  // Threads that are left over make a line beyond the last.
  const int lines = p.group / p.lanes, line = member / p.lanes, lane = member - line * p.lanes;
  const index_t output = static_cast<index_t>(tile) * (block_threads / p.group) + threadIdx.x / p.group;
  const bool active = output < p.outputs;
  const spread threads{spacing_of(p)};
  const int spacing = threads.spacing, first = threads.template first<Width>(lane);
  const int span = p.lanes * Width;

  index_t base[count] = {};
  if (active) add_offsets<0>(base, p.kept, output, p.operands, seq);

  constexpr auto set_seq = make_index_sequence<Set::size>{};
  thread_sums<Set, Width> sums;
  sums.clear();
  const index_t begin = split * p.units_per_split,
                limit = begin + p.units_per_split < p.units ? begin + p.units_per_split : p.units;
  const index_t end = active && line < lines ? limit : begin;
  index_t unit = begin + line;
  // Said only where more is known: it moves the registers of kernels that nvcc compiles, up and down.
  const bool one_axis = (bare_t<decltype(p)>::facts::all_dense && R - K == 1) || p.units == p.chunks;
  if (one_axis) {  // one axis is reduced: units are pieces of it
    const index_t whole = p.whole_chunks < end ? p.whole_chunks : end, stride = static_cast<index_t>(lines) * span;
    int turns = 0;
    for (; unit + (Depth - 1) * lines < whole; unit += Depth * lines) {
      if constexpr (Depth > 1)
        if (++turns % reduce_tuning::turns_to_fold == 0) fold(sums, set_seq);
      combine_full<Set, true, Width, Depth>(sums, p, base, unit * span + first, stride, R - 1, R - 1, spacing, p.dense,
                                            sources, seq);
      if constexpr (Set::absorbs)
        if (Set::absorbing(sums.lane)) unit = end;
    }
  }
  if constexpr (R - K > 1) {
    if (!one_axis && combine_rows<Set, Width, Depth, K, R>(sums, p, base, begin, end, line, lines, first, sources, seq))
      unit = end;
  }
  for (; unit < end; unit += lines) {
    index_t row = 0, chunk = unit;
    if (!one_axis) {
      if (p.small_units) {
        const unsigned q = p.chunk_divisor.quotient(static_cast<unsigned>(unit));
        row = q;
        chunk = static_cast<unsigned>(unit) - q * p.chunks;
      } else {
        row = unit / p.chunks;
        chunk = unit - row * p.chunks;
      }
    }
    const index_t column = chunk * span + first, left = p.inner - column;
    index_t offset[count];
    const auto start = [&](index_t& to, index_t from, const auto& o) {
      if constexpr (requires { o.steps; }) to = from + column * o.steps[R - 1];
      else to = 0;
    };
    [&]<int... I>(index_sequence<I...>) { (start(offset[I], base[I], get<I>(p.operands)), ...); }
    (seq);
    if constexpr (R - K > 1) add_offsets<K>(offset, p.reduced, row, p.operands, seq);
    combine_some<Set, Width>(sums, p, offset, static_cast<int>(left < Width * interleave ? left : Width * interleave),
                             R - 1, spacing, sources, seq);
  }

  if constexpr (Depth > 1) fold(sums, set_seq);
  sums.restore();
  merge_within<Set>(sums.lane);
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

/// Whether it is known how all that is in memory lies along the rows.
template <class Facts, class... Src, int... I>
constexpr bool knows_all(list<Src...>, index_sequence<I...>) {
  return ((!Src::is_memory || Facts::template of<I> != along_inner::not_known) && ...);
}
/// Blocks that are to share a processor; 0: as many as the compiler makes of it. What a kernel does not know of its
/// operands keeps the compiler from computing with the first while others are on their way, for which it takes more
/// registers: where all is dense, a thread has 16 of them beside what it reads and adds up. Rows of several axes that
/// are not whole vectors are read element by element: the compiler takes 92 registers, and two blocks wait for what
/// four would have on its way (the largest of 200 x 300 x 1030 over axes 0 and 2, 137 -> 68 us).
template <class Set, int Width, class Facts, class Sources>
constexpr int row_residents(Sources sources, int elements, bool several_axes) {
  using tuned = reduce_tuning;
  if constexpr (Facts::all_dense && Set::prologue::cost <= tuned::light_cost) {
    const int bytes = sum_bytes<Set, Width>(sources, elements);
    const bool walks_dear = several_axes && computes_together<typename Set::prologue>;
    return bytes <= tuned::bytes_of_four && !walks_dear ? 4 : bytes <= tuned::bytes_of_three ? 3 : 0;
  }
  const bool light = memory_bytes(sources) * elements <= tuned::light_bytes &&
                     Width * int(sizeof(typename Set::accumulators)) <= tuned::light_bytes;
  const bool waits = Set::has_near || (several_axes && knows_all<Facts>(sources, make_index_sequence<Sources::size>{}));
  return waits && light && Set::prologue::cost <= tuned::light_cost ? tuned::light_residents : 0;
}

template <class Set, class Epilogue, class Sources, int K, int R, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads,
                                  row_residents<Set, Width, typename Parameters::facts>(Sources{}, Width* Depth,
                                                                                        R - K > 1))
    reduce_rows(const __grid_constant__ Parameters p) {
  let_next_begin_and_wait();
  rows_body<Set, Epilogue, K, R, Width, Depth>(p, Sources{});
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flat transform kernel: everything is one axis.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>

namespace lazyfuse::cuda_detail {

/// The parameters of a flat kernel: one step per operand. Dense: flat_numbers::dense holds, which kernels that are made
/// at run time know.
template <class Operands, class Targets, bool Dense = false>
struct flat_parameters : bound_to<Operands, Targets>, flat_numbers {
  static constexpr bool all_dense = Dense;
};

/// The tile of one block. Every operand is read as wide as its own layout allows; threads beyond the end read the last
/// element again and do not store. Its functions name the types of one operand only: compilers write names of whole
/// programs slowly.
template <int Width, int Depth, bool Dense>
struct flat_tile {
  static constexpr int row = block_threads * Width, size = row * Depth;
  const flat_numbers& p;
  unsigned block;
  index_t base = static_cast<index_t>(block) * size;
  bool full = p.size - base >= size, dense = full && (Dense || p.dense);
  index_t at = base + static_cast<int>(threadIdx.x) * Width;  ///< if threads take neighbours

  __device__ __forceinline__ int spacing() const { return Dense || p.consecutive ? 1 : interleave; }
  __device__ __forceinline__ int first() const {
    return spread{spacing()}.template first<Width>(static_cast<int>(threadIdx.x));
  }
  __device__ __forceinline__ int left() const { return full ? size : static_cast<int>(p.size - base); }

  /// Where everything is contiguous and aligned: nothing to decide per operand.
  template <class Fetched, class Operand>
  __device__ __forceinline__ void load_dense(Fetched& f, const Operand& o) const {
    if constexpr (Fetched::is_memory) f.rows(o.source.data + at, row);
  }
  template <class Fetched, class Operand>
  __device__ __forceinline__ void load(Fetched& f, const Operand& o, int i) const {
    if constexpr (Fetched::is_memory && Dense) f.each(o.source.data + base, 1, first(), row, 1, left() - 1);
    else if constexpr (Fetched::is_memory) {
      if (full && p.consecutive && has_bit(p.wide_in, i)) f.rows(o.source.data + at, row);
      else f.each(o.source.data + base * o.steps[0], o.steps[0], first(), row, spacing(), left() - 1);
    }
  }
  /// What is computed from positions.
  template <class Fetched, class Operand>
  __device__ __forceinline__ void count(Fetched& f, const Operand& o) const {
    if constexpr (Fetched::loads && !Fetched::is_memory)
      f.all(o.source, (base + first()) * o.steps[0], row * o.steps[0], o.steps[0], true, spacing());
  }
  template <class Result, class Target>
  __device__ __forceinline__ void store(const Result& r, const Target& t, int j) const {
    if (dense || (!Dense && full && p.consecutive && has_bit(p.wide_out, j))) r.rows(t.data + at, row);
    else if (Dense) r.each(t.data + base, 1, first(), row, 1, left());
    else r.each(t.data + base * t.steps[0], t.steps[0], first(), row, spacing(), left());
  }
};

template <class Schedule, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void flat_body(const auto& p, unsigned block, list<Src...>, list<T...>, index_sequence<I...>,
                                          index_sequence<J...>) {
  const flat_tile<Width, Depth, bare_t<decltype(p)>::all_dense> tile{p, block};
  fetched_pack<Width, Depth, list<Src...>> values;
  if (tile.dense) (tile.load_dense(get<I>(values), get<I>(p.operands)), ...);
  else (tile.load(get<I>(values), get<I>(p.operands), I), ...);
  (tile.count(get<I>(values), get<I>(p.operands)), ...);
  keep_constants(values, p.operands, blockIdx.z, index_sequence<I...>{});

  results<typename Schedule::roots, list<Src...>, Width, Depth, T...> out;
  compute<Schedule, Width, Depth>(values, out);
  if constexpr (can_be_in_turn<T...> && Width > 1 && !bare_t<decltype(p)>::all_dense) {
    constexpr int count = sizeof...(T);
    if (tile.full && p.consecutive && has_bit(p.wide_out, 0) && get<0>(p.targets).steps[0] == count) {
#pragma unroll
      for (int d = 0; d < Depth; ++d) store_in_turn(out, d, get<0>(p.targets).data + (tile.at + d * tile.row) * count);
      return;
    }
  }
  (tile.store(get<J>(out), get<J>(p.targets), J), ...);
}

/// Blocks that are to share a processor.
template <class... Src>
constexpr int flat_residents(list<Src...> sources, int elements) {
  const bool light = (... && (sizeof(typename Src::value_type) <= 4 && source_cost<Src> == 0)) &&
                     memory_bytes(sources) * elements <= transform_tuning::most_light_bytes;
  return light ? transform_tuning::light_residents : 1;
}

template <class Schedule, class Sources, class Types, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(block_threads, flat_residents(Sources{}, Width* Depth))
    transform_flat(const __grid_constant__ Parameters p) {
  let_next_begin_and_wait();
  flat_body<Schedule, Width, Depth>(p, blockIdx.x, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                    make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail

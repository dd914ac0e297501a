// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass of a block over its part of a row: what the pass reads, from memory or from what the block has kept in
// registers and shared memory. Here the walk over anything; that over whole vectors is in row_pass_simple.cuh.
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_part.cuh>

namespace lazyfuse::cuda_detail {

/// Simple: everything is read in whole vectors, or is the same along the inner axis; columns have one axis across.
template <class Staged, int Pass, bool Simple, bool Columns, int KO, int R, int Width, class Sources>
struct row_pass;

template <class Staged, int Pass, bool Columns, int KO, int R, int Width, class... Src>
struct row_pass<Staged, Pass, false, Columns, KO, R, Width, list<Src...>> {
  using fetched_unit = fetched_pack<Width, 1, list<Src...>>;
  using operand = pass_operand<Staged, Pass, Width, list<Src...>>;
  /// Where a unit is: its index along each axis across, and (rows) its first column.
  struct location {
    int unit, cached_steps;
    int valid[1];  ///< how far the elements of the thread go on
    index_t across[R - 1 - KO > 0 ? R - 1 - KO : 1], column;
    __device__ __forceinline__ bool has(int k, const auto& part) const { return k * part.spacing < valid[0]; }
  };
  static __device__ __forceinline__ index_t offset(const auto&, const auto& o, const location& at) {
    index_t sum = 0;
    if constexpr (requires { o.steps; }) {
#pragma unroll
      for (int axis = KO; axis < R - 1; ++axis) sum += at.across[axis - KO] * o.steps[axis];
      if constexpr (!Columns) sum += at.column * o.steps[R - 1];
    }
    return sum;
  }
  static __device__ __forceinline__ void put(const auto& r, auto to, index_t step, bool wide, const location& at,
                                             const auto& part) {
    store(r, to, 0, step, wide, part.spacing, false, at.valid);
  }
  static __device__ __forceinline__ location locate(const auto& p, const auto& part, int turn) {
    location at;
    at.unit = part.start + turn * part.stride;
    at.cached_steps = turn - part.cached_from;
    const bool here = at.unit < part.count;
    index_t row = here ? at.unit : 0;
    at.column = 0;
    if constexpr (!Columns) {
      index_t vector = row;
      row = 0;
      if (p.units != p.vectors) {
        row = vector / p.vectors;
        vector -= row * p.vectors;
      }
      at.column = p.consecutive ? vector * Width : (vector & ~index_t{31}) * Width + (vector & 31);
    }
#pragma unroll
    for (int axis = 0; axis < R - 1 - KO; ++axis) at.across[axis] = 0;
    p.across(row, [&](int axis, index_t i) { at.across[axis] = i; });
    const index_t left = Columns ? part.columns_left : p.inner - at.column;
    at.valid[0] = !here ? 0 : left < Width * interleave ? static_cast<int>(left) : Width * interleave;
    return at;
  }
  template <int I>
  static __device__ __forceinline__ void load(auto& f, const auto& p, const auto& part, const location& at) {
    if constexpr (bare_t<decltype(f)>::loads && Staged::template reads<Pass, I>) {
      const auto& o = get<I>(p.operands);
      const bool in_shared = operand::template cached<I>(p, at.valid[0] > 0 && at.cached_steps >= 0);
      if constexpr (operand::template again<I> && !operand::template first<I>) {
        if (in_shared) return f.row(0, operand::template place<I>(p, at.cached_steps));
      }
      f.some(o.source, part.base[I] + offset(p, o, at), 0, o.steps[R - 1], p.consecutive && has_bit(p.wide_in, I),
             part.spacing, at.valid);
      if constexpr (operand::template again<I> && operand::template first<I>) {
        if (in_shared) keep_vector<Width>(f, operand::template place<I>(p, at.cached_steps));
      }
    }
  }
  template <int Depth, bool Near, class Next, int... I, class Use>
  static __device__ __forceinline__ void run(const auto& p, const auto& part, const Next&, auto&, index_sequence<I...>,
                                             const Use& use, const auto&) {
    for (int step = 0; step < part.end; ++step) {
      fetched_unit values;
      const location at = locate(p, part, Pass % 2 == 0 ? step : part.end - 1 - step);
      (load<I>(get<I>(values), p, part, at), ...);
      keep_constants(values, p.operands, 0, index_sequence<I...>{});
      use(values, at, any_unit{});
    }
  }
  template <int... I, class Use>
  static __device__ __forceinline__ void run_first(const auto& p, const auto& part, index_sequence<I...>,
                                                   const Use& use) {
    if (part.start != 0) return;
    fetched_unit values;
    location at = locate(p, part, 0);
    if (!Columns && at.valid[0] > 1) at.valid[0] = 1;
    (load<I>(get<I>(values), p, part, at), ...);
    keep_constants(values, p.operands, 0, index_sequence<I...>{});
    use(values, at, only_unit{});
  }
};

}  // namespace lazyfuse::cuda_detail

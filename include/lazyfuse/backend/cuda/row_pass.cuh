// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass of a block over its part of a row: what the pass reads, from memory or from what the block has kept in
// registers and shared memory. Two walks: over whole vectors, and over anything.
#pragma once

#include <lazyfuse/backend/cuda/row_part.cuh>

namespace lazyfuse::cuda_detail {

/// Simple: there is one axis across, and everything is read in whole vectors, or is the same along the inner axis.
template <class Staged, int Pass, bool Simple, bool Columns, int KO, int R, int Width, class Sources>
struct row_pass;

template <class Staged, int Pass, bool Columns, int KO, int R, int Width, class... Src>
struct row_pass<Staged, Pass, true, Columns, KO, R, Width, list<Src...>> {
  using fetched_unit = fetched_pack<Width, 1, list<Src...>>;
  using operand = pass_operand<Staged, Pass, Width, list<Src...>>;
  struct location {
    int unit;
    bool exists;
    __device__ __forceinline__ bool has(int, const auto&) const { return true; }
  };
  static __device__ __forceinline__ index_t offset(const auto& o, const location& at) {
    if constexpr (Columns) return at.unit * o.steps[R > 1 ? R - 2 : 0];
    else return at.unit * Width;
  }
  /// The one result of a row, at its first element.
  static __device__ __forceinline__ void put(const auto& r, auto* to, index_t, bool, const location&, const auto&) {
    *to = r.value[0][0];
  }
  /// Loads operand I of a unit; kept_steps: how many steps of the block it is from the first unit that is kept, or
  /// negative if it is not.
  template <int I>
  static __device__ __forceinline__ void load(auto& f, const auto& p, const auto& part, const location& at,
                                              int kept_steps) {
    if constexpr (f.loads && Staged::template reads<Pass, I>) {
      const auto& o = get<I>(p.operands);
      if constexpr (f.is_memory) {
        if constexpr (operand::template again<I>) {
          if (operand::template kept<I>(p, kept_steps >= 0)) return f.row(0, operand::template place<I>(p, kept_steps));
        }
        load_memory<I>(f, p, part, at);
      } else {
        const index_t step = o.steps[R - 1];
        f.all(o.source, part.base[I] + (Columns ? offset(o, at) : at.unit * Width * step), 0, step, true, 1);
      }
    }
  }
  template <int I>
  static __device__ __forceinline__ void load_memory(auto& f, const auto& p, const auto& part, const location& at) {
    const auto& o = get<I>(p.operands);
    const auto* const from = o.source.data + part.base[I];
    if (has_bit(p.wide_in, I)) f.row(0, from + offset(o, at));
    else {
      const auto same = from[Columns ? offset(o, at) : 0];
#pragma unroll
      for (int k = 0; k < Width; ++k) f.value[0][k] = same;
    }
  }

  /// Loads into registers what they keep of a task: its first steps, if shared memory does not keep all.
  template <int Held, int... I>
  static __device__ __forceinline__ void hold(const auto& p, const auto& part, held_units<fetched_unit, Held>& held,
                                              indices<I...>) {
    if (part.mine == 0 || part.kept_from < Held || part.count < Held * part.stride) return;
    const auto load_one = [&]<int J>(auto& f, const location& at, indices<J>) {
      if constexpr (operand::template again<J>) load_memory<J>(f, p, part, at);
    };
#pragma unroll
    for (int d = 0; d < Held; ++d) {
      const location at{part.start + d * part.stride, true};
      (load_one(get<I>(held.unit[d]), at, indices<I>{}), ...);
    }
  }
  /// Operand I of a unit that registers keep.
  template <int I>
  static __device__ __forceinline__ void take(auto& f, const auto& held, const auto& p, const auto& part,
                                              const location& at) {
    if constexpr (operand::template again<I>) f = held;
    else load<I>(f, p, part, at, -1);
  }

  /// Starts copying what is kept of a task to shared memory.
  template <int... I>
  static __device__ __forceinline__ void copy(const auto& p, const auto& part, indices<I...>) {
    if (part.mine == 0) return;
    const int end = (part.count + part.stride - 1) / part.stride;
    for (int step = part.kept_from; step < end; ++step) {
      const location at{part.start + step * part.stride, true};
      if (at.unit < part.count) (copy_one<I>(p, part, at, step - part.kept_from), ...);
    }
  }
  template <int I>
  static __device__ __forceinline__ void copy_one(const auto& p, const auto& part, const location& at, int steps) {
    if constexpr (operand::template again<I>) {
      const auto& o = get<I>(p.operands);
      if (has_bit(p.staged, I))
        copy_ahead<operand::template bytes<I>>(operand::template place<I>(p, steps),
                                               o.source.data + part.base[I] + offset(o, at));
    }
  }

  /// Count steps of the block from `step`, which all of its threads take; or one, which only some do.
  /// next: the part of the task to come, whose vectors take the place of those of this one as they are read; or null.
  /// held: these units, if registers keep them; or null.
  template <int Count, bool Guarded, bool Near = false, class Next, class Held, int... I, class Use>
  static __device__ __forceinline__ void steps(const auto& p, const auto& part, const Next& next, const Held& held,
                                               int step, indices<I...>, const Use& use) {
    fetched_unit values[Count];
    location at[Count];
    const int kept_steps = step - part.kept_from;
#pragma unroll
    for (int d = 0; d < Count; ++d) {
      at[d].unit = part.start + (step + d) * part.stride;
      at[d].exists = !Guarded || at[d].unit < part.count;
      if constexpr (requires { held[d]; }) {
        (take<I>(get<I>(values[d]), get<I>(held[d]), p, part, at[d]), ...);
      } else {
        if (at[d].exists) (load<I>(get<I>(values[d]), p, part, at[d], kept_steps + (kept_steps < 0 ? 0 : d)), ...);
      }
    }
    if constexpr (requires { next->base; }) {
      if (next && kept_steps >= 0)
#pragma unroll
        for (int d = 0; d < Count; ++d)
          if (at[d].exists) (copy_one<I>(p, *next, at[d], kept_steps + d), ...);
    }
#pragma unroll
    for (int d = 0; d < Count; ++d) {
      keep_constants(values[d], p.operands, 0, indices<I...>{});
      if (at[d].exists) use(values[d], at[d], ::cuda::std::bool_constant<Near>{});
    }
  }
  /// Calls use(values, location) for the units of this thread, Depth at a time: first those that registers hold, then
  /// what is not kept, of which every pass begins with what the one before read last (caches may still have it), then
  /// what shared memory keeps.
  /// Near: there is a cheaper way to add to what has begun; it is used from the second turn on, and recentre() is
  /// called whenever there are four times as many.
  template <int Depth, bool Near, int Held, class Next, class Seq, class Use, class Recentre>
  static __device__ __forceinline__ void run(const auto& p, const auto& part, const Next& next,
                                             held_units<fetched_unit, Held>& held, Seq seq, const Use& use,
                                             const Recentre& recentre) {
    if (part.mine == 0) return;
    const int all = part.count / part.stride, whole = all - all % Depth;
    const int end = (part.count + part.stride - 1) / part.stride;
    const int border = part.kept_from < whole ? part.kept_from : whole;
    const auto steps_until = [&](int step, int stop, const auto& refill) {
      const auto turns = [&](int until) {
        for (; step < until; step += Depth) steps<Depth, false, Near>(p, part, refill, nullptr, step, seq, use);
      };
      if constexpr (Near) {
        while (step < stop) {
          recentre();
          turns(step < stop / 4 ? 4 * step : stop);
        }
      } else turns(stop);
    };
    int first = 0;
    if constexpr (Held > 0) {
      if (border >= Held) {
        steps<Depth, false>(p, part, nullptr, held.unit, 0, seq, use);
#pragma unroll
        for (int d = Depth; d < Held; d += Depth)
          steps<Depth, false, Near>(p, part, nullptr, held.unit + d, d, seq, use);
        first = Held;
        if constexpr (requires { next->base; }) {
          if (next) hold(p, *next, held, seq);
        }
      }
    }
    if constexpr (Pass % 2 == 0) {
      int step = first;
      if (Near && step == 0 && border > 0) {
        steps<Depth, false>(p, part, nullptr, nullptr, 0, seq, use);
        step = Depth;
      }
      steps_until(step, border, nullptr);
    } else {
      for (int step = border - Depth; step >= first; step -= Depth)
        steps<Depth, false>(p, part, nullptr, nullptr, step, seq, use);
    }
    if (Pass == 0) wait_for_copies();
    int step = border;
    if (Near && step == 0 && step < whole) {
      steps<Depth, false>(p, part, next, nullptr, 0, seq, use);
      step = Depth;
    }
    steps_until(step, whole, next);
    for (step = whole; step < end; ++step) steps<1, true>(p, part, next, nullptr, step, seq, use);
  }
  /// The same for the first unit of the task alone.
  template <class Seq, class Use>
  static __device__ __forceinline__ void run_first(const auto& p, const auto& part, Seq seq, const Use& use) {
    if (part.begin == 0 && part.start == 0 && part.mine > 0) steps<1, true>(p, part, nullptr, nullptr, 0, seq, use);
  }
};

template <class Staged, int Pass, bool Columns, int KO, int R, int Width, class... Src>
struct row_pass<Staged, Pass, false, Columns, KO, R, Width, list<Src...>> {
  using fetched_unit = fetched_pack<Width, 1, list<Src...>>;
  using operand = pass_operand<Staged, Pass, Width, list<Src...>>;
  /// Where a unit is: its index along each axis across, and (rows) its first column.
  struct location {
    int unit, kept_steps;
    int valid[1];  ///< how far the elements of the thread go on
    index_t across[R - 1 - KO > 0 ? R - 1 - KO : 1], column;
    __device__ __forceinline__ bool has(int k, const auto& part) const { return k * part.spacing < valid[0]; }
  };
  static __device__ __forceinline__ index_t offset(const auto& o, const location& at) {
    index_t sum = 0;
    if constexpr (requires { o.steps; }) {
#pragma unroll
      for (int axis = KO; axis < R - 1; ++axis) sum += at.across[axis - KO] * o.steps[axis];
      if constexpr (!Columns) sum += at.column * o.steps[R - 1];
    }
    return sum;
  }
  static __device__ __forceinline__ void put(const auto& r, auto* to, index_t step, bool wide, const location& at,
                                             const auto& part) {
    store(r, to, 0, step, wide, part.spacing, false, at.valid);
  }
  static __device__ __forceinline__ location locate(const auto& p, const auto& part, int turn) {
    location at;
    at.unit = part.start + turn * part.stride;
    at.kept_steps = turn - part.kept_from;
    const bool here = at.unit < part.count;
    index_t row = part.begin + (here ? at.unit : 0);
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
    if constexpr (f.loads && Staged::template reads<Pass, I>) {
      const auto& o = get<I>(p.operands);
      const bool kept = operand::template kept<I>(p, at.valid[0] > 0 && at.kept_steps >= 0);
      if constexpr (operand::template again<I> && !operand::template first<I>) {
        if (kept) return f.row(0, operand::template place<I>(p, at.kept_steps));
      }
      f.some(o.source, part.base[I] + offset(o, at), 0, o.steps[R - 1], p.consecutive && has_bit(p.wide_in, I),
             part.spacing, at.valid);
      if constexpr (operand::template again<I> && operand::template first<I>) {
        if (kept) keep_vector<Width>(f, operand::template place<I>(p, at.kept_steps));
      }
    }
  }
  template <int Depth, bool Near, class Next, int... I, class Use>
  static __device__ __forceinline__ void run(const auto& p, const auto& part, const Next&, auto&, indices<I...>,
                                             const Use& use, const auto&) {
    const int steps = (part.count + part.stride - 1) / part.stride;
    for (int step = 0; step < steps; ++step) {
      fetched_unit values;
      const location at = locate(p, part, Pass % 2 == 0 ? step : steps - 1 - step);
      (load<I>(get<I>(values), p, part, at), ...);
      keep_constants(values, p.operands, 0, indices<I...>{});
      use(values, at, ::cuda::std::false_type{});
    }
  }
  template <int... I, class Use>
  static __device__ __forceinline__ void run_first(const auto& p, const auto& part, indices<I...>, const Use& use) {
    if (part.begin != 0 || part.start != 0) return;
    fetched_unit values;
    location at = locate(p, part, 0);
    if (!Columns && at.valid[0] > 1) at.valid[0] = 1;
    (load<I>(get<I>(values), p, part, at), ...);
    keep_constants(values, p.operands, 0, indices<I...>{});
    use(values, at, ::cuda::std::false_type{});
  }
};

}  // namespace lazyfuse::cuda_detail

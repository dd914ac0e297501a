// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass of a block over its part of a row, where everything is read in whole vectors: several at a time, and what is
// kept in shared memory is copied there ahead.
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_pass.cuh>

namespace lazyfuse::cuda_detail {

template <class Staged, int Pass, bool Columns, int KO, int R, int Width, class... Src>
struct row_pass<Staged, Pass, true, Columns, KO, R, Width, list<Src...>> {
  using fetched_unit = fetched_pack<Width, 1, list<Src...>>;
  using operand = pass_operand<Staged, Pass, Width, list<Src...>>;
  /// A unit: the first of a turn, and how many units it is from there.
  struct location {
    int first, ahead;
    bool exists;
    __device__ __forceinline__ bool has(int, const auto&) const { return true; }
  };
  /// How many elements of the inner axis are before a unit of a row. A row of several axes consists of pieces.
  static __device__ __forceinline__ index_t along(const auto& p, const location& at) {
    if constexpr (R - 1 == KO && Width > 1) return (index_t{at.first} + at.ahead) * Width;
    auto unit = static_cast<unsigned>(at.first + at.ahead);
    if constexpr (R - 1 > KO) unit -= p.of_vectors.quotient(unit) * static_cast<unsigned>(p.vectors);
    return index_t{unit} * Width;
  }
  /// And the offset of the piece it is of.
  static __device__ __forceinline__ index_t across(const auto& p, const auto& o, const location& at) {
    index_t sum = 0;
    if constexpr (R - 1 > KO)
      p.across.within(p.of_vectors.quotient(static_cast<unsigned>(at.first + at.ahead)),
                      [&](int axis, unsigned i) { sum += i * o.steps[KO + axis]; });
    return sum;
  }
  static __device__ __forceinline__ index_t offset(const auto& p, const auto& o, const location& at) {
    if constexpr (Columns) return (at.first + at.ahead) * o.steps[R > 1 ? R - 2 : 0];
    else return across(p, o, at) + along(p, at);
  }
  /// The one result of a row, at its first element.
  static __device__ __forceinline__ void put(const auto& r, auto to, index_t, bool, const location&, const auto&) {
    *to = r.value[0][0];
  }
  template <int Count>
  static __device__ __forceinline__ void locate(location (&at)[Count], const auto& part, int step, bool guarded) {
#pragma unroll
    for (int d = 0; d < Count; ++d) {
      at[d] = {part.start + step * part.stride, d * part.stride, true};
      if (guarded) at[d].exists = at[d].first + at[d].ahead < part.count;
    }
  }
  /// Loads operand I of some units, from shared memory if it is kept there: cached_steps from the first that is.
  template <int I, int Count>
  static __device__ __forceinline__ void load(fetched_unit (&values)[Count], const auto& p, const auto& part,
                                              const location (&at)[Count], int cached_steps) {
    using source = typename operand::template source<I>;
    if constexpr (fetched<source, Width, 1>::loads && Staged::template reads<Pass, I>) {
      const auto& o = get<I>(p.operands);
      if constexpr (!source::is_memory) {
        const index_t step = o.steps[R - 1];
#pragma unroll
        for (int d = 0; d < Count; ++d) {
          const index_t to_unit = Columns ? offset(p, o, at[d]) : across(p, o, at[d]) + along(p, at[d]) * step;
          get<I>(values[d]).all(o.source, part.base[I] + to_unit, 0, step, true, 1);
        }
      } else {
        const auto from_memory = [&](int d) {
          if (at[d].exists) load_memory<I>(get<I>(values[d]), p, part, at[d]);
        };
        const auto from_room = [&](int d) {
          if (at[d].exists) get<I>(values[d]).row(0, operand::template place<I>(p, cached_steps + d));
        };
        if constexpr (Columns) {
          // A branch for each unit: without, the compiler computes between the loads, to save registers.
#pragma unroll
          for (int d = 0; d < Count; ++d)
            if (operand::template cached<I>(p, cached_steps >= 0)) from_room(d);
            else from_memory(d);
        } else if (operand::template cached<I>(p, cached_steps >= 0)) {
#pragma unroll
          for (int d = 0; d < Count; ++d) from_room(d);
        } else {
#pragma unroll
          for (int d = 0; d < Count; ++d) from_memory(d);
        }
      }
    }
  }
  template <int I>
  static __device__ __forceinline__ void load_memory(auto& f, const auto& p, const auto& part, const location& at) {
    const auto& o = get<I>(p.operands);
    const auto from = o.source.data + part.base[I];
    const bool wide = has_bit(p.wide_in, I);
    if constexpr (!Columns && Width == 1) f.row(0, from + (across(p, o, at) + (along(p, at) & -index_t{wide})));
    else if (wide) f.row(0, from + offset(p, o, at));
    else f.same(from[Columns ? offset(p, o, at) : across(p, o, at)]);
  }

  /// Loads into registers what they keep of a task: its first steps, if shared memory does not keep all.
  template <int Held, int... I>
  static __device__ __forceinline__ void hold(const auto& p, const auto& part, held_units<fetched_unit, Held>& held,
                                              index_sequence<I...>) {
    if ((Columns && !part.has_columns) || part.cached_from < Held || part.whole < Held) return;
    location at[Held];
    locate(at, part, 0, false);
    const auto load_one = [&]<int J>(index_sequence<J>) {
      if constexpr (operand::template again<J>)
#pragma unroll
        for (int d = 0; d < Held; ++d) load_memory<J>(get<J>(held.unit[d]), p, part, at[d]);
    };
    (load_one(index_sequence<I>{}), ...);
  }
  /// Operand I of units of which registers keep what is read again, from the first on.
  template <int I, int Count>
  static __device__ __forceinline__ void take(fetched_unit (&values)[Count], const fetched_unit* held, const auto& p,
                                              const auto& part, const location (&at)[Count]) {
    if constexpr (operand::template again<I>) {
#pragma unroll
      for (int d = 0; d < Count; ++d) get<I>(values[d]) = get<I>(held[d]);
    } else load<I>(values, p, part, at, -1);
  }

  /// Starts copying what is kept of a task to shared memory.
  template <int Depth, int... I>
  static __device__ __forceinline__ void copy(const auto& p, const auto& part, index_sequence<I...>) {
    if (Columns && !part.has_columns) return;
    for (int step = part.cached_from; step < part.end; ++step) {
      location at[1];
      locate(at, part, step, true);
      (copy_ahead<I>(p, part, at, step - part.cached_from), ...);
      end_of_turn<Depth>(part, step + 1);
    }
  }
  template <int I, int Count>
  static __device__ __forceinline__ void copy_ahead(const auto& p, const auto& part, const location (&at)[Count],
                                                    int cached_steps) {
    if constexpr (operand::template again<I>) {
      if (!has_bit(p.via_shared, I)) return;
      const auto& o = get<I>(p.operands);
      const auto from = o.source.data + part.base[I];
#pragma unroll
      for (int d = 0; d < Count; ++d)
        if (at[d].exists)
          start_copy<operand::template bytes<I>>(operand::template place<I>(p, cached_steps + d),
                                                 reached<Width>(from + offset(p, o, at[d])));
    }
  }

  /// Copies ahead end in groups: those of the turns of run(), and one of what is left beyond them.
  template <int Depth>
  static __device__ __forceinline__ void end_of_turn(const auto& part, int stop) {
    if (stop % Depth == 0 || stop == part.end) end_of_copies();
  }
  /// Count steps of the block from `step`; guarded: not all threads take them all. cached_steps: from the first that
  /// shared memory keeps, negative if it does not keep these; vectors of the task to come then take their place. held:
  /// these units, if registers keep them; or null.
  template <int Depth, int Count, bool Guarded, class How = any_unit, class Next, class Held, int... I, class Use>
  static __device__ __forceinline__ void steps(const auto& p, const auto& part, const Next& next, const Held& held,
                                               int step, int cached_steps, index_sequence<I...>, const Use& use) {
    fetched_unit values[Count];
    location at[Count];
    locate(at, part, step, Guarded);
    if constexpr (requires { held[0]; }) (take<I>(values, held, p, part, at), ...);
    else (load<I>(values, p, part, at, cached_steps), ...);
    if constexpr (requires { next.part; }) {
      if (cached_steps >= 0 && next.comes) {
        (copy_ahead<I>(p, next.part, at, cached_steps), ...);
        end_of_turn<Depth>(part, step + Count);
      }
    }
#pragma unroll
    for (int d = 0; d < Count; ++d) {
      keep_constants(values[d], p.operands, 0, index_sequence<I...>{});
      if (at[d].exists) use(values[d], at[d], How{});
    }
  }
  /// Calls use(values, location) for the units of this thread, Depth at a time, and what is left beyond whole turns one
  /// by one: first those that registers hold, then what is not kept, of which every pass begins with what the one
  /// before read last (caches may still have it), then what shared memory keeps. Near: there is a cheaper way to add to
  /// what has begun; it is used from the second turn on, and recentre() is called whenever there are four times as
  /// many.
  template <int Depth, bool Near, int Held, class Next, class Seq, class Use, class Recentre>
  static __device__ __forceinline__ void run(const auto& p, const auto& whole_part, const Next& next,
                                             held_units<fetched_unit, Held>& held, Seq seq, const Use& use,
                                             const Recentre& recentre) {
    using how = standard::conditional_t<Near, later_unit, any_unit>;
    const auto part = seen_anew<Columns>(p, whole_part);
    if (Columns && !part.has_columns) return;
    const int whole = part.whole, end = part.end;
    const int border = part.cached_from < whole ? part.cached_from : whole;
    // What shared memory is to keep of a task arrives while the first pass is on its way.
    const auto arrived = [&](int step) {
      if (Pass == 0 && step >= part.cached_from) wait_for_copies((end - step - 1) / Depth);
    };
    int done = 0;
    if constexpr (Held > 0) {
      if (border >= Held) {
        steps<Depth, Depth, false>(p, part, nullptr, held.unit, 0, -1, seq, use);
#pragma unroll
        for (int d = Depth; d < Held; d += Depth)
          steps<Depth, Depth, false, how>(p, part, nullptr, held.unit + d, d, -1, seq, use);
        done = Held;
        if constexpr (requires { next.part; }) {
          if (next.comes) hold(p, next.part, held, seq);
        }
      }
    }
    const int mirror = done + border - Depth;  // the sum of a place in the row and of when it comes, in odd passes
    const auto turn = [&]<class How>(int nth, How, bool may_be_cached) {
      const int step = Pass % 2 == 0 || nth >= border ? nth : mirror - nth;
      if (may_be_cached) arrived(step);
      steps<Depth, Depth, false, How>(p, part, next, nullptr, step, may_be_cached ? step - part.cached_from : -1, seq,
                                      use);
    };
    if constexpr (Near) {
      if (done == 0 && whole > 0) {
        turn(0, any_unit{}, true);
        done = Depth;
      }
      while (done < whole) {
        recentre();
        const int until = done < whole / 4 ? 4 * done : whole;
#pragma unroll 1
        for (; done < until; done += Depth) turn(done, how{}, true);
      }
    } else {
      // One loop over what is not kept and what is: code for each takes the compiler twice as long, and pays only where
      // most is not kept and little computed, in sums over a whole array.
      if constexpr (KO == 0 && !Columns)
#pragma unroll 1
        for (; done < border; done += Depth) turn(done, how{}, false);
#pragma unroll 1
      for (; done < whole; done += Depth) turn(done, how{}, true);
    }
    arrived(whole);
#pragma unroll 1
    for (int step = whole; step < end; ++step)
      steps<Depth, 1, true>(p, part, next, nullptr, step, step - part.cached_from, seq, use);
  }
  /// The same for the first unit of the task alone.
  template <class Seq, class Use>
  static __device__ __forceinline__ void run_first(const auto& p, const auto& part, Seq seq, const Use& use) {
    if (part.start == 0 && (!Columns || part.has_columns))
      steps<1, 1, true, only_unit>(p, part, nullptr, nullptr, 0, -part.cached_from, seq, use);
  }
};

}  // namespace lazyfuse::cuda_detail

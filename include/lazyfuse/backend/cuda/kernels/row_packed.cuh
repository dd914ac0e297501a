// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of packed rows: many arrays of unlike lengths, each a row for one block. All that shared memory keeps of a
// row is on its way before the block takes the first of it; caches have the rest when the next pass comes, for few rows
// are there at a time.
#pragma once

#include <lazyfuse/backend/cuda/kernels/packed_layout.hpp>
#include <lazyfuse/backend/cuda/kernels/row_team.cuh>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets>
struct packed_row_parameters : bound_to<Operands, Targets>, packed_row_numbers {};

/// What a thread takes in a round: half of what it would have to for memory's sake, as copies are ahead of it, so that
/// more rounds stay.
template <class Staged, class Sources, class Types>
struct packed_row_shares {
  static constexpr int width = width_for(Sources{}, Types{}), bytes = memory_bytes(Sources{}) * width,
                       depth = (row_tuning::depth_of(bytes) + 1) / 2, accumulators = accumulator_bytes<Staged>;
  /// Of shared memory: for what warps merge, and for a round of what several passes read.
  static constexpr int warps = row_tuning::team_threads / 32,
                       merge_bytes = (3 * (warps + 1) * accumulators + row_tuning::room_alignment - 1) /
                                     row_tuning::room_alignment * row_tuning::room_alignment;
  template <int... I>
  static constexpr int bytes_before(int end, index_sequence<I...>) {
    using operand = pass_operand<Staged, 0, width, Sources>;
    return (0 + ... + (I < end && operand::template again<I> ? operand::template bytes<I> : 0));
  }
  /// Of the vectors of a thread at one place that operands before number I have.
  template <int I>
  static constexpr int before = bytes_before(I, make_index_sequence<Sources::size>{});
  static constexpr int round_bytes = before<Sources::size> * depth * row_tuning::team_threads;
};

/// The row of a block.
template <int Columns>
struct packed_row {
  unsigned long long at[Columns];  ///< where it is: of operands in memory, and of targets
  index_t size;
  bool aligned;  ///< all of these to 16 bytes: threads take vectors of neighbours, else elements beside each other
  __device__ __forceinline__ int spacing() const { return aligned ? 1 : interleave; }
};
/// The rounds of a row, in the order of all passes: what is not copied ahead, then what is, as it comes.
struct packed_rounds {
  index_t whole;      ///< rounds that all threads take wholly
  bool more;          ///< another one is left
  int copied, ahead;  ///< rounds that are copied ahead, from the first on; those of them that are whole
  __device__ __forceinline__ packed_rounds(const auto& row, int kept, int size)
      : whole(row.size / size), more(whole * size < row.size) {
    copied = !row.aligned ? 0 : whole + more < kept ? static_cast<int>(whole + more) : kept;
    ahead = whole < copied ? static_cast<int>(whole) : copied;
  }
  __device__ __forceinline__ index_t at(index_t nth) const {
    const index_t beyond = whole - ahead;
    return nth < beyond ? nth + ahead : nth - beyond;
  }
  __device__ __forceinline__ void wait_for(index_t round) const {
    if (round < copied) wait_for_copies<6>(copied - 1 - static_cast<int>(round));  // of floats there are seven
  }
};
/// Which elements a thread has in a round; valid: how far they go on, at each place.
template <int Width, int Depth>
struct packed_round {
  static constexpr int pitch = row_tuning::team_threads * Width, size = pitch * Depth;
  index_t first;
  int valid[Depth];
  __device__ __forceinline__ packed_round(const auto& row, index_t round) {
    first = round * size + spread{row.spacing()}.template first<Width>(static_cast<int>(threadIdx.x));
    const index_t left = row.size - first;
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t here = left - index_t{d} * pitch;
      valid[d] = here < 0 ? 0 : here < Width * interleave ? static_cast<int>(here) : Width * interleave;
    }
  }
};

template <class Staged, int Pass, int Width, int Depth, class Sources, class Types>
struct packed_row_pass;
template <class Staged, int Pass, int Width, int Depth, class... Src, class... T>
struct packed_row_pass<Staged, Pass, Width, Depth, list<Src...>, list<T...>> {
  using fetched = fetched_pack<Width, Depth, list<Src...>>;
  using operand = pass_operand<Staged, Pass, Width, list<Src...>>;
  using shares = packed_row_shares<Staged, list<Src...>, list<T...>>;
  using round_type = packed_round<Width, Depth>;
  static constexpr auto seq = make_index_sequence<sizeof...(Src)>{};

  /// Where shared memory has the vector of operand I of this thread at place d of a round.
  template <int I>
  static __device__ __forceinline__ auto* place(const auto& p, index_t round, int d) {
    using E = typename type_at<I, Src...>::value_type;
    const int places = p.kept * Depth, thread = static_cast<int>(threadIdx.x);
    unsigned char* const begin =
        team_room() + shares::merge_bytes + shares::template before<I> * row_tuning::team_threads * places;
    return reinterpret_cast<E*>(begin) +
           ((static_cast<int>(round) * Depth + d) * row_tuning::team_threads + thread) * Width;
  }
  template <int I, class E>
  static __device__ __forceinline__ void start_copies(const auto& p, const auto& row, const round_type& at, int round,
                                                      const ir::operand<memory<E>, 1>& o) {
    if constexpr (operand::template again<I>) {
      if (o.steps[0] == 0) return;
      const E* const from = reinterpret_cast<const E*>(row.at[memory_before<I, Src...>]) + at.first;
#pragma unroll
      for (int d = 0; d < Depth; ++d)
        if (at.valid[d] >= Width)
          start_copy<operand::template bytes<I>>(place<I>(p, round, d), from + d * round_type::pitch);
    }
  }
  template <int, class E>
  static __device__ __forceinline__ void start_copies(const auto&, const auto&, const round_type&, int,
                                                      const ir::operand<constant<E>, 1>&) {}
  /// Of all whole vectors of the rounds that are copied ahead: each thread's own, which it waits for. A group for each.
  template <int... I>
  static __device__ __forceinline__ void copy_ahead(const auto& p, const auto& row, index_sequence<I...>) {
    const packed_rounds rounds(row, p.kept, round_type::size);
#pragma unroll 1
    for (int round = 0; round < rounds.copied; ++round) {
      const round_type at(row, round);
      (start_copies<I>(p, row, at, round, get<I>(p.operands)), ...);
      end_of_copies();
    }
  }
  template <int I, bool Guarded, class E>
  static __device__ __forceinline__ void load(auto& f, const auto& p, const auto& row, const round_type& at,
                                              index_t round, const ir::operand<memory<E>, 1>& o) {
    if constexpr (Staged::template reads<Pass, I>) {
      const index_t step = o.steps[0];
      const memory<E> from{reinterpret_cast<const E*>(row.at[memory_before<I, Src...>])};
      const bool as_one = row.aligned && step != 0, kept = operand::template again<I> && round < p.kept;
      if constexpr (operand::template again<I>) {
        if (kept && as_one) {  // copied ahead, but for a vector that the row ends in
          if constexpr (Guarded) {
            int of_the_last[Depth];
#pragma unroll
            for (int d = 0; d < Depth; ++d) of_the_last[d] = at.valid[d] < Width ? at.valid[d] : 0;
            f.some(from, at.first, round_type::pitch, 1, false, 1, of_the_last);
          }
#pragma unroll
          for (int d = 0; d < Depth; ++d)
            if (!Guarded || at.valid[d] >= Width) f.row(d, place<I>(p, round, d));
          return;
        }
        if (!Guarded && kept && !operand::template first<I>) {
#pragma unroll
          for (int d = 0; d < Depth; ++d) f.row(d, place<I>(p, round, d));
          return;
        }
      }
      if constexpr (Guarded)
        f.some(from, at.first * step, round_type::pitch * step, step, as_one, row.spacing(), at.valid);
      else f.all(from, at.first * step, round_type::pitch * step, step, as_one, row.spacing());
      if constexpr (!Guarded && operand::template again<I> && operand::template first<I>) {
        if (kept)
#pragma unroll
          for (int d = 0; d < Depth; ++d) f.value[d].write(place<I>(p, round, d));
      }
    }
  }
  template <int, bool, class E>
  static __device__ __forceinline__ void load(auto&, const auto&, const auto&, const round_type&, index_t,
                                              const ir::operand<constant<E>, 1>&) {}
  /// Calls use(values, round): of a round that all threads take wholly, or of the last.
  template <bool Guarded, int... I, class Use>
  static __device__ __forceinline__ void one(const auto& p, const auto& row, index_t round, index_sequence<I...>,
                                             const Use& use) {
    const round_type at(row, round);
    fetched values;
    (load<I, Guarded>(get<I>(values), p, row, at, round, get<I>(p.operands)), ...);
    keep_constants(values, p.operands, 0, index_sequence<I...>{});
    use(values, at);
  }
};

template <class Staged, int Pass, int Width, int Depth, class... Src, class... T, int... J>
__device__ __forceinline__ void packed_row_passes(const auto& p, const auto& row, const team_parameters& alone,
                                                  team_place& place,
                                                  team_values<typename Staged::values, false, Width>& known,
                                                  list<Src...> sources, list<T...> types,
                                                  index_sequence<J...> targets) {
  using pass = packed_row_pass<Staged, Pass, Width, Depth, list<Src...>, list<T...>>;
  using fetched = typename pass::fetched;
  using context = register_context<fetched>;
  using values_type = pass_values_of<Staged, Pass, list<Src...>>;
  using known_context = with_values<context, values_type>;
  using round_type = typename pass::round_type;
  const team_pass_values<values_type, false, Width> values(known, p.operands);
  const packed_rounds rounds(row, p.kept, round_type::size);
  const index_t whole = rounds.whole;
  if constexpr (Pass < Staged::count) {
    using set = typename Staged::template set<Pass>;
    thread_sums<set, Width> sums;
    sums.clear();
    const auto add = [&]<bool Guarded, bool Near>(index_t nth) {
      const index_t round = Guarded ? nth : rounds.at(nth);
      if constexpr (Pass == 0) rounds.wait_for(round);
      pass::template one<Guarded>(p, row, round, pass::seq, [&](const fetched& f, const round_type& at) {
#pragma unroll
        for (int d = 0; d < Depth; ++d)
          combine<set, Guarded, Near, false, Width, 1>(
              sums,
              [&](int, int k) {
                return known_context{context{f, d, k}, values.of(k)};
              },
              [&](int, int k) { return !Guarded || k * row.spacing() < at.valid[d]; });
      });
    };
    index_t round = 0;
    if constexpr (set::has_near) {  // a cheaper way to add to what has begun
      if (whole > 0) add.template operator()<false, false>(round++);
      while (round < whole) {
        recentre(sums, make_index_sequence<set::size>{});
        const index_t until = round < whole / 4 ? 4 * round : whole;
#pragma unroll 1
        for (; round < until; ++round) add.template operator()<false, true>(round);
      }
    } else {
#pragma unroll 1
      for (; round < whole; ++round) add.template operator()<false, false>(round);
    }
    if (rounds.more) add.template operator()<true, false>(whole);
    using area = merge_area<accumulator_bytes<Staged>>;
    merge_row<set, Width>(sums, alone, place, mailbox(team_room(), accumulator_bytes<Staged>), area{team_room()});
    keep<set>(known.known[0], sums.lane[0]);
    packed_row_passes<Staged, Pass + 1, Width, Depth>(p, row, alone, place, known, sources, types, targets);
  } else {
    const auto store = [&]<bool Guarded>(index_t round) {
      pass::template one<Guarded>(p, row, round, pass::seq, [&](const fetched& f, const round_type& at) {
        using all_results = results<typename Staged::output::roots, list<Src...>, Width, Depth, T...>;
        all_results out;
#pragma unroll
        for (int d = 0; d < Depth; ++d)
#pragma unroll
          for (int k = 0; k < Width; ++k) {
            register_sink<all_results> sink{out, d, k};
            evaluate<typename Staged::output>(known_context{context{f, d, k}, values.of(k)}, sink);
          }
        const auto put = [&]<class E>(const auto& r, const ir::target<E, 1>&, unsigned long long begin) {
          const elements<E> to = elements<E>(reinterpret_cast<E*>(begin)) + at.first;
#pragma unroll
          for (int d = 0; d < Depth; ++d) {
            if (row.aligned && (!Guarded || at.valid[d] >= Width)) r.stream(d, to + d * round_type::pitch);
            else
#pragma unroll
              for (int k = 0; k < Width; ++k)
                if (!Guarded || k * row.spacing() < at.valid[d])
                  to[d * round_type::pitch + k * row.spacing()] = r.value[d][k];
          }
        };
        constexpr int first = memory_before<sizeof...(Src), Src...>;
        (put(get<J>(out), get<J>(p.targets), row.at[first + J]), ...);
      });
    };
#pragma unroll 1
    for (index_t nth = 0; nth < whole; ++nth) store.template operator()<false>(rounds.at(nth));
    if (rounds.more) store.template operator()<true>(whole);
  }
}

template <class Staged, int Width, int Depth, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void packed_row_body(const auto& p, list<Src...> sources, list<T...> types,
                                                index_sequence<I...>, index_sequence<J...> targets) {
  constexpr int in_memory = memory_before<sizeof...(Src), Src...>, columns = in_memory + int(sizeof...(T));
  const unsigned long long* const own = (p.table != nullptr ? p.table : p.here) + blockIdx.x;  // as many blocks as rows
  packed_row<columns> row;
  row.size = static_cast<index_t>(own[p.groups]);
#pragma unroll
  for (int k = 0; k < columns; ++k) row.at[k] = own[(k + 2) * p.groups];
  unsigned long long places = 0;
  const auto see = [&]<int Column>(const auto& o, index_sequence<Column>) {
    if constexpr (requires { o.steps; })
      if (o.steps[0] != 0) places |= row.at[Column];
  };
  (see(get<I>(p.operands), index_sequence<memory_before<I, Src...>>{}), ...);
  ((places |= row.at[in_memory + J]), ...);
  row.aligned = places % 16 == 0;
  packed_row_pass<Staged, 0, Width, Depth, list<Src...>, list<T...>>::copy_ahead(p, row, index_sequence<I...>{});
  const team_parameters alone{1, 1, exchange::none, nullptr, nullptr, 0};
  team_place place{0, 0};
  team_values<typename Staged::values, false, Width> known;
  packed_row_passes<Staged, 0, Width, Depth>(p, row, alone, place, known, sources, types, targets);
}

template <class Staged, class Sources, class Types, int Width, int Depth, class Parameters>
__global__ void __launch_bounds__(row_tuning::team_threads, row_tuning::team_residents)
    rows_packed(const __grid_constant__ Parameters p) {
  packed_row_body<Staged, Width, Depth>(p, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                        make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns in registers: the lanes of a warp have neighbouring columns, wherever these begin, and the warps of a group
// share their height. All that stages read is on its way at once, and read once.
#pragma once

#include <lazyfuse/backend/cuda/kernels/column_layout.hpp>
#include <lazyfuse/backend/cuda/kernels/row_registers.cuh>

namespace lazyfuse::cuda_detail {

/// IsSame: of each operand, whether it is the same all the way down a column.
template <class Operands, class Targets, int K, int R, bool... IsSame>
struct column_parameters : bound_to<Operands, Targets>, column_numbers<K, R> {
  template <int I>
  static constexpr bool is_same = [] {
    constexpr bool same[] = {IsSame..., false};
    return same[I];
  }();
};

/// A thread's place: its column, and the first of the elements that it has of it.
struct column_place {
  int line, lines, group, lane;
  int height;
};

template <class Staged, class Sources, int S, int Held, class Fetched>
__device__ __forceinline__ void column_stages(const Fetched& column, const auto& operands,
                                              typename Staged::values& known, const column_place& at,
                                              unsigned char* room) {
  if constexpr (S < Staged::count) {
    using set = typename Staged::template set<S>;
    using accumulators = typename set::accumulators;
    using context = row_context<Fetched>;
    using values_type = pass_values_of<Staged, S, Sources>;
    const values_type values(known, operands);
    accumulators a;
    set::clear(a);
#pragma unroll
    for (int d = 0; d < Held; ++d) {
      const context here{{column, d, 0}};
      nothing_lost none;  // few are added up
      combine_sink<set, true> sink{a, at.line + d * at.lines < at.height, none};
      evaluate<typename set::prologue>(with_values<context, values_type>{here, values}, sink);
    }
    if (at.lines > 1) {  // of the same columns of all warps, one after the other
      auto* const parts = reinterpret_cast<accumulators*>(room);
      const int first = at.group * at.lines * 32 + at.lane;
      __syncthreads();  // others may still read what is left of the stage before
      parts[threadIdx.x] = a;
      __syncthreads();
      a = parts[first];
      for (int l = 1; l < at.lines; ++l) set::merge(a, parts[first + l * 32]);
    }
    keep<set>(known, a);
    column_stages<Staged, Sources, S + 1, Held>(column, operands, known, at, room);
  }
}

template <class Staged, int K, int R, int Held, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void columns_body(const auto& p, list<Src...>, list<T...>, index_sequence<I...>,
                                             index_sequence<J...>) {
  using parameters = bare_t<decltype(p)>;
  const int warp = static_cast<int>(threadIdx.x) / 32, group = warp / p.lines;
  const column_place place{warp - group * p.lines, p.lines, group, static_cast<int>(threadIdx.x) & 31, p.height};
  index_t column = (static_cast<index_t>(blockIdx.x) * p.groups + group) * 32 + place.lane;
  const bool active = column < p.columns;
  if (!active) column = p.columns - 1;
  index_t base[sizeof...(Src) + 1] = {}, to[sizeof...(T)] = {};
  const auto add_all = [&](auto& offsets, auto& targets, int axis, index_t by) {
    const auto add = [&](index_t& sum, const auto& o) {
      if constexpr (requires { o.steps; }) sum += by * o.steps[axis];
    };
    (add(offsets[I], get<I>(p.operands)), ...);
    (add(targets[J], get<J>(p.targets)), ...);
  };
  p.kept(column, [&](int axis, index_t i) { add_all(base, to, axis == K ? R - 1 : axis, i); });
  /// How far an element is from the first of its column.
  const auto below = [&](const auto& o, int d) {
    const int at = place.line + d * place.lines;
    if constexpr (R - 1 - K == 1) return at * o.steps[K];
    else {
      index_t sum = 0;
      p.down(at, [&](int axis, index_t i) { sum += i * o.steps[K + axis]; });
      return sum;
    }
  };

  using own_column = row_in_registers<Staged, 1, Held, list<Src...>, index_sequence<I...>>;
  own_column values;
  const auto load_one = [&]<int N>(auto& f, const auto& o, index_sequence<N>, int d) {
    const auto put = [&](int to_d, const auto& v) {
      if constexpr (bare_t<decltype(f)>::is_memory) f.value[to_d].put(0, v);
      else f.value[to_d][0] = v;
    };
    if constexpr (parameters::template is_same<N>) {
      if (d == 0) {
        const auto same = o.source.at(base[N]);
#pragma unroll
        for (int e = 0; e < Held; ++e) put(e, same);
      }
    } else if (place.line + d * place.lines < place.height) put(d, o.source.at(base[N] + below(o, d)));
  };
  const auto load = [&]<int N, bool Late>(auto& f, const auto& o, index_sequence<N> n, standard::bool_constant<Late>,
                                          int begin, int end) {
    if constexpr (bare_t<decltype(f)>::loads && Staged::template read_before<Staged::count, N> == !Late) {
#pragma unroll
      for (int d = begin; d < end; ++d) load_one(f, o, n, d);
      if constexpr (!Late) get<N>(values.as_float).take(f);
    }
  };
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, standard::false_type{}, 0, Held), ...);
  keep_constants(values, p.operands, 0, index_sequence<I...>{});

  typename Staged::values known;
  __shared__ __align__(16) unsigned char room[column_threads * accumulator_bytes<Staged>];
  column_stages<Staged, list<Src...>, 0, Held>(values, p.operands, known, place, room);
  if (!active) return;
  using values_type = pass_values_of<Staged, Staged::count, list<Src...>>;
  using context = row_context<own_column>;
  const values_type column_values(known, p.operands);
  constexpr int step = Held < column_step ? Held : column_step;
  const auto load_late = [&](int from) {
    (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, standard::true_type{}, from, from + step), ...);
  };
  load_late(0);
#pragma unroll
  for (int from = 0; from < Held; from += step) {
    if (from > 0 && p.one_result) break;
    if (from + step < Held) load_late(from + step);
    results<typename Staged::output::roots, list<Src...>, 1, step, T...> out;
#pragma unroll
    for (int d = 0; d < step; ++d) {
      const context here{{values, from + d, 0}};
      register_sink<bare_t<decltype(out)>> sink{out, d, 0};
      evaluate<typename Staged::output>(with_values<context, values_type>{here, column_values}, sink);
    }
    const auto put = [&](const auto& r, const auto& t, index_t begin) {
#pragma unroll
      for (int d = 0; d < step; ++d) {
        const int at = place.line + (from + d) * place.lines;
        if (p.one_result ? at == 0 : at < place.height)
          t.data[begin + (p.one_result ? 0 : below(t, from + d))] = r.value[d][0];
      }
    };
    (put(get<J>(out), get<J>(p.targets), to[J]), ...);
  }
}

template <class Staged, class Sources, class Types, int K, int R, int Held, class Parameters>
__global__ void __launch_bounds__(column_threads, 2) columns_in_registers(const __grid_constant__ Parameters p) {
  columns_body<Staged, K, R, Held>(p, Sources{}, Types{}, make_index_sequence<Sources::size>{},
                                   make_index_sequence<Types::size>{});
}

}  // namespace lazyfuse::cuda_detail

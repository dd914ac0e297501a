// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strip: the elements of a row or of a column that a thread holds, each read alone, wherever they begin. All that
// stages read is on its way at once, and read once. What differs between rows and columns is a place.
#pragma once

#include <lazyfuse/backend/cuda/kernels/row_registers.cuh>
#include <lazyfuse/backend/cuda/kernels/strip_layout.hpp>

namespace lazyfuse::cuda_detail {

/// Index: of offsets, int if all of them fit. Steps: of each operand and then each target, along the strip.
template <class Operands, class Targets, class Numbers, class Index, strip_step... Steps>
struct strip_parameters : bound_to<Operands, Targets>, Numbers {
  using index = Index;
  template <int I>
  static constexpr strip_step step = [] {
    constexpr strip_step all[] = {Steps..., strip_step::any};
    return all[I];
  }();
};

/// Bytes of an element of each operand that stages read, which has registers of its own unless it is the same along the
/// strip.
template <class Staged, class Parameters, int I, class Source>
inline constexpr int strip_element_bytes =
    Staged::template read_before<Staged::count, I>&& Parameters::template step<I> != strip_step::same
        ? element_bytes<Source>
        : 0;
/// Blocks that share a processor, of so many threads with so many elements: they leave registers for what is computed
/// beside what stages read. OfRows: in rows, functions of doubles have more; columns were measured without. beside:
/// words of a thread that are no elements.
template <class Staged, class Parameters, bool OfRows, class... Src, int... I>
constexpr int strip_residents(list<Src...>, index_sequence<I...>, int threads, int held, int beside = 0) {
  constexpr int most_threads = 2048;
  int words = beside, largest = 0;
  const int of_element[] = {0, strip_element_bytes<Staged, Parameters, I, Src>...};
  for (const int bytes : of_element) {
    words += held * ((bytes + 3) / 4);
    largest = bytes > largest ? bytes : largest;
  }
  const int fit = registers_of_processor / (registers_of_strip(words, OfRows ? largest : 4) * threads),
            most = most_threads / threads;
  return fit < 1 ? 1 : fit < most ? fit : most;
}

/// A place says of the thread's element d whether it exists (exists), and how far it is from the first of the strip
/// (below, of an operand or target along whose steps); it merges what the threads of a strip have (merge), and says
/// which thread stores the one result (is_first). OneResult: that alone needs what the last stage finds.
template <class Staged, class Sources, int S, int Held, bool OneResult, class Place, class Fetched>
__device__ __forceinline__ void strip_stages(const Fetched& strip, const auto& operands, typename Staged::values& known,
                                             const Place& place) {
  if constexpr (S < Staged::count) {
    using set = typename Staged::template set<S>;
    using accumulators = typename set::accumulators;
    using context = row_context<Fetched>;
    using values_type = pass_values_of<Staged, S, Sources>;
    const values_type values(known, operands);
    accumulators a;
#pragma unroll
    for (int first = 0; first < Held; first += strip_run) {
      accumulators run;
      set::clear(run);
#pragma unroll
      for (int d = first; d < first + strip_run && d < Held; ++d) {
        const context here{{strip, d, 0}};
        nothing_lost none;  // few are added up
        combine_sink<set, true> sink{run, place.exists(d), none};
        evaluate<typename set::prologue>(with_values<context, values_type>{here, values}, sink);
      }
      if (first == 0) a = run;
      else set::merge(a, run);
    }
    place.template merge<set, S, OneResult && S + 1 == Staged::count>(a);
    keep<set>(known, a);
    strip_stages<Staged, Sources, S + 1, Held, OneResult>(strip, operands, known, place);
  }
}

/// Reads some of a thread's Held elements of an operand, from where the strip begins in it.
template <strip_step Step, int Held>
__device__ __forceinline__ void load_of_strip(auto& f, const auto& o, auto base, const auto& place, int begin,
                                              int end) {
  const auto put = [&f](int d, const auto& v) {
    if constexpr (bare_t<decltype(f)>::is_memory) f.value[d].put(0, v);
    else f.value[d][0] = v;
  };
#pragma unroll
  for (int d = begin; d < end && d < Held; ++d)
    if constexpr (Step == strip_step::same) {
      if (d > 0) break;
      const auto same = o.source.at(base);
#pragma unroll
      for (int e = 0; e < Held; ++e) put(e, same);
    } else if (place.exists(d)) put(d, o.source.at(base + place.template below<Step>(o, d)));
}

/// base, to: where the strip begins in each operand and target. active: whether it exists, for its results.
template <class Staged, int Held, class Place, class Index, class... Src, class... T, int... I, int... J>
__device__ __forceinline__ void strip_body(const auto& p, const Place& place, const Index (&base)[sizeof...(Src) + 1],
                                           const Index (&to)[sizeof...(T)], bool active, list<Src...>, list<T...>,
                                           index_sequence<I...>, index_sequence<J...>) {
  using parameters = bare_t<decltype(p)>;
  using own_strip = row_in_registers<Staged, 1, Held, list<Src...>, index_sequence<I...>>;
  own_strip values;
  const auto load = [&]<int N, bool Late>(auto& f, const auto& o, index_sequence<N>, standard::bool_constant<Late>,
                                          int begin, int end) {
    if constexpr (bare_t<decltype(f)>::loads && Staged::template read_before<Staged::count, N> == !Late) {
      load_of_strip<parameters::template step<N>, Held>(f, o, base[N], place, begin, end);
      if constexpr (!Late) get<N>(values.as_float).take(f);
    }
  };
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, standard::false_type{}, 0, Held), ...);
  keep_constants(values, p.operands, 0, index_sequence<I...>{});

  constexpr bool one_result = parameters::template step<int(sizeof...(I))> == strip_step::same;
  typename Staged::values known;
  strip_stages<Staged, list<Src...>, 0, Held, one_result>(values, p.operands, known, place);
  if (!active || (one_result && !place.is_first())) return;
  using values_type = pass_values_of<Staged, Staged::count, list<Src...>>;
  using context = row_context<own_strip>;
  const values_type strip_values(known, p.operands);
  constexpr int step = one_result ? 1 : Held < strip_step_of_results ? Held : strip_step_of_results;
  const auto load_late = [&](int from) {
    (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, standard::true_type{}, from, from + step), ...);
  };
  load_late(0);
#pragma unroll
  for (int from = 0; from < (one_result ? 1 : Held); from += step) {
    if (!one_result && from + step < Held) load_late(from + step);
    results<typename Staged::output::roots, list<Src...>, 1, step, T...> out;
#pragma unroll
    for (int d = 0; d < step && from + d < Held; ++d) {
      const context here{{values, from + d, 0}};
      register_sink<bare_t<decltype(out)>> sink{out, d, 0};
      evaluate<typename Staged::output>(with_values<context, values_type>{here, strip_values}, sink);
    }
    const auto put = [&]<strip_step Step>(const auto& r, const auto& t, Index begin) {
#pragma unroll
      for (int d = 0; d < step && from + d < Held; ++d)
        if constexpr (one_result) {
          if (place.is_first()) t.data[begin] = r.value[d][0];
        } else if (place.exists(from + d)) t.data[begin + place.template below<Step>(t, from + d)] = r.value[d][0];
    };
    (put.template operator()<parameters::template step<int(sizeof...(I)) + J>>(get<J>(out), get<J>(p.targets), to[J]),
     ...);
  }
}

/// Walks to strip number `which`: f(axis, place along it).
template <class Index, int K>
__device__ __forceinline__ void walk_to(const axes_walk<K>& kept, index_t which, const auto& f) {
  if constexpr (sizeof(Index) == sizeof(int)) kept.within(static_cast<unsigned>(which), f);
  else kept(which, f);
}
/// Adds how far `at` along an axis is to where a strip begins in each operand and target.
template <class Index, int... I, int... J>
__device__ __forceinline__ void begin_at(Index* base, Index* to, const auto& p, int axis, index_t at,
                                         index_sequence<I...>, index_sequence<J...>) {
  const auto add = [&](Index& sum, const auto& o) {
    if constexpr (requires { o.steps; }) sum += static_cast<Index>(at) * static_cast<Index>(o.steps[axis]);
  };
  (add(base[I], get<I>(p.operands)), ...);
  (add(to[J], get<J>(p.targets)), ...);
}

}  // namespace lazyfuse::cuda_detail

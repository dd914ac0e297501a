// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in registers: a group of threads, of a part of a warp up to a block, loads a row once and keeps it over all
// stages. The compiler finds what the passes have in common: they are straight-line code.
#pragma once

#include <lazyfuse/backend/cuda/kernels/results.cuh>
#include <lazyfuse/backend/cuda/kernels/row_layout.hpp>
#include <lazyfuse/backend/cuda/kernels/row_merge.cuh>
#include <lazyfuse/program/two_pass.hpp>

namespace lazyfuse::cuda_detail {

template <class Operands, class Targets, int K>
struct register_parameters : bound_to<Operands, Targets>, register_numbers<K> {};

/// 16-bit reals as float, converted once. The compiler would convert them in every pass, and compute again what comes
/// after: it does not see that assembly gives the same twice.
template <bool Here, class Source, int Width, int Depth>
struct widened {
  __device__ __forceinline__ void take(const auto&) {}
};
template <small_real T, int Width, int Depth>
struct widened<true, memory<T>, Width, Depth> {
  float value[Depth][Width];
  __device__ __forceinline__ void take(const auto& from) {
#pragma unroll
    for (int d = 0; d < Depth; ++d)
#pragma unroll
      for (int k = 0; k < Width; ++k) value[d][k] = static_cast<float>(from.value[d][k]);
  }
};
/// A row in registers, as its programs read it; what stages read, also as float.
template <class Staged, int Width, int Depth, class Sources, class Numbers>
struct row_in_registers;
template <class Staged, int Width, int Depth, class... Src, int... I>
struct row_in_registers<Staged, Width, Depth, list<Src...>, index_sequence<I...>>
    : fetched_pack<Width, Depth, list<Src...>> {
  pack<widened<Staged::template read_before<Staged::count, I>, Src, Width, Depth>...> as_float;
};

/// The operand that a program converts to float, or -1.
template <class P>
inline constexpr int converted_operand = -1;
template <class Op, int I>
  requires(standard::is_same_v<typename Op::converts_to, float>)
inline constexpr int converted_operand<apply<Op, arg<I>>> = I;

/// Element (d, k) of the thread.
template <class Row>
struct row_context : register_context<Row> {
  static constexpr bool precomputes = true;
  template <class P>
    requires(converted_operand<P> >= 0 && requires(const Row& r) { get<converted_operand<P>>(r.as_float).value; })
  __device__ __forceinline__ float precomputed() const {
    return get<converted_operand<P>>(this->values.as_float).value[this->d][this->k];
  }
};

/// A thread's share of a row: Depth vectors of Width elements.
template <int Width, int Depth>
struct row_share {
  int first, spacing, pitch;  ///< of its elements in the row
  int valid[Depth];           ///< of each vector, how far the row goes on
};

template <class Staged, class Sources, int S, bool Whole, bool Block, int Width, int Depth, class Fetched>
__device__ __forceinline__ void register_stages(const Fetched& row, const auto& operands,
                                                typename Staged::values& known, const row_share<Width, Depth>& share,
                                                int group_bits) {
  if constexpr (S < Staged::count) {
    using set = typename Staged::template set<S>;
    using accumulators = typename set::accumulators;
    using context = row_context<Fetched>;
    using values_type = pass_values_of<Staged, S, Sources>;
    const values_type values(known, operands);
    accumulators a;
    if constexpr (Whole) {
#pragma unroll
      for (int d = 0; d < Depth; ++d) {
        thread_sums<set, Width> sums;
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          const context here{{row, d, k}};
          note_sink<set> sink{sums.lane[k]};
          evaluate<typename set::prologue>(with_values<context, values_type>{here, values}, sink);
        }
        merge_within<set>(sums.lane);
        if (share.valid[d] <= 0) set::clear(sums.lane[0]);
        if (d == 0) a = sums.lane[0];
        else set::merge(a, sums.lane[0]);
      }
    } else {
      thread_sums<set, Width> sums;
      sums.clear();
#pragma unroll
      for (int d = 0; d < Depth; ++d)
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          const context here{{row, d, k}};
          nothing_lost none;  // few are added up
          combine_sink<set, true> sink{sums.lane[k], k * share.spacing < share.valid[d], none};
          evaluate<typename set::prologue>(with_values<context, values_type>{here, values}, sink);
        }
      merge_within<set>(sums.lane);
      a = sums.lane[0];
    }
    merge_neighbours<set>(a, group_bits);
    if constexpr (Block) {
      if (group_bits > 5) {
        constexpr int most_warps = row_tuning::register_threads / 32;
        __shared__ accumulators totals[most_warps];
        const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) / 32;
        const int warps = 1 << (group_bits - 5), first = warp & ~(warps - 1);
        if (lane == 0) totals[warp] = a;
        __syncthreads();
        a = totals[first + (lane & (warps - 1))];
        merge_neighbours<set>(a, group_bits - 5);
      }
    }
    keep<set>(known, a);
    register_stages<Staged, Sources, S + 1, Whole, Block, Width, Depth>(row, operands, known, share, group_bits);
  }
}

template <class Staged, bool Whole, bool Block, int K, int R, int Width, int Depth, class... Src, class... T, int... I,
          int... J>
__device__ __forceinline__ void registers_body(const auto& p, list<Src...>, list<T...>, index_sequence<I...>,
                                               index_sequence<J...>) {
  const int thread = static_cast<int>(threadIdx.x), member = thread & ((1 << p.group_bits) - 1);
  index_t row =
      ((static_cast<index_t>(blockIdx.x) * static_cast<int>(blockDim.x)) >> p.group_bits) + (thread >> p.group_bits);
  const bool active = row < p.rows;
  if (!active) row = p.rows - 1;
  index_t offset[sizeof...(Src) + 1] = {}, to[sizeof...(T)] = {};
  const auto add_all = [&](int axis, index_t at) {
    const auto add = [&](index_t& sum, const auto& o) {
      if constexpr (requires { o.steps; }) sum += at * o.steps[axis];
    };
    (add(offset[I], get<I>(p.operands)), ...);
    (add(to[J], get<J>(p.targets)), ...);
  };
  if constexpr (!Whole) p.kept(row, add_all);
  // Whole rows have one axis before them: where each begins is computed where it is needed, which takes fewer
  // registers.
  const auto begin_of = [&](const auto& o) {
    if constexpr (K > 0 && requires { o.steps; }) return row * o.steps[K - 1];
    else return index_t{0};
  };

  row_share<Width, Depth> share;
  share.spacing = Whole || p.consecutive ? 1 : 1 << p.group_bits;
  share.pitch = Width << p.group_bits;
  share.first = Whole || p.consecutive ? member * Width : member;
#pragma unroll
  for (int d = 0; d < Depth; ++d) share.valid[d] = p.length - share.first - d * share.pitch;

  using own_row = row_in_registers<Staged, Width, Depth, list<Src...>, index_sequence<I...>>;
  using context = row_context<own_row>;
  own_row values;
  constexpr bool many = Width * Depth > row_tuning::most_register_elements;
  const auto load_vector = [&]<int N>(auto& f, const auto& o, index_sequence<N>, int d) {
    const auto from = o.source.data + begin_of(o);
    if (has_bit(p.wide_in, N)) {
      const bool exists = share.valid[d] > 0;
      const int at = share.first + d * share.pitch;
      // Of many elements, beyond the end the first again: a branch would keep what follows behind the load.
      if constexpr (many) f.row(d, from + (exists ? at : 0));
      else if (exists) f.row(d, from + at);
    } else {
      const auto same = *from;
#pragma unroll
      for (int k = 0; k < Width; ++k) f.value[d].put(k, same);
    }
  };
  // What only the results need is loaded when they are computed: it is most often the same for all rows.
  const auto load = [&]<int N, bool Late>(auto& f, const auto& o, index_sequence<N> n, standard::bool_constant<Late>,
                                          int begin, int end) {
    if constexpr (bare_t<decltype(f)>::loads && Staged::template read_before<Staged::count, N> == !Late) {
      if constexpr (Whole && bare_t<decltype(f)>::is_memory) {
#pragma unroll
        for (int d = begin; d < end; ++d) load_vector(f, o, n, d);
      } else if (begin == 0) {
        const index_t step = o.steps[R - 1], at = Whole ? begin_of(o) : offset[N];
        f.some(o.source, at + share.first * step, share.pitch * step, step, p.consecutive && has_bit(p.wide_in, N),
               share.spacing, share.valid);
      }
      if constexpr (!Late) get<N>(values.as_float).take(f);
    }
  };
  (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, standard::false_type{}, 0, Depth), ...);
  keep_constants(values, p.operands, 0, index_sequence<I...>{});

  typename Staged::values known;
  register_stages<Staged, list<Src...>, 0, Whole, Block, Width, Depth>(values, p.operands, known, share, p.group_bits);
  using values_type = pass_values_of<Staged, Staged::count, list<Src...>>;
  const values_type row_values(known, p.operands);
  const auto compute_vector = [&](auto& out, int d, int to_d) {
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      const context here{{values, d, k}};
      register_sink<bare_t<decltype(out)>> sink{out, to_d, k};
      evaluate<typename Staged::output>(with_values<context, values_type>{here, row_values}, sink);
    }
  };
  if (!active) return;
  using roots = typename Staged::output::roots;
  if constexpr (Whole) {
    // Many elements vector by vector: what only results need then takes few registers.
    constexpr int step = many ? 1 : Depth;
    const auto load_late = [&](int from) {
      (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, standard::true_type{}, from, from + step), ...);
    };
    load_late(0);
#pragma unroll
    for (int from = 0; from < Depth; from += step) {
      if (from + step < Depth) load_late(from + step);
      results<roots, list<Src...>, Width, step, T...> out;
#pragma unroll
      for (int d = 0; d < step; ++d) compute_vector(out, from + d, d);
      const auto put = [&](const auto& r, const auto& t) {
        if (p.one_result) {
          if (from == 0 && member == 0) t.data[begin_of(t)] = r.value[0][0];
        } else
#pragma unroll
          for (int d = 0; d < step; ++d)
            if (share.valid[from + d] > 0) r.one(d, t.data + begin_of(t) + share.first + (from + d) * share.pitch);
      };
      (put(get<J>(out), get<J>(p.targets)), ...);
    }
  } else {
    (load(get<I>(values), get<I>(p.operands), index_sequence<I>{}, standard::true_type{}, 0, Depth), ...);
    results<roots, list<Src...>, Width, Depth, T...> out;
#pragma unroll
    for (int d = 0; d < Depth; ++d) compute_vector(out, d, d);
    if (p.one_result)
#pragma unroll
      for (int d = 0; d < Depth; ++d) share.valid[d] = d == 0 && member == 0 ? 1 : 0;
    const auto put = [&](const auto& r, const auto& t, int j) {
      const index_t step = t.steps[R - 1];
      store(r, t.data + to[j] + share.first * step, share.pitch * step, step, p.consecutive && has_bit(p.wide_out, j),
            share.spacing, false, share.valid);
    };
    (put(get<J>(out), get<J>(p.targets), J), ...);
  }
}

/// Bytes of an element of all operands that stages read.
template <class Staged, class... Src, int... I>
constexpr int bytes_in_stages(list<Src...>, index_sequence<I...>) {
  return (0 + ... + (Staged::template read_before<Staged::count, I> ? element_bytes<Src> : 0));
}
/// How many elements of a row a thread holds, of all that stages read; of one operand of 16-bit reals, as many as are
/// as many bytes as float.
template <class Staged, class... Src, int... I>
constexpr int register_elements(list<Src...> sources, index_sequence<I...> all, int width) {
  const int bytes = bytes_in_stages<Staged>(sources, all);
  const int read = (0 + ... + int(Staged::template read_before<Staged::count, I> && !is_constant<Src>));
  constexpr bool small = ((!Staged::template read_before<Staged::count, I> || is_constant<Src> ||
                           (Src::is_memory && small_real<typename Src::value_type>)) &&
                          ...);
  int elements = read == 1 && small ? 2 * row_tuning::most_register_elements : row_tuning::most_register_elements;
  while (elements > width && elements * bytes > row_tuning::register_bytes(Staged::count, bytes)) elements /= 2;
  return elements;
}
/// Bytes of an element of what only the results read.
template <class Staged, class... Src, int... I>
constexpr int bytes_of_results(list<Src...>, index_sequence<I...>) {
  return (0 + ... + (Src::is_memory && !Staged::template read_before<Staged::count, I> ? element_bytes<Src> : 0));
}
/// Blocks that share a processor. Where results are dear, the compiler reads ahead what they alone read.
template <class Staged, class... Src>
constexpr int register_residents(list<Src...> sources, int elements) {
  constexpr auto all = make_index_sequence<sizeof...(Src)>{};
  const bool dear = Staged::output::cost >= row_tuning::dear_results;
  const int bytes =
      elements * (bytes_in_stages<Staged>(sources, all) + (dear ? bytes_of_results<Staged>(sources, all) : 0));
  const int small = (0 + ... + (Src::is_memory && sizeof(typename Src::value_type) < 4));
  return small > 1 || elements > row_tuning::most_register_elements || bytes > row_tuning::light_bytes
             ? row_tuning::residents
             : row_tuning::light_residents;
}

/// What is known of rows when a kernel is compiled: whether they are whole (register_numbers).
enum class whole_rows { not_known, all, none };

/// Block: more than a warp may share a row.
template <class Staged, class Sources, class Types, bool Block, int K, int R, int Width, int Depth, class Parameters,
          whole_rows Known = whole_rows::not_known>
__global__ void __launch_bounds__(row_tuning::register_threads, register_residents<Staged>(Sources{}, Width* Depth))
    rows_in_registers(const __grid_constant__ Parameters p) {
  constexpr auto operands = make_index_sequence<Sources::size>{};
  constexpr auto targets = make_index_sequence<Types::size>{};
  if constexpr (Known != whole_rows::not_known)
    registers_body<Staged, Known == whole_rows::all, Block, K, R, Width, Depth>(p, Sources{}, Types{}, operands,
                                                                                targets);
  else if (p.whole) registers_body<Staged, true, Block, K, R, Width, Depth>(p, Sources{}, Types{}, operands, targets);
  else registers_body<Staged, false, Block, K, R, Width, Depth>(p, Sources{}, Types{}, operands, targets);
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform on the GPU: a thread loads its elements of all operands, evaluates the program for each and
// stores. One of three kernels runs: flat (stencils, too), strided or tiled.
#pragma once

#include <lazyfuse/backend/cuda/kernels/flat.cuh>
#include <lazyfuse/backend/cuda/kernels/strided.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>

namespace lazyfuse::cuda_detail {

template <class Operand>
struct flat_operand;
template <class Source, int R>
struct flat_operand<operand<Source, R>> {
  static operand<Source, 1> of(const operand<Source, R>& o) {
    if constexpr (requires { o.steps; }) return {o.source, {{o.steps[R > 0 ? R - 1 : 0]}}};
    else return {o.source};
  }
};

template <int R, class... Src, int... I>
operand_pack<1, Src...> flat_operands(const operand_pack<R, Src...>& p, index_sequence<I...>) {
  return {{{flat_operand<operand<Src, R>>::of(get<I>(p))}...}};
}
template <int R, class... T, int... I>
target_pack<1, T...> flat_targets(const target_pack<R, T...>& p, index_sequence<I...>) {
  return {{{{get<I>(p).data, {{get<I>(p).steps[R > 0 ? R - 1 : 0]}}}}...}};
}

/// A transform of R axes: how it is laid out, and its launch.
template <class Schedule, class Sources, int R, class... T>
struct transform_program {
  static constexpr int width = width_for(Sources{}, list<T...>{}), targets = sizeof...(T);
  static constexpr int bytes = memory_bytes(Sources{}), cost = Schedule::cost + cost_of_sources(Sources{});
  static constexpr thread_share flat = share_for(width, bytes, cost, kernel_kind::flat),
                                strided = share_for(width, bytes, cost, kernel_kind::strided);
  static constexpr int tile_width = tile_width_for(width, bytes, cost);

  template <class Bound>
  static transform_geometry lay_out(shape<R>& s, Bound& bound) {
    return plan_transform(s.extent, R, bound.info, targets, targets + bound.count, flat, strided, tile_width,
                          has_window<Schedule, Sources, R>);
  }
  static const char* path(const transform_geometry& g) {
    static constexpr const char* names[] = {"flat", "strided", "tiled", "window"};
    return names[static_cast<int>(g.path)];
  }

  template <class Bound>
  static const char* launch(shape<R>& s, Bound& bound, const target_pack<R, T...>& to) {
    const transform_geometry g = lay_out(s, bound);
    if (R < 2 || g.path == transform_path::flat || g.path == transform_path::window) launch_flat(g, s, bound, to);
    if constexpr (R >= 2)
      if (g.path == transform_path::strided || g.path == transform_path::tiled) launch_strided(g, s, bound, to);
    return path(g);
  }

 private:
  template <class Bound>
  static void launch_flat(const transform_geometry& g, const shape<R>& s, const Bound& bound,
                          const target_pack<R, T...>& to) {
    constexpr auto all = make_index_sequence<Sources::size>{};
    using operands = decltype(flat_operands(bound.operands, all));
    using parameters = flat_parameters<operands, target_pack<1, T...>>;
    const parameters p{flat_operands(bound.operands, all),
                       flat_targets(to, make_index_sequence<targets>{}),
                       R > 0 ? s[R > 0 ? R - 1 : 0] : 1,
                       g.wide_in,
                       g.wide_out,
                       g.consecutive,
                       g.simple};
    const auto start = [&]<class P>(const P& with, int shared) {
      cuda_detail::launch(transform_flat<Schedule, Sources, list<T...>, flat.width, flat.depth, P>, g.blocks,
                          static_cast<std::size_t>(shared), with);
    };
    if constexpr (has_window<Schedule, Sources, R>)
      start(window_parameters<parameters, target_pack<R, T...>>{p, g.window, to}, g.window.bytes());
    else start(p, 0);
  }

  template <class Bound>
  static void launch_strided(const transform_geometry& g, const shape<R>& s, const Bound& bound,
                             const target_pack<R, T...>& to) {
    using parameters = strided_parameters<bare_t<decltype(bound.operands)>, target_pack<R, T...>, R>;
    const parameters p{bound.operands,
                       to,
                       walk_of<R - 2>(s.extent),
                       s.size() / s[R - 1] / s[R - 2],
                       s[R - 2],
                       s[R - 1],
                       g.wide_in,
                       g.wide_out,
                       g.staged,
                       g.row_tiles,
                       g.column_tiles,
                       divisor::of(g.row_tiles),
                       divisor::of(g.column_tiles),
                       log2_of(g.lanes),
                       log2_of(g.lines),
                       g.consecutive,
                       g.mirrored,
                       g.small};
    if (g.path == transform_path::strided)
      cuda_detail::launch(transform_strided<Schedule, Sources, list<T...>, R, strided.width, strided.depth, parameters>,
                          g.blocks, 0, p);
    else {
      const auto kernel = transform_tiled<Schedule, Sources, list<T...>, R, tile_width, parameters>;
      constexpr int side = tile_lanes * tile_width;
      const std::size_t shared = static_cast<std::size_t>(g.staged_bytes) * side * (side + 1);
      if (shared > 49152) allow_shared(reinterpret_cast<const void*>(kernel), shared);
      cuda_detail::launch(kernel, g.blocks, shared, p);
    }
  }
};

}  // namespace lazyfuse::cuda_detail

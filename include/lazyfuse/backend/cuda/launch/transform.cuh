// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform on the GPU: a thread loads its elements of all operands, evaluates the program for each and
// stores. One of two kernels runs: flat (stencils, too) or strided.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/flat.cuh>
#include <lazyfuse/backend/cuda/kernels/strided.cuh>
#include <lazyfuse/backend/cuda/kernels/window.cuh>
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
  using share = transform_shares<Schedule, Sources, list<T...>>;
  static constexpr int targets = sizeof...(T);

  template <class Bound>
  static transform_geometry lay_out(shape<R>& s, Bound& bound) {
    return plan_transform(s.extent, R, bound.info, targets, targets + bound.count, share::flat, share::strided,
                          share::turned, has_window<Schedule, Sources, R>);
  }
  static const char* path(const transform_geometry& g) {
    static constexpr const char* names[] = {"flat", "strided", "tiled", "window"};
    return names[static_cast<int>(g.path)];
  }

  template <class Bound>
  static void launch(const transform_geometry& g, const shape<R>& s, const Bound& bound,
                     const target_pack<R, T...>& to) {
    if (R < 2 || g.path == transform_path::flat || g.path == transform_path::window) launch_flat(g, s, bound, to);
    if constexpr (R >= 2)
      if (g.path == transform_path::strided || g.path == transform_path::tiled) launch_strided(g, s, bound, to);
  }

 private:
  template <class Bound>
  static void launch_flat(const transform_geometry& g, const shape<R>& s, const Bound& bound,
                          const target_pack<R, T...>& to) {
    constexpr auto all = make_index_sequence<Sources::size>{};
    using operands = decltype(flat_operands(bound.operands, all));
    using parameters = flat_parameters<operands, target_pack<1, T...>>;
    const parameters p{{flat_operands(bound.operands, all), flat_targets(to, make_index_sequence<targets>{})},
                       numbers_of_flat(g, R > 0 ? s[R > 0 ? R - 1 : 0] : 1)};
    constexpr int width = share::flat.width, depth = share::flat.depth;
    if constexpr (has_window<Schedule, Sources, R>) {
      using with_window = window_parameters<parameters, target_pack<R, T...>>;
      cuda_detail::launch(transform_window<Schedule, Sources, list<T...>, width, depth, with_window>, g.blocks,
                          static_cast<std::size_t>(g.window.bytes()), with_window{p, g.window, to});
    } else cuda_detail::launch(transform_flat<Schedule, Sources, list<T...>, width, depth, parameters>, g.blocks, 0, p);
  }

  template <class Bound>
  static void launch_strided(const transform_geometry& g, const shape<R>& s, const Bound& bound,
                             const target_pack<R, T...>& to) {
    using parameters = strided_parameters<bare_t<decltype(bound.operands)>, target_pack<R, T...>, R>;
    const parameters p{{bound.operands, to}, numbers_of_strided<R>(g, s.extent)};
    const auto start = [&]<turning Turns, int Width, int Depth>() {
      const auto kernel = transform_strided<Schedule, Sources, list<T...>, R, Width, Depth, Turns, parameters>;
      const auto shared = static_cast<std::size_t>(g.shared_bytes);
      if (shared > unasked_shared_bytes) allow_shared(reinterpret_cast<const void*>(kernel), shared);
      cuda_detail::launch(kernel, g.blocks, shared, p);
    };
    if constexpr (share::one_strided)
      start.template operator()<turning::sometimes, share::strided.width, share::strided.depth>();
    else if (g.path == transform_path::tiled)
      start.template operator()<turning::always, share::turned.width, share::turned.depth>();
    else start.template operator()<turning::never, share::strided.width, share::strided.depth>();
  }
};

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

template <class Schedule>
struct kernel<dpp::transform<Schedule>, cuda> {
  using geometry = cuda_detail::transform_geometry;
  template <class Sources, int R, class... T>
  static auto program(const ir::target_pack<R, T...>&) -> cuda_detail::transform_program<Schedule, Sources, R, T...>;
  template <class Plan>
  using program_of = decltype(program<typename Plan::sources>(std::declval<Plan&>().to));

  template <class Plan>
  static const char* path(Plan& p) {
    static_assert(dpp::plan_of<Plan, dpp::transform<Schedule>>, "lazyfuse: the plan lacks what its pattern asks for");
    p.geometry = program_of<Plan>::lay_out(p.s, p.bound);
    p.by_address = p.geometry.path == cuda_detail::transform_path::window;
    return program_of<Plan>::path(p.geometry);
  }
  template <class Plan>
  static void launch(Plan& p) {
    program_of<Plan>::launch(p.geometry, p.s, p.bound, p.to);
  }
};

}  // namespace lazyfuse

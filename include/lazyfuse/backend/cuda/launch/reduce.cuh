// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce on the GPU: every thread combines the prologue's values of its elements in registers, groups of
// threads merge through warp shuffles and shared memory, blocks that share an output through memory. No
// value is combined by an atomic, so results repeat bit for bit; a ticket only elects the block that ends.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/reduce_columns.cuh>
#include <lazyfuse/backend/cuda/kernels/reduce_rows.cuh>
#include <lazyfuse/backend/cuda/launch/launch.cuh>

namespace lazyfuse::cuda_detail {

/// A reduction over R axes, K of them kept: how it is laid out, and its launch.
template <class Set, class Epilogue, class Sources, int K, int R, class Operands, class... T>
struct reduce_program {
  using share = reduce_shares<Set, Sources>;
  using accumulators = typename Set::accumulators;
  using parameters = reduce_parameters<Operands, target_pack<K, T...>, K, R>;
  using kernel = void (*)(parameters);

  static kernel kernel_of(bool along_kept) {
    if constexpr (K > 0) {
      if (along_kept)
        return reduce_columns<Set, Epilogue, Sources, K, R, share::width, share::by_columns.depth, parameters>;
    }
    return reduce_rows<Set, Epilogue, Sources, K, R, share::width, share::by_rows.depth, parameters>;
  }

  template <class Bound>
  static reduce_geometry lay_out(const shape<R>& s, const Bound& bound, bool along_kept) {
    static constinit resident_blocks resident[2];  // of each kernel
    const index_t blocks = resident[along_kept].of(reinterpret_cast<const void*>(kernel_of(along_kept)));
    return plan_reduce(s.extent, K, R, bound.info + sizeof...(T), bound.count, along_kept,
                       along_kept ? share::by_columns : share::by_rows, blocks);
  }

  template <class Bound>
  static void launch(const reduce_geometry& g, const shape<R>& s, const Bound& bound, const target_pack<K, T...>& to,
                     bool along_kept) {
    parameters p{{bound.operands, to}, numbers_of_reduce<K, R>(g, s.extent, along_kept, share::width)};
    scratch room;
    if (g.splits > 1) {
      const std::size_t per_tile = along_kept ? static_cast<std::size_t>(g.lanes) * share::width : 1;
      room = scratch_for(sizeof(accumulators) * g.tiles * g.splits * per_tile);
      p.tickets = room.tickets;
      p.partial = room.partial;
    }
    cuda_detail::launch(kernel_of(along_kept), g.tiles * g.splits, 0, p);
  }
};

}  // namespace lazyfuse::cuda_detail

namespace lazyfuse {

template <class Set, class Epilogue, int K>
struct kernel<dpp::reduce<Set, Epilogue, K>, cuda> {
  using geometry = cuda_detail::reduce_geometry;
  template <class Plan, class... T>
  static auto program(const Plan&, const ir::target_pack<K, T...>&)
      -> cuda_detail::reduce_program<Set, Epilogue, typename Plan::sources, K, Plan::rank,
                                     bare_t<decltype(std::declval<Plan&>().bound.operands)>, T...>;
  template <class Plan>
  using program_of = decltype(program(std::declval<Plan&>(), std::declval<Plan&>().to));

  template <class Plan>
  static const char* path(Plan& p) {
    static_assert(dpp::plan_of<Plan, dpp::reduce<Set, Epilogue, K>>,
                  "lazyfuse: the plan lacks what its pattern asks for");
    p.geometry = program_of<Plan>::lay_out(p.s, p.bound, p.along_kept);
    return p.along_kept ? "columns" : "rows";
  }
  template <class Plan>
  static void launch(Plan& p) {
    program_of<Plan>::launch(p.geometry, p.s, p.bound, p.to, p.along_kept);
  }
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/launch/reduce.cuh>
#include <lazyfuse/backend/cuda/launch/rows.cuh>
#include <lazyfuse/backend/cuda/launch/transform.cuh>

namespace lazyfuse {

template <>
struct backend<cuda> {
  static constexpr const char* name = "cuda";

  static lazyfuse::machine machine() { return cuda_detail::this_machine(); }

  static void before(const operand_info* info, int targets, int count) { cuda_detail::before(info, targets, count); }

  template <class Schedule, class Bound, int R, class... T>
  static const char* transform_path(shape<R>& extents, Bound& bound, target_pack<R, T...>&) {
    using program = cuda_detail::transform_program<Schedule, typename Bound::sources, R, T...>;
    return program::path(program::lay_out(extents, bound));
  }
  template <class Schedule, class Bound, int R, class... T>
  static const char* transform(shape<R>& extents, Bound& bound, target_pack<R, T...>& to) {
    return cuda_detail::transform_program<Schedule, typename Bound::sources, R, T...>::launch(extents, bound, to);
  }

  static const char* reduce_path(bool along_kept) { return along_kept ? "columns" : "rows"; }
  template <class Set, class Epilogue, int K, class Bound, int R, class... T>
  static const char* reduce(shape<R>& extents, Bound& bound, target_pack<K, T...>& to, bool along_kept) {
    cuda_detail::reduce<Set, Epilogue, typename Bound::sources, K, R>(extents, bound, to, along_kept);
    return reduce_path(along_kept);
  }

  template <class Staged, int Outer, bool Columns, class Bound, int R, class... T>
  static const char* rows_path(shape<R>& extents, Bound& bound, target_pack<R, T...>&, row_homes& homes) {
    using program = cuda_detail::rows_program<Staged, typename Bound::sources, Outer, Columns, R, T...>;
    const cuda_detail::row_geometry g = program::lay_out(extents, bound);
    if (!g.fits) return nullptr;  // reductions become arrays, on the device
    find_homes(g, homes);
    return g.path;
  }
  template <class Staged, int Outer, bool Columns, class Bound, int R, class... T>
  static const char* rows(shape<R>& extents, Bound& bound, target_pack<R, T...>& to, bool one_result) {
    return cuda_detail::rows_program<Staged, typename Bound::sources, Outer, Columns, R, T...>::launch(extents, bound,
                                                                                                       to, one_result);
  }
};

}  // namespace lazyfuse

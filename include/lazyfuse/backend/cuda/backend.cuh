// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/reduce.cuh>
#include <lazyfuse/backend/cuda/row_launch.cuh>
#include <lazyfuse/backend/cuda/transform.cuh>

namespace lazyfuse {

template <>
struct backend<cuda> {
  static constexpr const char* name = "cuda";

  static lazyfuse::machine machine() { return cuda_detail::this_machine(); }

  static void before(const operand_info* info, int targets, int count) { cuda_detail::before(info, targets, count); }

  template <class Schedule, class Bound, int R, class... T>
  static const char* transform(shape<R>& extents, Bound& bound, target_pack<R, T...>& to, bool dry) {
    return cuda_detail::transform<Schedule, typename Bound::sources, R>(extents, bound, to, dry);
  }

  template <class Set, class Epilogue, int K, class Bound, int R, class... T>
  static const char* reduce(shape<R>& extents, Bound& bound, target_pack<K, T...>& to, bool along_kept, bool dry) {
    return cuda_detail::reduce<Set, Epilogue, typename Bound::sources, K, R>(extents, bound, to, along_kept, dry);
  }

  template <class Staged, int Outer, bool Columns, class Bound, int R, class... T>
  static const char* rows(shape<R>& extents, Bound& bound, target_pack<R, T...>& to, bool one_result, bool dry,
                          row_homes* homes) {
    return cuda_detail::rows<Staged, typename Bound::sources, Outer, Columns, R>(extents, bound, to, one_result, dry,
                                                                                 homes);
  }
};

}  // namespace lazyfuse

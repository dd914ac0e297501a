// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host backend: OpenMP threads in the compiled library, vectorised loops in the headers.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/host/stages.hpp>

namespace lazyfuse {

template <>
struct backend<host> {
  static constexpr const char* name = "host";

  static lazyfuse::machine machine() { return cpu(host_detail::thread_count()); }

  /// Host memory is ready when the caller is.
  static void before(const operand_info*, int, int) {}

  template <class Schedule, class Bound, int R, class... T>
  static const char* transform_path(shape<R>&, Bound&, target_pack<R, T...>&) {
    return "loop";
  }
  template <class Schedule, class Bound, int R, class... T>
  static const char* transform(shape<R>& extents, Bound& bound, target_pack<R, T...>& targets) {
    host_detail::transform<Schedule, typename Bound::sources>(extents, bound.operands, targets);
    return "loop";
  }

  static const char* reduce_path(bool along_kept) { return along_kept ? "columns" : "rows"; }
  template <class Set, class Epilogue, int K, class Bound, int R, class... T>
  static const char* reduce(shape<R>& extents, Bound& bound, target_pack<K, T...>& targets, bool along_kept) {
    host_detail::reduce<Set, Epilogue, typename Bound::sources, K>(extents, bound.operands, targets, along_kept);
    return reduce_path(along_kept);
  }

  template <class Staged, int Outer, bool Columns, class Bound, int R, class... T>
  static const char* rows_path(shape<R>& extents, Bound&, target_pack<R, T...>&, row_homes& homes) {
    host_detail::find_homes(extents.extent, R, Outer, Columns,
                            host_detail::bytes_of_position(typename Bound::sources{}), homes);
    return Columns ? "columns" : "rows";
  }
  template <class Staged, int Outer, bool Columns, class Bound, int R, class... T>
  static const char* rows(shape<R>& extents, Bound& bound, target_pack<R, T...>& targets, bool one_result) {
    host_detail::rows<Staged, typename Bound::sources, Outer, Columns>(extents, bound.operands, targets, one_result);
    return Columns ? "columns" : "rows";
  }
};

}  // namespace lazyfuse

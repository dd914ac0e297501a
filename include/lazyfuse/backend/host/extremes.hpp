// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place of the largest or smallest of numbers in memory: compiled in the library, for the widest vectors that the
// processor has.
#pragma once

#include <lazyfuse/core/types.hpp>

namespace lazyfuse::host_detail {

/// Where the first NaN is among n > 0 numbers, or else the first of the largest, or of the smallest.
index_t place_of_extreme(const float* x, index_t n, bool largest);
index_t place_of_extreme(const double* x, index_t n, bool largest);
index_t place_of_extreme(const int32* x, index_t n, bool largest);
index_t place_of_extreme(const int64* x, index_t n, bool largest);

}  // namespace lazyfuse::host_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of the largest or smallest of numbers in memory: compiled in the library, for the widest vectors that the
// processor has.
#pragma once

#include <lazyfuse/core/types.hpp>

namespace lazyfuse::host_detail {

/// Of each of so many rows of n > 0 numbers, `next` apart: where the first NaN is, or else the first of the largest, or
/// of the smallest.
void places_of_extremes(const float* x, index_t n, index_t next, index_t rows, bool largest, index_t* to);
void places_of_extremes(const double* x, index_t n, index_t next, index_t rows, bool largest, index_t* to);
void places_of_extremes(const int32* x, index_t n, index_t next, index_t rows, bool largest, index_t* to);
void places_of_extremes(const int64* x, index_t n, index_t next, index_t rows, bool largest, index_t* to);

}  // namespace lazyfuse::host_detail

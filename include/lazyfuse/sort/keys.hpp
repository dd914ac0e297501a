// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sorting is made of: unsigned integers that have the wanted order, in rows, and what is asked of a space
// (src/backend/host/sorting.cpp, src/backend/cuda/runtime/sorting.cpp).
#pragma once

#include <lazyfuse/core/error.hpp>
#include <lazyfuse/core/space.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse::sort_detail {

/// count rows of length keys that follow each other: unsigned integers of so many bytes. On the GPU the memory is
/// ordered with the current stream.
struct key_rows {
  int bytes;
  index_t count, length;
  void* keys;
  uint64 minus_zero = 0,
         zero = 0;  ///< the former counts as the latter, beside it, where first_places and find_runs say
  constexpr bool none() const { return count == 0 || length == 0; }
};

/// Sorts each row in place.
void sort_keys(host, const key_rows& rows);
void sort_keys(cuda, const key_rows& rows);
/// The same; places, as many as keys: where in its row each was before. Equal keys keep their order.
void sort_places(host, const key_rows& rows, int64* places);
void sort_places(cuda, const key_rows& rows, int64* places);
/// The first k of each row after sort_places, by places and keys, count rows of k; what is left in rows is unspecified.
/// minus_zero counts as zero, and is returned where it was.
void first_places(host, const key_rows& rows, index_t k, void* keys, int64* places);
void first_places(cuda, const key_rows& rows, index_t k, void* keys, int64* places);
/// Key p of each row is what sorting would put there; those before it are no larger, those behind it no smaller.
void partition_keys(host, const key_rows& rows, index_t p);
void partition_keys(cuda, const key_rows& rows, index_t p);
/// What sorting would put at n ascending positions of each row, count rows of n; what is left in rows is unspecified.
void select_keys(host, const key_rows& rows, const index_t* positions, int n, void* selected);
void select_keys(cuda, const key_rows& rows, const index_t* positions, int n, void* selected);

/// Of one sorted row: where each run of equal keys starts, and how many there are; minus_zero counts as zero. Waits on
/// the GPU.
index_t find_runs(host, const key_rows& sorted, int64* starts);
index_t find_runs(cuda, const key_rows& sorted, int64* starts);
/// number[places[i]] is the run that sorted key i is in.
void number_runs(host, const int64* starts, index_t runs, const int64* places, index_t length, int64* number);
void number_runs(cuda, const int64* starts, index_t runs, const int64* places, index_t length, int64* number);

}  // namespace lazyfuse::sort_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What selections, scatters and histograms ask of a space, compiled once: of the host in src/backend/host/selection.cpp
// and scatter.cpp, of the GPU in src/backend/cuda/runtime/selection.cpp and the kernels beside it.
#pragma once

#include <lazyfuse/core/error.hpp>
#include <lazyfuse/core/space.hpp>
#include <lazyfuse/core/types.hpp>

#include <cstddef>

namespace lazyfuse {
struct allocation;
}

namespace lazyfuse::selection_detail {

/// body(context, task) for every task, in parallel where the cost, about one for an operation on an element, is worth
/// it.
void for_blocks(host, index_t tasks, double cost, void (*body)(void*, index_t), void* context);

/// How many of n are true.
index_t count_true(const bool* mask, index_t n);
/// Writes where the mask is true from `first` to `end`, which is `count` times.
void put_places(const bool* mask, index_t first, index_t end, int64* to, index_t count);
/// Writes those of n values at which the mask is true, one after the other; moves them together where they are first.
void keep_selected(const bool* mask, void* values, std::size_t element_size, index_t n, void* to);

/// The memory is written next, in order of the current stream.
inline void before_writing(host, allocation*) {}
void before_writing(cuda, allocation* a);
/// The memory is read next, in order of the current stream, unless it is of another device: whether it may be.
inline bool before_reading(host, allocation*) { return true; }
bool before_reading(cuda, allocation* a);

/// How many elements a kernel of the current stream has selected, which it leaves there: waits for it.
index_t count_selected(cuda, const int64* count);

/// Rows of so many elements that follow each other, to be written where indices say.
struct rows {
  void* data;
  index_t count, length;  ///< rows, and elements of each
  dtype type;
  std::size_t element_size;
};
/// Where rows go: their numbers, -1 beyond the destination.
struct destinations {
  const int64* rows;
  index_t count;
};
/// Row n of `to` is value k, if n is destination k, and the last such k wins; values repeat. On the host nothing is
/// written where one is beyond, and its number is returned, else -1; the GPU skips it.
index_t scatter(host, const rows& to, const destinations& at, const rows& values);
index_t scatter(cuda, const rows& to, const destinations& at, const rows& values);
/// The same, but added, those of one destination in the order of k, which the GPU makes a tree of many. Of numbers.
index_t scatter_sum(host, const rows& to, const destinations& at, const rows& values);
index_t scatter_sum(cuda, const rows& to, const destinations& at, const rows& values);

/// Bins between edges that ascend: [edges[k], edges[k + 1]), the last one with its end.
struct bins {
  dtype type;         ///< of edges and values: float or double
  const void* edges;  ///< bins + 1, where the counts are
  index_t count;
  double width;      ///< of all of them together, where each has the same; else 0, and bins are searched
  double low, high;  ///< the first edge and the last
};
/// Adds to counts how many of n values are in each bin; on the GPU, in order of the current stream.
void count_in_bins(host, const bins& b, const void* values, index_t n, int64* counts);
void count_in_bins(cuda, const bins& b, const void* values, index_t n, int64* counts);
/// The same of bins that have the values' own numbers, all of them in [0, bins).
void count_numbers(host, const int64* values, index_t n, index_t bins, int64* counts);
void count_numbers(cuda, const int64* values, index_t n, index_t bins, int64* counts);
/// The same of their weights, on the host.
void add_weights(const int64* values, const double* weights, index_t n, index_t bins, double* sums);
/// The first row becomes the sum of all.
void add_rows(int64* counts, index_t rows, index_t length);
void add_rows(double* sums, index_t rows, index_t length);
/// NumPy's edges of bins of one width between low and high, computed in float or double: their width in all. Throws
/// index_error.
double uniform_edges(double low, double high, bool in_float, dtype type, index_t bins, void* edges, caller where);
/// Throws index_error unless edges ascend.
void check_edges(dtype type, const void* edges, index_t n, caller where);

}  // namespace lazyfuse::selection_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a plan takes, from the bytes it moves, its kernels and a few numbers of the machine. Compiled once
// (src/plan/cost.cpp).
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse::planning {

/// What a plan asks of a machine. The work of several kernels is the sum of theirs.
struct work {
  index_t bytes_read = 0, bytes_written = 0;  ///< memory traffic
  index_t bytes_cached = 0;                   ///< read again where they are still in a cache, or on the chip
  double operations = 0;                      ///< simple instructions over all elements, as `cost` of op/ counts them
  int launches = 0;                           ///< kernels, or loops on the host
  int barriers = 0;                           ///< waits of a whole kernel for all of its threads

  friend constexpr work operator+(const work& a, const work& b) {
    return {a.bytes_read + b.bytes_read, a.bytes_written + b.bytes_written, a.bytes_cached + b.bytes_cached,
            a.operations + b.operations, a.launches + b.launches,           a.barriers + b.barriers};
  }
  friend constexpr bool operator==(const work&, const work&) = default;
};

/// The speed of a copy whose reads and writes are so many bytes together.
struct bandwidth_point {
  double bytes, gb_per_s;
};

/// The numbers of a machine. The curve has at least one point, its bytes rise, and so do the times bytes / gb_per_s.
struct machine {
  static constexpr int max_points = 16;
  bandwidth_point curve[max_points];
  int points;
  double cached_gb_per_s;    ///< of data that is in the last cache
  double launch_us;          ///< the least from one launch to the next: what issuing it takes
  double gap_us;             ///< between the end of a kernel and the start of the next that waited for it
  double barrier_us;         ///< of a grid
  double operations_per_us;  ///< simple instructions, on all processors together
  double alone_us = 0;       ///< what one of the processors does so quickly is left to it
  double wake_us = 0;        ///< of the others, where it is not
  int processors = 1;
  /// Multiplications and additions that a library of matrix products does in a microsecond, where it also adds a bias
  /// and computes what the word says of the results, unless it is null; 0 where there is none.
  double (*products_per_us)(dtype factors, dtype result, bool biased, const char* word) = nullptr;
  const char* (*name)() = nullptr;  ///< of what runs its kernels, asked where something measured is remembered
};

/// Time of a copy of so many bytes, read and written: straight lines through the points of the curve, both axes
/// logarithmic. Above the last point its speed holds, below the first one its time.
double traffic_us(double bytes, const machine& m);

/// Microseconds from the first launch until the last kernel has ended:
///
///     max(launches * launch, (launches - 1) * gap + max(traffic, operations) + cached + barriers + wake)
///
/// where operations are shared by all processors, which are woken for it, unless one alone ends them in `alone`;
///
/// since the host issues launches while the device works; never falls as any number of the work grows. Small plans cost
/// their launches, large ones their traffic.
///
/// Source: the offline bandwidth curve M(V) and launch latency of FusionStitching (Long, Yang, Lin, arXiv 1911.11576,
/// section 4.3); traffic against operations as in the roofline model (Williams, Waterman, Patterson 2009).
double predicted_us(const work& w, const machine& m);
/// Kernels that take no longer are short: a kernel of several needs the registers of the greediest of them, and saves
/// some 2 us for each.
inline constexpr double most_us_of_short = 10;

/// What a CUDA device says of itself; 0 where it does not, and counts as the H200's.
struct gpu_attributes {
  double memory_clock_khz, bus_bits;
  double multiprocessors, clock_khz;
};

/// The device that the table of `gpu` was measured on.
inline constexpr gpu_attributes h200_attributes{3201000, 6144, 132, 1980000};

/// A GPU: the table of an H200, whose times beyond those of an empty kernel are scaled, by memory clock and bus width
/// where the data are larger than its cache, else by multiprocessors and their clock. Launches cost the same
/// everywhere.
machine gpu(const gpu_attributes& of = h200_attributes);

/// A CPU whose loops run on so many threads: for each, 40 GB/s of data that fit a quarter of the last cache, 18 GB/s
/// of what fills it, and 13 GB/s from memory for each of up to 16 threads. Data are taken to be where the evaluation
/// before left them.
machine cpu(int threads = 1, double cache_bytes = 32 << 20);

}  // namespace lazyfuse::planning

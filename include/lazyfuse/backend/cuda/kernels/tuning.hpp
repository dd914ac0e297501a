// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants by which kernels are laid out on the GPU, found on an NVIDIA H200 by the expressions of bench/.
#pragma once

#include <lazyfuse/dpp/patterns.hpp>

namespace lazyfuse {

struct cuda;  // of core/space.hpp, most of which is for the host

namespace cuda_detail {

/// How much a thread takes on at most. The compiler writes the program once for each of its elements, and what it reads
/// waits in registers.
struct thread_load {
  int operations, bytes;
  constexpr bool holds(int cost, int bytes_of_element, int elements) const {
    return cost * elements <= operations && bytes_of_element * elements <= bytes;
  }
};
/// Threads of a block, where a pattern says nothing else.
inline constexpr int block_threads = 256;
/// Threads along each side of a tile that operands are turned in.
inline constexpr int tile_lanes = 16;
static_assert(tile_lanes * tile_lanes == block_threads);
/// Bytes that a thread reads at once: beyond, vectors of many operands would not stay in registers.
inline constexpr int most_vector_bytes = 640;

}  // namespace cuda_detail

template <>
struct dpp::tuning<dpp::transforms, cuda> {
  /// Short threads stream best, and take one vector; those of dear programs take two, which hide each other's
  /// arithmetic, where few bytes leave registers for many threads.
  static constexpr int dear = 24, light_bytes = 48;
  static constexpr cuda_detail::thread_load flat{1200, 320}, strided{260, 320}, square{640, 320};
  static constexpr int strided_depth = 4, most_square = 4;
  /// Threads of programs beyond compute, and do not wait for memory: of ten expressions of 32 operations, five took
  /// 0.72 to 0.82 of the time with two elements in place of four, none longer.
  static constexpr int most_vector_cost = 640;
  /// Of programs beyond, one kernel takes all layouts: half the machine code. Cheap ones lose up to a tenth by it.
  static constexpr int one_strided_cost = 90;
  /// Six blocks share a processor where the values of a thread take at most so many bytes: 24 of then 40 registers.
  static constexpr int light_residents = 6, most_light_bytes = 96;
  /// Four blocks of a strided kernel that knows its layout share a processor where cheap programs hold at most so many
  /// bytes: 48 of then 64 registers.
  static constexpr int strided_light_residents = 4, strided_light_bytes = 192;
  /// Blocks that turn operands and hold more bytes: with 140 registers a thread one is left.
  static constexpr int turned_residents = 2;
  /// Elements of a thread in tiles of the size that short axes ask for; what these must spare to be worth a kernel.
  static constexpr int most_turned_rows = 8;
  static constexpr double least_fitted_gain = 1.15;
  /// Bytes that are in the cache of an H200 (50 MB, of which a processor has one half nearer) still when they come
  /// again.
  static constexpr int kept_bytes = 1 << 23;
  /// Threads side by side: leaves rows to the block, so that stencils find their neighbours in its cache.
  static constexpr int most_lanes = 128;
  /// Fewer threads side by side read less than the memory gives at a time.
  static constexpr int least_lanes = 8;
  /// Axes that are turned in shared memory, or chosen for rows, are as long as a tile's side.
  static constexpr int least_tile = cuda_detail::tile_lanes;
  /// A shorter one becomes the rows where at least this part of all bytes is contiguous along it.
  static constexpr double least_turned = 0.1;
  /// Stencils of so many rows and bytes around a position are copied to shared memory; smaller pictures are in the
  /// cache of a processor anyway.
  static constexpr int window_reach_rows = 8, window_reach_bytes = 64, least_window_extent = 32;
  /// Programs of this cost and so many operands, some of them in memory, for which that code is worth having.
  static constexpr int window_cost = 24, window_operands = 16, least_window_operands = 3;
  /// Threads of a block along the rows of such a picture, and elements of each: of four of a row, and two rows.
  static constexpr int window_lanes = 64, window_width = 4, window_depth = 2;
  /// What a thread of a stencil that is made at run time may read, each place once, and compute. The compiler computes
  /// while it reads: 27 points of 8 elements are 360 bytes, in 60 registers.
  static constexpr cuda_detail::thread_load stencil{1200, 512}, stencil_in_vectors{1200, 300};
  /// Blocks that share a processor where it reads in vectors, into 64 registers.
  static constexpr int stencil_residents = 4;
  /// Of packed arrays (0.91 to 0.96 of copy, docs/benchmarks.md): bytes that a thread has on their way from memory,
  /// with which four blocks keep it busy, and those of its operands and results that fit then 64 registers; and how
  /// often a block that has found its array takes as many.
  static constexpr int packed_bytes = 48, most_packed_depth = 4, packed_residents = 4, packed_light_bytes = 96,
                       packed_rounds = 4;
};

template <>
struct dpp::tuning<dpp::reductions, cuda> {
  static constexpr cuda_detail::thread_load load{260, 320};
  static constexpr int depth = 4;
  /// Threads that own columns take two vectors of more bytes than these.
  static constexpr int shallow_bytes = 16, shallow_depth = 2;
  /// Threads below each other in a tile of columns.
  static constexpr int most_lines = 8;
  /// Turns of several units between two times that lanes are added up: as many additions one after the other are exact
  /// enough, and keeping what is lost at each would cost programs of much arithmetic 8 % of their time.
  static constexpr int turns_to_fold = 8;
  /// Turns of a thread that are worth what it does before and after them; and how often blocks of fewer threads for
  /// each row must fill the device.
  static constexpr int enough_turns = 4, rounds_of_few = 4;
  /// How much less idle threads are where rows have a warp each, if others would begin in the middle of a row.
  static constexpr double gain_of_warps = 1.1;
  /// Columns of a thread that keep what rounding loses beside their sums: more do not fit its registers, unless they
  /// are of so few bytes.
  static constexpr int columns_with_rests = 4, most_bytes_with_rests = 64;
  /// Four blocks of moments, and of rows of several axes, share a processor where their values and sums take few of
  /// then 64 registers; elsewhere the compiler finds out (0).
  static constexpr int light_residents = 4, light_bytes = 64, light_cost = 24;
  /// Of kernels that know that all is dense four blocks share a processor where threads read and add up so many bytes,
  /// three where they are more: 48 of 64 registers, 64 of 80.
  static constexpr int bytes_of_four = 192, bytes_of_three = 256;
  /// Of accumulators that a thread merges at a time.
  static constexpr int most_merged_bytes = 128;
  /// Programs that are so dear wait for what they compute: four blocks where threads have so few bytes, of columns, and
  /// of tiles of turned operands. The compiler, left alone, takes 104 to 128 registers for what it does with 64, and
  /// two blocks compute where four could: two tanh 170 -> 145 us, tanh, sqrt, two exponentials and a quotient 485 ->
  /// 381. But for cheap columns it knows better elsewhere: told of four blocks it takes 64 where it took 48.
  static constexpr int dear = 32, dear_bytes = 160, dear_turned_bytes = 208;
  /// Programs that cost less wait for memory: of columns, too, four blocks where threads have bytes_of_four, and three
  /// of all others that have bytes_of_three, where the compiler, left alone, makes two: the maximum of a sum of three
  /// operands takes 65 us less by four and 3 by three, a quotient of exponentials 75 us by three and 85 by four for 82,
  /// a tanh 108 and 123 for 119.
  static constexpr int cheap = 16;
  /// Rows of a thread beside operands that are turned: their values and sums; and the blocks that share a processor, so
  /// that some read while others compute. Six operands and a sum: 8 rows and two blocks 380 us, 4 and four 334.
  static constexpr cuda_detail::thread_load turned{640, 240};
  static constexpr int turned_residents(int bytes, int cost) {
    return bytes <= (cost >= dear ? dear_turned_bytes : 160) ? 4 : 2;
  }
};

template <>
struct dpp::tuning<dpp::row_stages, cuda> {
  /// Vectors that a thread has on their way from memory: as many as make 64 bytes, or 96.
  static constexpr int depth_of(int vector_bytes) { return vector_bytes <= 16 ? 4 : vector_bytes <= 48 ? 2 : 1; }
  /// Threads of a block whose rows are one vector for each, and of others.
  static constexpr int threads_of_vectors = 256, threads_of_rows = 128;
  /// Blocks of a cluster: groups of processors hold eight with little left over; the most that CUDA takes.
  static constexpr int usual_cluster = 8, most_cluster_blocks = 16;
  /// Threads of a block of a team, and blocks that share a processor: one has memory to wait for while the other
  /// computes.
  static constexpr int team_threads = 512, team_residents = 2;
  /// Bytes of a thread's registers for vectors that several passes of a team read.
  static constexpr int most_held_bytes = 64;
  /// What is copied to shared memory begins at a whole line of its banks: elsewhere every copy writes two.
  static constexpr int room_alignment = 128;
  /// Threads that merge what a block has of columns: four warps, one for each scheduler.
  static constexpr int merging_threads = 128;
  /// The largest block of rows in registers, and the most elements of a row that a thread holds: twice as many of 16
  /// bits; of several operands, as many as make so many bytes. All threads of a row merge what they have after each
  /// stage, so that of three stages and three floats a thread holds more.
  static constexpr int register_threads = 512, most_register_elements = 16;
  static constexpr int register_bytes(int stages, int of_element) {
    return stages >= 3 && of_element <= 12 ? 192 : 128;
  }
  /// Three blocks of rows in registers share a processor where a thread holds no more bytes, elsewhere two: memory
  /// waits for one while the others compute.
  static constexpr int light_residents = 3, light_bytes = 96, residents = 2;
  /// Results of this cost are dear: quotients of two operands spill with three blocks, which takes 3.4 times as long.
  static constexpr int dear_results = 8;
};

template <>
struct dpp::tuning<dpp::scans, cuda> {
  static constexpr cuda_detail::thread_load load{640, 320};
  static constexpr int depth = 4, most_vector_bytes = 64;
  /// Four blocks share a processor, so that some read while others wait or write: 0.76 of copy for tiles of 48 KB, 0.66
  /// of 32, 0.50 of 16. So it stays where registers spill: two scans of doubles reach 0.29, and 0.17 with two blocks.
  static constexpr int residents = 4, tile_bytes = 48 << 10;
  /// A row of more chunks is taken by tiles: warps add them up one by one, which drifts.
  static constexpr int most_chunks = 16;
  /// Warps of a processor that have rows of their own; fewer do not keep it busy.
  static constexpr int least_rows = 32;
  /// Threads that share a row or are beside each other, at least, where they read vectors: whole lines of the cache.
  static constexpr int least_lanes = 8;
  /// Columns of a tile, where it has several lines.
  static constexpr int columns = 128;
  /// What a thread loads together: loads that would wait for each other's stores otherwise.
  static constexpr int loads_together = 4;
};

template <>
struct dpp::tuning<dpp::selections, cuda> {
  /// Of a thread's elements, as read and as selected: 48 bytes of floats on their way.
  static constexpr cuda_detail::thread_load load{640, 160};
  static constexpr int depth = 3;
  /// Five blocks share a processor, with 48 registers for each thread: 60 KB are on their way from memory, 120 wait for
  /// their place. What is read along several axes needs more registers.
  static constexpr int residents = 5, residents_of_walks = 3;
};

namespace cuda_detail {
using transform_tuning = dpp::tuning<dpp::transforms, cuda>;
using reduce_tuning = dpp::tuning<dpp::reductions, cuda>;
using row_tuning = dpp::tuning<dpp::row_stages, cuda>;
using scan_tuning = dpp::tuning<dpp::scans, cuda>;
using select_tuning = dpp::tuning<dpp::selections, cuda>;
}  // namespace cuda_detail

}  // namespace lazyfuse

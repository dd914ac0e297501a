// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants by which kernels are made at run time, found as those of the others are.
#pragma once

#include <lazyfuse/core/index.hpp>

#include <cstddef>

namespace lazyfuse::cuda_detail {

struct made_tuning {
  /// Less than this is not worth a kernel, whatever the share of it that is saved.
  static constexpr double least_saving_us = 50, least_saving_share = 0.1;
  /// What stencils save of the time of the kernel that reads through a window of shared memory: the four neighbours of
  /// 16384^2 floats 555 -> 520 us, a step of diffusion of 20000^2 doubles 1792 -> 1590.
  static constexpr double saving_beside_window = 0.08;
  static constexpr index_t least_elements = 1 << 20;
  /// Of an operand in the general kernel: its address, and the instruction that reads it.
  static constexpr int operations_of_operand = 15;
  /// Operands that read an array near another one, at least: fewer are read fast enough by the general kernel.
  static constexpr int least_again = 4;
  /// Places beside an element along an axis, at most: of more, a thread shares little with its neighbours.
  static constexpr index_t most_apart = 8;
  /// Elements of a stencil's thread, and threads of a block along the lines, at most.
  static constexpr int most_depth = 8, most_lines = 4;
  /// What it reads of an array by one instruction, where there are threads for so many vectors along the columns; two
  /// elements of so many bytes where it reads of few rows.
  static constexpr int stencil_bytes = 8;
  static constexpr std::size_t rows_in_long_vectors = 6;
  static constexpr index_t least_stencil_lanes = 16;
  /// Where all is one line: the reads of an array again that suffice, and the bytes of a thread, which are twice as
  /// many from so many reads on; and its elements, at most.
  static constexpr int least_again_of_line = 2, bytes_of_line = 16, many_again_of_line = 4, most_columns_of_line = 8;
};

struct tile_tuning {
  /// Positions of a reduction by tiles (but for nested ones, which would be two kernels), the extents of a tile's two
  /// axes, and how often each element is read, at least: elsewhere memory is what takes the time, or there is too
  /// little for all processors.
  static constexpr double least_positions = 1 << 18, least_reuse = 8;
  static constexpr index_t least_side = 32;
  /// Blocks that share a tile at most, the steps of each at least, and what each further one adds to the time.
  static constexpr index_t most_splits = 32, least_steps = 2;
  static constexpr double cost_of_split = 0.004;
  /// What they leave for the last of them in memory at most, and what a block takes of shared memory beside its tiles.
  static constexpr index_t most_partial_bytes = 32 << 20;
  static constexpr int other_shared_bytes = 2048;
};

struct turned_tuning {
  /// Positions, the extents of a tile's axes, and the part of the bytes at a position that is turned, at least.
  static constexpr double least_positions = 1 << 18, least_share = 0.1;
  static constexpr index_t least_side = 16;
  /// Threads of a block along the columns, at most.
  static constexpr index_t most_lanes = 128;
  /// Blocks that share a tile at most, and the steps of each at least.
  static constexpr index_t most_splits = 512, least_steps = 4, most_tiles = index_t{1} << 30;
};

struct strip_tuning {
  /// Threads of one block that share a row, at most.
  static constexpr int most_threads = 1024;
  /// Blocks of a cluster that shares a row, at most: more are not portable.
  static constexpr int most_cluster = 8;
  /// The threads of each. Other numbers take longer, 320 up to a third.
  static constexpr int threads_of_cluster = 256;
  /// Of reductions, bytes of a row that is read in vectors, at most: of 2^26 floats, sums of rows of 32 take 72 us so
  /// and 83 in strips, of 64 69 and 67, of 4096 70 and 62, as long as reading; sum(x * w) 78 and 62.
  static constexpr index_t most_bytes_of_vectors = 128;
  /// Words of the elements that a thread holds, at most: more leave no registers for what is computed. And what their
  /// programs cost in all: the text is repeated for each of them, and long ones take the compiler seconds.
  static constexpr int most_words = 100, most_words_of_columns = 80, most_cost = 4000;
  /// Of functions of rows some of whose elements have more than four bytes.
  static constexpr int most_words_of_large = 64;
  /// Of scans, whose values and results take as many again.
  static constexpr int most_words_of_scans = 40;
  /// Of columns only where there is no other way: 76 words 755 us, 48 of more lines 688; but 72 in place of two kernels
  /// 94 for 131.
  static constexpr int many_words_of_columns = 64;
  /// Columns of this height at most are in strips where their kernels are compiled with a program, too.
  static constexpr index_t most_height_compiled = 256;
  /// Higher ones that are reduced are read in vectors: of a tanh and a quotient, 194 high, in 34 us less.
  static constexpr index_t most_height_of_sums = 256, most_height_of_dear_sums = 64;
  /// Elements that are worth a block: of 300 x 3 beside each other, sums take 373 us where reading takes 32, of 300 x
  /// 15 77, of 1000 x 15 50.
  static constexpr index_t least_of_block = 1 << 14;
  /// Warps that share 32 columns, and how many such are beside each other in a block. What a block reads of a row is
  /// then so wide that it and its neighbours find it in the memory's open pages: 250 x 2047 takes 286 us by one group
  /// of 16 lines, 226 by three of 5.
  struct columns_of_block {
    int lines, groups;
  };
  static constexpr columns_of_block columns[] = {{1, 8}, {2, 8}, {4, 4}, {5, 3}, {8, 2}, {16, 1}};
  /// What groups of 32 columns are worth that are not all beside each other. Of those that are fewer, which a group has
  /// alone: its threads at least and at most, and those of a block at least; how high they are (columns of 6 take twice
  /// as long), of reductions elements of a group; how many elements of a thread are worth what it merges after them
  /// (columns of 100, 4 for each 253 us, 10 127), and how many cost nothing.
  static constexpr double worth_of_parts = 0.4;
  static constexpr int least_threads_of_few = 12, most_threads_of_few = 512, block_of_few = 128,
                       least_height_of_few = 24, least_of_few = 128, enough_of_few = 6, some_of_few = 20;
  /// Each length has a kernel of its own, whose threads and their elements are as many as it asks for. Of fewer
  /// elements in all, rows of all lengths share one, and columns a few.
  static constexpr index_t least_elements = 1 << 18;
  /// Of fewer columns, teams of blocks that read them in vectors keep more of the device busy.
  static constexpr index_t least_columns = 1 << 14;
  /// Of few rows, each is shared by several blocks.
  static constexpr index_t least_threads = 1 << 14;
};

}  // namespace lazyfuse::cuda_detail

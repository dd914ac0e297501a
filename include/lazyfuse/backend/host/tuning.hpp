// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants by which loops of the host are laid out, found by the benchmarks of bench/host; what all patterns have
// in common comes first.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/space.hpp>
#include <lazyfuse/dpp/patterns.hpp>

namespace lazyfuse {

namespace host_detail {

/// Fewer rows than these are each shared by all threads, one after the other, if they are long.
inline constexpr index_t few_rows = 8;
/// Elements of a task, about, and of each block of a long row or reduction: so many that handing one out costs little
/// beside them. The number of threads has no part in it: blocks are joined in the order of their numbers, so that
/// results have the same bits with any number of threads.
inline constexpr index_t block_elements = 32768;
/// Columns whose sums a loop adds to, at most.
inline constexpr int columns_at_a_time = 1024;
/// Bytes of stack for packed operands, and elements of each that are packed at a time.
inline constexpr int pack_bytes = 131072;
inline constexpr int least_chunk = 256, most_chunk = 4096;
/// Rows are read several at once where all of them stay in a cache, or where they lie so far apart that the processor
/// takes them for streams of their own.
inline constexpr index_t cached_rows_bytes = 131072, far_rows_bytes = 6000;
/// Operations for which threads are woken: tens of microseconds.
inline constexpr double worth_threads = 60000;
/// Results of more bytes are not kept by the last cache of most processors.
inline constexpr index_t last_cache_bytes = index_t{32} << 20;
/// Elements that stand for a whole row where an operand repeats one along it: the row is taken in runs of as many.
inline constexpr int run_length = 64;

}  // namespace host_detail

template <>
struct dpp::tuning<dpp::transforms, host> {
  /// Results go past the caches where computing them does not take longer than storing them, in rows that are not so
  /// short that they lose more at their ends, and of so many runs that three loops save more than they cost.
  static constexpr int streamed_cost = 22;
  static constexpr index_t streamed_row = 16384, streamed_runs = 16;
  /// So many elements at the end of a row are computed as whole vectors, of which some are computed already.
  static constexpr int whole_end = 16;
  /// Rows of which something is to be copied are taken several at once where they are so many, up to this length, of
  /// which no more bytes are copied: of longer ones a loop for each costs little. Those that are contiguous the other
  /// way are read in blocks, and gain only if they are shorter still. The first cache holds what is copied at a time.
  static constexpr index_t gathered_row = 256, gathered_rows = 16, gathered_row_bytes = 1024, gathered_blocked_row = 64,
                           gathered_bytes = 16384;

  /// What predictions add to the cost of an element of rows that operands keep apart: each is a loop of its own.
  static constexpr double beside_elements(double length) { return 130 / length; }
};

template <>
struct dpp::tuning<dpp::reductions, host> {
  /// Elements that a lane adds one by one. Where all are equal their roundings go one way, and a run is wrong by at
  /// most a sixth of so many epsilons.
  static constexpr index_t run_elements = 16;
  /// Turns of the lanes after which moments have their shift: the mean of the elements so far.
  static constexpr index_t turns_to_shift = 4;
  /// Elements of a row that is read once more for their mean: the first cache keeps them.
  static constexpr index_t most_for_means = 2048;
  /// How many elements a column takes before it has another shift for the first time.
  static constexpr index_t far_elements = 8;
  /// Programs up to this cost are evaluated several turns of the lanes at once, and have a loop for short rows; of
  /// dearer ones what that saves is a small part. The lanes of more reductions do not fit the registers of narrow
  /// vectors, nor beside what programs keep there that are not cheap.
  static constexpr int cheap = 32, turns_together = 4, most_in_few_registers = 2;
  /// How many rows are added up by one call, each by itself.
  static constexpr index_t rows_together = 32;
  /// Operands from which on moving them costs what several turns that follow each other save, and how many turns.
  static constexpr int many_operands = 8, turns_in_line = 4;
  /// Columns take several rows at a time of programs below this cost: of others, one row after the other is faster, as
  /// the processor fetches it.
  static constexpr int cheap_columns = 8;
  /// Rows up to this length, where so many are side by side, fill lanes better across than along them.
  static constexpr index_t across_length = 48, across_extent = 64;
  /// Rows of a block of columns. Shorter runs of a long row defeat the prefetcher, but the lanes of many reductions
  /// must fit the stack.
  static constexpr index_t most_rows = 256, cut_columns = 1024;
  static constexpr int most_lane_bytes = 131072;
  /// How many elements ahead of the loop memory is asked for: a loop of several reductions keeps too few loads in
  /// flight. They have more operands, which the first cache has to keep until then. Arrays of no more bytes are in the
  /// caches when they are read again for the next result.
  static constexpr index_t prefetch_distance = 2048, prefetch_of_several = 1024, cached_bytes = 1 << 17;
  /// Tiles of columns: the bytes of their sums, how deep operands are copied at a time, and how many rows and tiles of
  /// a row a task takes. They pay where there are so many results, in so many columns, and so many rows that share what
  /// is copied.
  static constexpr int tile_bytes = 128;
  static constexpr index_t tile_depth = 64, most_tile_rows = 256, tiles_of_task = 4, tiles_of_row = 64;
  /// Rows of a tile of two operands that are added up at once, and how deep these are copied at a time.
  static constexpr int pair_rows = 4;
  static constexpr index_t pair_depth = 256;
  /// Programs up to this cost are cheap beside what it takes to begin and end a row.
  static constexpr int cheap_in_tiles = 8;
  static constexpr index_t least_tile_columns = 16, least_tile_rows = 8;
  /// How many results are worth it where it is deeper than this, so that rows begin and end seldom: most where each row
  /// has copies of its own, or more is computed than there is.
  static constexpr index_t few_tile_results = 64, some_tile_results = 512, least_tile_results = 2048, deep_tile = 384;
  /// Products of matrices by a library: from how many products on, with how many rows and columns at least; how many of
  /// them take as long as an operation of our loops.
  static constexpr double least_products = 8 * 8 * 8, products_of_operation = 16;
  static constexpr index_t least_side_of_product = 2;
  /// From how many products, results, rows and columns on, and how deep, tiles of wider vectors than the library's take
  /// less time.
  static constexpr double least_products_of_tiles = 1 << 24, least_results_of_tiles = 1 << 16;
  static constexpr index_t least_side_of_tiles = 96, least_depth_of_tiles = 128;
  /// Rows of a block of results, and bytes of each: the second cache has them when they are finished, beside what
  /// adding them up takes. Small products are cut into so many blocks, but not below such a side: what a block reads is
  /// packed for it.
  static constexpr index_t block_rows_of_product = 128, block_bytes_of_product = 1024;
  /// Where there remain so many, blocks have twice the rows, and twice the bytes of each unless adding up takes more
  /// memory: what the library packs of operands is used more often.
  static constexpr index_t least_large_blocks = 32;
  static constexpr index_t least_blocks_of_product = 8, least_side_of_block = 96;
  /// Products that the library adds up, within eight epsilons also if all are equal, and how many such sums, before
  /// what is added to these is added up with what that loses. Where blocks are few, so many parts of the depth are
  /// tasks of their own, of at least such a depth.
  static constexpr index_t piece_of_depth = 128, pieces_together = 8, most_chains = 32, least_chain = 2048;
  /// Products of a matrix and a vector by a library: from how many elements, rows and columns on, and elements of a
  /// task.
  static constexpr index_t least_by_vector = 1 << 15, least_rows_by_vector = 16, least_depth_by_vector = 128,
                           least_columns_by_vector = 512, elements_by_vector = 1 << 16;
  /// What calls functions is made for so many elements at a time before these are combined, of several rows of such
  /// lengths: functions are called for whole vectors.
  static constexpr index_t most_made = 1024, most_made_rows = 128, most_made_places = 32, least_made_row = 4,
                           longest_made_row = 63;
  /// Longer rows of programs from this cost on are added up by the widest vectors, and end with whole ones: of others
  /// memory bounds them.
  static constexpr int whole_cost = 20;
  /// Columns that a row adds to before it asks for as many of the next one, where that is elsewhere in memory.
  static constexpr index_t strip_columns = 128;

  /// What predictions add to the cost of an element: what rows of `length` take beside their elements, or columns, so
  /// many of them side by side. Places of extremes are found one by one in short rows, by vectors in long ones.
  static constexpr double beside_elements(bool places, bool moments, bool columns, double length, double across) {
    if (columns) return places ? 16 + 250 / across : (moments ? 2 : 1) * (2 + 130 / across);
    if (places) return 600 / length < 25 ? 600 / length : 25;
    return (length <= 48 ? 35 : 400) / length;
  }
};

template <>
struct dpp::tuning<dpp::row_stages, host> {
  /// Bytes that are remembered of a row, at most: caches hold them beside the operands.
  static constexpr index_t most_remembered = 1 << 20;
  /// Bytes of the results of a row that are asked for before the last of several passes that reduce, or before the one
  /// that finds moments: the second cache keeps them until they are written. Beside another first pass, which does
  /// nothing but read memory, it costs as much as it saves; so it does where all results are in the caches, which keep
  /// fewer bytes than least_asked.
  static constexpr index_t asked_early = 65536, least_asked = 1 << 21;
  /// How many rows go through a stage by one call, and their bytes: the first cache keeps them for the next stage.
  static constexpr index_t rows_together = 16, bytes_together = 32768;
  /// Bytes of the sums of columns that a loop takes together: they stay in the cache, and on the stack.
  static constexpr int column_bytes = 16384;
  /// Rows of a task, where several share columns.
  static constexpr index_t least_lines = 256;
  /// Of columns that pass through all stages: the bytes that stay in the cache of a thread, and how many are worth it.
  static constexpr index_t columns_in_cache = 1 << 19, least_columns = 512;
  /// Bytes of a row that the cache of a thread keeps between passes.
  static constexpr index_t row_in_cache = 1 << 20;
  /// Tasks of a pass over all columns, about; those of columns that pass through all stages; and columns of one of
  /// these, at least.
  static constexpr index_t tasks_of_pass = 64, tasks_of_stages = 8, columns_of_task = 64;
  /// Rows up to this length, where so many are side by side, are reduced across (across_length), and then read again:
  /// one row after the other takes 1.3 to 4 times as long. Of moments shorter ones: their columns are dearer than rows.
  /// Not where computing them again takes longer than that saves.
  static constexpr index_t longest_in_steps = 48, longest_of_moments_in_steps = 16, least_in_steps = 256;

  /// What predictions add to the cost of an element for each pass.
  static constexpr double beside_elements(bool columns, double length, double across) {
    return columns ? 3 + 250 / across : 600 / length;
  }
};

template <>
struct dpp::tuning<dpp::scans, host> {
  /// Elements that are combined one after the other, and runs of them. Runs do not wait for each other but by one
  /// combination each; what that loses, so many runs later, is kept.
  static constexpr index_t run = 16, span = 16 * run;
  /// Columns that a task takes down all their lines, at least: whole lines of the cache.
  static constexpr int least_columns = 64;
  /// Elements beside each other that go past the caches, at least.
  static constexpr index_t streamed = 256;
  /// Into how many such pieces a line is cut, about. Of 4096 columns, eight took 7.0 ms and four 4.2: where lines are
  /// whole pages apart, loads wait for stores to the same place of the page before.
  static constexpr index_t pieces = 4;

  /// What predictions add to the cost of an element. Between elements that are apart in memory an inner loop has none.
  static constexpr double beside_elements(bool columns, bool apart, double length, double across) {
    return columns ? 12 + 300 / across : 20 + (apart ? 45 : 0) + 560 / length;
  }
};

template <>
struct dpp::tuning<dpp::graph, host> {
  /// Bytes of all buffers of a thread: the second cache holds them. Positions of a block: so many that a step costs
  /// more than its call, so few that tasks are even.
  static constexpr index_t block_bytes = 1 << 16, least_block = 128, most_block = 4096;
};

}  // namespace lazyfuse

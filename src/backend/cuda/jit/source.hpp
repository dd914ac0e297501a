// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as text: the kernel templates of the device layer, with the program and the types of a plan.
#pragma once

#include "backend/cuda/jit/exact_plan.hpp"
#include "program/graph.hpp"

#include <array>
#include <string>
#include <vector>

namespace lazyfuse::cuda_detail {

/// What to compile: a source, the kernel in it, and an expression for each number that the launch asks for.
struct kernel_source {
  std::string text, kernel;
  std::array<std::string, 5> choices;
  std::vector<std::string> reads;  ///< of rows by teams: one more for each operand (team_shares::reads)
};

/// A transform along the path "flat", "strided" or "turned"; facts: "true" of flat_parameters,
/// "cuda_detail::layout_facts<vectors>, vectors" of strided_parameters. choices: the width, the depths of flat and of
/// strided threads, and the width and depth of those that turn operands.
kernel_source transform_source(const exact_plan& p, const ir::program_graph& graph, const std::string& path,
                               const std::string& facts);
/// A transform that is a part of a launch.
struct planned_part {
  const exact_plan* plan;
  const ir::program_graph* graph;
};
/// Several transforms in one launch, whose parameters have so many bytes. reads: of each part the choices of
/// transform_source.
kernel_source parts_source(const std::vector<planned_part>& parts, std::size_t bytes);
/// A transform along one linear index; facts: whether each operand is dense, "true, false" for two. choices: the width
/// and the depth.
kernel_source unravelled_source(const exact_plan& p, const ir::program_graph& graph, const std::string& facts,
                                bool reads_dense);
/// A stencil of p's arrays: `points` are members of a struct that say what each operand of the program reads, and how
/// (kernels/stencil.cuh); threads take `most` elements along the walk. choices: those they take, which may be fewer.
kernel_source stencil_source(const exact_plan& p, const ir::program_graph& graph, const std::string& points, int most);
/// A reduction along "rows" or "columns", of operands of which is known what facts
/// says, "layout_facts<same, vectors>" for two. width: of a thread; 0: as its types have it. choices: the width, the
/// depths of both, and the bytes of a partial result.
kernel_source reduce_source(const exact_plan& p, const ir::program_graph& graph, const std::string& path,
                            const std::string& facts, int width);

/// A reduction by tiles, "pairs", "products", "nested" or "nested_deeply", of operands whose axes are [batch... | rows
/// | columns | depth], so many of them of the batch, and of which is known what facts says, "1, 2" for tile_facts<1,
/// 2>. choices: the rows and columns of a tile, the bytes of a thread's partial results, and those of shared memory.
kernel_source tile_source(const exact_plan& p, const ir::program_graph& graph, const std::string& how, int batch,
                          const std::string& facts);

/// A reduction of tiles in which operands are turned, whose axes are [batch... | those of the tile | outer...]; kept:
/// as of kept_axes; small: every offset fits 31 bits; facts: as of tile_facts. choices: the rows of a thread, and the
/// bytes of a partial result.
kernel_source reduce_turned_source(const exact_plan& p, const ir::program_graph& graph, int batch,
                                   const std::string& kept, bool small, const std::string& facts);
/// A transform likewise, without outer axes.
kernel_source transform_turned_source(const exact_plan& p, const ir::program_graph& graph, int batch, bool small,
                                      const std::string& facts);

/// A scan along "scan_rows", "scan_tiles" or "scan_columns", of which facts, "true" or "false", say whether a thread's
/// elements are neighbours for certain. most_single: of threads that have single elements, below each other, so many at
/// most; 0: vectors. choices: the width, the depth, and the bytes of a value.
kernel_source scan_source(const exact_plan& p, const ir::program_graph& graph, const std::string& path,
                          const std::string& facts, int most_single);

/// A transform of many arrays. choices: the width and the depth.
kernel_source packed_source(const exact_plan& p, const ir::program_graph& graph);
/// Rows of many arrays. choices: the width, the depth, the bytes of a round that are kept, and those for merging.
kernel_source packed_rows_source(const exact_plan& p, const ir::program_graph& graph);

/// A selection. choices: the width and the depth.
kernel_source select_source(const exact_plan& p, const ir::program_graph& graph);

/// Rows that stay in registers, each in one vector of a thread, or in several, of which facts, "all", "none" or
/// "not_known", say whether they are whole. choices: the width, and the elements of a row that a thread holds.
kernel_source rows_source(const exact_plan& p, const ir::program_graph& graph, bool one_vector,
                          const std::string& facts);

/// What kernels of strips are told: how many elements a thread holds, and what shares a strip, "8, 256, 2" for threads
/// of each of two blocks of a row, "8, 4, 2, true" for the lines and groups of columns, and whether they are whole; and
/// how operands and targets lie along the strip, ", next, same, next" for two and one.
struct strip_facts {
  std::string share, steps;
};
/// Columns that stay in registers. choices: none.
kernel_source columns_source(const exact_plan& p, const ir::program_graph& graph, const strip_facts& facts);
/// Scans of low columns likewise, or of short rows.
kernel_source scan_strips_source(const exact_plan& p, const ir::program_graph& graph, bool of_columns,
                                 const strip_facts& facts);
/// Rows likewise.
kernel_source row_strips_source(const exact_plan& p, const ir::program_graph& graph, const strip_facts& facts);

/// How teams walk over a row: over anything, or straight (see row_geometry), by vectors or by single elements.
enum class team_walk { anything, vectors, elements };
/// Rows, or the columns of those beside each other, that are shared by teams of blocks. choices: the width, the bytes
/// of the largest stage's results, the steps that registers hold, and those taken at a time.
/// passes: what is worth another pass, or one less: of rows that stay "on_chip", or do not ("off_chip"); or as it is.
kernel_source teams_source(const exact_plan& p, const ir::program_graph& graph, team_walk walk,
                           const std::string& passes);

/// "memory<float>"; empty for what cannot be named.
std::string spelling_of(const operand_type& type);
std::string spelling_of_result(const kernel_type& type, int i);
/// "memory<float>, constant<float>": the distinct operands, and the results "float".
std::string sources_of(const exact_plan& p);
std::string results_of(const exact_plan& p);
/// The type that a kernel is given for distinct operand i, if it is indices that arithmetic makes of positions
/// (program/folded.hpp), or a table of such, and all positions have 31 bits; else nothing. Of all operands, by their
/// numbers: what a kernel relies on.
std::string short_folding_of(const exact_plan& p, int i);
std::string short_foldings_of(const exact_plan& p);

}  // namespace lazyfuse::cuda_detail

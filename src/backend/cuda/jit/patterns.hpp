// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patterns of kernels that are made at run time: each is laid out, its parameters are written, and it is started.
// False: nothing has been launched, since it cannot be made.
#pragma once

#include "backend/cuda/jit/exact_program.hpp"
#include "backend/cuda/jit/stencil.hpp"

#include <lazyfuse/backend/cuda/kernels/tile_layout.hpp>
#include <lazyfuse/backend/cuda/launch/row_geometry.hpp>

#include <optional>

namespace lazyfuse::cuda_detail {

bool start_transform(exact_plan& p, exact_program& program);
/// How a transform lies; choices: as of transform_source. May swap axes of the plan.
transform_geometry geometry_of_transform(exact_plan& p, const std::array<int, 5>& choices);
/// Operands, targets and numbers of a transform along one axis, or of a strided one.
void put_transform(parameters& to, const exact_plan& p, const transform_geometry& g);
/// The path of the transform, as far as it is known before the kernel is.
const char* path_of_transform(exact_plan& p);
/// Whether a transform goes along one linear index although operands are broadcast; width: of its vectors.
bool is_unravelled(const exact_plan& p, int width);
bool start_unravelled(const exact_plan& p, exact_program& program, int width);
bool start_stencil(const stencil& s, exact_program& program);
bool start_reduction(const exact_plan& p, exact_program& program);
/// The kernel of a reduction by rows or columns of any length, and how it lies. Without a kernel if there can be none.
struct made_reduction {
  made_kernel* made = nullptr;
  reduce_geometry geometry{};
  bool along_kept = false;
};
made_reduction reduction_of(const exact_plan& p, exact_program& program);
bool start_made(const exact_plan& p, const made_reduction& reduction);
/// The path of the reduction, as far as it is known before the kernel is.
const char* path_of_reduction(const exact_plan& p);
/// Which axes of a reduction are those of a tile; depth: -1 where there is none.
struct tile_axes {
  tiling how;
  int rows, columns, depth;
};
bool may_be_tiles(const exact_plan& p);
/// Whether random numbers, or what is read through a map, vary along what is reduced, or in a transform: other kernels
/// make several at once.
bool computes_elements(const exact_plan& p);
/// None if its operands are not read often enough for that.
std::optional<tile_axes> tile_axes_of(const exact_plan& p);
/// Whether they have a kernel, which is compiled. This and start_tiles put the axes of the plan in their order.
bool can_be_tiles(exact_plan& p, exact_program& program, const tile_axes& axes);
bool start_tiles(exact_plan& p, exact_program& program, const tile_axes& axes);
/// How blocks share the steps of each tile, and room for what they leave for the last of them.
struct shared_steps {
  unsigned splits, per_split;
  scratch room;
};
/// As many as leave the fewest processors without work at the end, `most` at most, of a kernel whose blocks have so
/// many bytes of shared memory, and leave `partial` bytes each.
shared_steps share_steps(made_kernel& made, index_t shared_bytes, index_t tiles, index_t steps, index_t most,
                         index_t partial);

/// The axes of a tile in which operands are turned: most of what is read and written is contiguous along its columns,
/// and what is turned along its rows.
struct turned_axes {
  int rows, columns;
};
/// None where little is turned.
std::optional<turned_axes> turned_axes_of(const exact_plan& p);
/// Whether it is a transform over axes so short that tiles of one size waste much.
bool wants_fitted(const exact_plan& p, const turned_axes& axes);
/// A reduction, or a transform. Puts the axes of the plan in their order.
bool start_turned(exact_plan& p, exact_program& program, const turned_axes& axes);
bool start_packed(const exact_plan& p, exact_program& program);
bool start_scan(const exact_plan& p, exact_program& program);
bool start_selection(const exact_plan& p, exact_program& program);
bool start_rows(const exact_plan& p, exact_program& program);

/// How the threads of columns in registers lie.
struct column_layout {
  int held, lines, groups;
  int beside;  ///< columns of a group
  bool exact;  ///< held is of this height
  int height;
  index_t columns;
};
/// How the threads of rows in strips lie.
struct row_strip_layout {
  int held, threads, length;
  index_t rows;
  int blocks = 1;  ///< of a cluster, which share a row
};
/// Functions of rows: their kernel, and how it lies over them. Without a kernel if there can be none.
struct made_rows {
  made_kernel* made = nullptr;
  row_geometry geometry{};
  index_t again_bytes = 0;  ///< what passes after the first read a second time; of rows that do not stay in registers
  std::optional<column_layout> columns = {};     ///< of columns in registers
  std::optional<row_strip_layout> strips = {};   ///< of rows in strips
  std::optional<made_reduction> reduction = {};  ///< of columns that are read once, for one result each
};
made_rows rows_of(const exact_plan& p, exact_program& program);

/// Elements of a vector; results count where they are written in vectors.
int vector_width(const exact_plan& p, bool with_results);

/// Calls f with a rank as a constant; false if it is not one of First to Last.
template <int First, int Last, class F>
bool with_rank(int rank, const F& f) {
  if constexpr (First > Last) return false;
  else {
    if (rank != First) return with_rank<First + 1, Last>(rank, f);
    f.template operator()<First>();
    return true;
  }
}

}  // namespace lazyfuse::cuda_detail

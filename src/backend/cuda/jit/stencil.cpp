// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operands are one array, read in several places, and how threads lie over them.
#include "backend/cuda/jit/stencil.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace lazyfuse::cuda_detail {

namespace {

/// Places beside an element along an axis, at most: of more, a thread shares little with its neighbours.
constexpr index_t most_apart = 8;
/// Threads of a block along the lines.
constexpr index_t most_lines = 4;

/// The last three axes; of a plan over two, the middle one has extent 1.
struct walked_axes {
  int walk, line, column;
};

/// How often `step` goes into `bytes`, to the nearest.
index_t nearest(index_t bytes, index_t step) {
  const index_t size = std::abs(step), half = size / 2;
  const index_t times = bytes >= 0 ? (bytes + half) / size : -((half - bytes) / size);
  return step > 0 ? times : -times;
}
/// How many elements y lies from x along each axis; none if that is not near.
std::optional<std::array<index_t, 3>> apart(const operand_info& x, const operand_info& y, const walked_axes& axes) {
  const index_t bytes = static_cast<const char*>(y.data) - static_cast<const char*>(x.data);
  if (bytes % x.element_size != 0) return {};
  const index_t left = bytes / x.element_size;
  const index_t planes = axes.walk >= 0 ? x.steps[axes.walk] : 0, rows = axes.line >= 0 ? x.steps[axes.line] : 0;
  const auto fits = [](index_t n) { return std::abs(n) <= most_apart; };
  const index_t likely = planes != 0 ? nearest(left, planes) : 0;
  for (const index_t by : {index_t{0}, index_t{-1}, index_t{1}}) {
    const index_t plane = likely + by;
    if (!fits(plane) || (planes == 0 && plane != 0)) continue;
    const index_t in_plane = left - plane * planes;
    const index_t row = rows != 0 ? nearest(in_plane, rows) : 0, column = in_plane - row * rows;
    if (fits(row) && fits(column)) return std::array{plane, row, column};
  }
  return {};
}

bool same_steps(const operand_info& x, const operand_info& y, int rank) {
  return std::equal(x.steps, x.steps + rank, y.steps);
}

struct place {
  int array = 0;
  std::array<index_t, 3> from{};  ///< the array's first element, along walk, line and column
};

}  // namespace

void find_stencil(const exact_plan& p, std::optional<stencil>& to) {
  if (p.rank < 2) return;
  walked_axes axes{p.rank > 2 ? p.rank - 3 : 0, p.rank > 2 ? p.rank - 2 : -1, p.rank - 1};
  place places[most_distinct];
  int leaders[most_distinct], arrays = 0, again = 0;
  bool along_walk = false, along_lines = false;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    const source_kind kind = p.type_of(i).kind;
    if (kind != source_kind::constant && kind != source_kind::memory) return;
    bool found = false;
    for (int a = 0; a < arrays && !found && kind == source_kind::memory && o.steps[axes.column] == 1; ++a) {
      const operand_info& leader = p.operand(leaders[a]);
      if (p.type_of(leaders[a]).kind != kind || p.type_of(leaders[a]).element != p.type_of(i).element ||
          !same_steps(leader, o, p.rank))
        continue;
      if (const auto from = apart(leader, o, axes)) {
        places[i] = {a, *from};
        along_walk = along_walk || (*from)[0] != 0;
        along_lines = along_lines || (*from)[1] != 0;
        found = true;
        ++again;
      }
    }
    if (!found) {
      places[i].array = arrays;
      leaders[arrays++] = i;
    }
  }
  if (again == 0) return;
  const bool turns = !along_walk && along_lines;
  if (turns) std::swap(axes.walk, axes.line);

  stencil& s = to.emplace(p.plan);
  s.read_again = again;
  exact_plan& q = s.plan;
  q.count = arrays;
  q.targets = p.targets;
  q.rank = q.kept = std::max(p.rank, 3);
  std::copy(p.slot, p.slot + p.type().operands, q.slot);
  const auto axis = [&](int k) {  // of ours, among p's
    const int from_end = q.rank - k;
    return from_end == 3 ? axes.walk : from_end == 2 ? axes.line : from_end == 1 ? axes.column : k;
  };
  for (int k = 0; k < q.rank; ++k) q.extents[k] = axis(k) >= 0 ? p.extents[axis(k)] : 1;
  for (int i = 0; i < q.targets + arrays; ++i) {
    q.info[i] = p.info[i < q.targets ? i : q.targets + leaders[i - q.targets]];
    if (i >= q.targets) q.first[i - q.targets] = p.first[leaders[i - q.targets]];
    if (!q.info[i].steps) continue;
    for (int k = 0; k < q.rank; ++k) q.steps[i][k] = axis(k) >= 0 ? q.info[i].steps[axis(k)] : 0;
    q.info[i].steps = q.steps[i];
  }
  for (int i = 0; i < p.count; ++i) {
    const auto& [array, from] = places[i];
    const index_t walk = from[turns ? 1 : 0], line = from[turns ? 0 : 1];
    s.points += (i > 0 ? ", {" : "{") + std::to_string(array) + ", {" + std::to_string(walk) + ", " +
                std::to_string(line) + ", " + std::to_string(from[2]) + "}}";
  }
}

std::optional<unsigned> lay_out_stencil(const stencil& s, int depth, int& lane_shift, unsigned (&tiles)[3]) {
  const index_t* const extent = s.plan.extents + s.plan.rank - 3;
  int lines = 1;
  while (lines < most_lines && lines < extent[1]) lines *= 2;
  while (block_threads / lines > 2 * extent[2] && lines < block_threads) lines *= 2;
  const index_t side[] = {depth, lines, block_threads / lines};
  lane_shift = log2_of(block_threads / lines);
  double blocks = 1;
  for (int k = 0; k < 3; ++k) {
    const index_t n = (extent[k] + side[k] - 1) / side[k];
    blocks *= static_cast<double>(n);
    tiles[k] = static_cast<unsigned>(n);
  }
  for (int k = 0; k < s.plan.rank - 3; ++k) blocks *= static_cast<double>(s.plan.extents[k]);
  if (blocks >= 0x1p31) return {};
  return static_cast<unsigned>(blocks);
}

}  // namespace lazyfuse::cuda_detail

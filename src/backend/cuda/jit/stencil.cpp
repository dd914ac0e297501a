// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operands are one array, read in several places, and how threads lie over them.
#include "backend/cuda/jit/stencil.hpp"

#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/jit/tuning.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

namespace lazyfuse::cuda_detail {

namespace {

using places = std::array<index_t, 3>;

/// How often `step` goes into `bytes`, to the nearest.
index_t nearest(index_t bytes, index_t step) {
  const index_t size = std::abs(step), half = size / 2;
  const index_t times = bytes >= 0 ? (bytes + half) / size : -((half - bytes) / size);
  return step > 0 ? times : -times;
}
/// How many elements y, which has x's steps, lies from it along the last three axes; none if that is not near, or if
/// they share no element, being two arrays.
std::optional<places> apart(const operand_info& x, const operand_info& y, const exact_plan& p) {
  const index_t bytes = static_cast<const char*>(y.data) - static_cast<const char*>(x.data);
  if (bytes % x.element_size != 0) return {};
  const index_t elements = bytes / x.element_size;
  index_t reach = 0;
  for (int k = 0; k < p.rank; ++k) reach += std::abs(x.steps[k]) * (p.extents[k] - 1);
  if (std::abs(elements) > reach) return {};
  places step;
  for (int k = 0; k < 3; ++k) step[k] = p.rank - 3 + k >= 0 ? x.steps[p.rank - 3 + k] : 0;
  std::array order{0, 1, 2};  // the axis first along which elements lie furthest apart
  std::sort(order.begin(), order.end(), [&](int a, int b) { return std::abs(step[a]) > std::abs(step[b]); });
  for (const index_t beside : {0, -1, 1}) {
    places times{};
    index_t left = elements;
    for (const int k : order) {
      if (step[k] == 0) continue;
      times[k] = nearest(left, step[k]) + (k == order[0] ? beside : 0);
      left -= times[k] * step[k];
    }
    if (left == 0 &&
        std::all_of(times.begin(), times.end(), [](index_t n) { return std::abs(n) <= made_tuning::most_apart; }))
      return times;
  }
  return {};
}

bool are_of_one_kind(const exact_plan& p, int i, int j) {
  return p.type_of(i).element == p.type_of(j).element && p.type_of(i).kind == p.type_of(j).kind &&
         std::equal(p.operand(i).steps, p.operand(i).steps + p.rank, p.operand(j).steps);
}

/// Whether `width` elements of an array, or of a target, follow each other in all columns that are a multiple of it.
bool in_vectors(const exact_plan& p, const operand_info& o, int width) {
  if (o.steps[p.rank - 1] != 1 || !std::has_single_bit(static_cast<unsigned>(o.element_size))) return false;
  for (int k = 0; k < p.rank - 1; ++k)
    if (o.steps[k] % width != 0) return false;
  return reinterpret_cast<std::uintptr_t>(o.data) % o.element_size == 0;
}
/// How many columns a thread takes, if it may be more than one: what vectors of elements that are read again hold.
int columns_of_thread(const stencil& s) {
  std::array<short, 3> rows[made_tuning::rows_in_long_vectors + 1];  // that a thread reads for one element
  int size = 1, reads[most_distinct] = {};
  std::size_t count = 0;
  for (int i = 0; i < s.operands; ++i) {
    const auto& [a, along] = s.points[i];
    if (s.plan.type_of(a).kind != ir::source_kind::memory) continue;
    if (count < std::size(rows)) {
      rows[count] = {a, along[0], along[1]};
      count += std::find(rows, rows + count, rows[count]) == rows + count;
    }
    if (++reads[a] > 1) size = std::max(size, static_cast<int>(s.plan.operand(a).element_size));
  }
  if (s.is_line()) {
    const int vectors = s.read_again < made_tuning::many_again_of_line ? 1 : 2;
    return std::clamp(vectors * made_tuning::bytes_of_line / size, 1, made_tuning::most_columns_of_line);
  }
  const bool few = count <= made_tuning::rows_in_long_vectors && size == made_tuning::stencil_bytes;
  return (few ? 2 : 1) * made_tuning::stencil_bytes / size;
}
/// What of that is one access. Rows have whole vectors of what is read again, or a thread takes one column.
void find_vectors(stencil& s) {
  const exact_plan& p = s.plan;
  const index_t columns = p.extents[p.rank - 1];
  int reads[most_distinct] = {};
  for (int i = 0; i < s.operands; ++i) ++reads[s.points[i].array];
  const double cost = p.type().cost(p.plan);
  const auto fits = [&](int width) {
    if (columns % width != 0 && !s.is_line()) return false;
    if (columns < made_tuning::least_stencil_lanes * width) return false;
    if (cost * width > transform_tuning::stencil_in_vectors.operations) return false;
    for (int a = 0; a < p.count; ++a)
      if (reads[a] > 1 && p.type_of(a).kind == ir::source_kind::memory && !in_vectors(p, p.operand(a), width))
        return false;
    return true;
  };
  s.width = columns_of_thread(s);
  while (s.width > 1 && !fits(s.width)) s.width /= 2;
  s.width = std::max(s.width, 1);
  s.whole = !s.is_line();
  const auto elements_before = [&](const operand_info& o) {  // on the way from a multiple of its vectors
    return reinterpret_cast<std::uintptr_t>(o.data) / o.element_size % static_cast<unsigned>(s.width);
  };
  for (int a = 0; a < p.count; ++a) {
    const operand_info& o = p.operand(a);
    s.arrays[a] = {1, 0};
    if (s.width > 1 && p.type_of(a).kind == ir::source_kind::memory && in_vectors(p, o, s.width))
      s.arrays[a] = {static_cast<short>(s.width), static_cast<short>(elements_before(o))};
  }
  for (int t = 0; t < p.targets; ++t)
    s.stored_together[t] = s.width > 1 && in_vectors(p, p.info[t], s.width) && elements_before(p.info[t]) == 0;
}
/// Offsets of what a thread reads around an element are of 32 bits.
bool is_near(const exact_plan& p) {
  for (int a = 0; a < p.count; ++a)
    if (const operand_info& o = p.operand(a); o.steps) {
      double reach = 0;
      for (int k = 1; k <= 3; ++k)
        reach += static_cast<double>(made_tuning::most_apart + made_tuning::most_depth) *
                 static_cast<double>(std::abs(o.steps[p.rank - k]));
      if (reach >= 0x1p31) return false;
    }
  return true;
}

/// Threads of a block along each axis, as powers of two, and its blocks.
struct stencil_layout {
  int lane_shift = 0, line_shift = 0;
  unsigned tiles[3]{};
  double blocks = 1;
};
stencil_layout lay_out(const exact_plan& p, int depth, int width) {
  const index_t* const all = p.extents + p.rank - 3;
  const index_t extent[] = {all[0], all[1], (all[2] + width - 1) / width};
  int lines = 1, lanes = block_threads;
  const auto halve = [](int& from, int& to) {
    from /= 2;
    to *= 2;
  };
  while (lines < made_tuning::most_lines && lines < extent[1]) halve(lanes, lines);
  // Where columns are few, more lines lie in a block, and where lines are, more pieces of the walk.
  int walks = 1;
  while (lanes > 1 && lanes / 2 >= extent[2]) {
    if (lines < extent[1]) halve(lanes, lines);
    else halve(lanes, walks);
  }
  stencil_layout l{.lane_shift = log2_of(lanes), .line_shift = log2_of(lines)};
  const index_t side[] = {index_t{walks} * depth, lines, lanes};
  for (int k = 0; k < 3; ++k) {
    const index_t n = (extent[k] + side[k] - 1) / side[k];
    l.blocks *= static_cast<double>(n);
    l.tiles[k] = static_cast<unsigned>(n);
  }
  for (int k = 0; k < p.rank - 3; ++k) l.blocks *= static_cast<double>(p.extents[k]);
  return l;
}

}  // namespace

bool may_be_stencil(const exact_plan& p) {
  if (p.type().pattern != std::string_view("transform") || !p.plan.path) return false;
  const std::string_view path = p.plan.path;
  if (path == "strided" || path == "window") {
    int in_memory = 0;
    for (int i = 0; i < p.count; ++i) {
      const ir::source_kind kind = p.type_of(i).kind;
      if (kind != ir::source_kind::memory && kind != ir::source_kind::constant) return false;
      in_memory += kind == ir::source_kind::memory;
    }
    return in_memory > made_tuning::least_again;
  }
  if (path != "flat" || p.plan.elements() < made_tuning::least_elements) return false;
  int again = 0;  // what may be of an array that was met before
  for (int i = 0; i < p.count; ++i) {
    const auto is_first = [&](int j) {
      return p.type_of(j).kind == ir::source_kind::memory && p.given(p.first[j]).owner == p.given(p.first[i]).owner;
    };
    if (p.type_of(i).kind != ir::source_kind::memory) continue;
    int j = 0;
    while (j < i && !is_first(j)) ++j;
    again += j < i;
  }
  return again >= made_tuning::least_again_of_line;
}

void find_stencil(const exact_plan& p, std::optional<stencil>& to) {
  places from[most_distinct];
  int array[most_distinct], first[most_distinct], arrays = 0;
  bool differ[3] = {};
  for (int i = 0; i < p.count; ++i) {
    const ir::source_kind kind = p.type_of(i).kind;
    if (kind != ir::source_kind::constant && kind != ir::source_kind::memory) return;
    int a = arrays;
    from[i] = {};
    if (kind == ir::source_kind::memory && p.operand(i).steps[p.rank - 1] == 1) {
      for (a = 0; a < arrays; ++a) {
        if (!are_of_one_kind(p, first[a], i)) continue;
        const std::optional<places> found = apart(p.operand(first[a]), p.operand(i), p);
        if (!found) continue;
        from[i] = *found;
        break;
      }
      for (int k = 0; k < 3; ++k) differ[k] = differ[k] || from[i][k] != 0;
    }
    array[i] = a;
    if (a == arrays) first[arrays++] = i;
  }
  if (p.count - arrays < (p.rank == 1 ? made_tuning::least_again_of_line : made_tuning::least_again)) return;
  // Walked are planes, or lines where all points are in one plane. Of several lines, what follows along the last axis
  // only is shared by threads beside each other.
  const int walk = differ[0] ? 0 : 1;
  if (p.rank > 1 && (!differ[walk] || p.rank - 3 + walk < 0 || p.extents[p.rank - 3 + walk] == 1)) return;
  const int order[] = {walk, 1 - walk, 2};

  stencil& s = to.emplace(p.plan);
  s.operands = p.count;
  s.read_again = p.count - arrays;
  for (int i = 0; i < p.count; ++i) {
    s.points[i].array = static_cast<short>(array[i]);
    for (int k = 0; k < 3; ++k) s.points[i].along[k] = static_cast<short>(from[i][order[k]]);
  }
  exact_plan& q = s.plan;
  q.count = arrays;
  q.targets = p.targets;
  q.rank = q.kept = std::max(p.rank, 3);
  std::copy(p.slot, p.slot + p.type().operands, q.slot);
  const auto axis = [&](int k) {  // of ours, among p's; -1 for one that p has not
    const int of_three = k - (q.rank - 3);
    return of_three < 0 ? k : std::max(p.rank - 3 + order[of_three], -1);
  };
  for (int k = 0; k < q.rank; ++k) q.extents[k] = axis(k) >= 0 ? p.extents[axis(k)] : 1;
  for (int i = 0; i < q.targets + arrays; ++i) {
    q.info[i] = p.info[i < q.targets ? i : q.targets + first[i - q.targets]];
    if (i >= q.targets) q.first[i - q.targets] = p.first[first[i - q.targets]];
    if (!q.info[i].steps) continue;
    for (int k = 0; k < q.rank; ++k) q.steps[i][k] = axis(k) >= 0 ? q.info[i].steps[axis(k)] : 0;
    q.info[i].steps = q.steps[i];
  }
  if (is_near(q)) find_vectors(s);
  if (!is_near(q) || (s.width == 1 && s.is_line())) to.reset();
}

std::string stencil::text() const {
  std::string of, how, stored;
  for (int i = 0; i < operands; ++i) {
    const auto& [array, along] = points[i];
    of += (i > 0 ? ", {" : "{") + std::to_string(array) + ", {" + std::to_string(along[0]) + ", " +
          std::to_string(along[1]) + ", " + std::to_string(along[2]) + "}}";
  }
  for (int a = 0; a < plan.count; ++a)
    how += (a > 0 ? ", {" : "{") + std::to_string(arrays[a].together) + ", " + std::to_string(arrays[a].before) + "}";
  for (int t = 0; t < plan.targets; ++t)
    stored += (t > 0 ? ", " : "") + std::string(stored_together[t] ? "true" : "false");
  return "  static constexpr cuda_detail::stencil_point of[] = {" + of +
         "};\n  static constexpr int count = sizeof of / sizeof *of, width = " + std::to_string(width) +
         ";\n  static constexpr bool whole = " + (whole ? "true" : "false") +
         ";\n  static constexpr cuda_detail::stencil_array arrays[] = {" + how +
         "};\n  static constexpr bool stored_together[] = {" + stored + "};\n";
}

std::string stencil::bytes() const {
  std::string bytes{static_cast<char>(width), static_cast<char>(whole)};
  const auto add = [&](const auto* from, int count) {
    bytes.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(count) * sizeof *from);
  };
  add(points, operands);
  add(arrays, plan.count);
  add(stored_together, plan.targets);
  return bytes;
}

bool start_stencil(const stencil& s, exact_program& program) {
  const exact_plan& p = s.plan;
  const index_t* const extent = p.extents + p.rank - 3;
  int most = made_tuning::most_depth;
  while (most > extent[0]) most /= 2;  // a thread counts on so many elements
  made_kernel* const made = variant_of(program, p, "stencil", s.bytes() + static_cast<char>(most),
                                       [&] { return stencil_source(p, *program.graph, s.text(), most); });
  if (!made) return false;
  const stencil_layout l = lay_out(p, made->choices[0], s.width);
  if (l.blocks >= 0x1p31) return false;
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  with_rank<3, max_rank>(p.rank, [&]<int R>() {
    to.put(stencil_numbers<R>{.outer = walk_of<R - 3>(p.extents),
                              .extent = {extent[0], extent[1], extent[2]},
                              .walk_tiles = l.tiles[0],
                              .line_tiles = l.tiles[1],
                              .column_tiles = l.tiles[2],
                              .by_walks = divisor::of(l.tiles[0]),
                              .by_lines = divisor::of(l.tiles[1]),
                              .by_columns = divisor::of(l.tiles[2]),
                              .lane_shift = l.lane_shift,
                              .line_shift = l.line_shift});
  });
  if (!to.fits()) return false;
  start(*made, static_cast<unsigned>(l.blocks), 0, to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

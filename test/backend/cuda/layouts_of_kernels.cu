// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How kernels are laid out: extents and steps in, paths and blocks out, for the numbers of an H200. Nothing is
// launched.
#include <lazyfuse/backend/cuda/launch/geometry.hpp>
#include <lazyfuse/backend/cuda/launch/row_geometry.hpp>
#include <lazyfuse/backend/cuda/launch/scan_geometry.hpp>
#include <lazyfuse/backend/cuda/launch/select_geometry.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

namespace lf = lazyfuse;
using namespace lf::cuda_detail;
using lf::index_t, lf::planning::operand_info;

using numbers = std::vector<index_t>;
/// An operand of floats: its steps, and how many bytes its first element lies behind a multiple of 256.
struct operand {
  numbers steps;
  index_t offset = 0;
};
struct layout {
  numbers extents;
  std::vector<operand> operands;  ///< targets first
};
/// As a backend sees it.
class iteration {
 public:
  explicit iteration(const layout& l, int targets = 1) : extents(l.extents), targets(targets) {
    for (const operand& o : l.operands) steps_.push_back(o.steps);
    for (std::size_t i = 0; i < steps_.size(); ++i)
      info.push_back({memory + l.operands[i].offset, steps_[i].data(), nullptr, int(sizeof(float)), rank(), nullptr});
  }
  iteration(const iteration&) = delete;
  iteration& operator=(const iteration&) = delete;
  int rank() const { return static_cast<int>(extents.size()); }
  int count() const { return static_cast<int>(info.size()); }
  numbers extents;
  int targets;
  std::vector<operand_info> info;

 private:
  alignas(256) static inline char memory[4096];
  std::vector<numbers> steps_;
};

constexpr thread_share four_wide{4, 2}, tall{4, 4}, turned{4, 4};
transform_geometry transform_of(iteration& i, bool may_window = false) {
  return plan_transform(i.extents.data(), i.rank(), i.info.data(), i.targets, i.count(), four_wide, tall, turned,
                        may_window);
}

TEST(layouts_of_kernels, of_transforms_take_the_path_that_layouts_ask_for) {
  const index_t n = 1000, pitch = 1024;
  const struct {
    const char* what;
    layout over;
    bool may_window;
    transform_path path;
  } table[] = {
      {"one axis", {{1 << 20}, {{{1}}, {{1}}}}, false, transform_path::flat},
      {"every other element", {{1 << 20}, {{{1}}, {{2}}}}, false, transform_path::flat},
      {"one row", {{1, n}, {{{0, 1}}, {{0, 1}}}}, false, transform_path::flat},
      {"rows apart", {{n, n}, {{{n, 1}}, {{pitch, 1}}}}, false, transform_path::strided},
      {"a column and a row", {{n, n}, {{{n, 1}}, {{1, 0}}, {{0, 1}}}}, false, transform_path::strided},
      {"a transposed matrix", {{n, n}, {{{n, 1}}, {{1, n}}}}, false, transform_path::tiled},
      {"a transposed strip", {{n, 8}, {{{8, 1}}, {{1, n}}}}, false, transform_path::strided},
      {"the last axis first", {{n, 20, n}, {{{20 * n, n, 1}}, {{1, n, 20 * n}}}}, false, transform_path::tiled},
      {"neighbours in three rows",
       {{n, n}, {{{n, 1}}, {{pitch, 1}, 4}, {{pitch, 1}, 8}, {{pitch, 1}, 12}}},
       true,
       transform_path::window},
      {"neighbours, in a program without windows",
       {{n, n}, {{{n, 1}}, {{pitch, 1}, 4}, {{pitch, 1}, 8}, {{pitch, 1}, 12}}},
       false,
       transform_path::strided},
  };
  for (const auto& [what, over, may_window, path] : table) {
    iteration i(over);
    EXPECT_EQ(static_cast<int>(transform_of(i, may_window).path), static_cast<int>(path)) << what;
  }
}

TEST(layouts_of_kernels, of_transforms_have_blocks_for_all_positions_and_none_more) {
  for (const index_t size : {1, 255, 2048, 2049, 1 << 20}) {
    iteration i({{size}, {{{1}}, {{1}}}});
    const index_t each = index_t{block_threads} * four_wide.width * four_wide.depth;
    EXPECT_EQ(transform_of(i).blocks, (size + each - 1) / each) << size;
  }
  for (const index_t planes : {1, 3, 70})
    for (const index_t rows : {2, 17, 100, 1000})
      for (const index_t columns : {1, 5, 33, 600, 5000}) {
        iteration i(
            {{planes, rows, columns}, {{{rows * columns, columns, 1}}, {{2 * rows * columns, 2 * columns, 1}}}});
        const transform_geometry g = transform_of(i);
        ASSERT_EQ(static_cast<int>(g.path), static_cast<int>(transform_path::strided));
        const index_t down = index_t{g.lines} * tall.depth, across = index_t{g.lanes} * tall.width,
                      planes_here = block_threads / (g.lanes * g.lines);
        EXPECT_GE(g.row_tiles * down, i.extents[1]);
        EXPECT_LT((g.row_tiles - 1) * down, i.extents[1]);
        EXPECT_GE(g.column_tiles * across, columns);
        EXPECT_LT((g.column_tiles - 1) * across, columns);
        EXPECT_EQ(g.blocks, (i.extents[0] + planes_here - 1) / planes_here * g.row_tiles * g.column_tiles)
            << planes << " x " << rows << " x " << columns;
      }
}

TEST(layouts_of_kernels, of_transforms_read_whole_vectors_where_these_are_aligned) {
  iteration i({{4096}, {{{1}}, {{1}}, {{1}, 4}, {{2}}, {{0}}}});
  const transform_geometry g = transform_of(i);
  EXPECT_TRUE(g.consecutive);
  EXPECT_FALSE(g.dense);
  EXPECT_EQ(g.wide_out, 1u);
  EXPECT_EQ(g.wide_in & 7, 1u) << "the first; not the one that begins 4 bytes later, nor every other element";
  iteration whole({{4096}, {{{1}}, {{1}}}});
  EXPECT_TRUE(transform_of(whole).dense);
}

TEST(layouts_of_kernels, of_transforms_have_the_longest_axis_for_rows_where_the_one_before_columns_is_short) {
  iteration i({{600, 3, 500}, {{{1500, 500, 1}}, {{3000, 1000, 1}}}});
  (void)transform_of(i);
  EXPECT_EQ(i.extents, (numbers{3, 600, 500}));
  EXPECT_EQ(i.info[1].steps[1], 3000);
}

reduce_geometry reduction_of(const iteration& i, int kept, bool along_kept) {
  return plan_reduce(i.extents.data(), kept, i.rank(), i.info.data(), i.count(), along_kept, {4, 4}, 1056);
}
TEST(layouts_of_kernels, of_reductions_share_an_output_between_as_many_blocks_as_keep_the_device_busy) {
  const iteration all({{1 << 26}, {{{1}}}}, 0), rows({{100000, 1000}, {{{1000, 1}}}}, 0),
      few({{4, 1 << 24}, {{{1 << 24, 1}}}}, 0), columns({{1 << 16, 1 << 10}, {{{1, 1 << 16}}}}, 0),
      short_rows({{1 << 20, 8}, {{{8, 1}}}}, 0);
  const reduce_geometry of_all = reduction_of(all, 0, false), of_rows = reduction_of(rows, 1, false),
                        of_few = reduction_of(few, 1, false), of_columns = reduction_of(columns, 1, true),
                        of_short = reduction_of(short_rows, 1, false);
  EXPECT_GT(of_all.splits, 500u);
  EXPECT_EQ(of_all.tiles, 1u);
  EXPECT_EQ(of_rows.splits, 1u);
  EXPECT_EQ(of_few.tiles, 4u);
  EXPECT_GT(of_few.splits, 100u);
  EXPECT_LT(of_short.group, 32) << "threads for a row of 8";
  EXPECT_EQ(of_short.tiles, (1u << 20) / (block_threads / of_short.group));
  EXPECT_GE(of_columns.lanes, 32) << "threads side by side along the columns";
  for (const reduce_geometry& g : {of_all, of_rows, of_few, of_columns, of_short}) {
    EXPECT_GE(g.units_per_split * g.splits, g.units);
    EXPECT_LT(g.units_per_split * (g.splits - 1), g.units) << "no block is without work";
  }
}

TEST(layouts_of_kernels, of_rows_that_blocks_share_have_a_warp_each_where_fewer_threads_are_idle) {
  const auto lanes_of = [](index_t rows, index_t columns) {
    const iteration i({{rows, columns}, {{{columns + 1, 1}}}});
    return plan_reduce(i.extents.data(), 0, 2, i.info.data(), 1, false, {4, 2}, 396).lanes;
  };
  EXPECT_EQ(lanes_of(9448, 2370), 32) << "three times 1024 elements would be 700 more than a row has";
  EXPECT_EQ(lanes_of(9448, 2048), 256) << "no thread is idle";
  EXPECT_EQ(lanes_of(400, 2370), 256) << "a warp of eight would have a row";
  EXPECT_EQ(lanes_of(100000, 2048), 32) << "each warp has several rows";
}

constexpr row_program softmax{.width = 4, .held = 16, .accumulators = 8, .again = 1, .held_steps = 0, .depth = 4};
TEST(layouts_of_kernels, of_rows_stay_in_registers_then_in_blocks_clusters_and_a_grid) {
  const struct {
    index_t rows, length;
    const char* path;
  } table[] = {{1 << 20, 17, "registers"}, {1 << 16, 1024, "registers"}, {4096, 8192, "registers"},
               {4096, 20000, "block"},     {64, 262144, "cluster"},      {1, 1 << 26, "grid"}};
  for (const auto& [rows, length, path] : table) {
    const iteration i({{rows, length}, {{{length, 1}}, {{length, 1}}}});
    const row_geometry g = plan_rows(i.extents.data(), 2, 1, false, i.info.data(), 1, 2, softmax);
    EXPECT_TRUE(g.fits) << rows << " x " << length;
    EXPECT_EQ(std::string(g.path), path) << rows << " x " << length;
    EXPECT_GE(g.registers ? g.grid * (g.threads / g.group) : g.grid, g.registers ? rows : 1);
    if (!g.registers) EXPECT_GE(g.per_block * g.blocks, g.units) << rows << " x " << length;
  }
  const iteration columns({{1, 5000, 300}, {{{0, 300, 1}}, {{0, 300, 1}}}});
  const row_geometry g = plan_rows(columns.extents.data(), 3, 1, true, columns.info.data(), 1, 2, softmax);
  EXPECT_EQ(std::string(g.path).substr(0, 7), "columns");
  EXPECT_LE(g.shared_bytes, unsigned(device().shared_bytes));
}

TEST(layouts_of_kernels, of_scans_go_by_rows_tiles_or_columns) {
  const auto scan = [](const layout& l, bool beside) {
    const iteration i(l);
    const scan_facts facts{.beside = beside, .share = {4, 4}, .accumulators = 4, .by_rows = true, .fixed = 1024};
    return plan_scan(i.extents.data(), i.rank(), i.info.data(), 1, 2, facts);
  };
  const scan_geometry rows = scan({{100000, 1000}, {{{1000, 1}}, {{1000, 1}}}}, false),
                      one = scan({{1, 1 << 27}, {{{0, 1}}, {{0, 1}}}}, false),
                      columns = scan({{1, 1 << 14, 1 << 12}, {{{0, 1 << 12, 1}}, {{0, 1 << 12, 1}}}}, true);
  EXPECT_EQ(static_cast<int>(rows.path), static_cast<int>(scan_path::rows));
  EXPECT_GE(rows.blocks * (block_threads / rows.lanes), 100000u);
  EXPECT_EQ(static_cast<int>(one.path), static_cast<int>(scan_path::tiles));
  EXPECT_GE(index_t{one.tiles} * one.chunks * block_threads * 16, 1 << 27);
  EXPECT_EQ(static_cast<int>(columns.path), static_cast<int>(scan_path::columns));
  for (const scan_geometry& g : {rows, one, columns}) EXPECT_TRUE(g.fits);
}

TEST(layouts_of_kernels, of_selections_are_lines_or_walks) {
  const auto select = [](const layout& l) {
    const iteration i(l, 2);
    return plan_selection(i.extents.data(), i.rank(), i.info.data(), 2, 4, {4, 4});
  };
  // the count, the values; operands
  const select_geometry line = select({{1, 1 << 28}, {{{0, 0}}, {{0, 1}}, {{0, 1}}, {{0, 1}, 4}}}),
                        small = select({{4097}, {{{0}}, {{1}}, {{-1}}, {{0}}}}),
                        walk = select({{300, 400}, {{{0, 0}}, {{400, 1}}, {{1, 300}}, {{400, 1}}}});
  EXPECT_TRUE(line.line && small.line && !walk.line);
  EXPECT_EQ(line.wide_in, 1u);  // the second one does not begin at a vector
  EXPECT_EQ(line.tiles, 1u << 16);
  EXPECT_EQ(line.blocks, unsigned(device().processors * select_tuning::residents));
  EXPECT_EQ(small.wide_in, 0u);
  EXPECT_EQ(small.tiles, 2u);
  EXPECT_EQ(small.blocks, 2u);
  EXPECT_EQ(walk.wide_in, 0u);
  EXPECT_EQ(walk.size, 120000);
}

template <int Width, int Depth>
void hold_a_warp() {
  using counts = piece_counts<Width, Depth>;
  typename counts::word all = 0;
  for (int lane = 0; lane < 32; ++lane)
    for (int d = 0; d < Depth; ++d) all += counts::of(Width, d);
  for (int d = 0; d < Depth; ++d) EXPECT_EQ(counts::piece(all, d), 32u * Width) << Width << " " << d;
}
TEST(layouts_of_kernels, counts_of_pieces_are_fields_that_hold_a_warp) {
  hold_a_warp<1, 4>();
  hold_a_warp<4, 4>();
  hold_a_warp<8, 4>();
  hold_a_warp<16, 4>();
  hold_a_warp<16, 1>();
}

}  // namespace

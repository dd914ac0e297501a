// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of packed kernels, and how blocks find their arrays in them: of the stand-in's device, whose memory is the
// host's. The search is that of kernels/packed.cuh, a warp written as a loop.
#include "support/standin_cudart.hpp"

#include <lazyfuse/backend/cuda/launch/pack_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using lazyfuse::index_t;
using lazyfuse::cuda_detail::pack_table;
using lazyfuse::planning::pack;
using word = unsigned long long;

index_t group_of_block(const word* first_blocks, index_t groups, unsigned block) {
  index_t from = 0, left = groups;
  while (left > 1) {
    const index_t apart = (left + 31) / 32;
    unsigned begun = 0;
    for (index_t lane = 0; lane < 32; ++lane)
      if (lane * apart < left && first_blocks[from + lane * apart] <= block) begun |= 1u << lane;
    EXPECT_NE(begun & 1, 0u);
    const index_t before = (31 - __builtin_clz(begun)) * apart;
    from += before;
    left = left - before < apart ? left - before : apart;
  }
  return from;
}

TEST(pack_tables, lead_every_block_to_its_part) {
  std::mt19937 random(1);
  constexpr lazyfuse::cuda_detail::thread_share share{4, 2};
  constexpr index_t part = index_t{4} * 256 * 4 * 2;
  for (const index_t groups : {1, 2, 31, 32, 33, 76, 77, 1000, 1024, 1025, 100000}) {
    std::vector<index_t> sizes;
    std::vector<const void*> data;
    for (index_t g = 0; g < groups; ++g) {
      sizes.push_back(1 + static_cast<index_t>(random() % (random() % 16 == 0 ? 100000u : 9000u)));
      for (int column = 0; column < 3; ++column)
        data.push_back(reinterpret_cast<const void*>(16 * (3 * g + column + 1)));
    }
    const pack::column places[] = {{0, nullptr}, {1, nullptr}, {2, nullptr}};
    const pack arrays{groups, sizes.data(), data.data(), 3, places, 3};
    const short columns[] = {2, 0, 1};
    standin::reset();
    const pack_table table(arrays, columns, 3, lazyfuse::cuda_detail::packed_part(share));
    EXPECT_EQ(table.numbers.table == nullptr, groups <= 76) << groups;
    EXPECT_EQ(standin::waited_for().size(), 0u);
    const word* const words = table.numbers.table ? table.numbers.table : table.numbers.here;
    index_t expected_group = 0, expected_begin = 0;
    for (unsigned block = 0; block < table.blocks; ++block) {
      const index_t group = group_of_block(words, groups, block);
      ASSERT_EQ(group, expected_group) << groups << " groups, block " << block;
      ASSERT_EQ(static_cast<index_t>(block - words[group]) * part, expected_begin);
      ASSERT_EQ(static_cast<index_t>(words[groups + group]), sizes[static_cast<std::size_t>(group)]);
      for (int column = 0; column < 3; ++column)
        ASSERT_EQ(words[(column + 2) * groups + group], reinterpret_cast<word>(arrays.at(group, columns[column])));
      expected_begin += part;
      if (expected_begin >= sizes[static_cast<std::size_t>(group)]) {
        ++expected_group;
        expected_begin = 0;
      }
    }
    EXPECT_EQ(expected_group, groups);
  }
}

TEST(pack_tables, of_rows_begin_with_the_longest) {
  std::mt19937 random(2);
  std::vector<index_t> sizes;
  std::vector<const void*> data;
  for (index_t g = 0; g < 1000; ++g) {
    sizes.push_back(1 + static_cast<index_t>(random() % 50000));
    data.push_back(reinterpret_cast<const void*>(16 * (g + 1)));
  }
  const pack::column place{0, nullptr};
  const pack arrays{1000, sizes.data(), data.data(), 1, &place, 1};
  const pack_table table(arrays, nullptr, 1, 0);
  ASSERT_EQ(table.blocks, 1000u);
  std::vector<bool> seen(1000);
  word before = ~word{0};
  for (index_t i = 0; i < 1000; ++i) {
    const word size = table.numbers.table[1000 + i];
    const auto g = static_cast<std::size_t>(table.numbers.table[2000 + i] / 16 - 1);
    EXPECT_EQ(size, static_cast<word>(sizes[g]));
    EXPECT_LT(size, 2 * before);
    before = size;
    EXPECT_FALSE(seen[g]);
    seen[g] = true;
  }
}

}  // namespace

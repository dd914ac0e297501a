// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that lie in turn along a last axis are written as vectors of all of them, where these are aligned.
#include "support/standin_programs.hpp"

#include <lazyfuse/backend/cuda/launch/geometry.hpp>

#include <vector>

namespace {

using namespace lazyfuse;
class places_of_results : public test::by_standin {};

/// Results of one image, rows x columns x channels of `size` bytes, and an operand that is dense.
struct image {
  const char* what;
  index_t rows, columns, row_step;
  int channels, size, step, width;
  index_t begin;  ///< bytes from what is aligned
  bool together;
};

TEST_F(places_of_results, in_turn_are_found_by_addresses_and_steps) {
  static const image table[] = {
      {"three of float", 30, 64, 192, 3, 4, 3, 4, 0, true},
      {"in one row", 1, 64, 192, 3, 4, 3, 4, 0, true},
      {"two of double", 30, 64, 128, 2, 8, 2, 2, 0, true},
      {"four of two bytes", 30, 64, 256, 4, 2, 4, 8, 0, true},
      {"rows of any length", 30, 65, 196, 3, 4, 3, 4, 0, true},
      {"rows that begin anywhere", 30, 65, 195, 3, 4, 3, 4, 0, false},
      {"not aligned", 30, 64, 192, 3, 4, 3, 4, 4, false},
      {"others between them", 30, 64, 256, 3, 4, 4, 4, 0, false},
      {"more than four", 30, 64, 320, 5, 4, 5, 4, 0, false},
      {"single elements", 30, 64, 192, 3, 4, 3, 1, 0, false},
  };
  static unsigned char memory[16];
  for (const image& i : table) {
    std::vector<std::vector<index_t>> steps(static_cast<std::size_t>(i.channels), {i.row_step, i.step});
    steps.push_back({i.columns, 1});
    std::vector<planning::operand_info> info;
    const char* const first = reinterpret_cast<const char*>(0x10000) + i.begin;
    for (int c = 0; c <= i.channels; ++c)
      info.push_back({c < i.channels ? first + c * i.size : reinterpret_cast<const char*>(0x800000),
                      steps[static_cast<std::size_t>(c)].data(), nullptr, i.size, 2, memory});
    index_t extents[] = {i.rows, i.columns};
    const cuda_detail::thread_share share{i.width, 1};
    const auto g =
        cuda_detail::plan_transform(extents, 2, info.data(), i.channels, i.channels + 1, share, share, share, false);
    EXPECT_EQ(g.wide_out, i.together ? (cuda_detail::wide_bits{1} << i.channels) - 1 : 0) << i.what;
    EXPECT_TRUE(g.consecutive || !i.together) << i.what;
  }
}

}  // namespace

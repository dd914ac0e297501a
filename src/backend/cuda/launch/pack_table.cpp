// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of packed kernels.
#include "backend/cuda/launch/memory.hpp"
#include "backend/cuda/runtime/order.hpp"

#include <lazyfuse/backend/cuda/launch/pack_table.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/batch/libraries.hpp>
#include <lazyfuse/error.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

using word = unsigned long long;

/// Writes the words of arrays in some order (null: as they are), and returns how many blocks there are.
unsigned write(word* to, const planning::pack& arrays, const index_t* order,
               const std::vector<planning::pack::column>& columns, index_t part) {
  const index_t n = arrays.groups;
  const auto group = [&](index_t i) { return order ? order[i] : i; };
  index_t blocks = 0;
  for (index_t i = 0; i < n; ++i) {
    const index_t size = arrays.sizes[group(i)];
    to[i] = static_cast<word>(blocks);
    to[n + i] = static_cast<word>(size);
    blocks += part > 0 ? ceil_div(size, part) : 1;
  }
  to += 2 * n;
  for (const planning::pack::column& c : columns) {
    for (index_t i = 0; i < n; ++i)
      to[i] = reinterpret_cast<word>(c.place < 0 ? c.same : arrays.data[group(i) * arrays.arrays + c.place]);
    to += n;
  }
  if (blocks > std::numeric_limits<int>::max())
    throw error("for_each_zip: the arrays have too many elements for one kernel");
  return static_cast<unsigned>(blocks);
}
/// By powers of two: the blocks that come last are to take little time, which no exact order makes less.
std::vector<index_t> longest_first(const planning::pack& arrays) {
  constexpr int classes = 64;
  const auto class_of = [&](index_t g) { return std::countl_zero(static_cast<word>(arrays.sizes[g])); };
  index_t begins[classes + 1] = {};
  for (index_t g = 0; g < arrays.groups; ++g) ++begins[class_of(g) + 1];
  std::partial_sum(begins, begins + classes + 1, begins);
  std::vector<index_t> order(static_cast<std::size_t>(arrays.groups));
  for (index_t g = 0; g < arrays.groups; ++g) order[static_cast<std::size_t>(begins[class_of(g)]++)] = g;
  return order;
}

}  // namespace

pack_table::pack_table(const planning::pack& arrays, const short* columns, int count, index_t part) {
  numbers = {};
  numbers.groups = arrays.groups;
  std::vector<planning::pack::column> of;
  for (int k = 0; k < count; ++k) of.push_back(arrays.columns[columns ? columns[k] : k]);
  planning::pack::kept_words* const kept = arrays.kept;
  if (kept && kept->memory.memory[0] && kept->part == part && kept->columns == of) {
    memory_ = kept->memory;
    use(memory_.memory[0], true,
        current_stream());  // it goes from stream to stream with the array that it stands beside
    numbers.table = static_cast<const word*>(memory_.memory[0]->data);
    blocks = kept->blocks;
    return;
  }
  const std::vector<index_t> order = part > 0 ? std::vector<index_t>() : longest_first(arrays);
  const index_t* const in_order = part > 0 ? nullptr : order.data();
  const index_t words = arrays.groups * (count + 2);
  if (words <= packed_words) {
    blocks = write(numbers.here, arrays, in_order, of, part);
    return;
  }
  const auto all = std::make_unique_for_overwrite<word[]>(static_cast<std::size_t>(words));
  blocks = write(all.get(), arrays, in_order, of, part);
  memory_.memory[0] =
      batch_detail::copy_of(cuda{}, all.get(), static_cast<std::size_t>(words) * sizeof(word), "for_each_zip");
  numbers.table = static_cast<const word*>(memory_.memory[0]->data);
  if (kept) *kept = {memory_, std::move(of), part, blocks};
}

kept_rounds keep_rounds(const planning::pack& arrays, index_t elements, index_t bytes, index_t merge_bytes) {
  const index_t room = device().shared_bytes_of(row_tuning::team_residents) - merge_bytes;
  if (room < 0) throw error("for_each_zip: what the function reduces is too large for the shared memory of a block");
  const index_t longest = *std::max_element(arrays.sizes, arrays.sizes + arrays.groups);
  const index_t rounds = bytes > 0 ? std::min(room / bytes, ceil_div(longest, elements)) : 0;
  return {static_cast<int>(rounds), static_cast<std::size_t>(merge_bytes + rounds * bytes)};
}

}  // namespace lazyfuse::cuda_detail

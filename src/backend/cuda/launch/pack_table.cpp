// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of a packed kernel.
#include "backend/cuda/launch/memory.hpp"
#include "backend/cuda/runtime/order.hpp"

#include <lazyfuse/backend/cuda/launch/pack_table.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>
#include <lazyfuse/error.hpp>

#include <limits>
#include <vector>

namespace lazyfuse::cuda_detail {

namespace {

using word = unsigned long long;

/// Writes the words, and returns how many blocks there are.
unsigned write(word* to, const planning::pack& arrays, const short* columns, int count, index_t part) {
  const index_t n = arrays.groups;
  index_t blocks = 0;
  for (index_t g = 0; g < n; ++g) {
    to[g] = static_cast<word>(blocks);
    to[n + g] = static_cast<word>(arrays.sizes[g]);
    for (int k = 0; k < count; ++k)
      to[(k + 2) * n + g] = reinterpret_cast<word>(arrays.at(g, columns ? columns[k] : k));
    blocks += ceil_div(arrays.sizes[g], part);
  }
  if (blocks > std::numeric_limits<int>::max())
    throw error("for_each_zip: the arrays have too many elements for one kernel");
  return static_cast<unsigned>(blocks);
}

/// Memory of the host that CUDA reads when it copies, and not before: where it reads pages of the host itself.
bool copies_late() {
  int device = 0, by_pages = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&by_pages, cudaDevAttrPageableMemoryAccessUsesHostPageTables, device),
        "cudaDeviceGetAttribute");
  return by_pages != 0;
}

}  // namespace

pack_table::pack_table(const planning::pack& arrays, const short* columns, int count, thread_share share) {
  const index_t part = index_t{transform_tuning::packed_rounds} * block_threads * share.width * share.depth;
  const index_t words = arrays.groups * (count + 2);
  numbers.table = nullptr;
  numbers.groups = arrays.groups;
  if (words <= packed_words) {
    std::fill_n(numbers.here, packed_words, word{0});
    blocks = write(numbers.here, arrays, columns, count, part);
    return;
  }
  const cudaStream_t stream = current_stream();
  if (capturing(stream))
    throw error(
        "for_each_zip: a table of these many arrays is copied to the GPU, which a captured stream cannot do; "
        "call it outside of the capture");
  std::vector<word> all(static_cast<std::size_t>(words));
  blocks = write(all.data(), arrays, columns, count, part);
  const std::size_t bytes = all.size() * sizeof(word);
  memory_.memory[0] = memory_detail::allocate(cuda{}, bytes, {"for_each_zip", dtype_of<uint64>, &words, 1});
  // The runtime has taken the words when it returns, for they are in no memory that it knows.
  check(cudaMemcpyAsync(memory_.memory[0]->data, all.data(), bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  if (copies_late()) check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  numbers.table = static_cast<const word*>(memory_.memory[0]->data);
}

}  // namespace lazyfuse::cuda_detail

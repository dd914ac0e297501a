// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms whose rows do not begin at whole vectors, but whose results do as a whole: flat kernels that take the
// linear index to pieces for operands that are broadcast or lie apart.
#include "backend/cuda/jit/patterns.hpp"
#include "backend/cuda/jit/source.hpp"
#include "backend/cuda/launch/memory.hpp"

#include <lazyfuse/backend/cuda/kernels/unravelled_layout.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace lazyfuse::cuda_detail {

namespace {

/// That kernels count in 31 bits, the threads of the last block among them.
constexpr index_t most_positions = (index_t{1} << 31) - 64 * index_t{block_threads};

bool is_dense(const exact_plan& p, const operand_info& o) {
  index_t step = 1;
  for (int k = p.rank - 1; k >= 0; --k) {
    if (o.steps[k] != step) return false;
    step *= p.extents[k];
  }
  return reinterpret_cast<std::uintptr_t>(o.data) % 16 == 0;
}
/// Whether 31 bits reach all of its elements.
bool is_near(const exact_plan& p, const operand_info& o) {
  index_t reach = 0;
  for (int k = 0; k < p.rank; ++k) reach += p.extents[k] * std::abs(o.steps[k]);
  return reach < most_positions;
}

}  // namespace

bool is_unravelled(const exact_plan& p, int width) {
  index_t size = 1;
  for (int k = 0; k < p.rank; ++k) size *= p.extents[k];
  if (p.rank < 2 || width < 2 || p.extents[p.rank - 1] % width == 0 || size >= most_positions) return false;
  for (int i = 0; i < p.targets; ++i)
    if (!is_dense(p, p.info[i])) return false;
  // What lies apart is read element by element, which must be little beside the vectors; what is turned, not at all.
  index_t dense = 0, apart = 0;
  for (int i = 0; i < p.targets + p.count; ++i) {
    const operand_info& o = p.info[i];
    if (!o.steps) continue;
    if (is_dense(p, o)) {
      dense += std::max(o.element_size, 1);
      continue;
    }
    if (!is_near(p, o)) return false;
    if (o.element_size == 0) continue;
    if (std::abs(o.steps[p.rank - 1]) > 1) return false;
    index_t own = 1;
    for (int k = p.rank - 1; k >= 0; --k) {
      if (o.steps[k] != 0) own *= p.extents[k];
      // Positions are taken in their order: what comes again is to be in the cache still.
      else if (p.extents[k] > 1 && own * o.element_size > transform_tuning::kept_bytes) return false;
    }
    if (2 * own > size) apart += o.element_size;
  }
  return 2 * apart <= dense;
}

bool start_unravelled(const exact_plan& p, exact_program& program, int width) {
  const auto say = [](bool fact) { return std::string(fact ? "true" : "false"); };
  std::string facts = say(p.extents[p.rank - 1] < width);
  bool reads_dense = false;
  for (int i = 0; i < p.count; ++i) {
    const operand_info& o = p.operand(i);
    const bool dense = o.steps && is_dense(p, o);
    facts += ", " + say(dense);
    reads_dense = reads_dense || (dense && o.element_size > 0);
  }
  made_kernel* const made = variant_of(program, p, "unravelled", facts,
                                       [&] { return unravelled_source(p, *program.graph, facts, reads_dense); });
  if (!made || made->choices[0] > width) return false;
  parameters to;
  put_bound(to, p, 0, p.rank, p.rank);
  index_t size = 1;
  for (int k = 0; k < p.rank; ++k) size *= p.extents[k];
  with_rank<2, max_rank>(p.rank, [&]<int R>() {
    unravelled_numbers<R> numbers{.size = size, .extents = {}, .divisors = {}};
    for (int k = 0; k < R; ++k) {
      numbers.extents[k] = static_cast<unsigned>(p.extents[k]);
      numbers.divisors[k] = divisor::of(p.extents[k]);
    }
    to.put(numbers);
  });
  if (!to.fits()) return false;
  start(*made, static_cast<unsigned>(ceil_div(size, index_t{block_threads} * made->choices[0] * made->choices[1])), 0,
        to);
  return true;
}

}  // namespace lazyfuse::cuda_detail

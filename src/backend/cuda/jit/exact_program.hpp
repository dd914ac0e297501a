// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose operands are one in some way, and the kernels that were made for it.
#pragma once

#include "backend/cuda/jit/exact_plan.hpp"
#include "backend/cuda/jit/parameters.hpp"
#include "backend/cuda/jit/table.hpp"
#include "program/graph.hpp"

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lazyfuse::cuda_detail {

struct exact_program {
  std::optional<ir::program_graph> graph;  ///< none if it cannot be written down
  double repeated = 0;                     ///< the part of its operations that the types of the program repeat
  bool in_one_pass = false;                ///< one pass makes all its reductions
  std::vector<bool> read_in_stages;        ///< of each operand: others are read for results alone
  /// Kernels, by the device, the axes, the path, and what they may rely on.
  struct variant {
    int device, rank, kept;
    const char* path;
    std::string facts;
    made_kernel* made;
    int bundles = 0;  ///< loaded when it could not be made
  };
  std::mutex mutex;
  std::vector<variant> variants;
  std::array<int, 5> choices{};  ///< of the transform or scan made last: the same along all paths but stencils
};

exact_program& program_of(const exact_plan& p);

/// The kernel of a variant, of a path that is a literal; `source` writes it down. Null if it cannot be made, not now,
/// or if as many have been made along this path as are worth their compilation.
made_kernel* variant_of(exact_program& program, const exact_plan& p, const char* path, const std::string& facts,
                        const std::function<kernel_source()>& source);

void start(const made_kernel& made, unsigned blocks, std::size_t shared, parameters& p,
           unsigned threads = block_threads);

}  // namespace lazyfuse::cuda_detail

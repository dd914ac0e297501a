// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be done while the calling thread records a graph (graph.hpp): nothing that is recorded has a value yet.
#pragma once

#include <cstddef>

namespace lazyfuse {

struct allocation;

namespace record_detail {

/// Whether the calling thread records.
bool records() noexcept;
/// Throws graph_error if it does: "item: ...", about elements that are asked for.
void refuse_reading(const char* operation);
/// The same of functions that compute at once, by something else than kernels of expressions.
void refuse_computing(const char* operation);

/// Elements of an array, which are all of an allocation.
struct elements {
  allocation* owner;
  const void* data;
};
/// An array has been computed to other memory than its own, `bytes` of both, and it fits its own if the shapes are
/// equal. True while the calling thread records what may run several times or not at all (while_loop, cond): the array
/// keeps its own memory then, to which the graph copies what was made. Throws graph_error if it does not fit.
bool settled(const elements& own, const elements& made, std::size_t bytes, bool fits);

}  // namespace record_detail

}  // namespace lazyfuse

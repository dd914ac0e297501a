// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be done while the calling thread records a graph (graph.hpp): nothing that is recorded has a value yet.
#pragma once

namespace lazyfuse::record_detail {

/// Throws graph_error if the calling thread records: "item: ...", about elements that are asked for.
void refuse_reading(const char* operation);
/// The same of functions that compute at once, by something else than kernels of expressions.
void refuse_computing(const char* operation);

}  // namespace lazyfuse::record_detail

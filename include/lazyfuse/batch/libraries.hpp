// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What batches ask of a space, compiled once: of the host in src/batch/batch.cpp, of the GPU in
// src/backend/cuda/runtime/batch.cpp.
#pragma once

#include <lazyfuse/array/memory.hpp>

#include <vector>

namespace lazyfuse::batch_detail {

/// One array of a batch, as code that knows no types sees it.
struct member {
  const void* first;  ///< its first element
  allocation* owner;  ///< null for borrowed memory
  const index_t *extents, *steps;
};
/// The arrays of a batch: how many, and which is number i.
struct members {
  const void* all;
  index_t count;
  int rank;
  std::size_t element_size;
  member (*at)(const void* all, index_t i);
  bool unlike = false;  ///< of unlike shapes: the table has those, too
};

/// The shape of one array. Throws shape_error unless all have it, and lie in memory by equal steps.
void check_alike(const members& m, index_t* extents, index_t* steps);
/// The largest extent along each axis, and how many elements there are. Returns the step of all along the last axis;
/// throws shape_error if they have several.
index_t common_extents(const members& m, index_t* extents, index_t& elements);

/// A table of pointers to the first elements, which holds the arrays: `data` is the table where the space reads it,
/// `bytes` those of all elements. Of unlike shapes, behind the pointers: extents and steps of each array. CUDA: the
/// current stream has waited for whoever writes them; they are of one device, else device_error. Throws memory_error.
allocation* table_of(host, const members& m);
allocation* table_of(cuda, const members& m);

/// The stream on which the calling thread evaluates.
constexpr void* stream_of_thread(host) { return nullptr; }
void* stream_of_thread(cuda);

/// Whether the calling thread's work on an array goes into a graph that is captured: then memory of earlier work is
/// left where it is.
constexpr bool captured(host, const allocation*) { return false; }
bool captured(cuda, const allocation* of);

/// Bytes of the host on the current device, for work of the current stream. They are taken when it returns, which does
/// not wait for that. Throws error, which names the operation, while the stream is captured; memory_error, cuda_error.
allocation* copy_of(cuda, const void* from, std::size_t bytes, const char* operation);

/// Parts of memory, so many bytes apart, of so many bytes each, as memory of their own: the whole is freed with the
/// last of them.
std::vector<allocation*> parts_of(host, allocation* whole, index_t count, std::size_t apart, std::size_t bytes);
std::vector<allocation*> parts_of(cuda, allocation* whole, index_t count, std::size_t apart, std::size_t bytes);

}  // namespace lazyfuse::batch_detail

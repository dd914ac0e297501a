// expected-error: lazyfuse: a memory resource has allocate
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

struct memory {
  void* allocate(std::size_t bytes, std::size_t alignment, lf::stream_handle);
#ifndef LAZYFUSE_EXPECT_ERROR
  void deallocate(void* p, std::size_t bytes, std::size_t alignment, lf::stream_handle);
#endif
  bool operator==(const memory&) const;
};

void mistake(memory& m) { lf::use_memory<lf::host>(m); }

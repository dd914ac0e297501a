// expected-error: lazyfuse: borrow takes an mdspan whose accessor gives the elements as they are in memory
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <cuda/std/mdspan>

namespace lf = lazyfuse;

/// Elements times two.
struct doubled {
  using offset_policy = doubled;
  using element_type = const float;
  using reference = float;
  using data_handle_type = const float*;
  float access(const float* p, std::size_t i) const { return 2 * p[i]; }
  const float* offset(const float* p, std::size_t i) const { return p + i; }
};

#ifdef LAZYFUSE_EXPECT_ERROR
using accessor = doubled;
#else
using accessor = cuda::std::default_accessor<const float>;
#endif

auto mistake(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>, cuda::std::layout_right, accessor> m) {
  return lf::borrow(m);
}

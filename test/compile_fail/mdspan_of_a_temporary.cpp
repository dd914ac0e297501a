// expected-error: (use of deleted function|call to deleted function|cannot be referenced -- it is a deleted function)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/interop/mdspan.hpp>
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

float mistake(const lf::array<float, 1>& x) {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::mdspan(lf::array<float, 1>(x + 1)).data_handle()[0];
#else
  const lf::array<float, 1> y(x + 1);
  return lf::mdspan(y).data_handle()[0];
#endif
}

// expected-error: lazyfuse: this expression runs on the GPU; compile this file with nvcc
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using space = lf::cuda;
#else
using space = lf::host;
#endif
void mistake(lf::array<float, 1, space>& z, const lf::array<float, 1, space>& x) { z = x + 1; }

// expected-error: lazyfuse: x\(mask\) and x\(indices\) are in a header of their own, <lazyfuse/select.hpp>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;
using vector = lf::array<float, 1>;

#ifdef LAZYFUSE_EXPECT_ERROR
auto by_a_mask(const vector& x) { return x(x > 1); }
auto by_indices(vector& x, const lf::array<int, 1>& i) { return x(i); }
#else
auto by_a_mask(const vector& x) { return lf::where(x > 1, x, 0); }
auto by_indices(vector& x, const lf::array<int, 1>& i) { return lf::take(x, i); }
#endif

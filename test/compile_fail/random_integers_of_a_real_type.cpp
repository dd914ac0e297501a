// expected-error: lazyfuse: random::integers draws integers; for truth values there is random::bernoulli
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using element = float;
#else
using element = int;
#endif
auto mistake() { return lf::random::integers<element>({3, 4}, 0, 10, lf::seed{42}); }

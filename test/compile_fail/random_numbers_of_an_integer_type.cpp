// expected-error: lazyfuse: random::normal draws float or double; cast the expression to other types
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using element = int;
#else
using element = float;
#endif
auto mistake() { return lf::random::normal<element>({3, 4}, lf::seed{42}); }

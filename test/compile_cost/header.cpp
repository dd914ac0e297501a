// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 3438
#include <lazyfuse/lazyfuse.hpp>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 4300
#include <lazyfuse/lazyfuse.hpp>

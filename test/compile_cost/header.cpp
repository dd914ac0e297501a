// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 3427
#include <lazyfuse/lazyfuse.hpp>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 4450
#include <lazyfuse/lazyfuse.hpp>

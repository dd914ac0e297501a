// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 3480
#include <lazyfuse/lazyfuse.hpp>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 4050
#include <lazyfuse/lazyfuse.hpp>

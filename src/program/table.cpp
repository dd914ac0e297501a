// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error of an index beyond its axis.
#include "core/text.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/program/table.hpp>

#include <string>

namespace lazyfuse::ir {

void throw_beyond(index_t index, index_t extent) {
  throw index_error("take: index " + std::to_string(index) + " is out of bounds for an axis of " +
                    std::to_string(extent) + (extent == 1 ? " element" : " elements") + place_asked());
}

}  // namespace lazyfuse::ir

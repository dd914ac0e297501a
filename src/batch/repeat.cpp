// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with a function that is repeated.
#include <lazyfuse/batch/repeat.hpp>
#include <lazyfuse/core/error.hpp>

namespace lazyfuse::repeat_detail {

void check_stays(bool stays) {
  if (!stays)
    throw_value(
        "repeat: the function takes a view of its argument, and can only compute each element from that element");
}

}  // namespace lazyfuse::repeat_detail

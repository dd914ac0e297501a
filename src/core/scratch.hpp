// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for maps and lists that do not outlive a function.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace lazyfuse {

/// The first 4 KB lie where it does: small graphs need no more. It gives nothing back before it ends.
class scratch : public std::pmr::monotonic_buffer_resource {
 public:
  scratch() : std::pmr::monotonic_buffer_resource(first_, sizeof first_, std::pmr::new_delete_resource()) {}

 private:
  alignas(std::max_align_t) std::byte first_[4096];
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/backend/widest_vectors.hpp>

#include <cstdlib>
#include <string_view>

namespace lazyfuse::host_detail {

bool has_wide_vectors = [] {
#if defined(__x86_64__) && defined(__GNUC__)
  const char* const asked = std::getenv("LAZYFUSE_VECTORS");
  return (!asked || std::string_view(asked) != "16") && __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}();

}  // namespace lazyfuse::host_detail

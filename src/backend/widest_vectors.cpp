// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/backend/widest_vectors.hpp>

#include <cstdlib>
#include <string_view>

namespace lazyfuse::host_detail {

bool has_wide_vectors = false;

#if defined(__x86_64__) && defined(__GNUC__)
namespace {
// Before static objects are made: the expressions they are made of have the same bits as later ones.
[[gnu::constructor(101)]] void find_vectors() {
  __builtin_cpu_init();
  const char* const asked = std::getenv("LAZYFUSE_VECTORS");
  has_wide_vectors = (!asked || std::string_view(asked) != "16") && __builtin_cpu_supports("avx2");
}
}  // namespace
#endif

}  // namespace lazyfuse::host_detail

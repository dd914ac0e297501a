// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/backend/widest_vectors.hpp>

#include <cstdlib>
#include <string_view>

namespace lazyfuse::host_detail {

int bytes_of_vectors = 16;

#if defined(__x86_64__) && defined(__GNUC__)
namespace {
// Before static objects are made: the expressions they are made of have the same bits as later ones.
[[gnu::constructor(101)]] void find_vectors() {
  __builtin_cpu_init();
  const char* const asked = std::getenv("LAZYFUSE_VECTORS");
  const std::string_view most = asked ? asked : "";
  if (most == "16" || !__builtin_cpu_supports("avx2")) return;
  // The first processors with vectors of 64 bytes slow down for them; those that have VBMI2, too, do not.
  const bool widest = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vbmi2");
  bytes_of_vectors = widest && most != "32" ? 64 : 32;
}
}  // namespace
#endif

}  // namespace lazyfuse::host_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores past the caches: a line that is written whole need not be read first, and does not push out what is read
// again.
#pragma once

#include <lazyfuse/backend/host/tuning.hpp>

#include <cstdint>

namespace lazyfuse::host_detail {

/// Whether so many bytes of results are more than caches keep.
constexpr bool outgrows_caches(index_t bytes) { return bytes > last_cache_bytes; }
/// Whether this processor, and compiler, has such stores.
#if defined(__SSE2__) || defined(__clang__)
inline constexpr bool has_stores_past_caches = true;
#else
inline constexpr bool has_stores_past_caches = false;
#endif
/// Of one element of each.
template <class... T>
inline constexpr index_t bytes_of = (0 + ... + index_t{sizeof(T)});

inline constexpr int line_bytes = 64;
inline bool begins_a_line(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % line_bytes == 0; }
/// How many elements come before the first that begins a line, if one does.
template <class T>
index_t elements_to_line(const T* p) {
  return static_cast<index_t>(-reinterpret_cast<std::uintptr_t>(p) % line_bytes / sizeof(T));
}

/// Copies whole lines; both begin one.
template <int Bytes>
void store_past_caches(void* to, const void* from) {
  static_assert(Bytes % line_bytes == 0);
#if defined(__AVX512F__)
  constexpr int width = 64;
#elif defined(__AVX__)
  constexpr int width = 32;
#else
  constexpr int width = 16;
#endif
  typedef float part __attribute__((vector_size(width), may_alias));
  for (int b = 0; b < Bytes; b += width) {
    auto* const there = reinterpret_cast<part*>(static_cast<char*>(to) + b);
    const auto value = *reinterpret_cast<const part*>(static_cast<const char*>(from) + b);
#if defined(__clang__)
    __builtin_nontemporal_store(value, there);
#elif defined(__AVX512F__)
    __builtin_ia32_movntps512(reinterpret_cast<float*>(there), value);
#elif defined(__AVX__)
    __builtin_ia32_movntps256(reinterpret_cast<float*>(there), value);
#elif defined(__SSE2__)
    __builtin_ia32_movntps(reinterpret_cast<float*>(there), value);
#else
    *there = value;
#endif
  }
}
/// After it, other threads see what was stored past the caches.
inline void end_of_stores_past_caches() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace lazyfuse::host_detail

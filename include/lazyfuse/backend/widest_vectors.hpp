// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops for the processor that runs them: what is compiled for every x86-64 is compiled once more for those that have
// AVX2, and the choice is made at run time. Not for FMA, whose products have other bits.
#pragma once

namespace lazyfuse::host_detail {

/// Whether loops are compiled for two kinds of processors.
#if defined(__x86_64__) && defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__AVX2__)
inline constexpr bool chooses_vectors = true;
#else
inline constexpr bool chooses_vectors = false;
#endif

/// Whether this processor has AVX2, and the environment variable LAZYFUSE_VECTORS is not 16, the bytes of narrow ones.
/// Known before static objects are made; tests clear it, while nothing runs.
extern bool has_wide_vectors;

/// Flat, since what is not inlined is compiled for any processor; not inlined themselves, since g++ makes copies of a
/// loop for its surroundings that are not vectorised.
template <class Loop, class... Args>
[[gnu::noinline, gnu::flatten]] void in_narrow_vectors(Loop loop, const Args&... args) {
  loop(args...);
}
#if defined(__x86_64__)
template <class Loop, class... Args>
[[gnu::noinline, gnu::flatten, gnu::target("avx2")]] void in_wide_vectors(Loop loop, const Args&... args) {
  loop(args...);
}
#endif

/// Calls loop(args...), compiled for the widest vectors there are; what it calls is inlined (by clang: if it is marked
/// so, or small). The loop captures nothing: what it captured would be read from memory again and again.
template <class Loop, class... Args>
inline void in_widest_vectors(Loop loop, const Args&... args) {
  static_assert(__is_empty(Loop));
#if defined(__x86_64__)
  if constexpr (chooses_vectors)
    if (has_wide_vectors) return in_wide_vectors(loop, args...);
#endif
  in_narrow_vectors(loop, args...);
}

}  // namespace lazyfuse::host_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops for the processor that runs them: what is compiled for every x86-64 is compiled once more for those that have
// AVX2, and by g++ for those that have AVX-512, and the choice is made at run time. Not for FMA, whose products have
// other bits.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/core/types.hpp>

namespace lazyfuse::host_detail {

/// Whether loops are compiled for several kinds of processors.
#if defined(__x86_64__) && defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__AVX2__)
inline constexpr bool chooses_vectors = true;
#else
inline constexpr bool chooses_vectors = false;
#endif
/// Whether those of AVX-512 are among them, which has FMAs: clang would make some, and nvcc does not tell g++ not to.
#if defined(__clang__) || defined(__CUDACC__)
inline constexpr bool chooses_widest_vectors = false;
#else
inline constexpr bool chooses_widest_vectors = chooses_vectors;
#endif

/// Whether loops of many elements are compiled for AVX-512, by that choice or since everything is.
#if defined(__AVX512F__) && defined(__OPTIMIZE__) && !defined(__clang__) && !defined(__CUDACC__)
inline constexpr bool has_widest_vectors = true;
#else
inline constexpr bool has_widest_vectors = chooses_widest_vectors;
#endif

/// Bytes of the vectors that this processor has: 16, 32 or 64, but 16 or 32 if the environment variable
/// LAZYFUSE_VECTORS says so. Known before static objects are made; tests change it, while nothing runs.
extern int bytes_of_vectors;

/// Flat, since what is not inlined is compiled for any processor; not inlined themselves, since g++ makes copies of a
/// loop for its surroundings that are not vectorised.
template <class Loop, class... Args>
[[gnu::noinline, gnu::flatten]] void in_narrow_vectors(Loop loop, const Args&... args) {
  loop(args...);
}
#if defined(__x86_64__)
template <class Loop, class... Args>
[[gnu::noinline, gnu::flatten, gnu::target("avx2")]] void in_vectors_of_32(Loop loop, const Args&... args) {
  loop(args...);
}
#if !defined(__clang__) && !defined(__CUDACC__)
template <class Loop, class... Args>
[[gnu::noinline, gnu::flatten, gnu::target("avx512f,avx512dq,avx512bw,avx512vl"),
  gnu::optimize("fp-contract=off", "no-tree-loop-distribute-patterns")]] void
in_vectors_of_64(Loop loop, const Args&... args) {
  loop(args...);
}
#endif
#endif

/// Calls loop(args...), compiled for vectors of at most 32 bytes; what it calls is inlined (by clang: if it is marked
/// so, or small). The loop captures nothing: what it captured would be read from memory again and again.
template <class Loop, class... Args>
inline void in_wide_vectors(Loop loop, const Args&... args) {
  static_assert(__is_empty(Loop));
#if defined(__x86_64__)
  if constexpr (chooses_vectors)
    if (bytes_of_vectors >= 32) return in_vectors_of_32(loop, args...);
#endif
  in_narrow_vectors(loop, args...);
}
/// Whether g++ 12 makes no FMAs of elements, as it does of products of complex numbers whatever it is told.
template <class T>
inline constexpr bool is_plain = !__is_class(T) || small_real<T>;
/// The same for the widest vectors there are, if the loop goes along so many elements that they pay: what is left over
/// at the end of shorter ones takes longer than they save. Plain: all elements are.
inline constexpr index_t least_for_widest = 128;
template <bool Plain, class Loop, class... Args>
inline void in_widest_vectors(index_t elements, Loop loop, const Args&... args) {
#if defined(__x86_64__) && !defined(__clang__) && !defined(__CUDACC__)
  if constexpr (chooses_widest_vectors && Plain)
    if (bytes_of_vectors == 64 && elements >= least_for_widest) return in_vectors_of_64(loop, args...);
#endif
  (void)elements;
  in_wide_vectors(loop, args...);
}

}  // namespace lazyfuse::host_detail

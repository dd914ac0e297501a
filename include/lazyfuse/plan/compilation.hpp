// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler of a file and its options, as far as its macros tell: kernels of others take other times.
#pragma once

#include <lazyfuse/program/code.hpp>

namespace lazyfuse::planning {

/// A text as a template argument, and a number after it, unless that is 0.
template <int N>
struct literal {
  char text[N + 10];
  constexpr literal(const char (&from)[N], unsigned number = 0) : text() {
    for (int i = 0; i < N; ++i) text[i] = from[i];
    if (number != 0) ir::code_detail::put_number(text + N - 1, number);
  }
};

/// Files of one program whose compilers differ have different types, so that each text is one object.
template <literal Text>
struct compilation {
  static constexpr const char* text = Text.text;
};
/// That of this file. No macro tells -O2 from -O3.
using this_compilation = compilation<literal(__VERSION__
#ifdef __OPTIMIZE__
                                             " optimising"
#endif
#ifdef __OPTIMIZE_SIZE__
                                             " for size"
#endif
#ifdef __FAST_MATH__
                                             " fast-math"
#endif
#ifdef __AVX__
                                             " avx"
#endif
#ifdef __AVX2__
                                             " avx2"
#endif
#ifdef __FMA__
                                             " fma"
#endif
#ifdef __AVX512F__
                                             " avx512f"
#endif
#ifdef __AVX512DQ__
                                             " avx512dq"
#endif
#ifdef __SANITIZE_ADDRESS__
                                             " address-sanitizer"
#endif
#ifdef __SANITIZE_THREAD__
                                             " thread-sanitizer"
#endif
#ifdef LAZYFUSE_CHECKED
                                             " checked"
#endif
#ifdef __CUDACC_VER_MAJOR__
                                             " nvcc ",
                                             __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__
#endif
                                             )>;

}  // namespace lazyfuse::planning

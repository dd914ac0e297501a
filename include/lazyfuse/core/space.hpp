// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where arrays live and expressions run. The default belongs to the CMake target that is linked.
#pragma once

#include <cuda/std/type_traits>

namespace lazyfuse {

/// Memory and threads of the CPU.
struct host {
  static constexpr const char* name = "host";
};

/// Memory and kernels of CUDA devices: of the one that the arrays of an expression are on, or else of the calling
/// thread's current one.
struct cuda {
  static constexpr const char* name = "cuda";
};

/// One of several GPUs, by CUDA's number; -1 is none.
struct device {
  int number = -1;
  friend constexpr bool operator==(device a, device b) { return a.number == b.number; }
};

/// The space of arrays whose type names none: cuda in programs that link lazyfuse::cuda, else host.
#if defined(LAZYFUSE_CUDA)
using default_space = cuda;
#else
using default_space = host;
#endif

/// The space of expressions without arrays (constants, arange): they run wherever their result lives.
struct anywhere {
  static constexpr const char* name = "anywhere";
};

/// Where arrays can live.
template <class S>
concept memory_space = ::cuda::std::is_same_v<S, host> || ::cuda::std::is_same_v<S, cuda>;

namespace space_detail {
template <class A, class B>
struct join {
  static constexpr bool mixed = true;
  using type = A;
};
template <class A>
struct join<A, A> {
  static constexpr bool mixed = false;
  using type = A;
};
template <class A>
struct join<anywhere, A> : join<A, A> {};
template <class A>
struct join<A, anywhere> : join<A, A> {};
template <>
struct join<anywhere, anywhere> {
  static constexpr bool mixed = false;
  using type = anywhere;
};
}  // namespace space_detail

}  // namespace lazyfuse

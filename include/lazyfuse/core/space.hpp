// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where arrays live and expressions run. The default belongs to the CMake target that is linked.
#pragma once

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

/// What the library asks of a space, beside memory (array/memory.hpp) and a backend. A specialisation has
///   number: below most_spaces, and of no other space
///   on_device: its memory is that of devices, of which there may be several, and the host cannot follow its addresses
template <class Space>
struct space_traits;
template <>
struct space_traits<host> {
  static constexpr int number = 0;
  static constexpr bool on_device = false;
};
template <>
struct space_traits<cuda> {
  static constexpr int number = 1;
  static constexpr bool on_device = true;
};
inline constexpr int most_spaces = 4;

/// What makes a file's kernels for the GPU: the compiler of the file, or where that is none for the GPU, another one
/// when the program runs. Functions between a user's call and its kernel have it as a template argument: files of both
/// kinds in one program share none that differ.
struct own_compiler;
struct run_time_compiler;
#if defined(LAZYFUSE_CUDA) && !defined(__CUDACC__)
using maker = run_time_compiler;
#else
using maker = own_compiler;
#endif

/// A space whose kernels are all made at run time.
template <class Space>
struct made_in : Space {};
template <class Space>
struct space_traits<made_in<Space>> : space_traits<Space> {};

namespace space_detail {
template <class Space, class Maker>
struct kernels {
  using type = Space;
};
template <>
struct kernels<cuda, run_time_compiler> {
  using type = made_in<cuda>;
};
template <class Space>
struct memory {
  using type = Space;
};
template <class Space>
struct memory<made_in<Space>> {
  using type = Space;
};
}  // namespace space_detail

/// Where the kernels of a space come from, and where their memory is.
template <class Space, class Maker = maker>
using kernel_space = typename space_detail::kernels<Space, Maker>::type;
template <class Space>
using memory_of = typename space_detail::memory<Space>::type;

/// Where arrays can live.
template <class S>
concept memory_space = requires {
  space_traits<S>::number;
};

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

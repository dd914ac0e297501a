// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to memory by one instruction: several elements, or one that may not exist.
#pragma once

#include <lazyfuse/core/types.hpp>
#include <lazyfuse/op/map.hpp>

namespace lazyfuse::cuda_detail {

/// In a graph the blocks of a small kernel may be in their place before the kernel that they wait for has ended
/// (launch/node_parameters.cpp names those that begin with this): nothing of memory is touched before. Else nothing.
__device__ __forceinline__ void let_next_begin_and_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Width elements as one memory access.
template <class T, int Width>
struct alignas(sizeof(T) * Width) wide {
  T value[Width];
};

/// The elements of one vector of a thread.
template <class T, int Width>
struct vector_elements {
  T value[Width];
  __device__ __forceinline__ const T& operator[](int k) const { return value[k]; }
  __device__ __forceinline__ void put(int k, const T& v) { value[k] = v; }
  __device__ __forceinline__ void read(const T* from) {
    const auto together = *reinterpret_cast<const wide<T, Width>*>(from);
#pragma unroll
    for (int k = 0; k < Width; ++k) value[k] = together.value[k];
  }
  __device__ __forceinline__ void write(T* to) const {
    wide<T, Width> together;
#pragma unroll
    for (int k = 0; k < Width; ++k) together.value[k] = value[k];
    *reinterpret_cast<wide<T, Width>*>(to) = together;
  }
};
/// Elements of which several make a register are kept as they came from memory, and taken apart where they are used:
/// earlier, a load would have to come before the next is asked for. They are put in order, from the first.
template <class T, int Width>
  requires(sizeof(T) < 4 && sizeof(T) * Width % 4 == 0 && sizeof(T) * Width <= 16 &&
           (standard::is_arithmetic_v<T> || small_real<T>))
struct vector_elements<T, Width> {
  using bits = standard::conditional_t<sizeof(T) == 1, unsigned char, unsigned short>;
  static constexpr int each = 4 / int(sizeof(T)), size = 8 * int(sizeof(T)), count = Width / each;
  unsigned word[count];
  __device__ __forceinline__ T operator[](int k) const {
    const auto part = static_cast<bits>(word[k / each] >> k % each * size);
    if constexpr (boolean<T>) return part != 0;
    else return __builtin_bit_cast(T, part);
  }
  __device__ __forceinline__ void put(int k, const T& v) {
    const unsigned part = __builtin_bit_cast(bits, v);
    word[k / each] = k % each == 0 ? part : word[k / each] | part << k % each * size;
  }
  __device__ __forceinline__ void read(const T* from) {
    const auto together = *reinterpret_cast<const wide<unsigned, count>*>(from);
#pragma unroll
    for (int w = 0; w < count; ++w) word[w] = together.value[w];
  }
  __device__ __forceinline__ void write(T* to) const {
    wide<unsigned, count> together;
#pragma unroll
    for (int w = 0; w < count; ++w) together.value[w] = word[w];
    *reinterpret_cast<wide<unsigned, count>*>(to) = together;
  }
};

template <int Size>
using bits_of_size =
    standard::conditional_t<Size == 1, unsigned char,
                            standard::conditional_t<Size == 2, unsigned short,
                                                    standard::conditional_t<Size == 4, unsigned, unsigned long long>>>;

/// Words of 4 and 8 bytes, zero where they do not exist. Asked for by one instruction: a branch would keep what
/// follows, and the next element, waiting.
template <int At>
__device__ __forceinline__ unsigned word_if(const unsigned* from, bool exists) {
  unsigned word;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\tmov.b32 %0, 0;\n\t@p ld.global.b32 %0, [%1+%3];\n\t}"
               : "=r"(word)
               : "l"(from), "r"(unsigned{exists}), "n"(At * 4));
  return word;
}
template <int At>
__device__ __forceinline__ unsigned long long word_if(const unsigned long long* from, bool exists) {
  unsigned long long word;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\tmov.b64 %0, 0;\n\t@p ld.global.b64 %0, [%1+%3];\n\t}"
               : "=l"(word)
               : "l"(from), "r"(unsigned{exists}), "n"(At * 8));
  return word;
}
/// The same, in its place among other accesses.
template <int At>
__device__ __forceinline__ unsigned word_now_if(const unsigned* from, bool exists) {
  unsigned word;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\tmov.b32 %0, 0;\n\t@p ld.global.b32 %0, [%1+%3];\n\t}"
               : "=r"(word)
               : "l"(from), "r"(unsigned{exists}), "n"(At * 4)
               : "memory");
  return word;
}
template <int At>
__device__ __forceinline__ unsigned long long word_now_if(const unsigned long long* from, bool exists) {
  unsigned long long word;
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\tmov.b64 %0, 0;\n\t@p ld.global.b64 %0, [%1+%3];\n\t}"
               : "=l"(word)
               : "l"(from), "r"(unsigned{exists}), "n"(At * 8)
               : "memory");
  return word;
}

/// The element At from there if it exists, else zeros. Written: by the same kernel, perhaps; else the compiler may move
/// it among other accesses, but not before a wait for the kernel before.
template <int At, bool Written = false, class From>
__device__ __forceinline__ auto read_if(const From& from, bool exists) {
  using T = bare_t<decltype(from[0])>;
  constexpr bool is_word = standard::is_same_v<From, const T*> && standard::is_trivially_copyable_v<T> &&
                           alignof(T) == sizeof(T);  // checked builds look at every element
  if constexpr (is_word && (sizeof(T) == 4 || sizeof(T) == 8)) {
    using word = standard::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    const auto* const at = reinterpret_cast<const word*>(from);
    if constexpr (Written) return __builtin_bit_cast(T, word_now_if<At>(at, exists));
    else return __builtin_bit_cast(T, word_if<At>(at, exists));
  } else {
    T one{};
    if (exists) one = from[At];
    return one;
  }
}

}  // namespace lazyfuse::cuda_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that stand somewhere along an axis of something longer, as the parts of concat, and zeros before and behind
// them. No map is followed: an offset is a sum over axes, and so are two, one above the other in its bits.
#pragma once

#include <lazyfuse/program/maps.hpp>
#include <lazyfuse/program/operand.hpp>

namespace lazyfuse::ir {

/// An offset says in its lower bits where an element lies, and in the upper ones how far along the axis it is behind
/// the first. Of 64 lower bits, both are the offset: what is there lies together. 32 are the words of a number, and
/// most arrays need no more.
template <class Source>
struct windowed {
  using value_type = typename Source::value_type;
  static constexpr bool is_memory = false;
  static constexpr int together = 1, cost = 2;
  Source source;       ///< first: code without types looks there for an owner and a pointer
  index_t origin = 0;  ///< what offset 0 stands for
  index_t bits = 64;
  index_t count = 0, length = 0;  ///< places along the axis that are there, and elements from the first in memory on

  /// How far an offset, or a step, leads in memory.
  LAZYFUSE_HD index_t lower(index_t offset) const {
    return static_cast<index_t>(static_cast<uint64>(offset) << (64 - bits)) >> (64 - bits);
  }
  /// How far one leads along the axis.
  LAZYFUSE_HD index_t along(index_t offset) const { return bits == 64 ? offset : (offset - lower(offset)) >> bits; }
  /// Where the element of an offset lies; -1 of those that are not there, some of which kernels ask for and store none.
  LAZYFUSE_HD index_t lying(index_t offset) const {
    const index_t at = origin + offset, low = lower(at);
    return is_there(along(at), low) ? low : -1;
  }
  LAZYFUSE_HD value_type at(index_t offset) const {
    const index_t from = lying(offset);
    return from < 0 ? value_type{} : value_type(source.at(from));
  }
  /// What it may read, counted from the pointer that its memory begins with.
  constexpr stretch reach() const { return {0, length}; }
  /// n elements a step apart, on the host.
  void write(value_type* to, index_t offset, index_t step, index_t n) const {
    for (index_t i = 0; i < n; ++i) to[i] = at(offset + i * step);
  }
#if defined(__CUDACC__)
  /// Depth times Width elements, on the device: rows a pitch apart, neighbours a step apart.
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(value_type (&to)[Depth][Width], index_t offset, index_t pitch,
                                       index_t step) const {
    const int onward = upper(step), apart = static_cast<int>(step);
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t at = origin + offset + d * pitch;
      const int place = upper(at), low = static_cast<int>(at), last = place + (Width - 1) * onward;
      if (bits != 32) {
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          const index_t from = far_lying(offset + d * pitch + k * step);
          to[d][k] = from < 0 ? value_type{} : value_type(source.at(from));
        }
      } else if (is_there(place, low) && is_there(last, low + index_t{Width - 1} * apart))
        read_neighbours(to[d], source, low, apart);
      else {
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          to[d][k] = value_type{};
          if (is_there(place + k * onward, low + k * apart)) to[d][k] = source.at(low + k * apart);
        }
      }
    }
  }
#endif
  friend bool operator==(const windowed&, const windowed&) = default;

 private:
  LAZYFUSE_HD bool is_there(index_t place, index_t low) const {
    return static_cast<uint64>(place) < static_cast<uint64>(count) &&
           static_cast<uint64>(low) < static_cast<uint64>(length);
  }
#if defined(__CUDACC__)
  template <class Index>
  __device__ __forceinline__ bool is_there(int place, Index low) const {
    using word = standard::conditional_t<sizeof(Index) == 8, uint64, unsigned>;
    return static_cast<unsigned>(place) < static_cast<unsigned>(count) &&
           static_cast<word>(low) < static_cast<word>(length);
  }
  /// The upper word of a sum whose lower one has a sign.
  static __device__ __forceinline__ int upper(index_t at) {
    return static_cast<int>((at - static_cast<int>(at)) >> 32);
  }
  __device__ __noinline__ index_t far_lying(index_t offset) const { return lying(offset); }
#endif
};

}  // namespace lazyfuse::ir

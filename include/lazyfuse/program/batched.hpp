// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of many arrays of one shape, which a table of pointers names. As of what is read through a map
// (remapped.hpp), an offset is a position in row-major order: of which array, and where in it.
#pragma once

#include <lazyfuse/program/remapped.hpp>

namespace lazyfuse::ir {

/// Element n is that of array n / size at the position n % size. Not in memory for kernels, which read memory at
/// offsets that steps lead to.
template <class T, int R>
struct batched {
  using value_type = T;
  static constexpr bool is_memory = false;
  static constexpr int together = 1, cost = 4;
  void* table_owner;         ///< first: code without types looks there for an owner and a pointer
  const T* const* pointers;  ///< to the first element of each array
  index_t count;             ///< of the elements of all
  position_divisor each;     ///< of the elements of one array
  strided<(R > 0 ? R : 1)> within;
  index_t origin = 0;  ///< the position of offset 0

  /// Elements a step of `within` apart.
  struct run {
    const T* first;
    index_t length;
  };
  /// Kernels ask for some elements that are not there, and store none of those: they are in no run.
  LAZYFUSE_HD run from(index_t position) const {
    if (static_cast<uint64>(position) >= static_cast<uint64>(count)) return {nullptr, 0};
    const index_t array = each.quotient(position);
    const stretch s = within.from(position - array * each.value);
    return {pointers[array] + s.first, s.length};
  }
  LAZYFUSE_HD value_type at(index_t offset) const {
    const run r = from(origin + offset);
    return r.length > 0 ? *r.first : value_type{};
  }
  /// Of the memory that the owner of the table stands for.
  constexpr stretch reach() const { return {0, count}; }

  /// n elements a step apart, on the host.
  void write(value_type* to, index_t offset, index_t step, index_t n) const {
    write_in_runs(
        to, origin + offset, step, within.step(), n, [this](index_t position) { return from(position); },
        [](value_type* run, const T* first, index_t apart, index_t count) { copy_apart(run, first, apart, count); });
  }
  /// Where n neighbours lie as they are, on the host; null if they do not.
  const value_type* lying(index_t offset, index_t n) const {
    const run r = from(origin + offset);
    return within.step() == 1 && n <= r.length ? r.first : nullptr;
  }

#if defined(__CUDACC__)
  /// Depth times Width elements, on the device: rows a pitch apart, neighbours a step apart; in vectors where they are
  /// next to each other and aligned.
  template <int Depth, int Width>
  __device__ __forceinline__ void rows(value_type (&to)[Depth][Width], index_t offset, index_t pitch,
                                       index_t step) const {
#pragma unroll
    for (int d = 0; d < Depth; ++d) {
      const index_t first = offset + d * pitch;
      const run r = from(origin + first);
      if (step < 0 || (Width - 1) * step >= r.length) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = at(first + k * step);
      } else if (!read_neighbours(to[d], r.first, step * within.step())) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = r.first[k * step * within.step()];
      }
    }
  }
#endif
  friend bool operator==(const batched& a, const batched& b) {
    return a.pointers == b.pointers && a.count == b.count && a.origin == b.origin;
  }

#if defined(__CUDACC__)
 private:
  template <int N>
  struct alignas(N * sizeof(T)) vector {
    T value[N];
  };
  /// False if they are no neighbours, or not aligned.
  template <int Width>
  __device__ __forceinline__ static bool read_neighbours(value_type (&to)[Width], const T* from, index_t apart) {
    constexpr int widest = sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1, n = Width < widest ? Width : widest;
    if constexpr (n > 1 && (sizeof(T) & (sizeof(T) - 1)) == 0 && Width % n == 0) {
      if (apart != 1 || reinterpret_cast<uint64>(from) % (n * sizeof(T)) != 0) return false;
#pragma unroll
      for (int k = 0; k < Width; k += n) {
        const vector<n> v = *reinterpret_cast<const vector<n>*>(from + k);
#pragma unroll
        for (int i = 0; i < n; ++i) to[k + i] = v.value[i];
      }
      return true;
    } else return false;
  }
#endif
};

}  // namespace lazyfuse::ir

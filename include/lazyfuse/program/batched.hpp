// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of many arrays, which a table of pointers names. As of what is read through a map (remapped.hpp), an offset
// is a position in row-major order: of which array, and where in it.
#pragma once

#include <lazyfuse/program/remapped.hpp>

namespace lazyfuse::ir {

/// Where an element of some array is, or nowhere: null.
template <class T>
struct found_element {
  const T* at;
  LAZYFUSE_HD found_element operator+(index_t n) const { return {at ? at + n : nullptr}; }
};

/// How elements are read of which Own says where a run of them is, `from(position)`: how far apart they lie, `apart`,
/// and what stands where there is none, `otherwise()`. Not in memory for kernels, which read memory at offsets that
/// steps lead to.
template <class Own, class T>
struct read_in_runs {
  using value_type = T;
  static constexpr bool is_memory = false;
  static constexpr int together = 1;
  /// Elements that far apart.
  struct run {
    found_element<T> first;
    index_t length;
  };

  LAZYFUSE_HD value_type at(index_t offset) const {
    const run r = own().from(own().origin + offset);
    return r.first.at ? *r.first.at : own().otherwise();
  }
  /// n elements a step apart, on the host.
  void write(value_type* to, index_t offset, index_t step, index_t n) const {
    write_in_runs(
        to, own().origin + offset, step, own().apart(), n, [this](index_t position) { return own().from(position); },
        [this](value_type* run, found_element<T> first, index_t apart, index_t count) {
          if (first.at) copy_apart(run, first.at, apart, count);
          else
            for (index_t i = 0; i < count; ++i) run[i] = own().otherwise();
        });
  }
  /// Where n neighbours lie as they are, on the host; null if they do not.
  const value_type* lying(index_t offset, index_t n) const {
    const run r = own().from(own().origin + offset);
    return own().apart() == 1 && n <= r.length ? r.first.at : nullptr;
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
      const run r = own().from(own().origin + first);
      if (step < 0 || (Width - 1) * step >= r.length) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = at(first + k * step);
      } else if (!r.first.at) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = own().otherwise();
      } else if (!read_neighbours(to[d], r.first.at, step * own().apart())) {
#pragma unroll
        for (int k = 0; k < Width; ++k) to[d][k] = r.first.at[k * step * own().apart()];
      }
    }
  }
#endif

 private:
  LAZYFUSE_HD const Own& own() const { return static_cast<const Own&>(*this); }
#if defined(__CUDACC__)
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

/// Of arrays of one shape: element n is that of array n / size at the position n % size.
template <class T, int R>
struct batched : read_in_runs<batched<T, R>, T> {
  static constexpr int cost = 4;
  void* table_owner;         ///< first: code without types looks there for an owner and a pointer
  const T* const* pointers;  ///< to the first element of each array
  index_t count;             ///< of the elements of all
  position_divisor each;     ///< of the elements of one array
  strided<(R > 0 ? R : 1)> within;
  index_t origin = 0;  ///< the position of offset 0

  using run = typename read_in_runs<batched, T>::run;
  LAZYFUSE_HD index_t apart() const { return within.step(); }
  LAZYFUSE_HD T otherwise() const { return T{}; }
  /// Kernels ask for some elements that are not there, and store none of those: they are in no run.
  LAZYFUSE_HD run from(index_t position) const {
    if (static_cast<uint64>(position) >= static_cast<uint64>(count)) return {{nullptr}, 0};
    const index_t array = each.quotient(position);
    const stretch s = within.from(position - array * each.value);
    return {{pointers[array] + s.first}, s.length};
  }
  /// Of the memory that the owner of the table stands for.
  constexpr stretch reach() const { return {0, count}; }
  friend bool operator==(const batched& a, const batched& b) {
    return a.pointers == b.pointers && a.count == b.count && a.origin == b.origin;
  }
};

/// Of arrays of unlike shapes, as if each had the largest extent along each axis: what it has not is `fill`. The table
/// has R extents and R steps of each array behind the pointers.
template <class T, int R>
struct padded_batch : read_in_runs<padded_batch<T, R>, T> {
  static constexpr int cost = 4 + 4 * R;
  void* table_owner;
  const T* const* pointers;
  const index_t* layouts;
  index_t count;          ///< of positions
  index_t there;          ///< of elements that exist
  position_divisor each;  ///< of the positions of one array
  position_divisor extents[R];
  index_t last_step;  ///< the step of all along their last axis
  index_t origin = 0;
  T fill;

  using run = typename read_in_runs<padded_batch, T>::run;
  LAZYFUSE_HD index_t apart() const { return last_step; }
  LAZYFUSE_HD T otherwise() const { return fill; }
  LAZYFUSE_HD run from(index_t position) const {
    if (static_cast<uint64>(position) >= static_cast<uint64>(count)) return {{nullptr}, 0};
    const index_t array = each.quotient(position);
    const index_t *const own = layouts + array * (2 * R), *const steps = own + R;
    index_t rest = position - array * each.value, offset = 0, beside = 0;
    bool exists = true, is_short = false;
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int axis = R - 1; axis >= 0; --axis) {
      index_t at = rest;
      if (axis > 0) {
        rest = extents[axis].quotient(rest);
        at -= rest * extents[axis].value;
      }
      if (axis == R - 1) {
        is_short = at >= own[axis];
        beside = at;
      } else exists = exists && at < own[axis];
      offset += at * steps[axis];
    }
    const bool is_there = exists && !is_short;
    return {{is_there ? pointers[array] + offset : nullptr}, (is_there ? own[R - 1] : extents[R - 1].value) - beside};
  }
  constexpr stretch reach() const { return {0, there}; }
  friend bool operator==(const padded_batch& a, const padded_batch& b) {
    return a.pointers == b.pointers && a.count == b.count && a.origin == b.origin;  // a table is of one fill
  }
};

}  // namespace lazyfuse::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// into(arrays) = e: an expression with a batch axis, written to as many arrays by one kernel.
#pragma once

#include <lazyfuse/batch/batch.hpp>
#include <lazyfuse/evaluate/into.hpp>
#include <lazyfuse/observe/recording.hpp>

#include <numeric>

namespace lazyfuse {

namespace batch_detail {

/// Stores e into memory that the arrays then have in parts, aligned as vectors of 16 bytes are.
template <class T, int R, class Space, class E, class = maker>
void store_parts(std::span<array<T, R, Space>> to, const E& e) {
  const shape<R + 1>& s = e.shape();
  const auto count = static_cast<index_t>(to.size());
  if (s[0] != count)
    throw_shapes("into", s.extent, R + 1, &count, 1, "do not fit: the second says how many arrays are assigned to");
  shape<R> one;
  for (int k = 0; k < R; ++k) one[k] = s[k + 1];
  if (s.size() == 0) {
    for (array<T, R, Space>& y : to) y = array<T, R, Space>(one);
    return;
  }
  const memory_detail::device_scope<Space> scope(planning::device_for<Space>(nullptr, nullptr, e));
  constexpr index_t unit = 16 / std::gcd(16, int(sizeof(T)));
  const index_t apart = (one.size() + unit - 1) / unit * unit;
  array<T, 1, Space> whole(shape<1>{apart * count}, caller{});
  strides<R + 1> steps = row_major(s);
  steps[0] = apart;
  assign_detail::store<Space, T, R + 1>(whole.unshared(), steps, whole.owner(), e);
  const std::vector<allocation*> parts =
      parts_of(Space{}, whole.owner(), count, static_cast<std::size_t>(apart) * sizeof(T),
               static_cast<std::size_t>(one.size()) * sizeof(T));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    handles<1> own;
    own.memory[0] = parts[i];
    to[i].memory = static_cast<handles<1>&&>(own);
    to[i].tree = {{parts[i], static_cast<const T*>(parts[i]->data)}, one, row_major(one)};
  }
}

/// Arrays that are assigned to together.
template <class T, int R, class Space>
struct destinations {
  std::span<array<T, R, Space>> arrays;
  template <class E, class = maker>
    requires expression<E>
  void operator=(const E& e) && {
    if constexpr (assign_detail::check<T, R + 1, Space, E>()) {
      record_detail::refuse_computing("into");  // a graph would keep the parts' memory, and they are new each time
      store_parts<T, R, Space>(arrays, e.tree);
    }
  }
  template <class E>
    requires(scalar<E> || is_literal<E>)
  void operator=(const E&) && {
    static_assert(!__is_same(E, E), "lazyfuse: into(arrays) = e takes an expression, of one axis more than the arrays");
  }
};

template <class X>
inline constexpr bool is_array = false;
template <class T, int R, class Space>
inline constexpr bool is_array<array<T, R, Space>> = true;
template <class T, int R, class Space>
destinations<T, R, Space> destinations_of(array<T, R, Space>* arrays, std::size_t count) {
  return {{arrays, count}};
}

}  // namespace batch_detail

/// into(ys) = e: array b of a std::vector or std::span becomes e(b), one kernel for all of them; e has an axis more
/// than they have. Their extents may change, as those of an array do that is assigned to. All get new memory, parts of
/// one allocation, which is freed when none of them is left. If it throws, nothing has changed. Throws shape_error
/// unless e has as many elements along its first axis as there are arrays; memory_error.
template <class C>
  requires batch_detail::contiguous<C>
auto into(C&& arrays) {
  using X = std::remove_reference_t<decltype(arrays.data()[0])>;
  constexpr bool written = batch_detail::is_array<X>;
  static_assert(written, "lazyfuse: into writes arrays that are not const, in a std::vector or std::span");
  if constexpr (written) return batch_detail::destinations_of(arrays.data(), arrays.size());
  else return no_destination{};
}

}  // namespace lazyfuse

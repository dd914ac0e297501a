// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of linalg share: their element types, matrices by columns, and what the library says of each.
#pragma once

#include <lazyfuse/array/empty.hpp>
#include <lazyfuse/evaluate/to.hpp>
#include <lazyfuse/expr/grid.hpp>
#include <lazyfuse/linalg/libraries.hpp>
#include <lazyfuse/observe/recording.hpp>

namespace lazyfuse::linalg_detail {

/// What matrices of T are factored in: double, of integers and bool, as NumPy does.
template <class T>
using factored_t = std::conditional_t<integer<T> || boolean<T>, double, T>;
template <class T>
using real_t = part_t<T>;
template <class T>
using complex_t = complex<real_t<T>>;

/// Whether X can be factored; says why not.
template <class X>
constexpr bool takes() {
  using T = factored_t<value_t<X>>;
  constexpr bool matrix = rank_of<X> >= 2, type = real_number<T> || complex_number<T>;
  static_assert(matrix, "lazyfuse: linalg takes matrices: expressions of rank 2 or more");
  static_assert(type || !matrix,
                "lazyfuse: linalg computes in float, double and complex numbers; of 16-bit reals write cast<float>(x)");
  return matrix && type;
}

template <class X, int... I>
constexpr auto turned(const X& x, index_sequence<I...>) {
  return permute_dims<I..., int(sizeof...(I)) + 1, int(sizeof...(I))>(x);
}
/// x with its last two axes exchanged.
template <class X>
constexpr auto turned(const X& x) {
  return turned(x, make_index_sequence<rank_of<X> - 2>{});
}

/// The leading axes, of which each element is a matrix, or a vector.
template <int N, int R>
constexpr shape<N> batch_of(const shape<R>& s) {
  shape<N> batch;
  for (int k = 0; k < N; ++k) batch[k] = s[k];
  return batch;
}
/// The same, and then these.
template <int N, int R, class... I>
constexpr auto batch_and(const shape<R>& s, I... extents) {
  shape<N + int(sizeof...(I))> all;
  for (int k = 0; k < N; ++k) all[k] = s[k];
  int k = N;
  ((all[k++] = extents), ...);
  return all;
}

/// x in memory of its own, by rows: the transposes of its matrices by columns.
template <class T, class X, class = maker>
auto by_rows(const X& x) {
  return array<T, rank_of<X>, result_space<X>>(cast<T>(x));
}
/// x in memory of its own, by columns: an array of the transposes.
template <class T, class X, class = maker>
auto by_columns(const X& x) {
  return array<T, rank_of<X>, result_space<X>>(cast<T>(turned(x)));
}
/// The matrices by columns whose transposes an array has, to be written: it alone then owns its memory.
template <class T, int R, class Space>
matrices matrices_in(array<T, R, Space>& a) {
  const shape<R> s = a.shape();
  return {dtype_of<T>, batch_of<R - 2>(s).size(), s[R - 1], s[R - 2], a.size() > 0 ? a.data() : nullptr};
}

/// An int for each matrix of the batch, 0.
template <class Space, int N>
auto new_info(const shape<N>& batch) {
  array<int, N, Space> info(batch, caller{});
  if (info.owner())
    memory_detail::zero(Space{}, info.owner(), info.unshared(), static_cast<std::size_t>(info.size()) * sizeof(int));
  return info;
}
/// Waits on the GPU, since the library's answer lies there.
template <int N, class Space, class = maker>
void check(const char* operation, failure problem, const array<int, N, Space>& info) {
  const array<int, N, host> answers = to<host>(info);
  check_info(operation, problem, answers.data(), answers.shape().extent, N);
}

template <class X>
void check_square(const char* operation, const X& x, caller where) {
  constexpr int R = rank_of<X>;
  if (x.shape()[R - 2] != x.shape()[R - 1])
    throw_shape(operation, x.shape().extent, R, "has matrices that are not square", where);
}

/// The identity, for each of a batch.
template <class T, int R>
auto identities(const shape<R>& s) {
  return broadcast_to(eye<T>(s[R - 2], s[R - 1]), s);
}

/// What is in force while a function of linalg runs: where it was called, and the GPU of its operands.
template <class Space>
struct call_scope {
  asked_at at;
  memory_detail::device_scope<Space> device;
  template <class X>
  call_scope(const X& x, caller where) : at(where), device(array_detail::device_of(x)) {
    record_detail::refuse_computing("a function of linalg");
  }
  template <class X, class Y>
  call_scope(const X& x, const Y& y, caller where)
      : at(where), device(array_detail::device_of(x) < 0 ? array_detail::device_of(y) : array_detail::device_of(x)) {
    record_detail::refuse_computing("a function of linalg");
  }
};

}  // namespace lazyfuse::linalg_detail

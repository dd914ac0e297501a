// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a graph has beside kernels: copies between the host and the GPU, and functions of one's own.
#pragma once

#include <lazyfuse/evaluate/to.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/record/record.hpp>

#include <functional>
#include <vector>

namespace lazyfuse {

namespace record_detail {
void record_copy(const elements& to, bool to_host, const elements& from, bool from_host, std::size_t bytes);
void record_call(std::function<void()> f, const std::vector<use_of_memory>& memory);

template <class A>
inline constexpr bool is_array_of = false;
template <class T, int R, class Space>
inline constexpr bool is_array_of<array<T, R, Space>> = true;
/// An array that a function reads if it is const, else writes, too.
template <class A>
use_of_memory used(A& x) {
  return {x.owner(), !std::is_const_v<A>, !space_traits<typename A::space>::on_device};
}
}  // namespace record_detail

/// copyto(y, x): y's elements become those of x, which has the same type and shape and may live in another space.
/// Within record(f) it is a node of the graph: each launch copies what x holds by then, to the host without waiting, so
/// that y is read after synchronize(). Else it is done at once. Throws shape_error. \numpy{copyto}
template <class T, int R, class To, class From, class = maker>
void copyto(array<T, R, To>& y, const array<T, R, From>& x, caller where = caller::here()) {
  if (!(y.shape() == x.shape())) throw_shapes("copyto", y.shape().extent, R, x.shape().extent, R, "differ", where);
  const asked_at at(where);
  const auto bytes = static_cast<std::size_t>(x.size()) * sizeof(T);
  if (record_detail::records())
    record_detail::record_copy({y.owner(), std::as_const(y).data()}, !space_traits<To>::on_device,
                               {x.owner(), x.data()}, !space_traits<From>::on_device, bytes);
  else if constexpr (__is_same(To, From)) y = x;
  else if (bytes > 0) {
    auto* const to = y.data();  // of its own from here on
    memory_detail::copy(To{}, y.owner(), to, From{}, x.owner(), x.data(), bytes);
  }
}

/// call(f, x, y...): within record(f) a node that calls a function without parameters on the host. It runs after what
/// uses the arrays before it, and before what uses them later; what it writes must not be const here. On the GPU's side
/// it must not call CUDA or evaluate there, and runs on a thread of CUDA's: what it throws, the next launch throws.
/// Else it is called at once, after all that was given to the GPU.
template <class F, class... A>
void call(F&& f, A&... x) {
  constexpr bool callable = std::is_invocable_v<F&>;
  static_assert(callable, "lazyfuse: call takes a function without parameters, and the arrays that it uses");
  constexpr bool arrays = (record_detail::is_array_of<std::remove_const_t<A>> && ...);
  static_assert(arrays, "lazyfuse: call takes a function without parameters, and the arrays that it uses");
  if constexpr (callable && arrays) {
    if (record_detail::records()) record_detail::record_call(static_cast<F&&>(f), {record_detail::used(x)...});
    else {
      synchronize();
      f();
    }
  }
}

}  // namespace lazyfuse

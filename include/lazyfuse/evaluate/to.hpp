// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values in memory of another space, or of another GPU.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse {

/// The value of e in memory of another space; the same array if it is there already. Waits only for copies to the host.
template <memory_space To, class E, class = maker>
  requires expression<E>
auto to(const E& e, caller where = caller::here()) {
  const asked_at at(where);
  using From = result_space<E>;
  if constexpr (__is_same(expression_space_t<E>, anywhere)) return array<value_t<E>, rank_of<E>, To>(e);
  else if constexpr (__is_same(From, To)) return materialize(e);
  else {
    const array<value_t<E>, rank_of<E>, From> x(e);
    array<value_t<E>, rank_of<E>, To> r(x.shape());
    const auto bytes = static_cast<std::size_t>(x.size()) * sizeof(value_t<E>);
    if (bytes > 0) memory_detail::copy(To{}, r.owner(), r.unshared(), From{}, x.owner(), x.data(), bytes);
    return r;
  }
}

/// to(e, device{1}), to<cuda>(e, device{1}): the value of e on a GPU. The same array if it is there already; an
/// expression over arrays of another GPU is evaluated on that one, and its value copied from there, without waiting.
/// Expressions without arrays are evaluated on the GPU that is named. Throws device_error if there is no such GPU.
template <memory_space To = cuda, class E, class = maker>
  requires expression<E>
auto to(const E& e, device d, caller where = caller::here()) {
  constexpr bool has_devices = space_traits<To>::on_device;
  static_assert(has_devices, "lazyfuse: there are several devices in the space lf::cuda only; write to<lf::host>(e)");
  using space = expression_space_t<E>;
  using result = array<value_t<E>, rank_of<E>, To>;
  memory_detail::check_device(d.number, "to", where);
  const asked_at at(where);
  const auto moved = [&](const auto& x) {
    const memory_detail::device_scope<To> scope(d.number);
    result r(x.shape(), caller{});
    const auto bytes = static_cast<std::size_t>(x.size()) * sizeof(value_t<E>);
    if (bytes > 0) memory_detail::copy(To{}, r.owner(), r.unshared(), space{}, x.owner(), x.data(), bytes);
    return r;
  };
  if constexpr (__is_same(space, anywhere)) {
    const memory_detail::device_scope<To> scope(d.number);
    return result(e);
  } else {
    const array<value_t<E>, rank_of<E>, space> x(e);
    if constexpr (__is_same(space, To)) {
      if (x.device() == d) return x;
    }
    return moved(x);
  }
}

}  // namespace lazyfuse

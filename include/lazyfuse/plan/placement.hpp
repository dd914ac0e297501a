// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On which of several devices an expression is evaluated: where the arrays are that it reads.
#pragma once

#include <lazyfuse/expr/barrier.hpp>
#include <lazyfuse/plan/bind.hpp>

namespace lazyfuse::planning {

namespace placement_detail {

/// The device of the first leaf that is on one; -1 if none is. With an operation's name it throws device_error if
/// another one is on another device.
int device_of(const leaf_record* leaves, int count, const char* operation);

template <class E>
int device_of(const E& e, const char* operation);

template <class E>
int behind_barriers(const E& e, const char* operation);
template <class Kind, class A, int R>
int look_behind(const leaf<deferred<Kind, A>, R>& e, const char* operation) {
  if constexpr (Kind::in_kernel) return behind_barriers(e.source.argument, operation);
  else return device_of(e.source.argument, operation);
}
template <class Op, int... I, class... A>
int look_behind(const map_expr<Op, index_sequence<I...>, A...>& e, const char* operation) {
  int found = -1;
  ((found = found < 0 ? behind_barriers(static_cast<const element<I, A>&>(e.arguments).value, operation) : found), ...);
  return found;
}
template <class E>
int behind_barriers(const E& e, const char* operation) {
  if constexpr (has_barrier<E>) return look_behind(e, operation);
  else return -1;
}

template <class E>
int device_of(const E& e, const char* operation) {
  int found = -1;
  constexpr int leaves_of_e = lower_detail::leaf_count<E>;
  if constexpr (leaves_of_e > 0) {
    const lower_detail::leaves<E> all(e);
    found = device_of(all.record, all.count, operation);
  }
  return found < 0 ? behind_barriers(e, operation) : found;
}

}  // namespace placement_detail

/// The device on which trees are evaluated: that of what they read, else that of the memory `to` (null: new memory),
/// else -1. With an operation's name it throws device_error where leaves before any barrier read memory of two devices;
/// else the kernel that does will throw.
template <class Space, class... E>
int device_for(const char* operation, const allocation* to, const E&... e) {
  int found = -1;
  if constexpr (space_traits<Space>::on_device) {
    if (memory_detail::several_devices(Space{})) {
      ((found = found < 0 ? placement_detail::device_of(e, operation) : found), ...);
      if (found < 0 && to) found = to->device;
    }
  }
  return found;
}

}  // namespace lazyfuse::planning

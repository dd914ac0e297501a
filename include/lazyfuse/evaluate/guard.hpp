// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked builds: before a kernel is launched its operands are compared with their memory, and on a device its
// pointers get bounds.
#pragma once

#include <lazyfuse/evaluate/execution.hpp>

namespace lazyfuse::run_detail {

/// The elements that an operand or target has in an iteration: from the first to one beyond the last.
struct element_range {
  const void *begin, *end;
};

/// Fills in the ranges of targets and operands over an iteration. Throws index_error, which names the program, if one
/// is not within its allocation, as far as that is known: arrays, and borrowed memory of a device. Returns where the
/// kernel leaves its overruns, one for each, or null on the host.
overrun* check_ranges(const char* program, const operand_info* info, int targets, int count, const index_t* extents,
                      int rank, bool on_device, element_range* ranges);
/// Throws index_error if the kernel launched last by this thread, which has ended, has left an overrun.
void check_overruns(const char* program, int targets);

template <class T>
void limit(bounded<T>& p, const element_range& r, overrun* report) {
  p.begin = static_cast<T*>(const_cast<void*>(r.begin));
  p.end = static_cast<T*>(const_cast<void*>(r.end));
  p.report = report;
}
template <class T>
void limit(T*, const element_range&, overrun*) {}
/// Of an operand or target, or of what a source reads through a map.
template <class O>
void limit_in(O& o, const element_range& r, overrun* report) {
  if constexpr (requires { o.data; }) limit(o.data, r, report);
  else if constexpr (requires { o.source; }) limit_in(o.source, r, report);
}

template <class Space, int R, int Targets, class Operands, class To, int... I, int... J>
void guard(const char* program, const shape<R>& s, Operands& operands, To& targets, const operand_info* info,
           index_sequence<I...>, index_sequence<J...>) {
  constexpr int count = int(sizeof...(I) + sizeof...(J));
  element_range ranges[count + 1];
  overrun* const report =
      check_ranges(program, info, Targets, count, s.extent, R, space_traits<Space>::on_device, ranges);
  if (report == nullptr) return;
  const auto one = [&](auto& o, int i) { limit_in(o, ranges[i], report + i); };
  (one(get<J>(targets), J), ...);
  (one(get<I>(operands), Targets + I), ...);
}

/// Throws error: a kernel that only run time makes was there when its plan was made, and is not now.
[[noreturn]] void throw_not_made();

/// What every kernel waits for: its memory is ready, and in a checked build it is there.
template <class Space, int R, class Bound, int K, class... T>
void make_ready(const char* program, const shape<R>& s, Bound& bound, target_pack<K, T...>& targets) {
  constexpr int targets_count = int(sizeof...(T));
  backend<Space>::before(bound.info, targets_count, targets_count + Bound::count);
  if constexpr (checked_build)
    guard<Space, R, targets_count>(program, s, bound.operands, targets, bound.info, make_index_sequence<Bound::count>{},
                                   make_index_sequence<targets_count>{});
}

}  // namespace lazyfuse::run_detail

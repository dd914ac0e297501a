// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// record: the kernels of a function's evaluations, kept in place of launched.
#pragma once

#include <lazyfuse/record/executor.hpp>
#include <lazyfuse/record/graph.hpp>

#include <type_traits>

namespace lazyfuse {

/// record(f): calls f, and keeps the kernels of what it evaluates in a graph in place of launching them: nothing is
/// computed before the graph is launched. In programs for the GPU they are the GPU's; record<lf::host>(f) has those of
/// the host. Expressions fuse as ever. What f asks elements for (item, printing, how many a mask selects), and what is
/// computed by other means than kernels of expressions (linear algebra, Fourier transforms, sorting, assignments by
/// indices) throws graph_error, and so does what f evaluates in the other space. If f throws, nothing is kept.
template <memory_space Space = default_space, class F>
graph record(F&& f, caller where = caller::here()) {
  constexpr bool callable = std::is_invocable_v<F>;
  static_assert(callable, "lazyfuse: record takes a function without parameters, as in record([&] { y = x + 1; })");
  if constexpr (callable) {
    record_detail::recording records(
        [&] {
          const asked_at at(where);
          return record_detail::new_executor(Space{});
        }(),
        space_traits<Space>::on_device);
    static_cast<F&&>(f)();
    const asked_at at(where);
    return graph(records.finish());
  } else return graph(nullptr);
}

}  // namespace lazyfuse

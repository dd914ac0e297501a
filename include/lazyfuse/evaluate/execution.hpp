// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an evaluation is told and tells: run for real, or only report (explain, trace); which plan to take.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/observe/trace.hpp>
#include <lazyfuse/plan/traffic.hpp>

#include <cstdint>

namespace lazyfuse {

/// How a kernel over rows goes; passes: 0 for other kernels.
struct row_report {
  int passes = 0;
  const char* const* programs = nullptr;  ///< the reductions of each pass but the last, as the compiler spells them
  const void* program = nullptr;          ///< tells programs apart, for tune
  index_t rows = 0, length = 0;
  row_homes homes;
};

/// What run() would do, one entry per kernel, with the operands it reads.
struct plan_record {
  const char* program;
  const char* pattern;
  const char* path;
  const char* space;
  const char* because;  ///< why it is a kernel of its own; null where the expression asks for it
  index_t elements, read, distinct, written;
  int rank;
  index_t extents[max_rank];
  int targets, operands;
  bool shared;
  row_report rows;
  work costs;
};

inline constexpr const char* backend_refuses =
    "the device cannot run it: its blocks at a time, their results in shared memory, or rows of that length";

/// Which of the plans of an expression whose reductions are broadcast back: one kernel over rows, or an array for each
/// reduction.
enum class plan_choice { automatic, rows, cut };

/// How to run: for real, or (explain) only telling a listener.
struct execution {
  void (*listen)(void*, const plan_record&, const operand_info*, const dtype*) = nullptr;
  /// Hears of plans that are not possible, and why; may be null.
  void (*refused)(void*, const char* plan, const char* reason) = nullptr;
  void* listener = nullptr;
  plan_choice choice = plan_choice::automatic;
  const char* because = nullptr;

  bool dry() const { return listen != nullptr; }
  void refuse(const char* plan, const char* reason) const {
    if (refused) refused(listener, plan, reason);
  }
  /// The same for a part of the expression that is computed first.
  execution part(const char* why) const { return {listen, refused, listener, plan_choice::automatic, why}; }
};

namespace run_detail {

/// What stands for the memory of temporary n in a plan that does not run: aligned, and no address of a program.
inline void* planned_memory(int n) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that nobody follows
  return reinterpret_cast<void*>((std::uintptr_t{1} << 62) + (static_cast<std::uintptr_t>(n) << 44));
}
inline bool is_planned(const void* data) { return (reinterpret_cast<std::uintptr_t>(data) >> 62) == 1; }

/// Its address stands for a program over rows in a space.
template <class Space, class Plan>
inline constexpr char tuning_key = 0;
/// What tune has found out about rows of that class; automatic where it has not.
plan_choice remembered_choice(const row_report& rows);

/// The compiler's spelling of a list of programs.
template <class Programs>
const char* spelling() {
  return __PRETTY_FUNCTION__;
}

/// Tells traces of a kernel that was launched, and does what LAZYFUSE_EXPLAIN and LAZYFUSE_SYNC ask for.
void launched(const plan_record& record, const operand_info* info, const dtype* types, const machine& m,
              const trace_detail::launching& now);

template <class L>
struct dtypes_of;
template <class... Src>
struct dtypes_of<list<Src...>> {
  static constexpr dtype value[sizeof...(Src) + 1] = {dtype_of<typename Src::value_type>...};
};

/// What an element of sources costs that are computed: vectors of the host need a third of what their cost says.
/// Devices make them while they wait for memory.
template <class Space, class... Src>
constexpr int cost_of_sources(list<Src...>) {
  return __is_same(Space, host) ? (0 + ... + source_cost<Src>) / 3 : 0;
}

template <class Space, int Share, class Sources, class Programs, int R>
void tell(const execution& x, const trace_detail::launching& now, const char* pattern, const char* path,
          const shape<R>& s, const shape<R>& out, const operand_info* info, int targets, int cost,
          const row_report& rows = {}) {
  const index_t read = asked_bytes(s.extent, R, info + targets, Sources::size),
                distinct = distinct_bytes(s.extent, R, info + targets, Sources::size),
                written = asked_bytes(out.extent, R, info, targets);
  const double operations = static_cast<double>(s.size()) * (cost + cost_of_sources<Space>(Sources{}));
  const work touched{distinct, written, 0, operations, 1, 0};
  plan_record r{spelling<Programs>(),
                pattern,
                path,
                Space::name,
                x.because,
                s.size(),
                read,
                distinct,
                written,
                R,
                {},
                targets,
                Sources::size,
                Share > 0,
                rows,
                rows.passes > 0 ? work_of_rows(rows.homes, touched, rows.passes - 1) : touched};
  for (int k = 0; k < R; ++k) r.extents[k] = s[k];
  const dtype* const types = dtypes_of<Sources>::value;
  if (x.dry()) x.listen(x.listener, r, info, types);
  else launched(r, info, types, now.explained() ? backend<Space>::machine() : machine{}, now);
}

}  // namespace run_detail

}  // namespace lazyfuse

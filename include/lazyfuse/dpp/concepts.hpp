// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What patterns ask of plans, and plans of kernels.
#pragma once

#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/dpp/patterns.hpp>

namespace lazyfuse::dpp {

/// A plan has the extents s of its iteration over `rank` axes, the operands bound with their `sources`, and the targets
/// to.
template <class T>
concept plan = requires(T& p) {
  typename T::sources;
  requires T::rank >= 0;
  p.s.extent;
  p.bound.operands;
  p.to;
};

namespace concepts_detail {
template <class Pattern, class Plan>
inline constexpr bool has_extras = true;
template <class Schedule, class Plan>
inline constexpr bool has_extras<packed<Schedule>, Plan> = requires(Plan& p) {
  p.arrays->sizes;
};
template <class Staged, class Plan>
inline constexpr bool has_extras<packed_rows<Staged>, Plan> = requires(Plan& p) {
  p.arrays->sizes;
};
template <class Set, class Epilogue, int K, class Plan>
inline constexpr bool has_extras<reduce<Set, Epilogue, K>, Plan> = requires(Plan& p) {
  requires standard::is_same_v<decltype(p.along_kept), bool>;
};
template <class Staged, int Outer, bool Columns, class Plan>
inline constexpr bool has_extras<rows<Staged, Outer, Columns>, Plan> = requires(Plan& p) {
  requires standard::is_same_v<decltype(p.rows.one_result), bool>;
  p.rows.where.again_bytes;
};
}  // namespace concepts_detail

/// A plan with what its pattern asks for besides (patterns.hpp).
template <class Plan, class Pattern>
concept plan_of = plan<Plan> && concepts_detail::has_extras<Pattern, Plan>;

/// What runs a plan: a kernel<Pattern, Space>, for example.
template <class Kernel, class Plan>
concept runs_plan = plan<Plan> && requires(Plan& p) {
  typename Kernel::geometry;
  requires standard::is_same_v<decltype(Kernel::path(p)), const char*>;
  requires standard::is_same_v<decltype(Kernel::launch(p)), void>;
};

}  // namespace lazyfuse::dpp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of the kernels of an evaluation: they are launched, or a list keeps their plans.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/core/characters.hpp>
#include <lazyfuse/evaluate/plan_list.hpp>
#include <lazyfuse/observe/trace.hpp>

namespace lazyfuse {

inline constexpr const char* backend_refuses =
    "the device cannot run it: too few of its blocks run at a time, or the rows are too long for its shared memory";

/// Which of the plans of an expression whose reductions are broadcast back: one kernel over rows, or an array for each
/// reduction.
enum class plan_choice { automatic, rows, cut };

struct execution;
class shared_launches;
namespace graph_detail {
struct graph_values;
}  // namespace graph_detail

/// What becomes of the plans of an evaluation, one after the other: each is launched, or a list keeps them.
struct execution {
  plan_list* list = nullptr;
  plan_choice choice = plan_choice::automatic;
  const char* because = nullptr;
  graph_detail::graph_values* values = nullptr;  ///< of graphs, that are in memory by now (evaluate/graph.hpp)
  shared_launches* together = nullptr;           ///< where short kernels wait for others (evaluate/shared_launches.hpp)

  /// Whether kernels run, now or later, and their results need memory.
  bool has_memory() const { return !list || list->has_memory(); }
  /// Whether the backend can do it.
  bool take(planning::kernel_plan& p) const;
  void refuse(const char* plan, const char* reason) const {
    if (list) list->refuse(plan, reason);
  }
  /// The same for a part of the expression that is computed first.
  execution for_part(const char* why) const { return {list, plan_choice::automatic, why, values, together}; }
};

namespace run_detail {

using namespace planning;

/// What tune has found out about rows of that class; automatic where it has not.
plan_choice remembered_choice(const row_report& rows);

/// "gamma_curve ", of an element type that NumPy has no name for.
template <class T>
inline constexpr auto struct_word =
    characters_detail::joined<characters_detail::length(type_name<T>.text, " ")>(type_name<T>.text, " ");
template <class T>
constexpr const char* name_of_struct() {
  if constexpr (dtype_of<T> == dtype::other) return struct_word<T>.text;
  else return "";
}
template <class... T>
inline constexpr auto names_of_structs =
    characters_detail::joined<characters_detail::length(name_of_struct<T>()...)>(name_of_struct<T>()...);

/// What has no name where there are no types.
template <class Src, bool Spelled>
constexpr const char* spelling_of() {
  constexpr bool has_name =
      kind_of_source<Src> != source_kind::other && dtype_of<typename Src::value_type> != dtype::other;
  if constexpr (Spelled && !has_name) return characters_detail::spelling<Src>();
  else return nullptr;
}
/// Spelled: a kernel is written that names them.
template <class L, bool Spelled = false>
struct types_of;
template <bool Spelled, class... Src>
struct types_of<list<Src...>, Spelled> {
  static constexpr operand_type value[sizeof...(Src) + 1] = {{dtype_of<typename Src::value_type>, kind_of_source<Src>,
                                                              sizeof(Src), alignof(Src), element_bytes<Src>,
                                                              spelling_of<Src, Spelled>()}...};

  static constexpr const char* structs() {
    if constexpr (((dtype_of<typename Src::value_type> == dtype::other) || ...))
      return names_of_structs<typename Src::value_type...>.text;
    else return "";
  }
};

/// Whether nothing is compiled with the program for this space.
template <class Space>
inline constexpr bool makes_all_kernels = requires {
  backend<Space>::makes_all;
};

/// How several kernels of a backend are launched as one; null where they are not.
template <class Backend>
constexpr const shared_launch* launched_together() {
  if constexpr (requires { Backend::together; }) return Backend::together;
  else return nullptr;
}

/// What an element of sources costs that are computed: vectors of the host need half of what their cost says, and write
/// ranges of numbers first. Devices make them while they wait for memory.
template <class Space, class... Src>
constexpr int cost_of_sources(list<Src...>) {
  return backend<Space>::in_vectors
             ? (0 + ... + (source_cost<Src> / 2 + (kind_of_source<Src> == source_kind::ramp ? 5 : 0)))
             : 0;
}

}  // namespace run_detail

}  // namespace lazyfuse

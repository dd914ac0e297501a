// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend of files that a C++ compiler compiles: all of their kernels are made when the program runs.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/shares.hpp>
#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/backend/cuda/runtime/runtime.hpp>

namespace lazyfuse {

template <>
struct backend<made_in<cuda>> {
  static constexpr const char* name = "cuda";
  static constexpr bool in_vectors = false;
  static constexpr bool makes_all = true;
  static constexpr const planning::shared_launch* together = &cuda_detail::made_together;

  static planning::machine machine() { return cuda_detail::this_machine(); }
  static const char* make_rows(planning::kernel_plan& p) { return cuda_detail::make_path(p); }
  static bool would_make(const planning::kernel_plan&) { return true; }
  static bool launch_made(const planning::kernel_plan& p) {
    cuda_detail::launch_only_made(p);
    return true;
  }
  static void before(const planning::operand_info* info, int targets, int count) {
    cuda_detail::before(info, targets, count);
  }
};

namespace cuda_detail {

/// Names that others may have, too, begin with an apostrophe (program/code.hpp).
constexpr bool names_foreign(const char* code) {
  for (; *code != '\0'; ++code)
    if (*code == '\'') return true;
  return false;
}
/// Whether a type can be named anywhere: in "... [with T = lazyfuse::half]".
template <class T>
constexpr bool is_ours() {
  if (dtype_of<T> != dtype::other) return true;
  constexpr const char* ours = "T = lazyfuse::";
  for (const char* at = characters_detail::spelling<T>(); *at != '\0'; ++at) {
    int n = 0;
    while (ours[n] != '\0' && at[n] == ours[n]) ++n;
    if (ours[n] == '\0') return true;
  }
  return false;
}
template <class... Source>
constexpr bool are_ours(list<Source...>) {
  return (is_ours<typename Source::value_type>() && ...);
}
/// Sentences about what cannot be written down for a compiler at run time.
template <class Plan>
constexpr void check_made() {
  constexpr bool only_ours = !names_foreign(Plan::code);
  static_assert(only_ours,
                "lazyfuse: functions and operations of your own need a file that nvcc compiles, which includes "
                "<lazyfuse/cuda.cuh>: elsewhere kernels are made at run time, of the library's operations");
  constexpr bool only_our_types = !only_ours || are_ours(typename Plan::sources{});
  static_assert(only_our_types,
                "lazyfuse: elements of types of your own need a file that nvcc compiles, which includes "
                "<lazyfuse/cuda.cuh>: elsewhere kernels are made at run time, of the library's element types");
}

/// What every pattern is where kernels are made at run time: its plan, a value, says all.
struct made_pattern {
  struct geometry {};
  template <class Plan>
  static const char* path(Plan& p) {
    check_made<Plan>();
    return make_path(p);
  }
};

}  // namespace cuda_detail

template <class Schedule>
struct kernel<dpp::transform<Schedule>, made_in<cuda>> : cuda_detail::made_pattern {};
template <class Schedule>
struct kernel<dpp::packed<Schedule>, made_in<cuda>> : cuda_detail::made_pattern {};
template <class Staged>
struct kernel<dpp::packed_rows<Staged>, made_in<cuda>> : cuda_detail::made_pattern {};
template <class Set, class Epilogue, int K>
struct kernel<dpp::reduce<Set, Epilogue, K>, made_in<cuda>> : cuda_detail::made_pattern {};
template <class Schedule>
struct kernel<dpp::select<Schedule>, made_in<cuda>> : cuda_detail::made_pattern {};
template <class Set, class Epilogue, bool Beside>
  requires(!Beside || cuda_detail::columns_fit<Set>)
struct kernel<dpp::scan<Set, Epilogue, Beside>, made_in<cuda>> : cuda_detail::made_pattern {};

}  // namespace lazyfuse

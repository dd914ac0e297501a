// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/launch/made.hpp>
#include <lazyfuse/backend/cuda/launch/packed.cuh>
#include <lazyfuse/backend/cuda/launch/reduce.cuh>
#include <lazyfuse/backend/cuda/launch/rows.cuh>
#include <lazyfuse/backend/cuda/launch/scan.cuh>
#include <lazyfuse/backend/cuda/launch/select.cuh>
#include <lazyfuse/backend/cuda/launch/transform.cuh>

namespace lazyfuse {

template <>
struct backend<cuda> {
  static constexpr const char* name = "cuda";
  static constexpr bool in_vectors = false;
  static constexpr const planning::shared_launch* together = &cuda_detail::made_together;

  static planning::machine machine() { return cuda_detail::this_machine(); }

  /// Whether a kernel that is made when the program runs pays; the path of one where nothing else was compiled, or
  /// null; whether a library computes products of matrices of such elements, and all of a plan; and the launch, or
  /// false.
  static bool would_make(const planning::kernel_plan& p) { return cuda_detail::would_make(p); }
  static const char* make_rows(planning::kernel_plan& p) { return cuda_detail::make_rows(p); }
  static bool multiplies(dtype factors, dtype result) { return cuda_detail::would_multiply(factors, result); }
  static bool multiplies(const planning::kernel_plan& p) { return cuda_detail::would_multiply(p); }
  static bool launch_made(const planning::kernel_plan& p) { return cuda_detail::launch_made(p); }

  static void before(const planning::operand_info* info, int targets, int count) {
    cuda_detail::before(info, targets, count);
  }
};

}  // namespace lazyfuse

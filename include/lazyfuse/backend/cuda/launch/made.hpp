// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are made when a program runs: types cannot tell which operands of an expression are one array, but its
// values can.
#pragma once

#include <lazyfuse/plan/kernel_plan.hpp>

namespace lazyfuse {

/// When kernels for the GPU are made at run time, by NVRTC: never; where operands turn out to be one array, and a
/// kernel that reads them once saves enough, and where functions of rows of several arrays are one kernel so; or
/// wherever that is possible.
enum class jit { off, when_it_pays, always };
/// For the evaluations that follow, of all threads. In the beginning the environment variable LAZYFUSE_JIT says it:
/// off, when_it_pays or always; without it, jit::when_it_pays. Results do not depend on it but for the bits of sums of
/// products, where compilers are free to round once (fused multiply-add). Checked builds make no kernels.
void use_jit(jit policy);
jit current_jit();
/// How many kernels this process has compiled so far.
long kernels_compiled();

namespace cuda_detail {

/// Launches a kernel that reads operands which are one only once, compiled when it is first needed. False where that
/// does not pay or cannot be done: then the kernel that was compiled with the program runs, if there is one.
bool launch_made(const planning::kernel_plan& p);
/// Whether it would try to.
bool would_make(const planning::kernel_plan& p);
/// Makes the kernel of rows that were not compiled with the program, and says where they stay. Returns the path; null
/// if that cannot be done.
const char* make_rows(planning::kernel_plan& p);

}  // namespace cuda_detail

}  // namespace lazyfuse

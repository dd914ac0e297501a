// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are made when a program runs: types cannot tell which operands of an expression are one array, but its
// values can.
#pragma once

#include <lazyfuse/backend/backend.hpp>
#include <lazyfuse/backend/cuda/kernels/parts_layout.hpp>
#include <lazyfuse/plan/graph.hpp>

#include <string>

namespace lazyfuse {

/// When kernels for the GPU are made at run time, by NVRTC: never; where operands turn out to be one array, or are
/// broadcast, and a kernel that reads them once saves enough, and where functions of rows of several arrays are one
/// kernel so; or wherever that is possible.
enum class jit { off, when_it_pays, always };
/// For the evaluations that follow, of all threads. In the beginning the environment variable LAZYFUSE_JIT says it:
/// off, when_it_pays or always; without it, jit::when_it_pays. Results do not depend on it but for the bits of sums: of
/// products, where compilers are free to round once (fused multiply-add), and of what is broadcast, which is added in
/// another order. Checked builds make no kernels.
void use_jit(jit policy);
jit current_jit();
/// How many kernels this process has compiled so far.
long kernels_compiled();

/// Writes the kernels that were made at run time for this process so far, and those it has loaded, to one file, from
/// which other processes take them without compiling anything. They run on GPUs of the same architecture, with the same
/// version of this library. The environment variable LAZYFUSE_PACK names a file that is written when the process ends.
/// Throws file_error.
void pack_kernels(const std::string& file);
/// Takes kernels from such a file, or before the first one is needed from that which the environment variable
/// LAZYFUSE_BUNDLE names; returns how many there are. They are machine code: a file that others may write is to be
/// trusted as a program is. Throws file_error where it cannot be read, is no such file or has been damaged.
int load_kernels(const std::string& file);

namespace cuda_detail {

/// Launches a kernel that reads operands which are one only once, compiled when it is first needed. False where that
/// does not pay or cannot be done: then the kernel that was compiled with the program runs, if there is one.
bool launch_made(const planning::kernel_plan& p);
/// Whether it would try to.
bool would_make(const planning::kernel_plan& p);
/// Whether a library computes products of matrices of such elements, where a kernel would be made for them.
bool would_multiply(dtype factors, dtype result);
/// Whether a library computes all of a reduction, what is computed of its products included.
bool would_multiply(const planning::kernel_plan& p);
/// Makes the kernel of rows that were not compiled with the program, and says where they stay. Returns the path; null
/// if that cannot be done.
const char* make_rows(planning::kernel_plan& p);

/// Of plans in files for which no compiler makes kernels: the path of the kernel, whose making is left to the launch,
/// but for rows, where it is null if they have to be cut. Throws error if it cannot be made anywhere.
const char* make_path(planning::kernel_plan& p);
/// What the compiler says of definitions in a kernel's source; nothing if it takes them, or there is none.
std::string check_source(const std::string& definitions, const std::string& operation);
/// Launches it. Throws error, which says what is missing.
void launch_only_made(const planning::kernel_plan& p);
/// Whether a transform can be a part of a launch with others, and the launch; false: nothing has been launched.
bool can_be_part(const planning::kernel_plan& p);
bool start_parts(planning::kernel_plan* const* plans, int count);
inline constexpr planning::shared_launch made_together{most_parts, can_be_part, start_parts};

}  // namespace cuda_detail

/// Graphs that are put together while the program runs have no other kernels.
template <>
struct kernel<dpp::graph, cuda> {
  static constexpr int most_steps = 128;  ///< compilers take longer than in proportion for more
  static constexpr const planning::shared_launch* together = &cuda_detail::made_together;
  static const char* path(planning::graph_plan& p) { return cuda_detail::make_path(p); }
  static void launch(const planning::graph_plan& p) { cuda_detail::launch_only_made(p); }
  static std::string check(const std::string& definitions, const std::string& operation) {
    return cuda_detail::check_source(definitions, operation);
  }
};
template <>
struct kernel<dpp::graph, made_in<cuda>> : kernel<dpp::graph, cuda> {};

}  // namespace lazyfuse

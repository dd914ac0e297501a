// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of an evaluation as a value: a list of plans, and the memory between them. It is launched as often as one
// likes, described, timed against another one, or looked at by a test (compiled).
#pragma once

#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/plan/kernel_plan.hpp>

#include <vector>

namespace lazyfuse {

/// Decides a kernel, unless that was done, launches it, and tells who watches. Its path stays null if the backend
/// refuses.
void launch(planning::kernel_plan& p);

/// A plan that is not possible, and why; both live as long as the program.
struct refusal {
  const char *plan, *reason;
};

/// What run() leaves in an execution{&list}. Plans are kept as bytes, so that no type of expression or program adds
/// code to it.
class plan_list {
 public:
  /// To be described: nothing is allocated on a device.
  plan_list();
  /// To be launched, with memory between the kernels on this device; -1 where that does not matter.
  explicit plan_list(int device);
  plan_list(plan_list&& other) noexcept;
  plan_list& operator=(plan_list&& other) noexcept;
  plan_list(const plan_list&) = delete;
  plan_list& operator=(const plan_list&) = delete;
  ~plan_list();

  /// Begins anew, to be launched. What was allocated is used again where it fits.
  void restart(int device);

  int size() const;
  planning::kernel_plan& operator[](int i) const;
  const std::vector<refusal>& refused() const;
  /// How the last kernel, that of the whole expression, goes over rows; without passes if it does not.
  planning::row_report rows() const;
  /// Whether a kernel of this list writes what another one reads there.
  bool is_between(const planning::operand_info& o) const;
  bool has_memory_between() const;

  /// Launches all, in their order. Throws error if the backend refuses one now.
  void launch();

  // For run().
  bool has_memory() const;
  /// Decides how a kernel goes and keeps it. False if the backend refuses it.
  bool take(const planning::kernel_plan& p);
  void refuse(const char* plan, const char* reason);
  /// The handle to the next memory between kernels, which is empty unless it has so many bytes.
  handles<1>& memory(std::size_t bytes);
  /// What stands for that memory where there is none.
  void* stand_in();
  /// What plans point to.
  void keep(const handles<1>& what);

 private:
  struct contents;
  contents* contents_;  ///< null where moved from: then it may only be destroyed or assigned to
};

namespace run_detail {

/// Addresses that nobody follows stand for memory that is planned and not allocated: of the results of several
/// expressions, and between kernels.
enum class planned { result, between };
void* planned_memory(planned what, int n);
bool is_planned(const void* data);

}  // namespace run_detail

}  // namespace lazyfuse

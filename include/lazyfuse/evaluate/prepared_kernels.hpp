// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of plans that is launched again over other memory of the same layout (compiled).
#pragma once

#include <lazyfuse/evaluate/execution.hpp>

#include <vector>

namespace lazyfuse {

/// The plans of an expression, whose operands and result are said anew at each launch.
class prepared_kernels {
 public:
  /// What stands for the memory of the result until rebind_target() says where it is.
  static void* target() { return run_detail::planned_memory(run_detail::planned::result, 0); }
  /// Begins anew, for run(). device: on which memory between kernels is; -1 where that does not matter.
  execution plan(int device);
  /// After run(): the leaves of the expression. Finds out whether rebind() can do without run().
  void planned(const planning::leaf_record* leaves, int count);
  /// The kernels read what `leaves` do, whose layout is that of those planned. False if they must be planned anew: of
  /// leaves that had one source not all have, or of several kernels, and of graphs, a scalar or a range of numbers is
  /// another one, and had the value of another leaf.
  bool rebind(const planning::leaf_record* leaves, const planning::leaf_record* planned, int count);
  /// Results go there; null: nowhere yet.
  void rebind_target(void* data, allocation* owner);
  void launch() { plans_.launch(); }

  const plan_list& plans() const { return plans_; }

 private:
  /// Where a kernel writes to the result: its target, and how far from the first element it begins.
  struct rebound {
    planning::kernel_plan* kernel;
    int target;
    std::ptrdiff_t shift;
  };
  /// Where one of several kernels reads what a leaf does, and how far from the leaf's pointer it begins; of scalars:
  /// -1.
  struct read {
    planning::kernel_plan* kernel;
    int operand, leaf;
    std::ptrdiff_t shift;
  };

  bool find_leaves(const planning::kernel_plan& p, const planning::leaf_record* leaves);
  bool find_reads(const planning::leaf_record* leaves, int count);
  bool find_scalar(planning::kernel_plan& p, int operand, const planning::leaf_record* leaves, int count);
  bool rebind_one(const planning::leaf_record* leaves, int count);
  bool rebind_all(const planning::leaf_record* leaves, const planning::leaf_record* planned, int count);

  plan_list plans_;
  std::vector<rebound> rebound_;
  std::vector<std::ptrdiff_t> shifts_;  ///< of each operand, how far from the first element of its leaf it begins
  std::vector<read> reads_;
  std::vector<int> first_with_;  ///< for each leaf the first with the same source
  std::vector<int> may_change_;  ///< for each leaf, whether it is a scalar that reads_ has
  enum class rebinding {
    never,
    one,
    all
  } rebinding_ = rebinding::never;  ///< one kernel, whose operands are the leaves, or all
};

namespace prepare_detail {

/// Throws shape_error, which names the first difference, unless leaves and reductions have the extents and steps that
/// they were prepared with.
void check_layout(const planning::leaf_record* prepared, const planning::leaf_record* given, int leaves,
                  const planning::reduction_record* r, const planning::reduction_record* s, int reductions);
/// Leaves that read the allocation `from` read `to` instead, whose first element is at `data`.
void move_leaves(const planning::leaf_record* leaves, int count, const allocation* from, const void* data_of_from,
                 allocation* to, const void* data);
/// Throws device_error.
[[noreturn]] void throw_device(int prepared, int given);

}  // namespace prepare_detail

}  // namespace lazyfuse

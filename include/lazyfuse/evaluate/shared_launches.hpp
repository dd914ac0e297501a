// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of several expressions that are launched as one: each is so short that its launch is most of what it takes,
// or all read one large array, which the cache then has for all but the first.
#pragma once

#include <lazyfuse/evaluate/execution.hpp>

namespace lazyfuse {

/// Launches several kernels as one, or each by itself where that cannot be done, and tells who watches. None of them
/// waits for another one.
void launch(planning::kernel_plan* const* plans, int count);

/// While it lives, kernels that write results, are short (or may be long) and do not depend on each other wait, until
/// there are as many as a launch takes, or one that must run after them or writes a result by itself comes (compiled).
/// What other results are computed from runs meanwhile. Of a list it says which of its plans share a launch.
class shared_launches {
 public:
  /// apart: they write elements of one result, of which each has its own, and reads no other. long_ones: those may wait
  /// that read the same.
  explicit shared_launches(const execution& outer, bool apart = false, bool long_ones = false)
      : x(outer), apart_(apart), long_ones_(long_ones) {
    x.together = this;
  }
  ~shared_launches();
  shared_launches(const shared_launches&) = delete;
  shared_launches& operator=(const shared_launches&) = delete;

  execution x;  ///< by which kernels come here

  /// As execution::take.
  bool take(planning::kernel_plan& p);
  /// Launches those that wait.
  void launch();

 private:
  struct waiting;
  waiting* waiting_ = nullptr;  ///< null until there are some
  bool apart_, long_ones_;
  bool pass_on(planning::kernel_plan& p) const;
  static void let_go(waiting* w);
};

}  // namespace lazyfuse

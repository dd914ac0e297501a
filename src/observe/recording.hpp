// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who takes the kernels of this thread in the place of launching them.
#pragma once

#include <lazyfuse/observe/recording.hpp>

namespace lazyfuse {

template <int N>
struct handles;
namespace planning {
struct kernel_plan;
}  // namespace planning

namespace record_detail {

class recorder {
 public:
  /// A kernel whose path is decided. The plan is copied.
  virtual void take(const planning::kernel_plan& p) = 0;
  /// What the plans that follow point to.
  virtual void keep(const handles<1>& what) = 0;
  /// As settled().
  virtual bool settle(const elements& own, const elements& made, std::size_t bytes, bool fits) = 0;

 protected:
  ~recorder() = default;
};

/// The recorder of this thread, or null.
recorder* current() noexcept;
/// Returns the one before.
recorder* exchange(recorder* r) noexcept;

}  // namespace record_detail

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes and the work of a kernel.
#include <lazyfuse/plan/kernel_plan.hpp>

namespace lazyfuse::planning {

index_t kernel_plan::elements() const {
  index_t n = 1;
  for (int k = 0; k < type->rank; ++k) n *= extents[k];
  return n;
}

index_t kernel_plan::read() const { return asked_bytes(extents, type->rank, info + type->targets, type->operands); }
index_t kernel_plan::distinct() const {
  return distinct_bytes(extents, type->rank, info + type->targets, type->operands);
}
index_t kernel_plan::written() const { return asked_bytes(results, type->rank, info, type->targets); }

work kernel_plan::touched() const {
  const double cost = library_cost > 0 ? library_cost : type->cost(*this);
  return {distinct(), written(), 0, static_cast<double>(elements()) * cost, joined ? 0 : 1, 0};
}
work kernel_plan::costs() const {
  return rows.passes > 0 ? work_of_rows(rows.where, touched(), rows.passes - 1, rows.rows * rows.length) : touched();
}

}  // namespace lazyfuse::planning

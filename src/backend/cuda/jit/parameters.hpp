// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a kernel, written without its types.
#pragma once

#include "backend/cuda/jit/exact_plan.hpp"

#include <algorithm>
#include <cstring>

namespace lazyfuse::cuda_detail {

/// Parameters as the kernel finds them: the operands one after the other, the targets, and numbers.
class parameters {
 public:
  void put(const void* value, std::size_t size, std::size_t alignment) {
    used_ = (used_ + alignment - 1) / alignment * alignment;
    if (used_ + size <= sizeof room_) std::memcpy(room_ + used_, value, size);
    used_ += size;
  }
  template <class T>
  void put(const T& value) {
    put(&value, sizeof(T), alignof(T));
  }
  bool fits() const { return used_ <= sizeof room_; }
  void* data() { return room_; }
  /// Bytes so far, up to where another struct may begin.
  std::size_t size() const { return (used_ + alignof(index_t) - 1) / alignof(index_t) * alignof(index_t); }

 private:
  alignas(16) unsigned char room_[8192];
  std::size_t used_ = 0;
};

/// `axes` steps of each operand from axis `from` on, and of each target `target_axes`.
inline void put_bound(parameters& to, const exact_plan& p, int from, int axes, int target_axes) {
  for (int i = 0; i < p.count; ++i) {
    const operand_type& type = p.type_of(i);
    const operand_info& o = p.operand(i);
    const auto bytes = static_cast<std::size_t>(type.bytes), alignment = static_cast<std::size_t>(type.alignment);
    to.put(o.place, bytes, o.steps ? std::max(alignment, alignof(index_t)) : alignment);
    for (int k = 0; o.steps && k < axes; ++k) to.put(o.steps[from + k]);
  }
  for (int i = 0; i < p.targets; ++i) {
    to.put(p.info[i].data);
    for (int k = 0; k < target_axes; ++k) to.put(p.info[i].steps[from + k]);
  }
}

}  // namespace lazyfuse::cuda_detail

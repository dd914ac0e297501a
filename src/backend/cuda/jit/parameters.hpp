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
    const std::size_t at = rounded(alignment);
    if (at <= sizeof room_) std::memset(room_ + used_, 0, at - used_);  // graphs compare all bytes
    used_ = at;
    largest_ = std::max(largest_, alignment);
    if (used_ + size <= sizeof room_) std::memcpy(room_ + used_, value, size);
    used_ += size;
  }
  template <class T>
  void put(const T& value) {
    put(&value, sizeof(T), alignof(T));
  }
  /// A struct ends here, of the largest alignment so far.
  void end() {
    const std::size_t at = rounded(largest_);
    if (at <= sizeof room_) std::memset(room_ + used_, 0, at - used_);
    used_ = at;
  }
  /// The base of a struct ends here: compilers may begin its members in the bytes that round it up.
  void end_base() {
    const std::size_t before = used_;
    end();
    known_ = known_ && used_ == before;
  }
  /// It is not known.
  void give_up() { known_ = false; }
  /// Whether it is known where all is, and there was room.
  bool fits() const { return known_ && used_ <= sizeof room_; }
  std::size_t size() const { return used_; }
  std::size_t alignment() const { return largest_; }
  void* data() { return room_; }

 private:
  alignas(16) unsigned char room_[8192];
  std::size_t used_ = 0, largest_ = 1;
  bool known_ = true;
  std::size_t rounded(std::size_t alignment) const { return (used_ + alignment - 1) / alignment * alignment; }
};

/// `axes` steps of each operand from axis `from` on, and of each target `target_axes`; targets without axes have one
/// step, which nobody reads.
inline void put_bound(parameters& to, const exact_plan& p, int from, int axes, int target_axes) {
  for (int i = 0; i < p.count; ++i) {
    const operand_type& type = p.type_of(i);
    const operand_info& o = p.operand(i);
    const auto bytes = static_cast<std::size_t>(type.bytes), alignment = static_cast<std::size_t>(type.alignment);
    to.put(o.place, bytes, o.steps ? std::max(alignment, alignof(index_t)) : alignment);
    for (int k = 0; o.steps && k < axes; ++k) to.put(o.steps[from + k]);
  }
  if (p.count == 0) to.put('\0');  // a member without members
  to.end();
  for (int i = 0; i < p.targets; ++i) {
    to.put(p.info[i].data);
    for (int k = 0; k < std::max(target_axes, 1); ++k) to.put(k < target_axes ? p.info[i].steps[from + k] : index_t{0});
  }
  to.end_base();
}

}  // namespace lazyfuse::cuda_detail

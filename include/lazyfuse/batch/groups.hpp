// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What for_each_zip is given, as code that knows no types sees it: groups of arrays, one of each argument (compiled).
#pragma once

#include <lazyfuse/batch/libraries.hpp>
#include <lazyfuse/plan/bind.hpp>
#include <lazyfuse/plan/pack.hpp>

namespace lazyfuse::zip_detail {

inline constexpr int most_arguments = 16;
/// Owns nothing: whoever stands for argument i is told from arrays by it.
allocation* stand_in(int i);

/// The arrays of an argument, whose objects are so many bytes apart.
struct argument : batch_detail::members {
  std::size_t object_bytes;
};

/// Array i of each argument is group i; those without elements are left out. The first `written` arguments are written.
class groups {
 public:
  /// Throws shape_error unless there are as many arrays of each argument, those of a group of one shape, and dense;
  /// index_error if two arguments that are written have arrays in common.
  groups(const argument* arguments, int count, int written);

  index_t count() const { return static_cast<index_t>(sizes_.size()); }
  int arguments() const { return argument_count_; }
  int written() const { return written_; }
  index_t elements() const { return elements_; }
  /// Which array of its argument is of group g.
  index_t number(index_t g) const { return numbers_[static_cast<std::size_t>(g)]; }
  batch_detail::member at(int a, index_t g) const { return arguments_[a].at(arguments_[a].all, number(g)); }
  /// Throws device_error: group g has arrays of two devices.
  [[noreturn]] void throw_devices(int a, index_t g, int device, int other) const;

  /// What operands read: arguments, or one element for all. Throws index_error for anything else. Operands that stand
  /// for arguments have no owner then.
  void read(planning::operand_info* operands, int count);
  /// Whether the array that is written may be where it is: nobody else can see it, and what is read of it, is read
  /// where it is written.
  bool in_place(int a, index_t g) const { return in_place_[place(a, g)] != 0; }
  void move(int a, index_t g) { in_place_[place(a, g)] = 0; }
  /// Where results go, once it is known what is read.
  void write(int a, index_t g, const void* data, allocation* owner);
  const planning::pack& pack();
  /// Of a group: targets, then what is read.
  int describe(index_t g, planning::operand_info* to) const;

 private:
  const argument* arguments_;
  int argument_count_, written_;
  index_t elements_ = 0;
  std::vector<index_t> sizes_, numbers_;
  std::vector<char> in_place_;
  /// Of an operand: which argument it is, or -1 and one element.
  struct column {
    int argument;
    const void* data;
  };
  std::vector<column> columns_;
  std::vector<const void*> data_;
  std::vector<allocation*> owners_;  ///< of targets
  planning::pack pack_{};

  std::size_t place(int a, index_t g) const { return static_cast<std::size_t>(a * count() + g); }
  void check_apart();
  void find_in_place(const planning::operand_info* operands, int count);
  void leave_to_others(const planning::operand_info* operands, int count);
};

}  // namespace lazyfuse::zip_detail

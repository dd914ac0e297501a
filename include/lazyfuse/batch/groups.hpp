// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What for_each_zip is given, as code that knows no types sees it: groups of arrays, one of each argument (compiled).
#pragma once

#include <lazyfuse/batch/libraries.hpp>
#include <lazyfuse/plan/bind.hpp>
#include <lazyfuse/plan/pack.hpp>

#include <memory>

namespace lazyfuse::zip_detail {

inline constexpr int most_arguments = 16;
/// Owns nothing: whoever stands for argument i is told from arrays by it.
allocation* stand_in(int i);

/// The arrays of an argument, whose objects are so many bytes apart; or (of rank -1) a number for each group.
struct argument : batch_detail::members {
  std::size_t object_bytes;
  /// Arrays from..from + n, the one call for many.
  void (*take)(const void* all, index_t from, index_t n, batch_detail::member* to);
  bool of_numbers() const { return rank < 0; }
};

/// What groups know of their arrays, and the words of a table made of it. It is kept beside the first array that is
/// written, so whoever writes that finds it, and nothing of it outlives the array.
struct kept_arrays : kept_beside {
  int arguments = 0, written = 0;
  std::vector<index_t> sizes, numbers;
  /// Of each group the arrays of all arguments, then the targets.
  std::vector<const void*> data;
  std::vector<allocation*> owners;
  planning::pack::kept_words words;
};

/// Array i of each argument is group i; those without elements are left out. The first `written` arguments are written.
class groups {
 public:
  /// Throws shape_error unless there are as many arrays of each argument, those of a group of one shape, and dense;
  /// index_error if two arguments that are written have arrays in common. captured: as of batch_detail.
  groups(const argument* arguments, int count, int written, bool (*captured)(const allocation* of));

  index_t count() const { return static_cast<index_t>(all_->sizes.size()); }
  index_t elements() const { return elements_; }
  int arguments() const { return argument_count_; }
  int written() const { return written_; }
  /// Which array of its argument is of group g.
  index_t number(index_t g) const { return all_->numbers[static_cast<std::size_t>(g)]; }
  /// Throws device_error if not all arrays are on one device, which it returns. device_of(owner, data): of one; -1: of
  /// any.
  int common_device(int (*device_of)(const allocation* owner, const void* data)) const;

  /// What operands read: arguments, or one element for all. Throws index_error for anything else. Operands that stand
  /// for arguments have no owner then. stream: which the kernel is launched on.
  void read(planning::operand_info* operands, int count, void* stream);
  /// How many arrays of an argument that is written cannot stay where they are: others can see them, or what is read of
  /// them is read elsewhere than it is written.
  index_t moved(int a) const { return moved_[a]; }
  bool in_place(int a, index_t g) const { return in_place_[place(a, g)] != 0; }
  /// Where the results of one of these go.
  void write(int a, index_t g, const void* data, allocation* owner);
  /// keep: words of a table on a device stay for the next call, if nothing of it is of this one alone.
  const planning::pack& pack(bool keep);
  /// On a device numbers are read from a copy, which this holds.
  void copy_numbers(allocation* (*copy)(const void* from, std::size_t bytes));
  /// Calls use(info, targets, count) for some groups at a time: of targets, then of what is read, the owners and where
  /// they are. all: of all groups, else of those whose memory has been used by another stream than that of read.
  void for_each(void (*use)(const planning::operand_info* info, int targets, int count), bool all) const;
  /// The kernel has been launched, and results are where they belong: what can be kept is, and nothing is here.
  void keep() noexcept;

 private:
  const argument* arguments_;
  int argument_count_, written_;
  index_t elements_ = 0, moved_[most_arguments] = {};
  std::unique_ptr<kept_arrays> all_;
  std::vector<char> in_place_;
  std::vector<index_t> elsewhere_;  ///< groups whose memory another stream has used
  bool reads_others_ = false;       ///< memory that others may write and read as well
  std::vector<planning::pack::column> columns_;
  planning::pack pack_{};
  handles<1> numbers_of_device_;

  std::size_t place(int a, index_t g) const { return static_cast<std::size_t>(a * count() + g); }
  std::size_t arrays(index_t g) const {
    return static_cast<std::size_t>(g) * static_cast<std::size_t>(argument_count_ + written_);
  }
  void check_apart() const;
  void take_kept(bool (*captured)(const allocation* of));
  [[noreturn]] void refuse_shape(int a, index_t i, const batch_detail::member& first,
                                 const batch_detail::member& m) const;
  void leave(int a, index_t g);
  void look_at_owners(void* stream);
  void leave_to_others(const planning::operand_info* operands, int count);
};

}  // namespace lazyfuse::zip_detail

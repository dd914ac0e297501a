// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Some rows, or a part of one, of operands or results that lie anywhere: as runs of elements next to each other, for
// which copies are made where they do not lie so.
#pragma once

#include <lazyfuse/backend/host/strided.hpp>

#include <cstddef>

namespace lazyfuse::host_detail {

/// Memory that was had at once, and is handed out in parts, on lines of the cache. Without memory it counts what is
/// wanted.
class parts_of_memory {
 public:
  explicit parts_of_memory(std::byte* memory = nullptr) : memory_(memory) {}
  template <class T>
  T* take(index_t n) {
    std::byte* const part = memory_ ? memory_ + used_ : nullptr;
    used_ += (n * index_t{sizeof(T)} + 63) / 64 * 64;
    return reinterpret_cast<T*>(part);
  }
  index_t used() const { return used_; }

 private:
  std::byte* memory_;
  index_t used_ = 0;
};

/// What `gathered` goes over. Copies: operands that are copied even if they lie as they are wanted; null: none.
struct gathered_operands {
  const strided* all;
  int count;
  const index_t* extents;
  int rank;
  const bool* copies = nullptr;

  bool may_be_copied(int i) const { return all[i].bytes > 0 && (!is_dense(i) || (copies && copies[i])); }
  /// Whether elements lie as the iteration takes them.
  bool is_dense(int i) const;
  /// Bytes of one element of all that may be copied.
  index_t copied_bytes() const;
};

class gathered {
 public:
  /// With buffers for copies of so many rows of so many columns. Without memory it can do nothing.
  gathered(const gathered_operands& operands, index_t rows, index_t columns, parts_of_memory& memory);

  /// Columns [first, first + n) from a row on.
  void seek(index_t row, index_t first, index_t n);
  /// Finds where so many rows are, which are whole unless it is one.
  void find(index_t rows);
  const element_run* runs() const { return runs_; }
  /// Calls copy(number of an operand, its offset, its copy, rows) for those of the next rows that are copied, and moves
  /// on.
  template <class F>
  void for_rows(index_t rows, const F& copy) const {
    for (index_t done = 0; done < rows;) {
      const index_t left = of_.rank < 2 ? 1 : of_.extents[of_.rank - 2] - numbers_[of_.rank - 2];
      const index_t some = left < rows - done ? left : rows - done;
      for (int i = 0; i < of_.count; ++i)
        if (each_[i].copied) copy(i, offset(i), runs_[i].data + done * columns_ * of_.all[i].bytes, some);
      odometer().next(some);
      done += some;
    }
  }
  index_t columns() const { return columns_; }
  /// Steps of an operand along the inner axis, and across rows.
  index_t along(int i) const { return of_.rank > 0 ? of_.all[i].steps[of_.rank - 1] : 0; }
  index_t across(int i) const { return of_.rank > 1 ? of_.all[i].steps[of_.rank - 2] : 0; }

 private:
  struct one {
    std::byte* buffer;
    bool dense, copied;
  };
  /// Of the first column.
  index_t offset(int i) const { return numbers_[of_.rank + i] + column_ * along(i); }
  strided_odometer odometer() const {
    return {of_.all, of_.count, of_.extents, 0, of_.rank > 0 ? of_.rank - 1 : 0, numbers_, numbers_ + of_.rank};
  }

  gathered_operands of_;
  index_t column_ = 0, columns_;
  index_t* numbers_;  ///< of the odometer: the index, then the offsets
  one* each_;
  element_run* runs_;
};

}  // namespace lazyfuse::host_detail

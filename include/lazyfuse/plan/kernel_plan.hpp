// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel before it runs, as a value: which pattern, over what, and what it costs. It is made once, and then launched,
// printed, weighed against others or looked at by a test; there is no second way to find out what would run.
#pragma once

#include <lazyfuse/plan/bind.hpp>
#include <lazyfuse/plan/pack.hpp>
#include <lazyfuse/plan/residence.hpp>
#include <lazyfuse/plan/traffic.hpp>

namespace lazyfuse::planning {

struct kernel_type;
struct kernel_plan;

/// How a kernel over rows goes; passes: 0 for other kernels.
struct row_report {
  int passes = 0;
  const kernel_type* type = nullptr;
  index_t rows = 0, length = 0;
  int outer = 0;            ///< axes before those of the row
  bool beside = false;      ///< the innermost axis is not one of the row
  bool one_result = false;  ///< results are one per row, not one per element
  row_residence where = {};
};

/// The type of an operand's elements, what it is, and the bytes of its source.
struct operand_type {
  dtype element;
  source_kind kind;
  short bytes, alignment;
  short kept_bytes;      ///< of an element that is kept where it was read or made
  const char* spelling;  ///< of a source that has no kind: the compiler's, where a kernel is to be written
  constexpr bool constant() const { return kind == source_kind::constant; }
};

/// How kernels of several plans are launched as one.
struct shared_launch {
  int most;  ///< of them, at most
  bool (*takes)(const kernel_plan&);
  /// False: nothing has been launched, and each is to be by itself. The plans do not wait for each other.
  bool (*start)(kernel_plan* const* plans, int count);
};

/// What all kernels of one program have in common, and what needs the types of the program.
struct kernel_type {
  const char* pattern;
  const char* space;
  const char* program;  ///< its code (program/code.hpp)
  const operand_type* types;
  const dtype* results;
  const char* structs;  ///< the names of those types, with spaces, that are dtype::other
  int targets, operands, rank;
  int kept;          ///< axes of the results: the others are combined
  int leaves;        ///< of the expression; -1 of a graph
  const int* slots;  ///< and which operand each of them is
  int bytes;         ///< of a plan with its types: bytes that can be copied, the kernel_plan first
  bool shared;       ///< leaves of one type were found to be one operand
  bool on_device;
  bool only_made;  ///< it was not compiled with the program: it runs as it is made at run time, or not at all

  /// Chooses the path and lays it out, and for rows says where values are in between; launches nothing.
  void (*decide)(kernel_plan&);
  /// Waits for memory and launches what was decided.
  void (*start)(kernel_plan&);
  /// The cost of a position, as operations count it, with its share of what a row takes beside its elements.
  double (*cost)(const kernel_plan&);
  machine (*this_machine)();
  /// Whether it would be made at run time, and not run as it was compiled with the program; null where nothing is.
  bool (*would_be_made)(const kernel_plan&);
  const char* const* result_spellings;  ///< as those of operands: of memory that has the results
  const char* compiled_by;              ///< a text of plan/compilation.hpp
  const shared_launch* together;        ///< null: each is a launch of its own
};

/// One kernel over bound operands.
struct kernel_plan {
  const kernel_type* type;
  operand_info* info;             ///< of the results, then of the operands
  index_t extents[max_rank];      ///< of the iteration, outermost axis first
  index_t results[max_rank];      ///< of the results: 1 along axes that are reduced
  const char* path = nullptr;     ///< how the pattern goes; null if the backend refuses it
  const char* because = nullptr;  ///< why it is a kernel of its own; null where the expression asks for it
  bool made = false;              ///< it ran as it was made at run time
  double library_cost = 0;        ///< of a position, where a library computes what the program says
  bool joined = false;            ///< it is in the launch of the plan before it
  bool by_address = false;        ///< the path depends on which operands are one, or how far apart in memory
  row_report rows;
  const pack* arrays = nullptr;  ///< of the pattern packed, whose one axis has the elements of all

  index_t elements() const;
  /// Bytes that the kernel asks for, those of them that are distinct, and those that it writes.
  index_t read() const;
  index_t distinct() const;
  index_t written() const;
  /// Its work if all that passes of rows read again cost nothing, and its work.
  work touched() const;
  work costs() const;
};

}  // namespace lazyfuse::planning

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ways of sharing operands a kernel is made for, and in which order they are tried: those that save operands,
// that which is likely to save most first (docs/design/sharing_operands.md).
#pragma once

#include <lazyfuse/plan/operand_numbers.hpp>

namespace lazyfuse::planning::lower_detail {

struct sharing_ways {
  int way[4] = {}, count = 0;
  constexpr void add(int share) { way[count++] = share; }
};

/// How many operands what was noted has.
constexpr int operand_count(type_notes& n, int* slots, int share) {
  operand_numbering numbers{n, share, slots};
  numbers.run();
  return numbers.operands;
}

/// The ways for what was noted. names: how far arrays are shared besides names. Rows end with names, for where these
/// are wrong rows are cut; all else ends with nothing shared.
constexpr sharing_ways ways_to_share(type_notes& n, int* slots, int names, bool of_rows) {
  sharing_ways ways;
  const int none = n.leaves, by_names = operand_count(n, slots, names),
            by_repeats = n.finds_repeats ? operand_count(n, slots, repeats) : by_names;
  // Of many operations some always have one type: what these save is to be worth one more program.
  const bool repeats_save = by_repeats < by_names && 8 * (by_names - by_repeats) >= by_names;
  if (repeats_save) ways.add(repeats);  // which find what is reduced
  const bool names_save = (repeats_save ? operand_count(n, slots, names_alone) : by_names) < none;
  if (names_save || (of_rows && !repeats_save)) ways.add(names);
  // Repeats take less of what is reduced for one than names do.
  if (of_rows && names == 1 && by_names < by_repeats && by_repeats < none) ways.add(repeats);
  if (n.arguments > 0 && (names_save || of_rows)) {
    // Something else was guessed, and the arguments of fuse alone would save an operand, too.
    const int by_arguments = operand_count(n, slots, arguments_alone);
    if (by_names < by_arguments && by_arguments < none) ways.add(arguments_alone);
  }
  if (!of_rows) ways.add(0);
  return ways;
}

}  // namespace lazyfuse::planning::lower_detail

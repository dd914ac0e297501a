// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every operation says of itself beside its rule, which kernels do not read: they take this header alone.
#pragma once

#include <lazyfuse/core/pack.hpp>
#include <lazyfuse/core/short_vector.hpp>

namespace lazyfuse {

/// Where an operation is defined, for tests and tables.
struct interval {
  double low, high;
};
inline constexpr interval real_line{-1e300, 1e300};

/// What most operations are: exact, cheap, defined everywhere. Besides, an operation has a name and a rule; a symbol
/// if it is an operator; numpy, what NumPy calls it, if that is another name, or "-"; and where it is not as NumPy's,
/// how.
struct exact_operation {
  static constexpr const char* symbol = "";
  static constexpr const char* difference = "";
  static constexpr int ulp = 0;
  static constexpr int complex_ulp = 0;  ///< of complex results, from their length
  static constexpr int ulp_of_one = 0;   ///< besides, where the result is near zero: units in the last place of 1
  static constexpr int cost = 1;
  static constexpr bool squares = false;  ///< of two arrays it is more likely of one, twice
  static constexpr interval domain = real_line;
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variance in two passes: for rows that stay in registers another pass is cheaper than the moments of one.
#pragma once

#include <lazyfuse/op/statistics.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::ir {

/// The mean of z as it is rounded. The sums of the distances from it and of their squares then correct the rounding.
template <class Z, class Inverse>
struct near_mean {
  using shift = apply<op::multiply, reduction<op::sum, Z>, Inverse>;
  using distance = apply<op::subtract, Z, shift>;
  using sum = reduction<op::sum, distance>;
  using squares = reduction<op::sum, apply<op::square, distance>>;
  using correction = apply<op::multiply, sum, Inverse>;
};
/// The program with moments made a mean, and a sum of squares about it.
struct taking_two_passes {
  template <class P>
  struct made {
    using type = P;
  };
  template <class Z, class Inverse, class Scale>
  struct made<apply<op::variance_of, reduction<op::moments, apply<op::sample, Z>>, Inverse, Scale>> {
    using about = near_mean<Z, Inverse>;
    using squares = typename about::squares;
    using corrected =
        apply<op::subtract, squares, apply<op::multiply, typename about::sum, typename about::correction>>;
    using type = apply<op::multiply, apply<op::beyond_rounding, corrected, squares>, Scale>;
  };
  template <class X, class Z, class Inverse, class Scale>
  struct made<apply<op::standardized, X, reduction<op::moments, apply<op::sample, Z>>, Inverse, Scale>> {
    using about = near_mean<Z, Inverse>;
    using mean = apply<op::add, typename about::shift, typename about::correction>;
    using rest = apply<op::rest_of_mean, typename about::shift, typename about::correction>;
    using type = apply<op::multiply, apply<op::subtract, apply<op::subtract, X, mean>, rest>, Scale>;
  };
  template <class Kind, class... P>
  using of_stage = rewritten_stage<taking_two_passes, Kind, P...>;
};
template <class P>
using two_pass = rewritten<taking_two_passes, P>;

/// Staged programs whose rows stay on the chip.
template <class Staged>
struct staged_on_chip;
template <class... Root, class Sources>
struct staged_on_chip<staged<list<Root...>, Sources>> {
  using type = staged<list<typename two_pass<Root>::type...>, Sources>;
};
template <class Staged>
using staged_on_chip_t = typename staged_on_chip<Staged>::type;

}  // namespace lazyfuse::ir

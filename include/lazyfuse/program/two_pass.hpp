// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variance in two passes: for rows that stay in registers another pass is cheaper than the moments of one.
#pragma once

#include <lazyfuse/op/statistics.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse {

/// The program with moments made a mean, and a sum of squares about it.
template <class P>
struct two_pass {
  using type = P;
};
template <class M, class P>
struct two_pass<reduction<M, P>> {
  using type = reduction<M, typename two_pass<P>::type>;
};
template <class Op, class... A>
struct two_pass<apply<Op, A...>> {
  using type = apply<Op, typename two_pass<A>::type...>;
};
template <class Z, class Inverse, class Scale>
struct two_pass<apply<op::variance_of, reduction<op::moments, apply<op::sample, Z>>, Inverse, Scale>> {
  using z = typename two_pass<Z>::type;
  using mean = apply<op::multiply, reduction<op::sum, z>, Inverse>;
  using type = apply<op::multiply, reduction<op::sum, apply<op::square, apply<op::subtract, z, mean>>>, Scale>;
};
template <class X, class Z, class Inverse>
struct two_pass<apply<op::deviation, X, reduction<op::moments, apply<op::sample, Z>>, Inverse>> {
  using mean = apply<op::multiply, reduction<op::sum, typename two_pass<Z>::type>, Inverse>;
  using type = apply<op::subtract, typename two_pass<X>::type, mean>;
};

/// Staged programs whose rows stay on the chip.
template <class Staged>
struct staged_on_chip;
template <class... Root, class Sources>
struct staged_on_chip<staged<list<Root...>, Sources>> {
  using type = staged<list<typename two_pass<Root>::type...>, Sources>;
};
template <class Staged>
using staged_on_chip_t = typename staged_on_chip<Staged>::type;

}  // namespace lazyfuse

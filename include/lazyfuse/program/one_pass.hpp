// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The maximum and the sum of exponentials in one pass: for rows that do not stay on the chip, reading them once more
// costs more than the factors of a sum whose shift grows.
#pragma once

#include <lazyfuse/op/sum_of_exponentials.hpp>
#include <lazyfuse/program/stages.hpp>

namespace lazyfuse::ir {

namespace one_pass_detail {
template <class Op>
inline constexpr bool is_exp = standard::is_same_v<Op, op::exp> || standard::is_same_v<Op, op::rough_exp>;
/// What reads the sum whose exponents are E less Shift; void if that is not the maximum of E.
template <class Exp, class E, class Shift>
struct reader {
  using type = void;
};
template <class Exp, class E>
struct reader<Exp, E, reduction<op::max, E>> {
  using type = op::plain_sum<Exp>;
};
template <class Exp, class E>
struct reader<Exp, E, apply<op::finite_or_zero, reduction<op::max, E>>> {
  using type = op::shifted_sum<Exp>;
};
template <class E, class Sources>
inline constexpr bool is_real =
    standard::is_same_v<program_value_t<E, Sources>, float> || standard::is_same_v<program_value_t<E, Sources>, double>;
}  // namespace one_pass_detail

/// The program with sum(exp(e - max(e))) read from both, which one pass makes.
template <class Sources>
struct taking_one_pass {
  template <class P>
  struct made {
    using type = P;
  };
  template <class Kind, class... P>
  struct of_stage : rewritten_stage<taking_one_pass, Kind, P...> {};
  template <class Exp, class E, class Shift>
    requires(one_pass_detail::is_exp<Exp> &&
             !standard::is_same_v<typename one_pass_detail::reader<Exp, E, Shift>::type, void> &&
             one_pass_detail::is_real<E, Sources>)
  struct of_stage<combined<op::sum>, apply<Exp, apply<op::subtract, E, Shift>>> {
    using e = typename rewritten<taking_one_pass, E>::type;
    using type = apply<typename one_pass_detail::reader<Exp, E, Shift>::type,
                       reduction<op::exponentials<Exp>, apply<op::lone_exponential, e>>, reduction<op::max, e>>;
  };
};

/// Staged programs whose rows do not stay on the chip.
template <class Staged>
struct staged_off_chip;
template <class... Root, class Sources>
struct staged_off_chip<staged<list<Root...>, Sources>> {
  using type = staged<list<typename rewritten<taking_one_pass<Sources>, Root>::type...>, Sources>;
};
template <class Staged>
using staged_off_chip_t = typename staged_off_chip<Staged>::type;

/// The schedule of programs whose reductions one pass makes, without stages.
template <class Roots, class Sources>
struct in_one_pass;
template <class... Root, class Sources>
struct in_one_pass<list<Root...>, Sources> {
  using type = schedule<list<typename rewritten<taking_one_pass<Sources>, Root>::type...>>;
};

}  // namespace lazyfuse::ir

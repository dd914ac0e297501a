// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers divided by a constant: it is prepared once, before the loop (op/whole_divisors.hpp).
#pragma once

#include <lazyfuse/op/whole_divisors.hpp>
#include <lazyfuse/program/evaluate.hpp>
#include <lazyfuse/program/operand.hpp>
#include <lazyfuse/program/value.hpp>

namespace lazyfuse::host_detail {

using namespace ir;

/// Whether operand I is one integer for all elements.
template <int I, class Sources>
inline constexpr bool is_whole_constant = false;
template <int I, class... S>
inline constexpr bool is_whole_constant<I, list<S...>> =
    is_constant<type_at<I, S...>>&& integer<typename type_at<I, S...>::value_type>;

/// The programs with divisors prepared, and which these are.
template <class Sources>
struct dividing_by_constants {
  template <class P>
  struct made {
    using type = P;
  };
  template <class Op, class A, int I>
    requires(is_whole_constant<I, Sources>&& requires { typename Op::with_whole; })
  struct made<apply<Op, A, arg<I>>> {
    using type = apply<typename Op::with_whole, A, apply<typename Op::prepares_whole, arg<I>>>;
  };
  template <class Kind, class... P>
  using of_stage = rewritten_stage<dividing_by_constants, Kind, P...>;
};
struct finding_divisors {
  template <class Found, class Op, class... A>
  struct apply : gathered_all<finding_divisors, Found, A...> {};
  template <class Found, class Op, int I>
    requires(Op::makes_divisor)
  struct apply<Found, Op, arg<I>> : appended_if<!contains<ir::apply<Op, arg<I>>, Found>, Found, ir::apply<Op, arg<I>>> {
  };
  template <class Found, class Kind, class... P>
  struct stage {
    using type = Found;
  };
};
template <class Programs>
struct divisors_in;
template <class... P>
struct divisors_in<list<P...>> : gathered_all<finding_divisors, list<>, P...> {};
/// Divisors, which loops find at every element.
template <class Divisors, class Sources>
struct divisor_values;
template <class... P, class Sources>
struct divisor_values<list<P...>, Sources> : shared_value<P, program_value_t<P, Sources>>... {
  static constexpr bool precomputes = true, one_for_all = true;
  template <class Q>
  requires contains<Q, list<P...>> LAZYFUSE_HD auto precomputed(index_t) const { return shared_of<Q>(*this); }
  LAZYFUSE_HD divisor_values from(index_t) const { return *this; }
  LAZYFUSE_HD void move_on(index_t) {}
};

/// The schedule of such programs; `any`: there are some.
template <class Schedule, class Sources, bool Divides = Schedule::found.divides>
struct common_divisors {
  static constexpr bool any = false;
};
template <class... P, class Sources>
struct common_divisors<schedule<list<P...>>, Sources, true> {
  using programs = list<typename rewritten<dividing_by_constants<Sources>, P>::type...>;
  using divisors = typename divisors_in<programs>::type;
  static constexpr bool any = !__is_same(divisors, list<>);
  using schedule_type = schedule<programs>;
  using values = divisor_values<divisors, Sources>;
  template <class Operands>
  static values of(const Operands& operands) {
    return of(operands, divisors{});
  }

 private:
  template <class Operands, class... Op, int... I>
  static values of(const Operands& operands, list<apply<Op, arg<I>>...>) {
    return {{Op{}(get<I>(operands).source.value)}...};
  }
};

}  // namespace lazyfuse::host_detail

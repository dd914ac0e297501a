// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs: the ways through all of them, over the closed list of their nodes (program.hpp). fold makes a value of a
// program, rewritten another program, gathered a list of types. None has a default: a kind of node that one forgets
// does not compile.
#pragma once

#include <lazyfuse/program/program.hpp>

namespace lazyfuse::ir {

/// Declared for the sake of an error that names P.
template <class P>
struct has_no_kind_that_a_traversal_knows;

/// The value that F makes of a program: F::operand<I>, F::literal<T, V>, F::apply<Op>(values of the arguments...),
/// and F::stage<Kind, P...>, which says whether it looks into P.
template <class F, class P>
inline constexpr auto fold = has_no_kind_that_a_traversal_knows<P>::value;
template <class F, int I>
inline constexpr auto fold<F, arg<I>> = F::template operand<I>;
template <class F, class T, auto V>
inline constexpr auto fold<F, literal<T, V>> = F::template literal<T, V>;
template <class F, class Op, class... A>
inline constexpr auto fold<F, apply<Op, A...>> = F::template apply<Op>(fold<F, A>...);
template <class F, class Kind, class... P>
inline constexpr auto fold<F, stage<Kind, P...>> = F::template stage<Kind, P...>;

/// The program with F::made<apply<Op, A...>>::type in place of each operation, whose arguments A... are rewritten
/// already, and F::of_stage<Kind, P...>::type in place of each stage.
template <class F, class P>
struct rewritten;
template <class F, int I>
struct rewritten<F, arg<I>> {
  using type = arg<I>;
};
template <class F, class T, auto V>
struct rewritten<F, literal<T, V>> {
  using type = literal<T, V>;
};
template <class F, class Op, class... A>
struct rewritten<F, apply<Op, A...>> : F::template made<apply<Op, typename rewritten<F, A>::type...>> {};
template <class F, class Kind, class... P>
struct rewritten<F, stage<Kind, P...>> : F::template of_stage<Kind, P...> {};

/// For F::of_stage: the stage with its arguments rewritten.
template <class F, class Kind, class... P>
struct rewritten_stage {
  using type = stage<Kind, typename rewritten<F, P>::type...>;
};

/// A list to which F::apply<Found, Op, A...>::type and F::stage<Found, Kind, P...>::type add what they find. Operands
/// and literals add nothing.
template <class F, class Found, class P>
struct gathered;
template <class F, class Found, int I>
struct gathered<F, Found, arg<I>> {
  using type = Found;
};
template <class F, class Found, class T, auto V>
struct gathered<F, Found, literal<T, V>> {
  using type = Found;
};
template <class F, class Found, class Op, class... A>
struct gathered<F, Found, apply<Op, A...>> : F::template apply<Found, Op, A...> {};
template <class F, class Found, class Kind, class... P>
struct gathered<F, Found, stage<Kind, P...>> : F::template stage<Found, Kind, P...> {};
/// Of several programs, one after the other.
template <class F, class Found, class... P>
struct gathered_all {
  using type = Found;
};
template <class F, class Found, class P, class... Rest>
struct gathered_all<F, Found, P, Rest...> : gathered_all<F, typename gathered<F, Found, P>::type, Rest...> {};

}  // namespace lazyfuse::ir

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What evaluate() asks of the context and the sink that a kernel brings.
#pragma once

#include <lazyfuse/core/pack.hpp>

namespace lazyfuse::ir {

namespace contracts_detail {
struct names {
  int operand, precomputed, put;
};
/// A name that both bases have is ambiguous: so members are found without their template arguments.
template <class T>
struct with_names : T, names {};
template <class T>
concept names_operand = !requires {
  &with_names<T>::operand;
};
template <class T>
concept names_precomputed = !requires {
  &with_names<T>::precomputed;
};
template <class T>
concept names_put = !requires {
  &with_names<T>::put;
};
}  // namespace contracts_detail

/// Whether it says that it has values of some programs: `static constexpr bool precomputes = true`.
template <class T>
concept precomputes = requires {
  requires T::precomputes;
};
/// What says so has a member precomputed<P>(...). Which programs that answers for is its own affair, so a member of
/// another name would be no error, but each value would be computed again.
template <class T>
concept precomputes_as_it_says = !precomputes<T> || contracts_detail::names_precomputed<T>;

/// Whether it computes operations in its own way, compute<Op>(x...): `static constexpr bool computes = true`.
template <class T>
concept computes = requires {
  requires T::computes;
};

/// Whether an operation takes branches, between which nothing else is computed.
template <class Op>
inline constexpr bool has_branches = requires {
  requires Op::branches;
};

/// Answers operand<I>() for every operand of the program; stage_value<S>(), if the program has stages; and
/// precomputed<P>(), if it `precomputes`.
template <class T>
concept context = contracts_detail::names_operand<T> && precomputes_as_it_says<T>;

/// Whether the context has the value of a stage.
template <class Stage, class Context>
concept has_stage_value = requires(const Context& c) {
  c.template stage_value<Stage>();
};
/// Whether the context has the value of a program already.
template <class Node, class Context>
concept has_precomputed = requires(const Context& c) {
  c.template precomputed<Node>();
};

/// Takes put<I>(value) for every root, and says whether it `stores` in memory that operands may still be read from:
/// then all roots are computed before the first one is put.
/// It may say of a root that it `rounds_on_store<I>`: then it takes what that rounds to 16 bits as it is.
template <class T>
concept sink = contracts_detail::names_put<T> && requires {
  requires T::stores || !T::stores;
};

}  // namespace lazyfuse::ir

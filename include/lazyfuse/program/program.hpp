// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammar of programs: empty types that say what is computed per element, and nothing of where.
// Equal sub-programs are equal types, so common sub-expressions are found by the compiler's own table.
#pragma once

#include <lazyfuse/core/pack.hpp>

namespace lazyfuse::ir {

/// The value of operand I at the current position.
template <int I>
struct arg {};

/// Op applied to the values of sub-programs.
template <class Op, class... P>
struct apply {};

/// A constant known at compile time, of element type T.
template <class T, auto Value>
struct literal {};

/// What is made of sub-programs at more places than one, and a later part of the kernel reads: the context answers
/// stage_value<stage<Kind, P...>>(). The kind says what is made of them.
template <class Kind, class... P>
struct stage {};

/// The kind of a reduction: the values at all positions of the innermost axes are combined.
template <class Monoid>
struct combined {
  static constexpr const char* name = Monoid::name;
};
/// The reduction of a sub-program over the innermost axes of its own position.
template <class Monoid, class P>
using reduction = stage<combined<Monoid>, P>;

}  // namespace lazyfuse::ir

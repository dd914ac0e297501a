// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations combine results of reductions, of parts of what was reduced.
#pragma once

#include <lazyfuse/op/arithmetic.hpp>
#include <lazyfuse/op/extremes.hpp>
#include <lazyfuse/op/monoid.hpp>

namespace lazyfuse::ir {

/// The operation that combines two results of a monoid element by element; nothing if there is none, or if one pass
/// ends as soon as its result is decided (any, all).
template <class Monoid>
inline constexpr auto combination = nullptr;
template <>
inline constexpr op::add combination<op::sum>{};
template <>
inline constexpr op::multiply combination<op::prod>{};
template <>
inline constexpr op::maximum combination<op::max>{};
template <>
inline constexpr op::minimum combination<op::min>{};

}  // namespace lazyfuse::ir

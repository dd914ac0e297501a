// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of what type the value of a program is.
#pragma once

#include <lazyfuse/op/compute.hpp>
#include <lazyfuse/op/map.hpp>
#include <lazyfuse/program/program.hpp>

namespace lazyfuse::ir {

namespace value_detail {
template <class P, class Sources>
struct value;
template <int I, class... Src>
struct value<arg<I>, list<Src...>> {
  using type = typename type_at<I, Src...>::value_type;
};
template <class T, auto V, class Sources>
struct value<literal<T, V>, Sources> {
  using type = T;
};
template <class Kind, class P, class Sources>
struct value<stage<Kind, P>, Sources> : value<P, Sources> {};
template <class Op, class... A, class Sources>
struct value<apply<Op, A...>, Sources> {
  using type = bare_t<computed_t<Op, typename value<A, Sources>::type...>>;
};
}  // namespace value_detail

/// The type of a program's value, given the sources of its operands.
template <class P, class Sources>
using program_value_t = typename value_detail::value<P, Sources>::type;

}  // namespace lazyfuse::ir

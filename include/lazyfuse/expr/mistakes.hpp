// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would otherwise be pages of candidates: conversions and operators that are there to say, in one sentence, what
// to write instead. Overload resolution takes them last, so they hide nothing that works.
#pragma once

#include <lazyfuse/core/index.hpp>
#include <lazyfuse/op/map.hpp>

namespace lazyfuse::mistakes {

/// The expression beside something that is no operand.
struct some_expression {
  template <class E>
    requires expression<E>
  constexpr some_expression(const E&) {}
};
/// What stands beside it. Converting both operands is worse than any operator of the user's.
struct no_operand {
  template <class T>
    requires(!expression<T> && !scalar<T>)
  constexpr no_operand(const T&) {
    static_assert(!__is_same(T, T),
                  "lazyfuse: the operands of an expression are arrays, expressions and numbers; make an array of a "
                  "container with from(range), and an operation on structs with map(f, x)");
  }
};

struct operators {
  friend constexpr some_expression operator+(some_expression x, no_operand) { return x; }
  friend constexpr some_expression operator+(no_operand, some_expression x) { return x; }
  friend constexpr some_expression operator-(some_expression x, no_operand) { return x; }
  friend constexpr some_expression operator-(no_operand, some_expression x) { return x; }
  friend constexpr some_expression operator*(some_expression x, no_operand) { return x; }
  friend constexpr some_expression operator*(no_operand, some_expression x) { return x; }
  friend constexpr some_expression operator/(some_expression x, no_operand) { return x; }
  friend constexpr some_expression operator/(no_operand, some_expression x) { return x; }
  friend constexpr some_expression operator&(some_expression x, no_operand) { return x; }
  friend constexpr some_expression operator&(no_operand, some_expression x) { return x; }
  friend constexpr some_expression operator|(some_expression x, no_operand) { return x; }
  friend constexpr some_expression operator|(no_operand, some_expression x) { return x; }
  friend constexpr some_expression operator^(some_expression x, no_operand) { return x; }
  friend constexpr some_expression operator^(no_operand, some_expression x) { return x; }
  // != and the operands in the other order are rewritten to the first, <, <=, > and >= to the second.
  friend constexpr bool operator==(some_expression, no_operand) { return false; }
  friend constexpr int operator<=>(some_expression, no_operand) { return 0; }
};

/// What takes axes, as a list, which no template parameter can be deduced from.
struct axes_in_a_list {
  template <class X, int N, class... Options>
    requires expression<X>
  constexpr auto operator()(const X& x, const index_t (&)[N], const Options&...) const {
    static_assert(!__is_same(X, X),
                  "lazyfuse: axes are known when a program is compiled: sum(x, axis<0, 1>) for NumPy's sum(x, (0, 1))");
    return x;
  }
};

/// What begin() of an expression returns: enough of an iterator for a loop, too little for a range.
template <class T>
struct no_iterator {
  constexpr bool operator!=(no_iterator) const { return false; }
  constexpr no_iterator& operator++() { return *this; }
  constexpr T operator*() const { return {}; }
};

}  // namespace lazyfuse::mistakes

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bases of all expressions, whose friends are the operators. Their names are also functions (op/).
#pragma once

#include <lazyfuse/core/space.hpp>
#include <lazyfuse/expr/mistakes.hpp>
#include <lazyfuse/op/components.hpp>
#include <lazyfuse/op/registry.hpp>

namespace lazyfuse {

namespace map_detail {
template <class T>
  requires((!__is_class(T) && std::is_arithmetic_v<T>) || small_real<T> || complex_number<T> ||
           complex_detail::pair_of_numbers<T> || short_vector<T>)
inline constexpr bool scalar<T> = true;
}  // namespace map_detail

struct operand_interface : mistakes::operators {
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator+(X&& x, Y&& y) { return map<op::add>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator-(X&& x, Y&& y) { return map<op::subtract>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator*(X&& x, Y&& y) { return map<op::multiply>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator/(X&& x, Y&& y) { return map<op::divide>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator==(X&& x, Y&& y) { return map<op::equal>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator!=(X&& x, Y&& y) {
    return map<op::not_equal>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator<(X&& x, Y&& y) { return map<op::less>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator<=(X&& x, Y&& y) {
    return map<op::less_equal>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator>(X&& x, Y&& y) { return map<op::greater>(static_cast<X&&>(x), static_cast<Y&&>(y)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator>=(X&& x, Y&& y) {
    return map<op::greater_equal>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator&(X&& x, Y&& y) {
    return map<op::bitwise_and>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator|(X&& x, Y&& y) {
    return map<op::bitwise_or>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator^(X&& x, Y&& y) {
    return map<op::bitwise_xor>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator<<(X&& x, Y&& y) {
    return map<op::bitwise_left_shift>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator>>(X&& x, Y&& y) {
    return map<op::bitwise_right_shift>(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
  template <class X>
    requires operands<X>
  friend constexpr auto operator~(X&& x) { return map<op::bitwise_invert>(static_cast<X&&>(x)); }
  template <class X>
    requires operands<X>
  friend constexpr auto operator+(X&& x) { return map<op::positive>(static_cast<X&&>(x)); }
  template <class X>
    requires operands<X>
  friend constexpr auto operator-(X&& x) { return map<op::negative>(static_cast<X&&>(x)); }
  template <class X, class Y>
    requires operands<X, Y>
  friend constexpr auto operator%(X&& x, Y&&) {
    static_assert(!operands<X, Y>,
                  "lazyfuse: % does not exist; use remainder (sign of the divisor, as in Python), or floor_divide");
    return static_cast<X&&>(x);
  }
};
struct expression_interface : operand_interface {};

/// Element type and rank of an expression.
template <class E>
using value_t = typename bare_t<E>::value_type;
/// The number of axes of an array or expression.
template <class E>
inline constexpr int rank_of = bare_t<E>::rank;

}  // namespace lazyfuse

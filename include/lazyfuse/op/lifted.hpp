// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of operations for elements that are short vectors: those of their components.
#pragma once

#include <lazyfuse/op/rule.hpp>

namespace lazyfuse {

namespace rule_detail {
/// An operand as the rule of its components sees it.
template <class A>
struct components_of : vec_detail::component<A> {};
template <class T, int N>
struct components_of<weak<vec<T, N>>> {
  using type = weak<T>;
};
template <class A>
inline constexpr int length_of = vec_detail::size<typename plain<A>::type>;
/// Whether those that are not 0 are the same.
template <int... Lengths>
consteval bool of_one_length() {
  int length = 0;
  bool alike = true;
  ((alike = alike && (Lengths == 0 || length == 0 || Lengths == length), length = Lengths > 0 ? Lengths : length), ...);
  return alike;
}
}  // namespace rule_detail

/// Rule where operands may be vectors: of one length, beside numbers, which meet every component.
template <class Rule, class... A>
struct lifted {
  static constexpr bool one_length =
      standard::is_same_v<Rule, rules::unchanged> || rule_detail::of_one_length<rule_detail::length_of<A>...>();
  static_assert(one_length, "lazyfuse: the operands are vectors of different lengths, such as vec<T, 3> and vec<T, 4>");
  static consteval bool passes() {
    if constexpr (one_length) return Rule::template check<typename rule_detail::components_of<A>::type...>();
    else return false;
  }
  template <int I>
  using argument = like_t<typename rule_detail::plain<type_at<I, A...>>::type,
                          typename Rule::template argument<I, typename rule_detail::components_of<A>::type...>>;
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operation treats the element types of its operands: what it accepts, what it computes in.
// A rule is a struct with accepts<T>, whether operands that all are of element type T pass; check<A...>(), one
// sentence per mistake; and argument<I, A...>, the type the I-th operand is converted to. A is an element type,
// or weak<T> for a C++ scalar.
#pragma once

#include <lazyfuse/core/pack.hpp>
#include <lazyfuse/core/promotion.hpp>
#include <lazyfuse/op/operation.hpp>

namespace lazyfuse {

/// A C++ scalar among operands: it takes the type of the arrays it meets (as in NumPy 2).
template <class T>
struct weak {};

namespace rule_detail {
template <class A>
inline constexpr bool is_weak = false;
template <class T>
inline constexpr bool is_weak<weak<T>> = true;

template <class A>
struct plain {
  using type = A;
};
template <class T>
struct plain<weak<T>> {
  using type = T;
};

struct nothing {};
template <class S>
concept number_like = integer<S> || floating_point<S>;
/// Where two operands meet: strong types in their promoted one; weak ones yield to them, and else meet as in C++.
template <class A, class B>
constexpr auto meet() {
  using types_detail::no_common_type;
  if constexpr (standard::is_same_v<A, nothing>) return B{};
  else if constexpr (is_weak<A> && is_weak<B>) {
    using X = typename plain<A>::type;
    using Y = typename plain<B>::type;
    if constexpr (standard::is_same_v<X, Y>) return A{};
    else if constexpr (arithmetic_type<X> && arithmetic_type<Y>)
      return weak<decltype(types_detail::meet_as_scalars<X, Y>())>{};
    else return weak<no_common_type>{};
  } else if constexpr (is_weak<B> || standard::is_same_v<A, no_common_type>) return A{};
  else if constexpr (is_weak<A>) return B{};
  else return promoted_t<A, B>{};
}
template <class C>
struct folded {
  using type = C;
  template <class A>
  folded<decltype(meet<C, A>())> operator+(pack_detail::tag<A>) const;
};
template <class... A>
struct common {
  using met = typename decltype((folded<nothing>{} + ... + pack_detail::tag<A>{}))::type;
  /// A complex scalar makes real arrays complex, of their precision.
  static constexpr bool complex_scalar = ((is_weak<A> && complex_number<typename plain<A>::type>) || ...);
  template <class S>
  struct with_complex : plain<S> {};
  template <class S>
    requires(complex_scalar&& number_like<S>)
  struct with_complex<S> {
    using type = promoted_t<standard::conditional_t<integer<S>, double, S>, complex<float>>;
  };
  using type = typename with_complex<met>::type;
};

/// Whether a scalar of type T may silently become an element of type C.
template <class A, class C>
inline constexpr bool adapts = true;
template <class T, class C>
inline constexpr bool adapts<weak<T>, C> = boolean<T> || floating_point<C> || complex_number<C> ||
                                           (integer<T> && integer<C>);
template <class C>
inline constexpr bool adapts<weak<bool>, C> = true;

/// Integers that have no common type.
template <class... A>
inline constexpr bool unlike = false;
template <>
inline constexpr bool unlike<int64, uint64> = true;
template <>
inline constexpr bool unlike<uint64, int64> = true;
}  // namespace rule_detail

/// The type in which operands A... meet; weak scalars have no say while there is an array. Alone, those of one type
/// keep it, and others meet as in C++.
template <class... A>
using common_t = typename rule_detail::common<A...>::type;

namespace rules {

/// Kinds of element types; a rule accepts a set of them.
enum kind : unsigned { bools = 1, integers = 2, reals = 4, complexes = 8 };
template <class T>
inline constexpr unsigned kind_of = boolean<T>          ? 0u + bools
                                    : integer<T>        ? 0u + integers
                                    : floating_point<T> ? 0u + reals
                                    : complex_number<T> ? 0u + complexes
                                                        : 0u;

/// Operands meet in their promoted type, which is of one of these kinds, and the operation is computed in it.
template <unsigned Kinds>
struct meeting {
  static constexpr unsigned kinds = Kinds;
  template <class T>
  static constexpr bool accepts = (kind_of<T> & Kinds) != 0;
  template <class... A>
  static consteval bool check() {
    using C = common_t<A...>;
    // Named results: asserting the concepts themselves makes g++ explain what needs no explanation.
    constexpr unsigned found = (0u | ... | kind_of<typename rule_detail::plain<A>::type>);
    constexpr bool numbers = ((kind_of<typename rule_detail::plain<A>::type> != 0) && ...);
    constexpr bool mixed = (found & bools) != 0 && found != bools;
    constexpr bool meet = have_common_type<C>;
    constexpr bool fits = (rule_detail::adapts<A, C> && ...);
    constexpr bool takes_bool = (Kinds & bools) != 0, takes_complex = (Kinds & complexes) != 0,
                   takes_reals = (Kinds & reals) != 0;
    if constexpr (!numbers)
      static_assert(numbers,
                    "lazyfuse: operands of this operation must hold numbers; use map(f, x) for other element types");
    else if constexpr ((found & ~Kinds & bools) != 0)
      static_assert(takes_bool, "lazyfuse: this operation is not defined for bool; convert with cast<T>(x)");
    else if constexpr (mixed)
      static_assert(!mixed, "lazyfuse: bool and numbers do not mix; convert the bool operand with cast<T>(x)");
    else if constexpr (!meet)
      static_assert(meet, "lazyfuse: int64 and uint64 have no common type; convert one of them with cast<T>(x)");
    else if constexpr (!fits)
      static_assert(
          fits,
          "lazyfuse: a floating-point scalar does not fit an integer array; convert the array with cast<double>(x)");
    else if constexpr ((kind_of<C> & ~Kinds & complexes) != 0)
      static_assert(takes_complex,
                    "lazyfuse: this operation is not defined for complex numbers; take real(x), imag(x) or abs(x)");
    else if constexpr ((kind_of<C> & ~Kinds & reals) != 0)
      static_assert(takes_reals,
                    "lazyfuse: this operation is defined for integers; convert floating point with cast<T>(x)");
    return numbers && !mixed && meet && fits && accepts<C>;
  }
  template <int I, class... A>
  using argument = common_t<A...>;
};

/// Everything that is a number or bool.
struct numeric : meeting<bools | integers | reals | complexes> {};
/// As numeric, and bool has no meaning here.
struct number_only : meeting<integers | reals | complexes> {};
/// What has an order, bool and numbers.
struct ordered : meeting<bools | integers | reals> {};
struct ordered_number : meeting<integers | reals> {};
/// Bit patterns; bool is one bit.
struct bits : meeting<bools | integers> {};
struct whole : meeting<integers> {};

/// As number_only, but integers are refused: C++ and NumPy disagree about what they mean here.
struct true_division : meeting<reals | complexes> {
  template <class... A>
  static consteval bool check() {
    constexpr bool are_integers = integer<common_t<A...>>;
    static_assert(!are_integers,
                  "lazyfuse: / of two integer operands does not exist; use floor_divide, or cast<double>(x) and "
                  "divide; for % use remainder");
    if constexpr (!are_integers) return meeting<reals | complexes>::template check<A...>();
    else return false;
  }
};

/// Numbers of these kinds; integers become double.
template <unsigned Kinds>
struct as_floating : meeting<Kinds> {
  template <int I, class... A>
  using argument = floating_t<common_t<A...>>;
};
struct floating : as_floating<integers | reals | complexes> {};
struct real_floating : as_floating<integers | reals> {};

/// An order between numbers of any types: int64 and uint64 are compared by value.
template <unsigned Kinds>
struct comparing : meeting<Kinds> {
  template <class... A>
  static consteval bool check() {
    if constexpr (rule_detail::unlike<A...>) return true;
    else return meeting<Kinds>::template check<A...>();
  }
  template <int I, class... A>
  using argument = standard::conditional_t<rule_detail::unlike<A...>, type_at<I, A...>, common_t<A...>>;
};
struct equality : comparing<bools | integers | reals | complexes> {};
struct order : comparing<bools | integers | reals> {};

/// A real operand, and an integer beside it.
struct scaling : as_floating<integers | reals> {
  template <class X, class N>
  static consteval bool check() {
    constexpr bool whole_exponent = integer<typename rule_detail::plain<N>::type>;
    static_assert(whole_exponent, "lazyfuse: the second operand of this operation must be an integer");
    if constexpr (whole_exponent) return meeting<integers | reals>::template check<X>();
    else return false;
  }
  template <int I, class X, class N>
  using argument = standard::conditional_t<I == 0, floating_t<typename rule_detail::plain<X>::type>,
                                           typename rule_detail::plain<N>::type>;
};

/// As number_only, but an exponent that is a C++ integer stays an integer (and becomes products).
struct power : meeting<integers | reals | complexes> {
  template <class... A>
  struct pick;
  template <class X, class Y>
  struct pick<X, Y> {
    using type = common_t<X, Y>;
  };
  template <class X, integer N>
  struct pick<X, weak<N>> {
    using type = int64;
  };
  template <int I, class... A>
  using argument = standard::conditional_t<I == 0, common_t<A...>, typename pick<A...>::type>;
};

/// Any element type, read as true where it differs from zero.
struct logical {
  template <class T>
  static constexpr bool accepts = arithmetic_type<T>;
  template <class... A>
  static consteval bool check() {
    constexpr bool truth = (accepts<typename rule_detail::plain<A>::type> && ...);
    static_assert(truth, "lazyfuse: truth values are defined for bool and numbers only");
    return truth;
  }
  template <int I, class... A>
  using argument = bool;
};

/// where(condition, x, y): x and y meet in their promoted type.
struct selection {
  /// Of x and y; the condition is bool.
  template <class T>
  static constexpr bool accepts = element_type<T>;
  template <class C, class X, class Y>
  static consteval bool check() {
    static_assert(standard::is_same_v<typename rule_detail::plain<C>::type, bool>,
                  "lazyfuse: the condition of where must be bool; write where(x != 0, ...)");
    if constexpr (!standard::is_same_v<typename rule_detail::plain<C>::type, bool>) return false;
    else if constexpr (standard::is_same_v<X, Y>) return true;
    else return numeric::check<X, Y>();
  }
  template <int I, class C, class X, class Y>
  using argument = standard::conditional_t<I == 0, bool, common_t<X, Y>>;
};

/// The callable decides; operands are passed as they are.
struct unchanged {
  template <class T>
  static constexpr bool accepts = true;
  template <class... A>
  static consteval bool check() {
    return true;
  }
  template <int I, class... A>
  using argument = typename rule_detail::plain<type_at<I, A...>>::type;
};

}  // namespace rules

}  // namespace lazyfuse

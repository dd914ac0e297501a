// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operation treats the element types of its operands: what it accepts, what it computes in.
// A rule is a struct with accepts<T>, whether operands that all are of element type T pass; check<A...>(), one
// sentence per mistake; and argument<I, A...>, the type the I-th operand is converted to. A is an element type,
// or weak<T> for a C++ scalar.
#pragma once

#include <lazyfuse/core/pack.hpp>
#include <lazyfuse/core/types.hpp>

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
/// Folds strong types only, then weak ones if there was no strong one.
template <class Common, class A>
constexpr auto meet_strong() {
  if constexpr (is_weak<A>) return Common{};
  else if constexpr (__is_same(Common, nothing)) return A{};
  else if constexpr (__is_same(Common, types_detail::no_common_type)) return Common{};
  else return promoted_t<Common, A>{};
}
template <class... A>
struct common;
template <class C>
struct folded {
  using type = C;
  template <class A>
  folded<decltype(meet_strong<C, A>())> operator+(pack_detail::tag<A>) const;
};
template <class... A>
struct common {
  using strong = typename decltype((folded<nothing>{} + ... + pack_detail::tag<A>{}))::type;
  template <class S, class... B>
  struct or_weak {
    using type = S;
  };
  template <class... B>
    requires(sizeof...(B) > 0)
  struct or_weak<nothing, B...> {
    using type = promoted_t<typename plain<B>::type...>;
  };
  using type = typename or_weak<strong, A...>::type;
};

/// Whether a scalar of type T may silently become an element of type C.
template <class A, class C>
inline constexpr bool adapts = true;
template <class T, class C>
inline constexpr bool adapts<weak<T>, C> = boolean<T> || real<C> || (integer<T> && integer<C>);
template <class C>
inline constexpr bool adapts<weak<bool>, C> = true;
}  // namespace rule_detail

/// The type in which operands A... meet; weak scalars have no say while there is an array.
template <class... A>
using common_t = typename rule_detail::common<A...>::type;

namespace rules {

/// Operands meet in their promoted type and the operation is computed in it.
struct numeric {
  template <class T>
  static constexpr bool accepts = arithmetic_type<T>;
  template <class... A>
  static consteval bool check() {
    using C = common_t<A...>;
    // Named results: asserting the concepts themselves makes g++ explain what needs no explanation.
    constexpr bool numbers = (numeric::accepts<typename rule_detail::plain<A>::type> && ...);
    constexpr bool meet = have_common_type<typename rule_detail::plain<A>::type...>;
    if constexpr (!numbers) {
      static_assert(numbers,
                    "lazyfuse: operands of this operation must hold numbers; use map(f, x) for other element types");
      return false;
    } else if constexpr (__is_same(C, types_detail::no_common_type)) {
      static_assert(meet, "lazyfuse: bool and number do not mix; convert the bool operand with cast<T>(x)");
      return false;
    } else if constexpr (boolean<C> && (!boolean<typename rule_detail::plain<A>::type> || ...)) {
      static_assert(!boolean<C>, "lazyfuse: bool and number do not mix; convert the bool operand with cast<T>(x)");
      return false;
    } else {
      static_assert(
          (rule_detail::adapts<A, C> && ...),
          "lazyfuse: a floating-point scalar does not fit an integer array; convert the array with cast<double>(x)");
      return (rule_detail::adapts<A, C> && ...);
    }
  }
  template <int I, class... A>
  using argument = common_t<A...>;
};

/// As numeric, and bool has no meaning here.
struct number_only : numeric {
  template <class T>
  static constexpr bool accepts = number<T>;
  template <class... A>
  static consteval bool check() {
    constexpr bool numbers = (!boolean<typename rule_detail::plain<A>::type> && ...);
    static_assert(numbers, "lazyfuse: this operation is not defined for bool; convert with cast<T>(x)");
    if constexpr (numbers) return numeric::check<A...>();
    else return false;
  }
};

/// As number_only, but integers are refused: C++ and NumPy disagree about what they mean here.
struct true_division : number_only {
  template <class T>
  static constexpr bool accepts = real<T>;
  template <class... A>
  static consteval bool check() {
    constexpr bool integers = integer<common_t<A...>>;
    static_assert(!integers,
                  "lazyfuse: / of two integer operands does not exist; use floor_divide, or cast<double>(x) and "
                  "divide; for % use remainder");
    if constexpr (!integers) return number_only::check<A...>();
    else return false;
  }
};

/// Integers become double; float and double stay.
struct floating : number_only {
  template <int I, class... A>
  using argument = floating_t<common_t<A...>>;
};

/// Floating, but an exponent that is a C++ integer stays an integer (and becomes products).
struct power : number_only {
  template <class... A>
  struct pick;
  template <class X, class Y>
  struct pick<X, Y> {
    using type = common_t<X, Y>;
  };
  template <class X>
  struct pick<X, weak<int64>> {
    using type = int64;
  };
  template <int I, class... A>
  using argument = ::cuda::std::conditional_t<I == 0, common_t<A...>, typename pick<A...>::type>;
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
    static_assert(__is_same(typename rule_detail::plain<C>::type, bool),
                  "lazyfuse: the condition of where must be bool; write where(x != 0, ...)");
    if constexpr (!__is_same(typename rule_detail::plain<C>::type, bool)) return false;
    else if constexpr (__is_same(X, Y)) return true;
    else return numeric::check<X, Y>();
  }
  template <class X, class Y>
  struct values {
    using type = common_t<X, Y>;
  };
  template <int I, class C, class X, class Y>
  using argument = ::cuda::std::conditional_t<I == 0, bool, common_t<X, Y>>;
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

/// Where an operation is defined, for tests and tables.
struct interval {
  double low, high;
};
inline constexpr interval real_line{-1e300, 1e300};

/// What most operations are: exact, cheap, defined everywhere. Besides, an operation has a name and a rule; a symbol
/// if it is an operator; and numpy, what NumPy calls it, if that is another name.
struct exact_operation {
  static constexpr const char* symbol = "";
  static constexpr int ulp = 0;
  static constexpr int cost = 1;
  static constexpr interval domain = real_line;
};

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions inside programs: which there are, and what is kept of them.
#pragma once

#include <lazyfuse/program/evaluate.hpp>
#include <lazyfuse/program/operand.hpp>
#include <lazyfuse/program/value.hpp>

namespace lazyfuse::ir {

namespace reductions_detail {
/// The distinct reductions of programs. Nested: those inside others, too, and before them.
template <bool Nested>
struct finding {
  template <class Found, class Op, class... A>
  using apply = gathered_all<finding, Found, A...>;
  template <class Found, class Kind, class... P>
  struct stage {
    using self = ir::stage<Kind, P...>;
    template <bool Inside, class V = void>
    struct before {
      using type = Found;
    };
    template <class V>
    struct before<true, V> : gathered_all<finding, Found, P...> {};
    using inner = typename before<Nested>::type;
    using type = typename appended_if<!contains<self, inner>, inner, self>::type;
  };
};
template <bool Nested, class Found, class... P>
using find_all = gathered_all<finding<Nested>, Found, P...>;
}  // namespace reductions_detail

/// The distinct reductions of a list of programs.
template <class Programs>
struct reductions_of;
template <class... P>
struct reductions_of<list<P...>> {
  using type = typename reductions_detail::find_all<false, list<>, P...>::type;
};

/// Whether a monoid has a cheaper way to add an element to what has several already, and is recentred at times.
template <class M, class T>
concept near_monoid = requires(const T& a, const T& b) {
  M::near(a, b);
  M::recentred(a);
};
/// A monoid that combines for less where elements come in the order of their places.
template <class M, class T>
concept ordered_monoid = requires(const T& a, const T& b) {
  M::append(a, b);
};

/// A monoid with values that nothing changes any more: what comes after them need not be read.
template <class M, class T>
concept absorbing_monoid = requires(const T& a) {
  M::absorbing(a);
};

/// A monoid that rounds, and says what a combination lost: a sum of many keeps that beside it, and restored() puts it
/// back, so that long runs do not drift.
template <class M, class T>
concept rounding_monoid = requires(const T& a, const T& b) {
  M::lost(a, b, a);
};
struct nothing_lost {};
/// A monoid that combines several elements with an accumulator for less than one by one.
template <class M, class T>
concept several_monoid = rounding_monoid<M, T> && requires {
  requires M::takes_several;
};
namespace reductions_detail {
template <class M, class T>
struct rest_of {
  using type = nothing_lost;
};
template <class M, class T>
  requires rounding_monoid<M, T>
struct rest_of<M, T> {
  using type = bare_t<decltype(M::lost(standard::declval<T>(), standard::declval<T>(), standard::declval<T>()))>;
};
}  // namespace reductions_detail

/// Whether a monoid's result is the less exact, the more elements of type T are combined one by one.
template <class M, class T>
inline constexpr bool rounds = false;
template <class M, class T>
  requires requires { requires M::rounds; }
inline constexpr bool rounds<M, T> = !standard::is_integral_v<component_t<T>>;

/// The operands of a sum of products of two of them, and whether reductions are that and nothing else.
struct summed_product {
  bool found = false;
  int first = 0, second = 0;
};
template <class Reductions>
inline constexpr summed_product product_of{};
template <class M, class Op, int I, int J>
  requires(standard::is_same_v<typename M::of_products, Op>)
inline constexpr summed_product product_of<list<reduction<M, apply<Op, arg<I>, arg<J>>>>>{I != J, I, J};

/// A list of reductions taken apart: what is evaluated per element, combined how, kept in what type.
template <class Reductions, class Sources>
struct reduction_set;
template <class... M, class... P, class Sources>
struct reduction_set<list<reduction<M, P>...>, Sources> {
  static constexpr int size = sizeof...(M);
  using reductions = list<reduction<M, P>...>;
  using sources = Sources;
  template <int I>
  using reduction_at = type_at<I, reduction<M, P>...>;
  using prologue = schedule<list<P...>>;
  using monoids = list<M...>;
  using accumulators = pack<program_value_t<P, Sources>...>;
  /// What each has lost so far.
  using rests = pack<typename reductions_detail::rest_of<M, program_value_t<P, Sources>>::type...>;
  static constexpr bool has_near = (near_monoid<M, program_value_t<P, Sources>> || ...);
  static constexpr bool has_ordered = (ordered_monoid<M, program_value_t<P, Sources>> || ...);
  static constexpr bool has_rounding = (rounds<M, program_value_t<P, Sources>> || ...);
  static constexpr bool absorbs = (absorbing_monoid<M, program_value_t<P, Sources>> && ...);
  template <int I>
  using monoid = type_at<I, M...>;
  template <int I, class... Q>
  static type_at<I, Q...> nth(list<Q...>*);
  /// The root of the prologue that reduction I combines.
  template <int I>
  using program = decltype(nth<I>(static_cast<typename prologue::roots*>(nullptr)));
  template <int I>
  using value_type = program_value_t<type_at<I, P...>, Sources>;
  /// The number of a reduction in the list.
  template <class R>
  static constexpr int index_of = [] {
    const bool same[] = {standard::is_same_v<R, reduction<M, P>>...};
    int i = 0;
    while (!same[i]) ++i;
    return i;
  }();
  LAZYFUSE_HD static void clear(accumulators& a) { clear_each(a, make_index_sequence<size>{}); }
  /// b by value: of a reference into shared memory NVRTC's compiler asks of each part whether its address is null.
  LAZYFUSE_HD static void merge(accumulators& a, accumulators b) { merge_each(a, b, make_index_sequence<size>{}); }
  /// Whether nothing changes the results any more, whatever is merged with these parts of them.
  template <int Parts>
  LAZYFUSE_HD static bool absorbing(const accumulators (&part)[Parts]) {
    return absorbing_each(part, make_index_sequence<size>{});
  }

 private:
  template <int Parts, int... I>
  LAZYFUSE_HD static bool absorbing_each(const accumulators (&part)[Parts], index_sequence<I...>) {
    const auto one = [&]<int K, class Monoid>(index_sequence<K>, Monoid*) {
      bool some = false;
      for (int k = 0; k < Parts; ++k) some |= Monoid::absorbing(get<K>(part[k]));
      return some;
    };
    return (one(index_sequence<I>{}, static_cast<M*>(nullptr)) && ...);
  }
  template <int... I>
  LAZYFUSE_HD static void clear_each(accumulators& a, index_sequence<I...>) {
    ((get<I>(a) = M::template identity<value_type<I>>()), ...);
  }
  template <int... I>
  LAZYFUSE_HD static void merge_each(accumulators& a, const accumulators& b, index_sequence<I...>) {
    ((get<I>(a) = compute<M>(get<I>(a), get<I>(b))), ...);
  }
};

}  // namespace lazyfuse::ir

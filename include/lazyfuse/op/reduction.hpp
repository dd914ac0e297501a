// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions other than the plain monoids are made of: places of extremes, numbers beside NaN, a user's function.
// The functions are in expr/reductions.hpp.
#pragma once

#include <lazyfuse/core/characters.hpp>
#include <lazyfuse/core/floating.hpp>
#include <lazyfuse/op/monoid.hpp>
#include <lazyfuse/op/statistics.hpp>

namespace lazyfuse {

/// An element and where it stands.
template <class T>
struct indexed {
  T value;
  int64 index;
};
/// An element, or none.
template <class T>
struct optional_value {
  T value;
  bool exists;
};

/// The monoid of the largest element, or of the smallest.
template <bool Largest>
using extreme_element = standard::conditional_t<Largest, op::max, op::min>;

namespace op {

/// x with its place.
struct place : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "place";
  static constexpr bool places = true;  ///< its first operand, as it is
  template <element_type T>
  LAZYFUSE_HD constexpr indexed<T> operator()(const T& x, int64 index) const {
    return {x, index};
  }
};
/// Where it stands.
struct index_of : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "index_of";
  template <class T>
  LAZYFUSE_HD constexpr int64 operator()(const indexed<T>& x) const {
    return x.index;
  }
};

/// Of two places that with the larger element, or the smaller one; NaN before numbers, then the first.
template <bool Largest>
struct extreme_place : plain_monoid {
  using extreme = extreme_element<Largest>;  ///< of the elements alone
  static constexpr bool has_identity = false;
  static constexpr int cost = 8;
  template <class T>
  using accumulator = T;
  template <class T>
  LAZYFUSE_HD constexpr indexed<T> operator()(const indexed<T>& a, const indexed<T>& b) const {
    const bool take = beyond(b.value, a.value) || (!differs(a.value, b.value) && b.index < a.index);
    return take ? b : a;
  }
  /// The same where b comes after a, or a is none: of equal elements a is the first.
  template <class T>
  LAZYFUSE_HD static constexpr indexed<T> append(const indexed<T>& a, const indexed<T>& b) {
    const bool none = static_cast<int>(a.index >> 32) == static_cast<int>(nowhere >> 32);
    const bool take = beyond(b.value, a.value) | none;  // not ||, which would branch
    return {take ? b.value : a.value, take ? b.index : a.index};
  }
  template <class P>
  LAZYFUSE_HD static constexpr P identity() {
    using T = decltype(P::value);
    return {Largest ? max::identity<T>() : min::identity<T>(), nowhere};
  }

  static constexpr int64 nowhere = 0x7fffffffffffffff;
  /// Whether x is nearer to the extreme than y, or NaN where y is a number. Few comparisons: they are most of the work.
  template <class T>
  LAZYFUSE_HD static constexpr bool beyond(const T& x, const T& y) {
    if constexpr (floating_point<T>) {
      const int further = !(Largest ? x <= y : x >= y), number = y == y;
      return (further & number) != 0;  // not &&, which would branch
    } else return Largest ? x > y : x < y;
  }

 private:
  /// Whether neither is beyond the other only if this is false; where y is beyond x it may be either.
  template <class T>
  LAZYFUSE_HD static constexpr bool differs(const T& x, const T& y) {
    if constexpr (floating_point<T>) return x < y || x > y || (x != x && y == y);
    else return x != y;
  }
};
struct argmax : extreme_place<true> {
  static constexpr const char* name = "argmax";
};
struct argmin : extreme_place<false> {
  static constexpr const char* name = "argmin";
};

/// The largest and the smallest number; NaN only where there is nothing else.
struct nanmax : plain_monoid, fmax {
  static constexpr const char* name = "nanmax";
  static constexpr bool has_identity = false;
  template <class T>
  using accumulator = T;
  template <class T>
  using result = T;
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    if constexpr (floating_point<T>) return T(-math::not_a_number<float>());
    else return max::identity<T>();
  }
};
struct nanmin : plain_monoid, fmin {
  static constexpr const char* name = "nanmin";
  static constexpr bool has_identity = false;
  template <class T>
  using accumulator = T;
  template <class T>
  using result = T;
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    if constexpr (floating_point<T>) return T(-math::not_a_number<float>());
    else return min::identity<T>();
  }
};

/// The one element that is not 0 with a plus: its bits, beside which those of 0 are none, so nothing is rounded.
struct picked : plain_monoid, exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "picked";
  template <class T>
  using accumulator = T;
  template <class T>
  using result = T;
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    return T(0);
  }
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(T x, T y) const {
    return __builtin_bit_cast(T, static_cast<math::bits_of<T>>(math::all_bits(x) | math::all_bits(y)));
  }
};

/// x as the moments of one number; of none where it is NaN.
struct sample_of_number : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "sample_of_number";
  template <real_number T>
  LAZYFUSE_HD constexpr moment_sums<T> operator()(T x) const {
    return x == x ? moment_sums<T>{T(1), x, x - x, T(0)} : moment_sums<T>{};
  }
};
/// The moments of both, where elements may be missing.
struct moments_of_numbers : moments {
  static constexpr const char* name = "moments_of_numbers";
  static constexpr bool takes_several = false, rounds = false;  // lanes with unlike counts gain nothing from runs
  static void at_level() = delete;  // halfway between two is far from their mean where one has many more
  template <real_number T>
  LAZYFUSE_HD constexpr moment_sums<T> operator()(const moment_sums<T>& a, const moment_sums<T>& b) const {
    const moment_sums<T> both = moments{}(a, b);
    return b.count > 0 ? both : a;
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr moment_sums<T> near(const moment_sums<T>& a, const moment_sums<T>& b) {
    return a.count > 0 && b.count > 0 ? moments::near(a, b) : moments_of_numbers{}(a, b);
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr T lost(const moment_sums<T>& a, const moment_sums<T>& b, const moment_sums<T>& both) {
    return a.count > 0 && b.count > 0 ? moments::lost(a, b, both) : T(0);
  }
  template <real_number T>
  LAZYFUSE_HD static constexpr T lost_near(const moment_sums<T>& a, const moment_sums<T>& b,
                                           const moment_sums<T>& both) {
    return a.count > 0 && b.count > 0 ? moments::lost_near(a, b, both) : T(0);
  }
};
/// The variance of as many numbers as were counted.
struct variance_of_counted : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "variance_of_counted";
  static constexpr int cost = 16;
  template <real_number T>
  LAZYFUSE_HD constexpr T operator()(const moment_sums<T>& m, T ddof) const {
    const T n = m.count - ddof, squares = m.squares - m.sum * (m.sum / m.count);
    // as NumPy, unlike var, which is infinite there
    return n > 0 ? (squares < 0 ? T(0) : squares) / n : T(-math::not_a_number<float>());
  }
};

/// x, which exists.
struct existing : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "existing";
  template <element_type T>
  LAZYFUSE_HD constexpr optional_value<T> operator()(const T& x) const {
    return {x, true};
  }
};
/// A user's associative and commutative function; nothing is its identity.
template <class F>
struct folded : plain_monoid {
  static constexpr const char* function = type_name<F>.text;
  static constexpr auto reduce_of =
      characters_detail::joined<characters_detail::length("reduce<", function, ">")>("reduce<", function, ">");
  static constexpr auto scan_of =
      characters_detail::joined<characters_detail::length("scan<", function, ">")>("scan<", function, ">");
  static constexpr const char* name = reduce_of.text;
  static constexpr const char* scan_name = scan_of.text;
  static constexpr bool rounds = true;  // it may be a sum
  static constexpr int cost = 8;
  template <class T>
  using accumulator = T;
  template <class T>
  LAZYFUSE_HD constexpr optional_value<T> operator()(const optional_value<T>& a, const optional_value<T>& b) const {
    if (!a.exists) return b;
    if (!b.exists) return a;
    return {static_cast<T>(F{}(a.value, b.value)), true};
  }
  template <class P>
  LAZYFUSE_HD static constexpr P identity() {
    return {};
  }
};
/// init and what was found, if anything was.
template <class F>
struct begun_with : exact_operation {
  using rule = rules::unchanged;
  static constexpr const char* name = "begun_with";
  static constexpr int cost = 8;
  template <element_type T>
  LAZYFUSE_HD constexpr T operator()(const optional_value<T>& found, const T& init) const {
    return found.exists ? static_cast<T>(F{}(init, found.value)) : init;
  }
};

}  // namespace op
}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reductions combine with. A monoid has a scalar combine, an identity (or none) and the type it
// accumulates in; its finish turns the accumulated value and the count into the result.
#pragma once

#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/op/arithmetic.hpp>
#include <lazyfuse/op/extremes.hpp>

namespace lazyfuse::op {

/// What monoids are unless they say otherwise.
struct plain_monoid {
  static constexpr bool has_identity = true;
  /// Whether each combination rounds, beside what it has already: loops then combine in short runs and these pairwise.
  static constexpr bool rounds = false;
  /// Whether the order of two values does not change a bit of their combination.
  template <class T>
  static constexpr bool commutes = standard::is_arithmetic_v<T>;
  template <class T>
  using accumulator = accumulator_t<T>;
  /// The type of the result: that of the elements, where only sums of them are kept in a wider one.
  template <class T>
  using result = standard::conditional_t<small_real<T>, T, accumulator_t<T>>;
};

/// Numbers that sums of them round, and vectors of such.
template <class T>
concept rounded_sums = real_number<T> || complex_number<T> ||(short_vector<T> && !integer<component_t<T>>);

/// Sums; bool and integers in int64 or uint64, 16-bit reals in float.
struct sum : plain_monoid, add {
  static constexpr const char* name = "sum";
  static constexpr bool rounds = true;
  static constexpr bool counts = true;  ///< conditions, if they are made integers
  using of_products = multiply;         // sums of what it gives are what libraries compute as products of matrices
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    return T(0);
  }
  /// What `both`, the rounded a + b, lacks: exactly where a is the larger one, else but for a rounding of b (Dekker,
  /// "A floating-point technique for extending the available precision", 1971). Added up beside a sum of many terms
  /// and put back at its end, it keeps the sum from drifting.
  template <rounded_sums T>
  LAZYFUSE_HD static constexpr T lost(const T& a, const T& b, const T& both) {
    return b - (both - a);
  }
  /// The sum with what it lost; infinite and NaN as it is.
  template <rounded_sums T>
  LAZYFUSE_HD static constexpr T restored(const T& total, const T& rest) {
    if constexpr (short_vector<T>) {
      T r = total;
      for (int k = 0; k < T::size; ++k) r[k] = restored(total[k], rest[k]);
      return r;
    } else if constexpr (complex_number<T>) return {restored(total.re, rest.re), restored(total.im, rest.im)};
    else return total - total == 0 ? total + rest : total;
  }
  /// What `both` lacks, for the next terms to begin with: nothing where it is not finite.
  template <rounded_sums T>
  LAZYFUSE_HD static constexpr T carried(const T& a, const T& b, const T& both) {
    return finite(lost(a, b, both));
  }

 private:
  template <rounded_sums T>
  LAZYFUSE_HD static constexpr T finite(const T& x) {
    if constexpr (short_vector<T>) {
      T r = x;
      for (int k = 0; k < T::size; ++k) r[k] = finite(x[k]);
      return r;
    } else if constexpr (complex_number<T>) return {finite(x.re), finite(x.im)};
    else return x - x == 0 ? x : T(0);
  }
};

/// Products; bool and integers in int64 or uint64, 16-bit reals in float.
struct prod : plain_monoid, multiply {
  static constexpr const char* name = "prod";
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    return T(1);
  }
};

/// The largest element; NaN wins. An empty one is an error, so the identity only pads.
struct max : plain_monoid, maximum {
  /// The combination of numbers; loops that watch for NaN themselves use it.
  template <class T>
  LAZYFUSE_HD static constexpr T of_numbers(T x, T y) {
    return y > x ? y : x;
  }
  static constexpr const char* name = "max";
  static constexpr bool has_identity = false, is_largest = true;
  template <class T>
  static constexpr bool commutes =
      plain_monoid::commutes<T> && !standard::is_same_v<T, double>;  // of two zeros, the second
  template <class T>
  using accumulator = T;
  template <class T>
  using result = T;
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    if constexpr (short_vector<T>) return T(identity<component_t<T>>());
    else if constexpr (floating_point<T>) return T(-math::infinity<float>());
    else return lowest_of<T>;
  }
};

/// The smallest element; NaN wins. An empty one is an error, so the identity only pads.
struct min : plain_monoid, minimum {
  /// The combination of numbers; loops that watch for NaN themselves use it.
  template <class T>
  LAZYFUSE_HD static constexpr T of_numbers(T x, T y) {
    return y < x ? y : x;
  }
  static constexpr const char* name = "min";
  static constexpr bool has_identity = false, is_largest = false;
  template <class T>
  static constexpr bool commutes = max::commutes<T>;
  template <class T>
  using accumulator = T;
  template <class T>
  using result = T;
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    if constexpr (short_vector<T>) return T(identity<component_t<T>>());
    else if constexpr (floating_point<T>) return T(math::infinity<float>());
    else return largest_of<T>;
  }
};

/// Whether every element is true.
struct all : plain_monoid {
  static constexpr const char* name = "all";
  template <class T>
  using accumulator = bool;
  template <class T>
  using result = bool;
  LAZYFUSE_HD constexpr bool operator()(bool x, bool y) const { return x & y; }
  LAZYFUSE_HD static constexpr bool absorbing(bool value) { return !value; }
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    return T(true);
  }
};

/// Whether some element is true.
struct any : plain_monoid {
  static constexpr const char* name = "any";
  template <class T>
  using accumulator = bool;
  template <class T>
  using result = bool;
  LAZYFUSE_HD constexpr bool operator()(bool x, bool y) const { return x | y; }
  LAZYFUSE_HD static constexpr bool absorbing(bool value) { return value; }
  template <class T>
  LAZYFUSE_HD static constexpr T identity() {
    return T(false);
  }
};

}  // namespace lazyfuse::op

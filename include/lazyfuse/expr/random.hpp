// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers as leaves. An element is a function of the seed and of its place alone: Philox4x32-10 (Salmon, Moraes,
// Dror, Shaw, SC'11) turns the seed and the row-major number of the element in the shape given here into random words,
// and a distribution turns these into the element. So
//
// - the numbers are the same on every device, in every kernel, for any number of threads, and however often an
//   element is read; a slice of an expression reads what the same slice of its array holds;
// - nothing is allocated and nothing runs before the expression does: the numbers are made in the kernel that
//   reads them;
// - the numbers of a seed never change within a major version.
//
// Integers, bool and uniform numbers have the same bits on the host and on the device; normal and exponential ones
// differ by a few units in the last place, and repeat bit for bit on each.
//
// Two expressions with one seed are made of the same words: take seed{42}.split(k) where they should be independent.
// Within one expression an operand that occurs twice is made twice, unless fuse() knows that it is one.
#pragma once

#include <lazyfuse/core/standard.hpp>
#include <lazyfuse/expr/reshape.hpp>
#include <lazyfuse/random/distributions.hpp>
#include <lazyfuse/random/seed.hpp>

namespace lazyfuse {

namespace random_detail {
template <class Distribution, int R>
constexpr auto leaf_of(const shape<R>& s, const char* operation, const seed& from, const Distribution& distribution) {
  return over(tree::leaf<random_source<Distribution>, R>({philox_key::of(from.key, from.stream), distribution},
                                                         checked(s, operation), row_major(s)));
}
/// What a wrong call returns, so that one mistake is one error.
template <int R>
constexpr auto nothing(const shape<R>& s) {
  return over(tree::constant_leaf(0.0f, s));
}
constexpr bool is_finite(double x) { return x - x == 0; }

/// The largest number below x, which is above some other.
constexpr float below(float x) {
  if (x == 0) return -std::numeric_limits<float>::denorm_min();
  const int bits = __builtin_bit_cast(int, x);
  return __builtin_bit_cast(float, x > 0 ? bits - 1 : bits + 1);
}
constexpr double below(double x) {
  if (x == 0) return -std::numeric_limits<double>::denorm_min();
  const int64 bits = __builtin_bit_cast(int64, x);
  return __builtin_bit_cast(double, x > 0 ? bits - 1 : bits + 1);
}
/// Bounds of integers: all values of T, and the end after the last where int64 has it.
template <class T>
struct bound {
  using type = int64;
};
template <>
struct bound<uint64> {
  using type = uint64;
};
template <class T>
using bound_t = typename bound<T>::type;
/// What follows the shape begins with no seed.
template <class... Options>
inline constexpr bool seedless = true;
template <class... Options>
inline constexpr bool seedless<seed, Options...> = false;
template <int R>
constexpr auto without_seed(const index_t (&extents)[R]) {
  static_assert(
      R == 0,
      "lazyfuse: random numbers are those of a seed, which follows the shape: random::uniform({3, 4}, seed{42})");
  return nothing(view_detail::shape_from(extents));
}
}  // namespace random_detail

/// Expressions of random numbers; see the head of this file for what they have in common. \ingroup random
namespace random {

/// Uniform in [0, 1): multiples of 2^-24 (float) or 2^-53 (double), all equally likely; 1 is never drawn.
/// T is float or double, the shape is s. One block of Philox makes four floats or two doubles. Throws shape_error if an
/// extent is negative. \numpy{Generator.random}
template <class T = double, int R>
constexpr auto uniform(const shape<R>& s, seed from) {
  static_assert(random_real<T>, "lazyfuse: random::uniform draws float or double; cast the expression to other types");
  if constexpr (random_real<T>)
    return random_detail::leaf_of(s, "uniform", from, random_detail::unit_distribution<T>{});
  else return random_detail::nothing(s);
}
/// Uniform in [low, high): low + u (high - low) of the u above, rounded; high is never drawn, even where rounding would
/// reach it. Throws index_error unless low < high and high - low is finite. \numpy{Generator.uniform}
template <class T = double, int R>
constexpr auto uniform(const shape<R>& s, seed from, T low, T high) {
  static_assert(random_real<T>, "lazyfuse: random::uniform draws float or double; cast the expression to other types");
  if constexpr (random_real<T>) {
    if (!(low < high)) throw_value("uniform: low is not below high");
    if (!random_detail::is_finite(high - low)) throw_value("uniform: high - low is not finite");
    return random_detail::leaf_of(s, "uniform", from,
                                  random_detail::between_distribution<T>{low, high - low, random_detail::below(high)});
  } else return random_detail::nothing(s);
}
/// uniform<float>({4096, 1024}, seed{42})
template <class T = double, int R>
constexpr auto uniform(const index_t (&extents)[R], seed from) {
  return uniform<T>(view_detail::shape_from(extents), from);
}
/// uniform<float>({4096, 1024}, seed{42}, -1, 1)
template <class T = double, int R>
constexpr auto uniform(const index_t (&extents)[R], seed from, T low, T high) {
  return uniform<T>(view_detail::shape_from(extents), from, low, high);
}
template <class T = double, int R, class... Options>
  requires(random_detail::seedless<Options...>)
constexpr auto uniform(const index_t (&extents)[R], const Options&...) { return random_detail::without_seed(extents); }

/// Normal, by Box and Muller's transform (1958): words 2n and 2n + 1 are a radius and a direction, whose coordinates
/// are elements 2n and 2n + 1. Within 6.77 (float) or 8.66 (double) deviations of the mean, since a word has 32 bits,
/// or 53. T is float or double, the shape is s. Elements repeat bit for bit in any kernel of one backend; host and
/// device differ by a few units in the last place (of the larger of mean and deviation), because the device rounds a
/// product and a sum once. Throws index_error if the deviation is negative or one of them is not finite, shape_error if
/// an extent is negative. \numpy{Generator.normal}
template <class T = double, int R>
constexpr auto normal(const shape<R>& s, seed from, T mean = 0, T deviation = 1) {
  static_assert(random_real<T>, "lazyfuse: random::normal draws float or double; cast the expression to other types");
  if constexpr (random_real<T>) {
    if (!(deviation >= 0)) throw_value("normal: the deviation is negative");
    if (!random_detail::is_finite(deviation) || !random_detail::is_finite(mean))
      throw_value("normal: the mean or the deviation is not finite");
    return random_detail::leaf_of(s, "normal", from, random_detail::normal_distribution<T>::of(mean, deviation));
  } else return random_detail::nothing(s);
}
/// normal<float>({4096, 1024}, seed{42}, mean, deviation)
template <class T = double, int R>
constexpr auto normal(const index_t (&extents)[R], seed from, T mean = 0, T deviation = 1) {
  return normal<T>(view_detail::shape_from(extents), from, mean, deviation);
}
template <class T = double, int R, class... Options>
  requires(random_detail::seedless<Options...>)
constexpr auto normal(const index_t (&extents)[R], const Options&...) { return random_detail::without_seed(extents); }

/// Exponential with the mean `scale`: -scale log(u), of u in (0, 1]; never negative, at most 22.9 (float) or 37.5
/// (double) times the scale. T is float or double, the shape is s; host and device differ by a few units in the last
/// place. Throws index_error if the scale is negative or not finite, shape_error if an extent is.
/// \numpy{Generator.exponential}
template <class T = double, int R>
constexpr auto exponential(const shape<R>& s, seed from, T scale = 1) {
  static_assert(random_real<T>,
                "lazyfuse: random::exponential draws float or double; cast the expression to other types");
  if constexpr (random_real<T>) {
    if (!(scale >= 0)) throw_value("exponential: the scale is negative");
    if (!random_detail::is_finite(scale)) throw_value("exponential: the scale is not finite");
    return random_detail::leaf_of(s, "exponential", from, random_detail::exponential_distribution<T>{scale});
  } else return random_detail::nothing(s);
}
/// exponential<float>({4096, 1024}, seed{42}, scale)
template <class T = double, int R>
constexpr auto exponential(const index_t (&extents)[R], seed from, T scale = 1) {
  return exponential<T>(view_detail::shape_from(extents), from, scale);
}
template <class T = double, int R, class... Options>
  requires(random_detail::seedless<Options...>)
constexpr auto exponential(const index_t (&extents)[R], const Options&...) {
  return random_detail::without_seed(extents);
}

/// Integers in [low, high), all exactly equally likely, as far as Philox's words are: Lemire's method (2019) multiplies
/// a word of 32 bits, or of 64 if T has as many, by high - low, takes the upper half, and draws again (from the block,
/// encrypted once more) where the lower half says that the word is one too many. That happens for less than one word in
/// 2^32 / (high - low); for powers of two never.
/// T is an integer type, the shape is s. The bounds are int64 (uint64 for that type), so high may be one more than the
/// largest T. Throws index_error unless low < high and both low and high - 1 are values of T, shape_error if an extent
/// is negative. \numpy{Generator.integers}
template <class T, int R>
constexpr auto integers(const shape<R>& s, random_detail::bound_t<T> low, random_detail::bound_t<T> high, seed from) {
  static_assert(integer<T>, "lazyfuse: random::integers draws integers; for truth values there is random::bernoulli");
  if constexpr (integer<T>) {
    using limits = std::numeric_limits<T>;
    using distribution = random_detail::integers_distribution<T>;
    using word = typename distribution::word;
    if (!(low < high)) throw_value("integers: low is not below high");
    if (low < limits::min() || high - 1 > limits::max())
      throw_value("integers: low or high - 1 does not fit the element type");
    const word count = static_cast<word>(static_cast<uint64>(high) - static_cast<uint64>(low));
    const word rejected = count == 0 ? 0 : static_cast<word>(word(0) - count) % count;
    return random_detail::leaf_of(s, "integers", from, distribution{static_cast<word>(low), count, rejected});
  } else return random_detail::nothing(s);
}
/// integers<int>({4096, 1024}, 0, 10, seed{42})
template <class T, int R>
constexpr auto integers(const index_t (&extents)[R], random_detail::bound_t<T> low, random_detail::bound_t<T> high,
                        seed from) {
  return integers<T>(view_detail::shape_from(extents), low, high, from);
}

/// true with probability p, rounded to a multiple of 2^-32: bool, of shape s. For 0 and 1 it is always the same; where
/// p grows, no element becomes false. Throws index_error unless 0 <= p <= 1, shape_error if an extent is negative.
template <int R>
constexpr auto bernoulli(const shape<R>& s, double p, seed from) {
  if (!(p >= 0 && p <= 1)) throw_value("bernoulli: the probability is not in [0, 1]");
  return random_detail::leaf_of(s, "bernoulli", from,
                                random_detail::bernoulli_distribution{static_cast<uint64>(p * 0x1p32 + 0.5)});
}
/// bernoulli({4096, 1024}, 0.5, seed{42})
template <int R>
constexpr auto bernoulli(const index_t (&extents)[R], double p, seed from) {
  return bernoulli(view_detail::shape_from(extents), p, from);
}

}  // namespace random

}  // namespace lazyfuse

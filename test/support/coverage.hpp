// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a product of operations, element types and axes a test goes through.
#pragma once

#include <lazyfuse/core/pack.hpp>

#include <type_traits>

namespace lf = lazyfuse;

namespace test {

/// Every combination is tested: ./dev test --full. Otherwise so many that each two choices meet in one.
inline constexpr bool full = LAZYFUSE_FULL_TESTS;

/// Whether choice c of `count` is tested beside choices a and b: without `full` it follows from the two, so that every
/// two of the three meet, if of a and of b there are `count` or more.
constexpr bool meets(int a, int b, int c, int count) { return full || (a + b) % count == c; }

/// The place of T in a list of types.
template <class T, class... Types>
constexpr int place_of(lf::list<Types...>) {
  constexpr bool found[] = {std::is_same_v<T, Types>...};
  int place = 0;
  while (!found[place]) ++place;
  return place;
}

}  // namespace test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of each family beside NumPy's: a name, and what calls it once with operands that were made before.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bench {

namespace lf = lazyfuse;
using lf::index_t;

/// Elements of an operand; matrices have 2000 rows.
inline constexpr index_t elements = 4'000'000, side = 2000;

/// make: makes the operands, when the function is asked for.
struct function {
  std::string name;
  std::function<std::function<void()>()> make;
};
std::vector<function> of_elements(), of_order(), of_selections(), of_matrices();

template <class T>
lf::array<T, 1> line(index_t n = elements, int seed = 1) {
  const auto drawn = lf::random::normal<double>(lf::shape<1>{n}, lf::seed{static_cast<std::uint64_t>(seed)}, 0, 1);
  if constexpr (lf::integer<T>) return lf::cast<T>(drawn * 1e6);
  else return lf::cast<T>(drawn);
}
template <class T>
lf::array<T, 2> matrix(index_t rows = side, index_t columns = side, int seed = 1) {
  return lf::reshape(line<T>(rows * columns, seed), {rows, columns});
}

/// Make one of either when it is wanted.
template <class T>
auto one(int seed = 1) {
  return [=] { return line<T>(elements, seed); };
}
template <class T>
auto square(index_t n = side, int seed = 1) {
  return [=] { return matrix<T>(n, n, seed); };
}

/// A function of operands, whose result is computed, and freed before the next call.
template <class F, class... X>
function of(std::string name, F f, X... operands) {
  return {std::move(name), [=] {
            return std::function<void()>(
                [f, x = std::make_tuple(operands()...)] { std::apply([&](const auto&... a) { f(a...); }, x); });
          }};
}
/// The same where it returns an expression.
template <class F, class... X>
function lazily(std::string name, F f, X... operands) {
  return of(
      std::move(name), [f](const auto&... a) { (void)lf::materialize(f(a...)); }, operands...);
}

}  // namespace bench

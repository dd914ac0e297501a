// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a program of docs/examples/programs is timed, fused and with each operation as a kernel of its own, in the space
// for which the file is compiled. Every run makes its results anew, as NumPy does.
#pragma once

#include "../samples.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

namespace lf = lazyfuse;
using lf::index_t;
using space = lf::default_space;
using line = lf::array<double, 1, space>;
using matrix = lf::array<double, 2, space>;

/// A program at a size: what runs it, made when it is asked for, since its operands may fill the memory.
struct program {
  std::string name;
  std::vector<index_t> sizes;  ///< what it is made of, which peers.py is told
  double bytes;  ///< what the program moves in as many sweeps as it is written in, each reading its operands once
  std::function<std::function<void()>()> fused, unfused;  ///< unfused: empty if the program has statements inside
};

/// The part of a size of `axes` axes that makes results or operands smaller by `scale`.
index_t scaled(index_t n, double scale, int axes = 1);
std::vector<program> of_elements(double scale), of_neighbours(double scale), of_sums(double scale);

template <int R>
lf::array<double, R, space> random_numbers(const lf::shape<R>& s, int seed) {
  return lf::random::uniform<double>(s, lf::seed{static_cast<std::uint64_t>(seed)}) + 0.1;
}
inline line random_line(index_t n, int seed) { return random_numbers(lf::shape<1>{n}, seed); }
inline matrix random_matrix(index_t rows, index_t columns, int seed) {
  return random_numbers(lf::shape<2>{rows, columns}, seed);
}

template <class E>
auto apart(const E& e) {
  return e;
}
template <class Kind, class A, int R>
auto apart(const lf::tree::leaf<lf::tree::deferred<Kind, A>, R>& e) {
  return lf::tree::with_argument(e, lf::barrier_detail::cut<false>(apart(e.source.argument)));
}
/// A tree in which every operation is computed into memory before what reads it. Views of operations are operations on
/// views: those of a stencil are computed once for each of its points.
template <class Op, class Seq, class... A>
auto apart(const lf::tree::map_expr<Op, Seq, A...>& e) {
  return lf::tree::rebuilt(e, [](const auto& a) {
    if constexpr (std::remove_cvref_t<decltype(a)>::rank == 0) return a;
    else return lf::barrier_detail::cut<false>(apart(lf::tree::unnamed(a)));
  });
}

/// A program that is one expression of these operands.
template <class F, class... X>
program expression(std::string name, std::vector<index_t> sizes, double bytes, const F& f, X... operands) {
  const auto fused = [=] {
    return std::function<void()>([f, x = std::make_tuple(operands()...)] {
      std::apply([&](const auto&... a) { (void)lf::materialize(f(a...)); }, x);
    });
  };
  const auto unfused = [=] {
    return std::function<void()>([f, x = std::make_tuple(operands()...)] {
      std::apply(
          [&](const auto&... a) {
            const auto e = f(a...);
            (void)lf::materialize(lf::over(apart(lf::tree::unnamed(e.tree)), e));
          },
          x);
    });
  };
  return {std::move(name), std::move(sizes), bytes, fused, unfused};
}
/// A program of several statements.
template <class F, class... X>
program statements(std::string name, std::vector<index_t> sizes, double bytes, const F& f, X... operands) {
  const auto fused = [=] {
    return std::function<void()>([f, x = std::make_tuple(operands()...)] { std::apply(f, x); });
  };
  return {std::move(name), std::move(sizes), bytes, fused, {}};
}

/// Makes an operand when it is wanted.
inline auto a_line(index_t n, int seed) {
  return [=] { return random_line(n, seed); };
}
inline auto a_matrix(index_t rows, index_t columns, int seed) {
  return [=] { return random_matrix(rows, columns, seed); };
}

}  // namespace bench

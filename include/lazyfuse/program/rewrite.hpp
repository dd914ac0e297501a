// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites: each is one specialisation that names a cheaper program of the same value.
#pragma once

#include <lazyfuse/op/compute.hpp>
#include <lazyfuse/op/rewrites.hpp>
#include <lazyfuse/program/program.hpp>

namespace lazyfuse::ir {

/// What to evaluate instead of program P; P itself unless a specialisation below knows better.
template <class P>
struct rewrite {
  using type = P;
};
template <class A, class T>
struct rewrite<apply<op::pow, A, literal<T, 1>>> {
  using type = A;
};
template <class A, class T>
struct rewrite<apply<op::pow, A, literal<T, 2>>> {
  using type = apply<op::square, A>;
};
template <class A, class T>
struct rewrite<apply<op::pow, A, literal<T, 3>>> {
  using type = apply<op::cube, A>;
};
template <class A, class T>
struct rewrite<apply<op::pow, A, literal<T, 4>>> {
  using type = apply<op::fourth_power, A>;
};
template <class A, class T>
struct rewrite<apply<op::pow, A, literal<T, -1>>> {
  using type = apply<op::inverse, A>;
};
template <class A, class T>
struct rewrite<apply<op::pow, A, literal<T, -2>>> {
  using type = apply<op::inverse_square, A>;
};
template <class A, class T, auto V>
  requires(V == 0.5)
struct rewrite<apply<op::pow, A, literal<T, V>>> {
  using type = apply<op::sqrt, A>;
};

/// Rewrites that need both members of a pair in the same set of programs (All lists every sub-program).
template <class P, class All>
struct rewrite_pair {
  using type = P;
};
template <class A, class All>
  requires contains<apply<op::cos, A>, All>
struct rewrite_pair<apply<op::sin, A>, All> {
  using type = apply<op::sine_of, apply<op::sincos, A>>;
};
template <class A, class All>
  requires contains<apply<op::sin, A>, All>
struct rewrite_pair<apply<op::cos, A>, All> {
  using type = apply<op::cosine_of, apply<op::sincos, A>>;
};

}  // namespace lazyfuse::ir

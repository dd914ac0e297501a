// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves: a source of elements and the affine map from an index to the source's offset. Every view of
// a leaf is a leaf; slicing, transposing and broadcasting only change extents, steps and offset. Leaves, like
// all nodes, are trivially copyable and own nothing: lazy.hpp keeps the memory.
#pragma once

#include <lazyfuse/core/error.hpp>
#include <lazyfuse/core/promotion.hpp>
#include <lazyfuse/expr/expression.hpp>
#include <lazyfuse/program/operand.hpp>

namespace lazyfuse {

namespace tree {

/// What expressions need to know of a source besides its elements: its space, and the source that
/// remains after a view was taken (an argument of fuse loses its number).
template <class Source>
struct source_traits {
  using space = anywhere;
  using viewed = Source;
  static constexpr bool is_argument = false;  ///< equal types imply equal operands (fuse)
  static constexpr int owners = 0;            ///< handles that its memory needs
};

/// Element i of a leaf is its source at offset + steps . i; a step of 0 repeats.
template <class Source, int R>
struct leaf {
  using source_type = Source;
  using node_type = leaf;
  using value_type = typename Source::value_type;
  using space = typename source_traits<Source>::space;
  static constexpr int rank = R;
  static constexpr int owners = source_traits<Source>::owners;

  Source source;
  lazyfuse::shape<R> extents;
  strides<R> steps;
  index_t offset = 0;

  constexpr leaf(const Source& s, const lazyfuse::shape<R>& e, const strides<R>& t, index_t o = 0)
      : source(s), extents(e), steps(t), offset(o) {}

  constexpr const lazyfuse::shape<R>& shape() const { return extents; }
};

/// One value for all elements of a shape; scalars have rank 0.
template <class T, int R>
constexpr auto constant_leaf(T value, const shape<R>& s) {
  return leaf<ir::constant<T>, R>({value}, s, {});
}

/// A constant of the type of an expression.
template <class T, auto Value>
struct literal_leaf {
  using node_type = literal_leaf;
  using value_type = T;
  using space = anywhere;
  static constexpr int rank = 0;
  static constexpr int owners = 0;
  static constexpr lazyfuse::shape<0> extents{};
  constexpr const lazyfuse::shape<0>& shape() const { return extents; }
};

/// Writes the extents that shapes a and b broadcast to, of the higher rank; throws shape_error where they do not.
void broadcast_extents(const char* operation, const index_t* a, int rank_a, const index_t* b, int rank_b, index_t* to);

/// The steps of a leaf seen at the larger shape s: 0 along axes that are repeated.
template <class Source, int R, int To>
constexpr strides<To> broadcast_steps(const leaf<Source, R>& e, const shape<To>& s) {
  static_assert(R <= To, "lazyfuse: an operand of higher rank does not broadcast to a lower one");
  strides<To> t;
  for (int axis = 0; axis < R; ++axis) {
    const int to = axis + (To - R);
    t[to] = e.extents[axis] == s[to] ? e.steps[axis] : 0;
  }
  return t;
}

}  // namespace tree

/// Throws shape_error if an extent is negative, or there are more elements than can be counted.
template <int R>
constexpr const shape<R>& checked(const shape<R>& s, const char* operation) {
  constexpr index_t most = index_t{1} << 58;  // their bytes can be counted, too
  index_t size = 1;
  bool fits = true, empty = false;
  for (int axis = 0; axis < R; ++axis) {
    if (s[axis] < 0) throw_shape(operation, s.extent, R, "has a negative extent");
    empty = empty || s[axis] == 0;
    fits = fits && !__builtin_mul_overflow(size, s[axis], &size) && size <= most;
  }
  if (!fits && !empty) throw_shape(operation, s.extent, R, "has more elements than can be counted");
  return s;
}

namespace leaf_detail {
template <class A>
constexpr bool is_negative(A a) {
  if constexpr (std::is_signed_v<A>) return a < A(0);
  else return false;
}
/// Whether integer a is a T.
template <class T, class A>
constexpr bool fits(A a) {
  if constexpr (boolean<A>) return true;
  else {
    const T to = static_cast<T>(a);
    return static_cast<A>(to) == a && is_negative(to) == is_negative(a);
  }
}
/// A C++ scalar as an element of type T. Throws dtype_error if that is an integer type too small for it.
template <class T, class A>
constexpr T element(const A& a, const char* operation) {
  if constexpr (short_vector<T> || short_vector<A>) {
    constexpr bool fits = short_vector<T> && (!short_vector<A> || vec_detail::size<A> == vec_detail::size<T>);
    static_assert(fits, "lazyfuse: a vector fits only arrays of vectors of the same length");
    T all(0);
    if constexpr (fits)
      for (int k = 0; k < T::size; ++k) all[k] = element<component_t<T>>(component_of(a, k), operation);
    return all;
  } else if constexpr (__is_same(A, long double)) return element<T>(static_cast<double>(a), operation);
  else if constexpr (std::is_arithmetic_v<A>) {
    if constexpr (integer<T> && std::is_integral_v<A>)
      if (!fits<T>(a)) throw_unfit(operation, static_cast<long long>(a), is_negative(a), dtype_of<T>);
    if constexpr (complex_number<T>) return T(static_cast<part_t<T>>(a));
    else return static_cast<T>(a);
  } else if constexpr (small_real<A>) return element<T>(static_cast<float>(a), operation);
  else if constexpr (complex_number<T>) return {static_cast<part_t<T>>(a.real()), static_cast<part_t<T>>(a.imag())};
  else if constexpr (boolean<T> && requires { a.imag(); }) return a.real() != 0 || a.imag() != 0;
  else return a;
}
}  // namespace leaf_detail

/// A compile-time constant: c<2> folds into the program (products for powers, and no operand at all).
template <auto Value>
struct literal_scalar : expression_interface {
  using space = anywhere;
  using value_type = scalar_element_t<decltype(Value)>;
  static constexpr value_type value = static_cast<value_type>(Value);
};
/// Whether E is such a constant: neither an expression with a shape nor a C++ scalar.
template <class E>
inline constexpr bool is_literal = false;
template <auto Value>
inline constexpr bool is_literal<literal_scalar<Value>> = true;

/// c<2>: a constant that is part of the type of an expression, and folded by the compiler: pow(x, c<2>) is x * x. It
/// takes the type of the arrays it meets, which must hold it.
template <auto Value>
inline constexpr literal_scalar<Value> c{};

/// The shape that shapes a and b broadcast to (NumPy): equal, or 1, or missing at the front.
template <int A, int B>
shape<(A > B ? A : B)> broadcast_shapes(const shape<A>& a, const shape<B>& b,
                                        const char* operation = "broadcast_shapes") {
  shape<(A > B ? A : B)> s;
  tree::broadcast_extents(operation, a.extent, A, b.extent, B, s.extent);
  return s;
}

}  // namespace lazyfuse

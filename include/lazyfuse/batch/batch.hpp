// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// batch: many arrays of one shape as one expression with an axis more in front. It is a leaf, whose source is a table
// of pointers (program/batched.hpp).
#pragma once

#include <lazyfuse/array/array.hpp>
#include <lazyfuse/batch/libraries.hpp>
#include <lazyfuse/expr/roll.hpp>
#include <lazyfuse/plan/program_of.hpp>
#include <lazyfuse/program/batched.hpp>

#include <initializer_list>
#include <span>

namespace lazyfuse {

namespace tree {
/// The elements of a batch in a space.
template <class Elements, class Space>
struct batch_of : Elements {};
template <class Elements, class Space>
struct source_traits<batch_of<Elements, Space>> {
  using space = Space;
  using viewed = batch_of<Elements, Space>;
  static constexpr bool is_argument = false;
  static constexpr int owners = 1;
};
}  // namespace tree

template <class Elements, class Space>
struct planning::lower_detail::device_source<tree::batch_of<Elements, Space>> {
  using type = Elements;
};
/// Two of one type are met as arrays are: as one operand, if they are of one table.
template <class Elements, class Space>
inline constexpr auto planning::lower_detail::kind_of_leaf<tree::batch_of<Elements, Space>> = noted_leaf::array;

namespace batch_detail {

/// What batch returns: an expression to which nothing is assigned where it is written.
template <class Tree>
struct batch_expression : lazy<Tree> {
  explicit batch_expression(lazy<Tree>&& e) : lazy<Tree>(static_cast<lazy<Tree>&&>(e)) {}
  batch_expression(const batch_expression&) = default;
  batch_expression(batch_expression&&) noexcept = default;
  batch_expression& operator=(const batch_expression&) & = default;
  batch_expression& operator=(batch_expression&&) & noexcept = default;
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator=(E&&) && {
    static_assert(!(expression<E> || scalar<E>),
                  "lazyfuse: batch(xs) is read; arrays are assigned to together by into(ys) = e");
  }
};

/// Arrays, borrowed memory and views of either: what is in memory as steps say.
template <class Leaf>
inline constexpr bool is_stored = false;
template <class T, class Space, int R>
inline constexpr bool is_stored<tree::leaf<stored<T, Space>, R>> = true;
template <class X>
concept in_memory = expression<X> && is_stored<tree_t<X>>;

template <class Leaf>
struct facts_of;
template <class T, class Space, int R>
struct facts_of<tree::leaf<stored<T, Space>, R>> {
  using element = std::remove_const_t<T>;
  using space = Space;
  static constexpr int rank = R;
};

/// Of numbers, too, which are where they are.
template <class X>
member member_at(const void* all, index_t i) {
  const X& x = static_cast<const X*>(all)[i];
  if constexpr (expression<X>)
    return {x.tree.source.data + x.tree.offset, x.memory.memory[0], x.tree.extents.extent, x.tree.steps.step};
  else return {&x, nullptr, nullptr, nullptr};
}
template <class X>
void members_from(const void* all, index_t from, index_t n, member* to) {
  for (index_t i = 0; i < n; ++i) to[i] = member_at<X>(all, from + i);
}

template <class X>
members members_of(const X* x, std::size_t count) {
  using facts = facts_of<tree_t<X>>;
  return {x, static_cast<index_t>(count), facts::rank, sizeof(typename facts::element), member_at<X>};
}
/// The shape of so many arrays of one.
template <int R>
shape<R + 1> shape_of_all(index_t count, const shape<R>& s) {
  shape<R + 1> whole;
  whole[0] = count;
  for (int k = 0; k < R; ++k) whole[k + 1] = s[k];
  return checked(whole, "batch");
}
/// The leaf of a batch, whose elements know all but the table.
template <class Space, class T, class Elements, int R>
auto of(const members& m, Elements elements, const shape<R>& whole) {
  using source = tree::batch_of<Elements, Space>;
  handles<1> table;
  elements.pointers = nullptr;
  if (whole.size() > 0) {
    table.memory[0] = table_of(Space{}, m);
    elements.pointers = static_cast<const T* const*>(table.memory[0]->data);
  }
  elements.table_owner = table.memory[0];
  elements.count = whole.size();
  if constexpr (requires { elements.layouts; })
    elements.layouts = elements.pointers ? reinterpret_cast<const index_t*>(elements.pointers + m.count) : nullptr;
  using leaf = tree::leaf<source, R>;
  return batch_expression<leaf>(
      lazy<leaf>{{}, leaf(source{elements}, whole, row_major(whole)), static_cast<handles<1>&&>(table)});
}

/// Of arrays of one shape.
template <class X>
auto of_alike(const X* x, std::size_t count) {
  using facts = facts_of<tree_t<X>>;
  using T = typename facts::element;
  constexpr int R = facts::rank;
  const members m = members_of(x, count);
  shape<R> s;
  strides<R> steps;
  check_alike(m, s.extent, steps.step);
  ir::batched<T, R> all{};
  all.each = roll_detail::divisor_of(s.size());
  if constexpr (R > 0) all.within = roll_detail::strided_of(s, steps, 0);
  else all.within = roll_detail::strided_of(shape<1>{1}, strides<1>{{1}}, 0);
  return of<typename facts::space, T>(m, all, shape_of_all(m.count, s));
}
/// Of arrays of unlike shapes.
template <class X, class T>
auto of_unlike(const X* x, std::size_t count, const T& fill) {
  using facts = facts_of<tree_t<X>>;
  constexpr int R = facts::rank;
  members m = members_of(x, count);
  m.unlike = true;
  shape<R> s;
  ir::padded_batch<T, R> all{};
  all.last_step = common_extents(m, s.extent, all.there);
  all.each = roll_detail::divisor_of(s.size());
  for (int k = 0; k < R; ++k) all.extents[k] = roll_detail::divisor_of(s[k]);
  all.fill = fill;
  return of<typename facts::space, T>(m, all, shape_of_all(m.count, s));
}

/// A container or span of objects that follow each other.
template <class C>
concept contiguous = !expression<C> && requires(const C& c) {
  c.data()[0];
  c.size();
};
template <class C>
using element_of = bare_t<decltype(std::declval<const C&>().data()[0])>;

}  // namespace batch_detail

/// batch(xs): arrays of one shape in a std::vector or std::span as one expression with one axis more, the first:
/// element (b, i, ...) is element (i, ...) of xs[b]. As an operand it is read where it lies, so any expression of it is
/// as many kernels as it is of an array, however many arrays there are; their number is a value, and no kernel is made
/// for it. Views, and memory that was borrowed, are batched as arrays are, if all lie in memory by equal steps. What
/// differs from array to array, as a factor of each, is an array of rank 1 with new axes: batch(xs) * f(all, newaxis,
/// newaxis).
///
/// The call writes a table of pointers, on the GPU by a copy that waits for the stream, which must not be captured
/// then: make the expression once to evaluate it often. It holds the arrays, whose values are those they had when it
/// was made; assigned to meanwhile, an array gets new memory. Of no arrays there are no elements. Throws shape_error if
/// shapes or steps differ, device_error for arrays of two GPUs, memory_error.
template <class C>
  requires batch_detail::contiguous<C>
auto batch(const C& arrays) {
  using X = batch_detail::element_of<C>;
  constexpr bool in_memory = batch_detail::in_memory<X>;
  static_assert(in_memory, "lazyfuse: batch takes arrays of one type, or views of them, in a std::vector or std::span");
  if constexpr (in_memory) {
    constexpr bool fits = rank_of<X> < max_rank;
    static_assert(fits, "lazyfuse: batch makes an axis more, and an expression has 8 at most");
    if constexpr (fits) return batch_detail::of_alike(arrays.data(), arrays.size());
    else return *arrays.data();
  } else return array<float, 1>();
}

/// batch(xs, fill): arrays of unlike shapes, each as large as the largest along each axis: element (b, i, ...) is
/// element (i, ...) of xs[b], or fill where that has none. So an empty array is fill alone, and of rows of unlike
/// lengths max(batch(xs, -inf), axis<1>) is that of each. Only elements that exist are read. The table has their
/// shapes, too: 16 bytes more for each array and axis. Otherwise as batch(xs). Throws dtype_error if fill does not fit
/// integers, shape_error if the last axes of views lie in memory by unlike steps.
template <class C, class V>
  requires(batch_detail::contiguous<C>&& scalar<V>)
auto batch(const C& arrays, const V& fill) {
  using X = batch_detail::element_of<C>;
  constexpr bool in_memory = batch_detail::in_memory<X>;
  static_assert(in_memory, "lazyfuse: batch takes arrays of one type, or views of them, in a std::vector or std::span");
  if constexpr (in_memory) {
    constexpr bool has_axes = rank_of<X> != 0, fits = rank_of<X> < max_rank;
    static_assert(has_axes, "lazyfuse: arrays without axes are all alike; batch(xs) takes them");
    static_assert(fits, "lazyfuse: batch makes an axis more, and an expression has 8 at most");
    if constexpr (has_axes && fits)
      return batch_detail::of_unlike(arrays.data(), arrays.size(),
                                     leaf_detail::element<std::remove_const_t<value_t<X>>>(fill, "batch"));
    else return *arrays.data();
  } else return array<float, 1>();
}
/// batch({x, y, z}): as many as are named.
template <class T, int R, class Space>
auto batch(std::initializer_list<array<T, R, Space>> arrays) {
  return batch(std::span(arrays.begin(), arrays.size()));
}
template <class T, int R, class Space, class V>
  requires scalar<V>
auto batch(std::initializer_list<array<T, R, Space>> arrays, const V& fill) {
  return batch(std::span(arrays.begin(), arrays.size()), fill);
}
template <class X>
  requires expression<X>
auto batch(const X& x) {
  static_assert(!expression<X>,
                "lazyfuse: batch takes several arrays, in a std::vector or std::span; x(newaxis) has one");
  return x;
}

}  // namespace lazyfuse

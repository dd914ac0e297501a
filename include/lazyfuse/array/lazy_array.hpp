// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lazy_array: an expression whose type does not grow with what it computes, for loops, containers and functions.
#pragma once

#include <lazyfuse/array/array.hpp>

namespace lazyfuse {

/// Elements that a graph computes (plan/graph.hpp): its node is counted as memory is.
template <class T, class Space>
struct graph_source {
  using value_type = T;
  using is_graph = void;
  allocation* owner;        ///< the node
  const T* data = nullptr;  ///< there are none in memory
  friend bool operator==(const graph_source& a, const graph_source& b) { return a.owner == b.owner; }
};
template <class T, class Space>
struct tree::source_traits<graph_source<T, Space>> {
  using space = Space;
  using viewed = graph_source<T, Space>;
  static constexpr bool is_argument = false, in_memory_first = true;
  static constexpr int owners = 1;
};

/// An unevaluated expression of elements T and rank R, whatever it computes: with `lazy_array<float, 1> e = x;` a loop
/// over `e = e * a + b` runs nothing and allocates no array, and `array y = e` is one kernel, on the GPU one that is
/// made at run time. A value: it means what its operands were when it was written. Nodes cost some 200 bytes each.
/// Equal parts are computed once. On the host elementwise operations are in one kernel, and reductions and scans are
/// computed into memory first. On the GPU these are in the kernel, too, and so is what reads a lazy_array, where one
/// kernel can be all of it; else the kernels run that are predicted to take least. Parts are computed into memory first
/// where the whole reads more arrays than a kernel takes.
template <element_type Element, int Rank, memory_space Space = default_space>
class lazy_array : public lazy<tree::leaf<graph_source<Element, Space>, Rank>> {
  using base = lazy<tree::leaf<graph_source<Element, Space>, Rank>>;

 public:
  // Of a node, whose extents and dense steps are in the tree.
  struct of_node {};
  lazy_array(of_node, base&& b) : base(static_cast<base&&>(b)) {}

  /// No elements; of rank 0 the number 0.
  template <class = maker>
  lazy_array()
      : lazy_array(lazy<tree::leaf<ir::constant<Element>, Rank>>{
            {}, tree::constant_leaf(Element(0), lazyfuse::shape<Rank>{}), {}}) {}
  /// Whatever can be assigned to an array of these elements, rank and space. Nothing runs.
  template <class E, class = maker>
    requires(expression<E> && !__is_same(bare_t<E>, lazy_array))
  lazy_array(E&& e) : base{{}, {{nullptr}, {}, {}}, {}} { construct(static_cast<E&&>(e)); }

  template <class E, class = maker>
    requires(expression<E> && !__is_same(bare_t<E>, lazy_array))
  lazy_array& operator=(E&& e) { return *this = lazy_array(static_cast<E&&>(e)); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  lazy_array& operator+=(E&& e) { return *this = *this + static_cast<E&&>(e); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  lazy_array& operator-=(E&& e) { return *this = *this - static_cast<E&&>(e); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  lazy_array& operator*=(E&& e) { return *this = *this * static_cast<E&&>(e); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  lazy_array& operator/=(E&& e) { return *this = *this / static_cast<E&&>(e); }

 private:
  // Unconstrained, because clang before 16 finds no match for a constrained member defined out of the class.
  template <class E, class Maker = maker>
  void construct(const E& e);
};

template <class E>
  requires expression<E> lazy_array(E&&)
->lazy_array<value_t<E>, bare_t<E>::rank, result_space<E>>;

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation points: constructing and assigning arrays, writing slices, materialize of one expression, item.
#pragma once

#include <lazyfuse/array/parts.hpp>
#include <lazyfuse/core/promotion.hpp>
#include <lazyfuse/evaluate/run.hpp>
#include <lazyfuse/observe/recording.hpp>
#include <lazyfuse/plan/aliasing.hpp>
#include <lazyfuse/plan/placement.hpp>

#include <vector>

namespace lazyfuse {

namespace assign_detail {

/// The expression as it can be stored into elements of type T at rank R in Space, or a sentence.
template <class T, int R, class Space, class E>
consteval bool check() {
  constexpr bool rank_fits = rank_of<E> == R;
  static_assert(rank_fits, "lazyfuse: the expression and what it is assigned to have different ranks");
  constexpr bool type_fits = widens_to<value_t<E>, T>;
  static_assert(type_fits, "lazyfuse: the expression's element type does not convert implicitly; assign cast<T>(e)");
  constexpr bool same_space = __is_same(expression_space_t<E>, anywhere) || __is_same(expression_space_t<E>, Space);
  static_assert(same_space, "lazyfuse: the expression lives in another space; move it with to<host>(e) or to<cuda>(e)");
  return rank_fits && type_fits && same_space;
}

/// The same for a slice, to which the expression is broadcast.
template <class T, int R, class Space, class E>
consteval bool check_slice() {
  constexpr bool rank_fits = rank_of<E> <= R;
  static_assert(rank_fits, "lazyfuse: the expression has more axes than the slice it is assigned to");
  if constexpr (rank_fits) return check<T, rank_of<E>, Space, E>();
  else return false;
}

template <class T, class E>
decltype(auto) converted(const E& e) {
  if constexpr (__is_same(value_t<E>, T)) return (e);
  else return map_detail::cast_node<T>(e);
}

template <class Space, class T, int R, class E, class Maker = maker>
void store(T* data, const strides<R>& steps, allocation* owner, const E& e) {
  const ir::target_pack<R, T> to{{{{data, steps}}}};
  run<kernel_space<Space, Maker>, R, T>(execution{}, e.shape(), to, &owner, converted<T>(e));
}

template <class T, class Space, int R, class E, class = maker>
array<T, R, Space> fresh(const E& e) {
  array<T, R, Space> result(e.shape(), caller{});
  if (result.size() > 0) store<Space, T, R>(result.unshared(), result.tree.steps, result.owner(), e);
  return result;
}

/// A copy of an array, on its device; for which nobody needs to make a kernel at run time.
template <class T, class Space, int R, class Maker = maker>
array<T, R, Space> fresh_beside(const tree::leaf<stored<T, Space>, R>& from) {
  const memory_detail::device_scope<Space> scope(
      memory_detail::device_of(Space{}, from.source.owner, from.source.data));
  if constexpr (__is_same(kernel_space<Space, Maker>, Space)) return fresh<T, Space, R>(from);
  else {
    array<T, R, Space> result(from.extents, caller{});
    const auto bytes = static_cast<std::size_t>(result.size()) * sizeof(T);
    if (bytes > 0)
      memory_detail::copy(Space{}, result.owner(), result.unshared(), Space{}, from.source.owner, from.source.data,
                          bytes);
    return result;
  }
}

/// How many handles to an allocation end with the temporary expression e: those of others do not count.
template <class E>
long handles_in(E&& e, const allocation* owner) {
  long n = 0;
  if constexpr (!scalar<E> && !is_literal<bare_t<E>>)
    if constexpr (lazy_detail::gives<E> && tree_t<E>::owners > 0)
      for (const allocation* other : e.memory.memory) n += other == owner;
  return n;
}

/// Whether e may be evaluated straight into x's memory: nobody outside e can see it, and e reads it only where it
/// writes. ours: the handles to it that end with e.
template <class T, int R, class Space, class E>
bool in_place(const array<T, R, Space>& x, const E& e, long ours) {
  if (!(x.shape() == e.shape()) || x.size() == 0) return false;
  planning::alias_scan scan{x.owner(),        reinterpret_cast<const char*>(x.data()), sizeof(T), R, x.shape().extent,
                            x.tree.steps.step};
  scan.scan(e);
  return !scan.elsewhere && owners(x.memory) == 1 + ours;
}

/// All memory of an array, copied.
template <class T, class Space, class = maker>
array<T, 1, Space> copy_of(const array_memory<T, Space>& of) {
  const index_t n = static_cast<index_t>(of.source->owner->bytes / sizeof(T));
  return fresh_beside(tree::leaf<stored<T, Space>, 1>(*of.source, {n}, {{1}}));
}
/// Where an element of that memory is in the copy.
template <class P, class T, class Space>
P* moved_to(const array<T, 1, Space>& copy, const array_memory<T, Space>& of, const P* element) {
  return reinterpret_cast<P*>(copy.unshared()) + (element - reinterpret_cast<const P*>(of.source->data));
}
/// The array goes on in the copy.
template <class T, class Space>
void replace(const array_memory<T, Space>& of, array<T, 1, Space>&& copy) {
  *of.source = copy.tree.source;
  *of.memory = static_cast<handles<1>&&>(copy.memory);
}

/// Stores e, broadcast to the view's shape, into the memory of the view. of: the array's, null if borrowed.
/// ours: as above. Elements of the view may be parts of the array's.
template <class T, int R, class Space, class Whole, class E, class = maker>
void store_view(const tree::leaf<stored<T, Space>, R>& view, const array_memory<Whole, Space>& of, const E& e,
                long ours) {
  const auto shaped = view_detail::broadcast_tree(e, view.extents, "assignment");
  if (view.extents.size() == 0) return;
  const memory_detail::device_scope<Space> scope(
      memory_detail::device_of(Space{}, view.source.owner, view.source.data));
  T* data = const_cast<T*>(view.source.data) + view.offset;
  allocation* owner = view.source.owner;
  // memory of others may overlap with any other memory of others
  const allocation* const apart = owner && owner->foreign ? nullptr : owner;
  planning::alias_scan scan{apart,          reinterpret_cast<const char*>(data), sizeof(T), R, view.extents.extent,
                            view.steps.step};
  scan.scan(shaped);
  if (of.memory && owners(*of.memory) > 1 + ours) {
    // somebody else holds the values: leave the old memory to them
    auto copy = copy_of(of);
    data = moved_to(copy, of, data);
    owner = copy.owner();
    replace(of, static_cast<decltype(copy)&&>(copy));
    scan.elsewhere = false;
  }
  if (scan.elsewhere) store<Space, T, R>(data, view.steps, owner, fresh<T, Space, R>(shaped).tree);
  else store<Space, T, R>(data, view.steps, owner, shaped);
}

/// Where a slice writes, in the memory of its array. Throws index_error if that is no longer the array's.
template <class Tree>
decltype(auto) place_in(slice<Tree>& x) {
  decltype(auto) place = stored_place<Tree>::of(x.tree);
  if (place.source.owner != x.written.source->owner)
    throw_value("assignment: the array was reallocated after this view was taken");
  x.memory = {};  // the view itself must not count as somebody who shares the array
  return place;
}

/// A scalar as an element of type T, or a sentence.
template <class T, class A>
constexpr T from_scalar(const A& a) {
  using To = component_t<T>;
  using From = typename rule_detail::components_of<map_detail::seen_t<A>>::type;
  constexpr bool is_complex = complex_number<typename rule_detail::plain<From>::type> && !complex_number<To>;
  constexpr bool fits = !arithmetic_type<To> || is_complex || rule_detail::adapts<From, To>;
  static_assert(!is_complex, "lazyfuse: a complex number cannot be assigned to real elements; take its real part");
  static_assert(fits, "lazyfuse: a floating-point number cannot be assigned to integers; convert it first");
  if constexpr (fits && !is_complex) return leaf_detail::element<T>(a, "assignment");
  else return {};
}
template <class T, class E>
decltype(auto) lifted(const E& e) {
  if constexpr (scalar<E>) return tree::constant_leaf(from_scalar<T>(e), shape<0>{});
  else return (e.tree);
}

}  // namespace assign_detail

template <element_type Element, int Rank, memory_space Space>
template <class E, class>
void array<Element, Rank, Space>::construct(E&& e) {
  if constexpr (assign_detail::check<Element, Rank, Space, E>()) {
    const memory_detail::device_scope<Space> scope(planning::device_for<Space>(nullptr, nullptr, e.tree));
    *this = assign_detail::fresh<Element, Space, Rank>(e.tree);
  }
}

template <element_type Element, int Rank, memory_space Space>
array<Element, Rank, Space>::array(const tree::leaf<stored<Element, Space>, Rank>& from, copied)
    : array(assign_detail::fresh_beside<Element, Space, Rank>(from)) {}

template <element_type Element, int Rank, memory_space Space>
void array<Element, Rank, Space>::copy_list(typename array_detail::nested_list<Element, Rank>::type values) {
  lazyfuse::shape<Rank> s;
  array_detail::list_extents(values, s.extent);
  array result(s, caller{});
  if (result.size() > 0) {
    std::vector<unsigned char> bytes(result.bytes());
    Element* to = reinterpret_cast<Element*>(bytes.data());
    array_detail::flatten(values, s.extent, to);
    memory_detail::copy(Space{}, result.owner(), result.unshared(), host{}, nullptr, bytes.data(), bytes.size());
  }
  *this = static_cast<array&&>(result);
}

template <element_type Element, int Rank, memory_space Space>
template <class E, class>
void array<Element, Rank, Space>::evaluate(E&& e) {
  if constexpr (is_literal<bare_t<E>>) evaluate(bare_t<E>::value);
  else if constexpr (scalar<E>)
    evaluate(over(tree::constant_leaf(assign_detail::from_scalar<Element>(e), this->shape())));
  else if constexpr (assign_detail::check<Element, Rank, Space, E>()) {
    const auto& node = e.tree;
    const memory_detail::device_scope<Space> scope(planning::device_for<Space>(nullptr, owner(), node));
    if (scope.has(owner()) &&
        assign_detail::in_place(*this, node, assign_detail::handles_in(static_cast<E&&>(e), owner())))
      assign_detail::store<Space, Element, Rank>(static_cast<Element*>(owner()->data), this->tree.steps, owner(), node);
    else {
      auto made = assign_detail::fresh<Element, Space, Rank>(node);
      if (!record_detail::settled({owner(), unshared()}, {made.owner(), made.unshared()}, made.bytes(),
                                  made.shape() == this->shape()))
        *this = static_cast<array&&>(made);
    }
  }
}

template <class Tree>
template <class E, class>
  requires(expression<E> || scalar<E>)
void slice<Tree>::operator=(E&& e) && {
  using T = typename Tree::value_type;
  if constexpr (is_literal<bare_t<E>>) static_cast<slice&&>(*this) = bare_t<E>::value;
  else {
    const auto& node = assign_detail::lifted<T>(e);
    if constexpr (assign_detail::check_slice<T, Tree::rank, space, bare_t<decltype(node)>>()) {
      const auto& place = assign_detail::place_in(*this);
      assign_detail::store_view(place, written, node,
                                assign_detail::handles_in(static_cast<E&&>(e), place.source.owner));
    }
  }
}

/// The value of e as an array, in the space of its arrays (the default space if it has none): memory for the result,
/// and one kernel in the common case. Throws memory_error.
template <class E, class = maker>
  requires expression<E>
auto materialize(E&& e, caller where = caller::here()) {
  const asked_at at(where);
  return array<value_t<E>, rank_of<E>, result_space<E>>(static_cast<E&&>(e));
}

/// The value of an expression of one element; computes it and waits. Throws shape_error unless it has exactly one.
template <class E, class = maker>
  requires expression<E> value_t<E> item(const E& e, caller where = caller::here()) {
    if (e.shape().size() != 1) throw_shape("item", e.shape().extent, rank_of<E>, "does not have one element", where);
    using Space = result_space<E>;
    const asked_at at(where);
    record_detail::refuse_reading("item");
    const array<value_t<E>, rank_of<E>, Space> x(e);
    value_t<E> value;
    memory_detail::copy(host{}, nullptr, &value, Space{}, x.owner(), x.data(), sizeof(value));
    return value;
  }
template <class Tree>
template <class>
typename lazy<Tree>::value_type lazy<Tree>::item(caller where) const {
  return lazyfuse::item(*this, where);
}
template <element_type Element, int Rank, memory_space Space>
template <class>
Element array<Element, Rank, Space>::item(caller where) const {
  return lazyfuse::item(*this, where);
}

/// Whether two expressions have equal shapes and equal elements; waits for the answer. \numpy{array_equal}
template <class A, class B, class = maker>
  requires expression<A> && expression<B>
bool array_equal(const A& a, const B& b, caller where = caller::here()) {
  if constexpr (rank_of<A> != rank_of<B>) return false;
  else if constexpr (short_vector<value_t<decltype(a == b)>>) {
    using Same = value_t<decltype(a == b)>;
    return a.shape() == b.shape() && all(a == b).item(where) == Same(true);
  } else return a.shape() == b.shape() && all(a == b).item(where);
}

}  // namespace lazyfuse

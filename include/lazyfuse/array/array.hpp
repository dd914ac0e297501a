// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// array: a regular value over counted memory. Copies share it, writing detaches, expressions see the
// values an array had when they were written.
#pragma once

#include <lazyfuse/array/buffer.hpp>
#include <lazyfuse/expr/create.hpp>
#include <lazyfuse/expr/reduce.hpp>

#include <initializer_list>
#include <ranges>

namespace lazyfuse {

/// Elements of an array or of borrowed memory (then without an owner).
template <class T, class Space>
struct stored {
  using value_type = T;
  buffer owner;
  const T* data;
};
template <class T, class Space>
struct source_traits<stored<T, Space>> {
  using space = Space;
  using viewed = stored<T, Space>;
  static constexpr bool is_argument = false;
};

template <element_type T, int Rank, memory_space Space = default_space>
class array;

/// A writable view of an array: reads like any expression; only the temporary can be assigned to.
template <class T, int R, class Space>
struct slice : leaf<stored<T, Space>, R> {
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator=(E&& e) &&;
  void operator=(const slice& e) && { static_cast<slice&&>(*this) = static_cast<const leaf<stored<T, Space>, R>&>(e); }
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator=(E&&) & {
    static_assert(!(expression<E> || scalar<E>),
                  "lazyfuse: a stored view cannot be written through; assign to x(...) itself, or use borrow and into");
  }
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator+=(const E& e) && { static_cast<slice&&>(*this) = base() + e; }
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator-=(const E& e) && { static_cast<slice&&>(*this) = base() - e; }
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator*=(const E& e) && { static_cast<slice&&>(*this) = base() * e; }
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator/=(const E& e) && { static_cast<slice&&>(*this) = base() / e; }
  slice(const leaf<stored<T, Space>, R>& view, buffer* o) : leaf<stored<T, Space>, R>(view), owner(o) {}
  slice(const slice&) = default;

  buffer* owner;

 private:
  const leaf<stored<T, Space>, R>& base() const { return *this; }
};

namespace array_detail {
template <class T, int R>
struct nested_list {
  using type = std::initializer_list<typename nested_list<T, R - 1>::type>;
};
template <class T>
struct nested_list<T, 0> {
  using type = T;
};

template <class T>
void flatten(const T& value, index_t*, T*& to) {
  *to++ = value;
}
template <class L, class T>
void flatten(const std::initializer_list<L>& values, index_t* extent, T*& to) {
  for (const L& v : values) {
    if constexpr (requires { v.begin(); }) {
      if (static_cast<index_t>(v.size()) != extent[1])
        throw_index("array: a nested list of another length; element", static_cast<index_t>(v.size()), 1, extent[1]);
    }
    flatten(v, extent + 1, to);
  }
}
template <class L>
void list_extents(const L& values, index_t* extent) {
  if constexpr (requires { values.begin(); }) {
    *extent = static_cast<index_t>(values.size());
    if (values.size() > 0) list_extents(*values.begin(), extent + 1);
  }
}
}  // namespace array_detail

template <element_type Element, int Rank, memory_space Space>
class array : public expression_interface {
 public:
  using value_type = Element;
  using space = Space;
  static constexpr int rank = Rank;

  /// No elements; rank 0 has one, uninitialised.
  array() : array(lazyfuse::shape<Rank>{}) {}
  /// Uninitialised elements.
  explicit array(const lazyfuse::shape<Rank>& s)
      : owner_(checked(s, "array").size() > 0 ? memory_detail::allocate(Space{}, bytes_of(s)) : nullptr), shape_(s) {}
  /// array<float, 2>{{1, 2}, {3, 4}}
  array(typename array_detail::nested_list<Element, Rank>::type values) requires(Rank > 0) : shape_{} {
    copy_list(values);
  }
  array(const array&) = default;
  /// The source keeps no elements.
  array(array&& x) noexcept : owner_(static_cast<buffer&&>(x.owner_)), shape_(x.shape_) { x.shape_ = {}; }
  array& operator=(const array&) = default;
  array& operator=(array&& x) noexcept {
    owner_ = static_cast<buffer&&>(x.owner_);
    shape_ = x.shape_;
    if (&x != this) x.shape_ = {};
    return *this;
  }
  ~array() = default;
  /// Evaluates the expression: one kernel in the common case.
  template <class E>
    requires(expression<E> && !__is_same(bare_t<E>, array))
  array(E&& e) : shape_{} { construct(static_cast<E&&>(e)); }

  /// Evaluates e; in place when nobody else can see it, else into new memory (strong guarantee).
  template <class E>
    requires((expression<E> || scalar<E>)&&!__is_same(bare_t<E>, array))
  array& operator=(E&& e) {
    evaluate(static_cast<E&&>(e));
    return *this;
  }
  template <class E>
    requires(expression<E> || scalar<E>)
  array& operator+=(E&& e) { return *this = *this + static_cast<E&&>(e); }
  template <class E>
    requires(expression<E> || scalar<E>)
  array& operator-=(E&& e) { return *this = *this - static_cast<E&&>(e); }
  template <class E>
    requires(expression<E> || scalar<E>)
  array& operator*=(E&& e) { return *this = *this * static_cast<E&&>(e); }
  template <class E>
    requires(expression<E> || scalar<E>)
  array& operator/=(E&& e) { return *this = *this / static_cast<E&&>(e); }

  const lazyfuse::shape<Rank>& shape() const { return shape_; }
  index_t extent(int axis) const { return shape_[axis < 0 ? axis + Rank : axis]; }
  index_t size() const { return shape_.size(); }

  /// The elements, row-major. The non-const one first detaches from everyone who shares them.
  const Element* data() const { return static_cast<const Element*>(owner_.get() ? owner_.get()->data : nullptr); }
  Element* data() {
    detach();
    return const_cast<Element*>(static_cast<const array*>(this)->data());
  }
  const Element* begin() const requires(__is_same(Space, host)) { return data(); }
  const Element* end() const requires(__is_same(Space, host)) { return data() + size(); }

  /// A view; x(...) = e writes into this array.
  template <class... Specs>
  auto operator()(Specs... specs) & {
    const auto v = view(node(), specs...);
    return slice<Element, decltype(v)::rank, Space>(v, &owner_);
  }
  template <class... Specs>
  auto operator()(Specs... specs) const& {
    return view(node(), specs...);
  }
  template <class... Specs>
  auto operator()(Specs... specs) && {
    return view(node(), specs...);
  }
  /// The axes in reverse order, as a view.
  auto T() const { return transpose(*this); }
  /// The value of a one-element array; waits for it.
  Element item(caller where = caller::here()) const;

  /// The array as a leaf of an expression.
  leaf<stored<Element, Space>, Rank> node() const& { return {{owner_, data()}, shape_, row_major(shape_)}; }
  leaf<stored<Element, Space>, Rank> node() && {
    const Element* p = static_cast<const array*>(this)->data();
    return {{static_cast<buffer&&>(owner_), p}, shape_, row_major(shape_)};
  }
  /// The handle, for what evaluates.
  buffer& owner() { return owner_; }
  const buffer& owner() const { return owner_; }

 private:
  static std::size_t bytes_of(const lazyfuse::shape<Rank>& s) {
    return static_cast<std::size_t>(s.size()) * sizeof(Element);
  }
  void detach() {
    if (owner_.owners() > 1) *this = array(node(), copied{});
  }
  struct copied {};
  array(const leaf<stored<Element, Space>, Rank>& from, copied);
  // Unconstrained, because clang before 16 finds no match for a constrained member defined out of the class.
  void copy_list(typename array_detail::nested_list<Element, Rank>::type values);
  template <class E>
  void construct(E&& e);
  template <class E>
  void evaluate(E&& e);

  buffer owner_;
  lazyfuse::shape<Rank> shape_;
};

template <class T, int R, class Space>
leaf<stored<T, Space>, R> as_node(const array<T, R, Space>& x) {
  return x.node();
}
template <class T, int R, class Space>
leaf<stored<T, Space>, R> as_node(array<T, R, Space>&& x) {
  return static_cast<array<T, R, Space>&&>(x).node();
}
template <class T, int R, class Space>
leaf<stored<T, Space>, R> as_node(array<T, R, Space>& x) {
  return x.node();
}
template <class T, int R, class Space>
leaf<stored<T, Space>, R> as_node(const slice<T, R, Space>& x) {
  return x;
}
template <class T, int R, class Space>
leaf<stored<T, Space>, R> as_node(slice<T, R, Space>&& x) {
  return static_cast<leaf<stored<T, Space>, R>&&>(x);
}

namespace array_detail {
template <class S>
struct home {
  using type = S;
};
template <>
struct home<anywhere> {
  using type = default_space;
};
}  // namespace array_detail

/// The space in which the value of E is made: that of its arrays, or the default.
template <class E>
using home_space = typename array_detail::home<expression_space_t<E>>::type;

template <class E>
  requires expression<E> array(E&&)
->array<value_t<E>, rank_of<E>, home_space<E>>;
template <class T, int R, class Space>
array(const array<T, R, Space>&) -> array<T, R, Space>;

/// Uninitialised elements. \numpy{empty}
template <element_type T, memory_space Space = default_space, int R>
array<T, R, Space> empty(const shape<R>& s) {
  return array<T, R, Space>(s);
}
template <element_type T, memory_space Space = default_space, int R>
array<T, R, Space> empty(const index_t (&extents)[R]) {
  return array<T, R, Space>(view_detail::shape_from(extents));
}

}  // namespace lazyfuse

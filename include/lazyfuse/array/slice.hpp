// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is stored, and views of an array that can be assigned to: x(...) = e.
#pragma once

#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/expr/create.hpp>

namespace lazyfuse {

/// Elements of an array, or of memory of others: without an owner, or with one that is foreign, and of const T where
/// they may not be written.
template <class T, class Space>
struct stored {
  using value_type = std::remove_const_t<T>;
  allocation* owner;
  const T* data;
  friend bool operator==(const stored& a, const stored& b) { return a.data == b.data; }
};
template <class T, class Space>
struct tree::source_traits<stored<T, Space>> {
  using space = Space;
  using viewed = stored<T, Space>;
  static constexpr bool is_argument = false;
  static constexpr int owners = 1;
};

/// What assigning to a slice may replace: the handle of an array, and where its elements are.
template <class T, class Space>
struct array_memory {
  handles<1>* memory;
  stored<T, Space>* source;
};

/// Where what Tree reads is stored, to be written: the elements of a view here, parts of elements in parts.hpp.
template <class Tree>
struct stored_place;
template <class T, class Space, int R>
struct stored_place<tree::leaf<stored<T, Space>, R>> {
  using element = T;  ///< of the array's memory
  static const tree::leaf<stored<T, Space>, R>& of(const tree::leaf<stored<T, Space>, R>& view) { return view; }
};

/// A writable view of an array, or of parts of its elements: reads like any expression; only the temporary can be
/// assigned to.
template <class Tree>
struct slice : lazy<Tree> {
  using space = typename Tree::space;
  using memory_type = array_memory<typename stored_place<Tree>::element, space>;

  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  void operator=(E&& e) &&;
  void operator=(const slice& e) && { static_cast<slice&&>(*this) = e.base(); }
  template <class E>
    requires(expression<E> || scalar<E>)
  void operator=(E&&) & {
    static_assert(!(expression<E> || scalar<E>),
                  "lazyfuse: a stored view cannot be written through; assign to x(...) or component<K>(x) itself, or "
                  "use borrow and into");
  }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  void operator+=(E&& e) && { static_cast<slice&&>(*this) = base() + static_cast<E&&>(e); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  void operator-=(E&& e) && { static_cast<slice&&>(*this) = base() - static_cast<E&&>(e); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  void operator*=(E&& e) && { static_cast<slice&&>(*this) = base() * static_cast<E&&>(e); }
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  void operator/=(E&& e) && { static_cast<slice&&>(*this) = base() / static_cast<E&&>(e); }
  slice(const slice&) = default;
  slice(lazy<Tree>&& view, memory_type of) : lazy<Tree>(static_cast<lazy<Tree>&&>(view)), written(of) {}

  /// A view of the view: x(...)(...) = e writes, too.
  template <class... Specs>
  auto operator()(Specs... specs) && {
    if constexpr ((expression<Specs> || ...)) return view(base(), specs...);  // by masks and indices arrays are written
    else {
      auto v = view(static_cast<lazy<Tree>&&>(*this), specs...);
      return slice<tree_t<decltype(v)>>(static_cast<decltype(v)&&>(v), written);
    }
  }
  template <class... Specs>
  auto operator()(Specs... specs) const& {
    return view(base(), specs...);
  }

  memory_type written;  ///< the array's own

 private:
  const lazy<Tree>& base() const { return *this; }
};

/// What x(...) of an array with a name is.
template <class X, class... Specs>
auto written_view(X& x, Specs... specs) {
  auto v = view(x, specs...);
  return slice<tree_t<decltype(v)>>(static_cast<decltype(v)&&>(v), x.own_memory());
}

}  // namespace lazyfuse

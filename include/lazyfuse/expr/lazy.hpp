// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators and functions return: a tree of trivially copyable nodes, and beside it the handles that keep the
// memory of its arrays. Apart, because compilers copy plain trees for nothing and handles dearly.
#pragma once

#include <lazyfuse/expr/leaf.hpp>

namespace lazyfuse {

struct allocation;

namespace mistakes {
// Functions of <cmath> take what becomes a long double. No element of an array is one, so array<double, 1>{e} does not
// find a number in e.
template <class T>
concept number_of_cmath = __is_same(T, long double);

/// Expressions are no numbers: of those with axes, a truth value is asked for, or a function of the standard library's.
template <int Rank, class Tree>
struct conversions : expression_interface {
  template <number_of_cmath Number>
  constexpr operator Number() const {
    static_assert(Rank < 0,
                  "lazyfuse: functions of arrays and expressions are lazyfuse's: lf::sqrt(x) for std::sqrt(x); the "
                  "value of one element is x(0).item()");
    return 0;
  }
  constexpr explicit operator bool() const {
    static_assert(Rank < 0,
                  "lazyfuse: an expression of several elements is neither true nor false; write all(e).item() or "
                  "any(e).item(), and logical_and, logical_or and logical_not in place of &&, || and !");
    return false;
  }
};
/// Of those of one element, also the value. To double alone, so that std::sqrt(e) is not ambiguous.
template <class Tree>
struct conversions<0, Tree> : expression_interface {
  constexpr operator double() const {
    static_assert(!__is_same(Tree, Tree),
                  "lazyfuse: an expression becomes a number with .item(), which computes it and waits, as in "
                  "mean(x).item() or if (max(x).item() > 3); functions of expressions are lazyfuse's, as lf::sqrt(e)");
    return 0;
  }
};
}  // namespace mistakes

namespace lazy_detail {
/// Some handles of an operand, and whether they may be taken from it.
struct handle_range {
  allocation* const* memory;
  int count;
  bool moved;
};
/// Copies or moves handles, one part after the other; null is nobody's memory, and what stays behind of a moved one.
void join(allocation** to, const handle_range* parts, int count) noexcept;
void drop(allocation* const* memory, int n) noexcept;
}  // namespace lazy_detail

/// N handles to memory, some perhaps to the same.
template <int N>
struct handles {
  allocation* memory[N] = {};

  handles() = default;
  handles(const handles& h) noexcept : handles({{h.memory, N, false}}) {}
  handles(handles&& h) noexcept : handles({{h.memory, N, true}}) {}
  template <int Parts>
  explicit handles(const lazy_detail::handle_range (&parts)[Parts]) noexcept {
    lazy_detail::join(memory, parts, Parts);
  }
  handles& operator=(handles h) noexcept {
    lazy_detail::drop(memory, N);
    for (int k = 0; k < N; ++k) {
      memory[k] = h.memory[k];
      h.memory[k] = nullptr;
    }
    return *this;
  }
  ~handles() { lazy_detail::drop(memory, N); }
  lazy_detail::handle_range range(bool moved) const { return {memory, N, moved}; }
};
template <>
struct handles<0> {
  constexpr handles() = default;
  template <int Parts>
  constexpr explicit handles(const lazy_detail::handle_range (&)[Parts]) {}
  constexpr lazy_detail::handle_range range(bool) const { return {nullptr, 0, false}; }
};

template <class E, class... Specs>
constexpr auto view(E&& e, Specs... specs);
template <class X>
  requires expression<X>
constexpr auto transpose(X&& x);

/// An unevaluated expression over the values its arrays had when it was written. Once moved from, it may only be
/// destroyed or assigned to: its tree is still there, but not its memory.
template <class Tree>
struct lazy : mistakes::conversions<Tree::rank, std::conditional_t<Tree::rank == 0, Tree, void>> {
  using tree_type = Tree;
  using value_type = typename Tree::value_type;
  using space = typename Tree::space;
  static constexpr int rank = Tree::rank;
  static constexpr bool is_array = false;

  Tree tree;
  [[no_unique_address]] handles<Tree::owners> memory;

  constexpr const lazyfuse::shape<rank>& shape() const { return tree.shape(); }
  /// A view: ranges, integers, all, newaxis, ellipsis.
  template <class... Specs>
  constexpr auto operator()(Specs... specs) const& {
    return view(*this, specs...);
  }
  template <class... Specs>
  constexpr auto operator()(Specs... specs) && {
    return view(static_cast<lazy&&>(*this), specs...);
  }
  template <class I>
  constexpr auto operator[](const I&) const {
    static_assert(!__is_same(I, I),
                  "lazyfuse: views are written with parentheses: x(0) for NumPy's x[0], x(all, range(1, 3)) for "
                  "x[:, 1:3]; the value of an element is x(0, 1).item()");
    return *this;
  }
  /// The axes in reverse order, as a view.
  constexpr auto T() const { return transpose(*this); }
  /// The value of a one-element expression: evaluates, waits for it and returns it. Throws shape_error if it has
  /// more elements, or none.
  template <class = maker>
  value_type item(caller where = caller::here()) const;

  template <class E>
  void operator=(const E&) && {
    static_assert(!__is_same(E, E),
                  "lazyfuse: there is no memory behind this expression; assign to an array x that is not const, to "
                  "x(...), component<K>(x), real(x) or imag(x), or into(borrowed)");
  }
  constexpr mistakes::no_iterator<value_type> begin() const {
    static_assert(!__is_same(Tree, Tree),
                  "lazyfuse: an expression has no elements to loop over until it is evaluated; loop over an array on "
                  "the host, lf::array x = e");
    return {};
  }
  constexpr mistakes::no_iterator<value_type> end() const { return {}; }
};

/// The nodes of an expression, without its memory.
template <class E>
using tree_t = typename bare_t<E>::tree_type;

namespace lazy_detail {
/// Handles are taken from temporary expressions; an array keeps its own.
template <class X>
inline constexpr bool gives = __is_same(X, bare_t<X>) && !bare_t<X>::is_array;
}  // namespace lazy_detail

/// A tree over the memory of the expressions x...
template <class Tree, class... X>
constexpr lazy<Tree> over(const Tree& tree, X&&... x) {
  if constexpr (Tree::owners == 0) return {{}, tree, {}};
  else return {{}, tree, handles<Tree::owners>({x.memory.range(lazy_detail::gives<X>)...})};
}

}  // namespace lazyfuse

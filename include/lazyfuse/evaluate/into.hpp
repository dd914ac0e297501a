// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing borrowed memory.
#pragma once

#include <lazyfuse/array/borrow.hpp>
#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse {

/// Borrowed memory as the destination of an assignment: into(borrow(p, {n})) = e.
template <class T, int R, class Space>
struct destination {
  tree::leaf<stored<T, Space>, R> view;
  template <class E, class = maker>
    requires(expression<E> || scalar<E>)
  void operator=(E&& e) && {
    if constexpr (is_literal<bare_t<E>>) static_cast<destination&&>(*this) = bare_t<E>::value;
    else {
      const auto& node = assign_detail::lifted<T>(e);
      constexpr bool rank_fits = rank_of<decltype(node)> <= R;
      static_assert(rank_fits, "lazyfuse: the expression has more axes than the memory it is assigned to");
      if constexpr (rank_fits) {
        if constexpr (assign_detail::check<T, rank_of<decltype(node)>, Space, bare_t<decltype(node)>>())
          assign_detail::store_view(view, array_memory<T, Space>{}, node, 0);
      }
    }
  }
};
/// What is assigned to where there is nothing to write to, and a sentence has said so.
struct no_destination {
  template <class E>
  void operator=(E&&) && {}
};
/// The memory behind a borrowed view, to be assigned to. Throws index_error if it belongs to an array.
template <class T, int R, class Space>
auto into(const borrowed<T, R, Space>& view) {
  constexpr bool writable = !std::is_const_v<T>;
  static_assert(writable, "lazyfuse: this memory was borrowed as const, so it can only be read");
  if constexpr (writable) {
    if (view.tree.source.owner && !view.tree.source.owner->foreign)
      throw_value("into: this memory belongs to an array; write x(...) = e");
    return destination<T, R, Space>{view.tree};
  } else return no_destination{};
}
template <class T, int R, class Space>
destination<T, R, Space> into(const array<T, R, Space>&) {
  static_assert(!__is_same(T, T), "lazyfuse: into is for borrowed memory; write x = e");
}
template <class Tree>
no_destination into(const slice<Tree>&) {
  static_assert(!__is_same(Tree, Tree), "lazyfuse: into is for borrowed memory; write x(...) = e");
  return {};
}

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several expressions, and where their values go.
#pragma once

#include <lazyfuse/evaluate/assign.hpp>

namespace lazyfuse::materialize_detail {

/// Where the values of an expression go.
template <class T, int R>
struct place {
  T* data;
  strides<R> steps;
  allocation* owner;
};
template <class T, int R, class Space>
place<T, R> place_of(const array<T, R, Space>& x) {
  return {x.unshared(), x.tree.steps, x.owner()};
}

/// Trees and where their values go: until that is known, to memory that stands for it.
template <class... E>
struct placed {
  static constexpr int count = sizeof...(E);
  pack<const E*...> trees;
  pack<place<value_t<E>, E::rank>...> places;

  explicit placed(const E&... e) : placed(make_index_sequence<count>{}, e...) {}
  template <int I>
  const auto& tree() const {
    return *get<I>(trees);
  }

 private:
  template <int... I>
  placed(index_sequence<I...>, const E&... e)
      : trees{{&e}...},
        places{{{static_cast<value_t<E>*>(run_detail::planned_memory(run_detail::planned::result, I)),
                 row_major(e.shape()), nullptr}}...} {}
};

}  // namespace lazyfuse::materialize_detail

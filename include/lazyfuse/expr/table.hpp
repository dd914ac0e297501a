// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The leaf of a gather: a table (program/table.hpp), which has rank 0, for indices say where it is read.
#pragma once

#include <lazyfuse/expr/tree.hpp>
#include <lazyfuse/program/remapped.hpp>
#include <lazyfuse/program/table.hpp>

namespace lazyfuse::tree {

/// The elements of a source as a table.
template <class Source, int K, ir::beyond Beyond>
struct table_of {
  using value_type = ir::table<ir::memory<typename Source::value_type>, K, Beyond>;  // which space's, types say later
  static constexpr int element_size = sizeof(typename Source::value_type);
  Source source;  ///< first: code without types looks there for an owner and a pointer
  ir::table_axes<K> axes;
  /// What may be read, counted from the pointer of the source: all of it, for nobody knows the indices.
  constexpr ir::stretch reach() const {
    if constexpr (requires { source.reach(); }) return source.reach();
    else return {0, axes.length};
  }
  friend bool operator==(const table_of&, const table_of&) = default;
};
template <class Source, int K, ir::beyond Beyond>
struct source_traits<table_of<Source, K, Beyond>> {
  using space = typename source_traits<Source>::space;
  using viewed = table_of<Source, K, Beyond>;
  static constexpr bool is_argument = false;
  static constexpr int owners = source_traits<Source>::owners;
};

/// Computed into memory of its own, which is then a table that begins `shift` elements into it.
template <int K, ir::beyond Beyond>
struct to_table {
  static constexpr bool in_kernel = false, in_own_order = false;
  static constexpr const char* because = "gathered from";
  using viewed = to_table;
  ir::table_axes<K> axes;
  index_t shift;
  template <class Source>
  constexpr auto read(Source s) const {
    s.data += shift;
    return table_of<Source, K, Beyond>{s, axes};
  }
};
template <int K, ir::beyond Beyond, class A>
struct deferred<to_table<K, Beyond>, A> {
  using kind = to_table<K, Beyond>;
  using argument_type = A;
  using value_type = ir::table<ir::memory<typename A::value_type>, K, Beyond>;
  A argument;
  kind how;
};

}  // namespace lazyfuse::tree

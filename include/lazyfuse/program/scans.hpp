// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scans inside programs: their kind of stage, and a list of them taken apart.
#pragma once

#include <lazyfuse/core/characters.hpp>
#include <lazyfuse/program/reductions.hpp>

namespace lazyfuse::ir {

namespace scan_name_detail {
/// "cumsum", and after a comma how.
template <class Monoid, bool Exclusive>
inline constexpr auto words = [] {
  constexpr const char* how = Exclusive ? ",exclusive" : "";
  if constexpr (requires { Monoid::scan_name; })
    return characters_detail::joined<characters_detail::length(Monoid::scan_name, how)>(Monoid::scan_name, how);
  else return characters_detail::joined<characters_detail::length("cum", Monoid::name, how)>("cum", Monoid::name, how);
}();
}  // namespace scan_name_detail

/// The kind of a scan: each value combined with those before it along one axis of its position, or with all but itself.
template <class Monoid, bool Exclusive>
struct scanned {
  static constexpr const char* name = scan_name_detail::words<Monoid, Exclusive>.text;
};

/// A list of scans taken apart, as reduction_set.
template <class Scans, class Sources>
struct scan_set;
template <class... M, bool... Exclusive, class... P, class Sources>
struct scan_set<list<stage<scanned<M, Exclusive>, P>...>, Sources> : reduction_set<list<reduction<M, P>...>, Sources> {
  using scans = list<stage<scanned<M, Exclusive>, P>...>;
  template <int I>
  static constexpr bool is_exclusive = [] {
    constexpr bool all[] = {Exclusive...};
    return all[I];
  }();
  /// The number of a scan in the list.
  template <class S>
  static constexpr int index_of = [] {
    const bool same[] = {standard::is_same_v<S, stage<scanned<M, Exclusive>, P>>...};
    int i = 0;
    while (!same[i]) ++i;
    return i;
  }();
};

}  // namespace lazyfuse::ir

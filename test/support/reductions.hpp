// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions as objects, so that tests can be written once for all of them.
#pragma once

#include "registry.hpp"
#include "spaces.hpp"

#include <calls.hpp>

namespace test {

/// The one reduction that is no monoid: a sum and a division.
struct mean {
  static constexpr const char* name = "mean";
};
template <>
struct call<mean> {
  static constexpr const char* name = "mean";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::mean(x...);
  }
};
using all_reductions = lf::concat_t<lf::op::all_monoids, lf::list<mean>>;

}  // namespace test

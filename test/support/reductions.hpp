// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions as objects, so that tests can be written once for all of them.
#pragma once

#include "spaces.hpp"

#include <cstdint>
#include <type_traits>

namespace test {

struct sum {
  static constexpr const char* name = "sum";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::sum(x...);
  }
};
struct prod {
  static constexpr const char* name = "prod";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::prod(x...);
  }
};
struct min {
  static constexpr const char* name = "min";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::min(x...);
  }
};
struct max {
  static constexpr const char* name = "max";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::max(x...);
  }
};
struct mean {
  static constexpr const char* name = "mean";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::mean(x...);
  }
};
struct any {
  static constexpr const char* name = "any";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::any(x...);
  }
};
struct all {
  static constexpr const char* name = "all";
  template <class... X>
  auto operator()(const X&... x) const {
    return lf::all(x...);
  }
};

/// The element type of NumPy's answer to Op over elements T.
template <class Op, class T>
using reduced = std::conditional_t<
    std::is_same_v<Op, any> || std::is_same_v<Op, all>, bool,
    std::conditional_t<
        std::is_same_v<Op, mean>, std::conditional_t<std::is_floating_point_v<T>, T, double>,
        std::conditional_t<std::is_same_v<Op, min> || std::is_same_v<Op, max> || std::is_floating_point_v<T>, T,
                           std::int64_t>>>;

}  // namespace test

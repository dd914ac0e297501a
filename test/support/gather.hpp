// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several expressions evaluated in one kernel, so that compiling many of them stays cheap.
#pragma once

#include "spaces.hpp"

namespace test {

/// Several results in one element: lf::map(gather{}, e1, e2, ...).
struct gather {
  template <class... R>
  LAZYFUSE_HD lf::pack<R...> operator()(const R&... r) const {
    return {{r}...};
  }
};

}  // namespace test

// expected-error: lazyfuse: borrow does not keep a temporary container alive
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <lazyfuse/lazyfuse.hpp>

#include <span>
#include <vector>

namespace lf = lazyfuse;

std::vector<double> make();

double mistake() {
#ifdef LAZYFUSE_EXPECT_ERROR
  return lf::sum(lf::borrow(make())).item();
#else
  const std::vector<double> v = make();
  return lf::sum(lf::borrow(std::span(v))).item();
#endif
}

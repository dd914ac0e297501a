// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same expressions in a file of nvcc's and in one of the C++ compiler's.
#pragma once

#include <functional>
#include <vector>

namespace test {

namespace lf = lazyfuse;
using vector = lf::array<float, 1, lf::cuda>;

/// Evaluates expressions over x and y, one kernel each; of the other file.
std::vector<std::function<void()>> by_the_cpp_compiler(const vector& x, const vector& y);
/// Adds one to what it is given.
vector one_more_by_the_cpp_compiler(const vector& x);

namespace {

std::vector<std::function<void()>> evaluations(const vector& x, const vector& y) {
  return {[=] { vector z = x * y + x; },
          [=] {
            vector z(x.shape());
            z = lf::sqrt(x) * y;
          },
          [=] {
            vector z(x.shape());
            z += x;
          },
          [=] {
            vector z(x.shape());
            z(lf::range(1, lf::end)) = x(lf::range(0, -1)) + 1;
          },
          [=] { (void)lf::sum(x * y).item(); },
          [=] { lf::array z = lf::materialize(x - lf::max(x)(lf::newaxis)); },
          [=] { auto [low, high] = lf::materialize(lf::min(x), lf::max(x)); },
          [=] {
            vector z(x.shape()), w(x.shape());
            lf::assign(lf::tie(z, w), x + y, x - y);
          },
          [=] {
            vector z(x.shape());
            lf::prepare(z, x / y)();
          },
          [=] { (void)lf::to<lf::host>(x * 2); },
          [=] { lf::into(lf::borrow<lf::cuda>(const_cast<float*>(x.data()), {10})) = 3 * y(lf::range(0, 10)); }};
}

}  // namespace

}  // namespace test

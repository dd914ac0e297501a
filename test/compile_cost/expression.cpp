// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// instantiations: 5220
// The first of the expressions of 32 operations that bench/compile measures.
#include <lazyfuse/lazyfuse.hpp>
namespace lf = lazyfuse;
using array = lf::array<float, 1>;
void f0(array& z, const array& a, const array& b, const array& c, const array& d) {
  z = lf::minimum(
      (1.605f / a),
      lf::sin(lf::abs(
          (lf::tanh(lf::maximum(
               lf::abs((-(-lf::sqrt(((-lf::minimum(c, c)) / lf::sin((lf::sqrt(lf::exp(((0.842f + c) + b))) * d))))))),
               lf::maximum(lf::exp(b), c))) /
           lf::maximum(lf::maximum((((a + b) / c) + lf::cos((lf::sqrt((0.709f / c)) + (b + d)))), b), b)))));
  (void)a, (void)b, (void)c, (void)d;
}

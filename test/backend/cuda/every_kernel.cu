// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel once, to machine code: what only the assembler finds (instructions by name, shared memory and registers
// of a block) is found without a GPU, too. Nothing runs.
#include <lazyfuse/select.hpp>

#include "support/arrays.hpp"

namespace {

template <class T, int R>
using device = lf::array<T, R, lf::cuda>;
using lf::axis, lf::range;

/// Larger than what a block has room for in some kernels.
struct matrix5 {
  double element[25];
};
struct first_of_two {
  template <class T>
  LAZYFUSE_HD T operator()(const T& a, const T&) const {
    return a;
  }
};

}  // namespace

void transforms(device<float, 2>& y, const device<float, 2>& x, device<float, 1>& v) {
  v = v * 2;
  y = x(lf::all, range(0, lf::end, 2));
  y = lf::sin(x) + lf::transpose(x);
  y = x(range(0, -2), range(1, -1)) + x(range(2, lf::end), range(1, -1)) + x(range(1, -1), range(0, -2));
}
void reductions(device<float, 1>& v, const device<float, 2>& x) {
  v = lf::sum(x * x, axis<1>);
  v = lf::var(x, axis<0>);
}
void rows(device<float, 2>& y, const device<float, 2>& x) {
  y = lf::softmax(x, axis<1>);
  y = lf::softmax(x, axis<0>);
}
void scans(device<float, 2>& y, const device<float, 2>& x, device<float, 1>& v, device<std::int64_t, 2>& n,
           device<matrix5, 2>& m) {
  v = lf::cumsum(v * v) * 2;
  y = lf::cumsum(x, axis<1>, lf::exclusive) + lf::cummax(x, axis<1>);
  y = lf::cumsum(x, axis<0>);
  n = lf::cumsum(lf::cast<std::int32_t>(x), axis<1>);
  m = lf::scan(first_of_two{}, matrix5{}, m, axis<1>);
}
void selections(device<float, 1>& v, const device<float, 2>& x) { v = device<float, 1>(x(x > 0) * 2 + 1); }

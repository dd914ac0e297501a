// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays and expressions: the blocks of docs/tutorial/1_first_array.md.
#include "expect.hpp"

// [include]
#include <lazyfuse/lazyfuse.hpp>

#include <iostream>

namespace lf = lazyfuse;
// [include]

int main() {
  // [array]
  lf::array<float, 2> x{{1, 2, 3}, {4, 5, 6}};  // np.array([[1, 2, 3], [4, 5, 6]], np.float32)
  lf::array<float, 1> v = lf::linspace(0.0f, 1.0f, 3);
  std::cout << x << '\n' << v << '\n' << x.extent(0) << " rows, " << x.size() << " elements\n";
  // [array]

  // [expression]
  auto e = lf::sqrt(x * x + 1) - v;  // nothing runs, nothing is allocated
  lf::array r = e;                   // one loop over the elements, no temporary
  std::cout << r << '\n';
  // [expression]
  {
    const lf::kernel_trace trace;
    const lf::array again = e;
    expect(trace.launches() == 1 && trace.allocations() == 1);
  }

  // [values]
  const auto before = x + 1;
  const lf::array<float, 2> copy = x;  // shares the memory of x
  x = x * 10;                          // x gets memory of its own, since others see the old values
  std::cout << before << '\n' << copy << '\n' << x << '\n';
  // [values]

  // [item]
  const float largest = lf::max(x).item();
  const float corner = x(1, 2).item();
  std::cout << largest << ' ' << corner << '\n';
  // [item]
  expect(largest == 60 && corner == 60);

  // [twice]
  const auto noise = lf::sin(x) * 0.1f;
  lf::array<float, 2> a = x + noise, b = x - noise;  // the sines are computed twice
  const lf::array kept = lf::sin(x) * 0.1f;
  a = x + kept, b = x - kept;  // once, and read twice
  // [twice]
  expect(lf::all(lf::abs(a + b - 2 * x) < 1e-3).item());

  // [mistake]
  try {
    const auto sum = x + lf::zeros<float>({4});
  } catch (const lf::shape_error& problem) {
    std::cout << problem.what() << '\n';
  }
  // [mistake]
}

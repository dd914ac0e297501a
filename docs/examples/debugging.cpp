// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong and what runs, seen from a program: the blocks of docs/debugging.md.
#include "expect.hpp"

#include <lazyfuse/error.hpp>
#include <lazyfuse/lazyfuse.hpp>

#include <iostream>
#include <string>

namespace lf = lazyfuse;

int main() {
  const lf::array<float, 2> x = lf::ones<float>({3, 4});
  const lf::array<float, 1> y = lf::ones<float>({5});
  bool thrown = false;
  // [errors]
  try {
    const auto e = lf::sin(x) * 2 + lf::exp(x - y) / lf::sum(x);
  } catch (const lf::shape_error& error) {
    std::cerr << error.what() << '\n';  // subtract: shapes (3, 4) and (5,) do not broadcast
    thrown = std::string(error.what()) == "subtract: shapes (3, 4) and (5,) do not broadcast";
  }
  // [errors]
  expect(thrown);

  // [trace]
  const lf::kernel_trace trace;
  const lf::array s = lf::sum(x * x, lf::axis<1>);
  for (const lf::kernel_record& k : trace.kernels())
    std::cerr << k.pattern << ' ' << k.name << ": " << k.bytes_read << " bytes read\n";  // reduce sum((x0 * x1)): ...
  expect(trace.launches() == 1 && trace.allocations() == 1);  // one kernel, and no array but the result
  // [trace]
}

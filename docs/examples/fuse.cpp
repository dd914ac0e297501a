// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one kernel can hold: shared sub-expressions, fused functions, several results, a function of one's own.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>
#include <cmath>
#include <iostream>

namespace lf = lazyfuse;
using vector = lf::array<double, 1>;

/// A function object of the user's; on the GPU its operator would be __host__ __device__.
struct softplus {
  double sharpness;
  double operator()(double x) const { return std::log1p(std::exp(sharpness * x)) / sharpness; }
};
bool close(const auto& a, const auto& b) { return lf::all(lf::abs(a - b) < 1e-12).item(); }

int main() {
  const vector x = lf::linspace(-1.0, 1.0, 1000), y = lf::linspace(0.5, 2.5, 1000);

  // s is written once and used four times: each element of x and y is read once, and added once.
  {
    const auto s = x + y;
    const lf::kernel_trace trace;
    const vector z = s * s + lf::sin(s) * lf::cos(s);
    expect(trace.launches() == 1 && trace.allocations() == 1);
    expect(trace.bytes_read() == 2 * 1000 * sizeof(double));
    expect(close(z, lf::square(x + y) + lf::sin(2 * (x + y)) / 2));
  }

  // A function of arrays. It sees placeholders, so that what it shares is known when it is compiled.
  const auto distance = lf::fuse([](auto phi1, auto theta1, auto phi2, auto theta2) {
    const auto a = lf::square(lf::sin((phi2 - phi1) / 2)) +
                   lf::cos(phi1) * lf::cos(phi2) * lf::square(lf::sin((theta2 - theta1) / 2));
    return 2 * lf::atan2(lf::sqrt(a), lf::sqrt(1 - a));
  });
  {
    const lf::kernel_trace trace;
    const vector d = distance(x, y, x, y + 0.25 * x);
    expect(trace.launches() == 1 && trace.allocations() == 1);
    expect(close(distance(x, y, x, y), 0 * d));
  }
  std::cout << lf::explain(distance(x, y, y, x));

  // Several expressions of one shape are one kernel with several results.
  {
    const lf::kernel_trace trace;
    const auto [radius, angle] = lf::materialize(lf::sqrt(x * x + y * y), lf::atan2(y, x));
    expect(trace.launches() == 1);
    expect(close(radius * lf::cos(angle), x) && close(radius * lf::sin(angle), y));
  }

  // map carries a callable with its state; it fuses like any operation.
  const lf::kernel_trace trace;
  const vector z = 1 + lf::map(softplus{4}, x - y);
  expect(trace.launches() == 1);
  expect(close(z, 1 + lf::log(1 + lf::exp(4 * (x - y))) / 4));
}

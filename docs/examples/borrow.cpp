// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside an existing code: its memory stays its own, expressions read and write it where it is.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <cmath>
#include <vector>

namespace lf = lazyfuse;
using lf::range;

// [existing]
namespace existing_code {
/// Rows of `pitch` numbers, of which the first `columns` count.
struct field {
  double* first;
  int rows, columns, pitch;
};
}  // namespace existing_code
// [existing]

namespace existing_code {
double checksum(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum;
}
}  // namespace existing_code

// [conduct]
/// The field as an expression: nothing is copied.
auto view(const existing_code::field& f) { return lf::borrow(f.first, {f.rows, f.columns}, {f.pitch, 1}); }

/// One step of heat conduction in the interior of the field; the new state goes to `next`.
void conduct(const existing_code::field& now, const existing_code::field& next, double rate) {
  const auto inside = range(1, -1);
  const auto t = view(now);
  const auto around =
      t(range(0, -2), inside) + t(range(2, lf::end), inside) + t(inside, range(0, -2)) + t(inside, range(2, lf::end));
  lf::into(view(next)(inside, inside)) = t(inside, inside) + rate * (around - 4 * t(inside, inside));
}
// [conduct]

int main() {
  std::vector<double> a(5 * 8, 0.0), b(5 * 8, 0.0);
  const existing_code::field now{a.data(), 5, 6, 8}, next{b.data(), 5, 6, 8};
  a[2 * 8 + 2] = 16;

  const lf::kernel_trace trace;
  conduct(now, next, 0.125);
  expect(trace.launches() == 1 && trace.allocations() == 0);
  expect(b[2 * 8 + 2] == 8 && b[1 * 8 + 2] == 2 && b[2 * 8 + 3] == 2);
  expect(existing_code::checksum(b) == 16);

  // Borrowed memory is seen as it is when an expression is evaluated, not as it was when it was written.
  const auto total = lf::sum(view(now));
  a[0] = 1;
  expect(total.item() == 17);

  // Reading and writing the same memory at different places is found out, and gives what NumPy gives.
  std::vector<int> numbers{1, 2, 3, 4};
  const auto n = lf::borrow(numbers);
  lf::into(n(range(1, lf::end))) = n(range(0, -1)) + 10;
  expect((numbers == std::vector<int>{1, 11, 12, 13}));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans: over one long axis, along rows, along columns. Three results of each are checked, for each takes all before
// it.
#pragma once

#include "workload.hpp"

namespace bench {

/// The sums of squares up to each element along an axis of a matrix.
template <class S, int Rows, int Columns, int Axis>
struct cumsum_of : workload<float, 2, S> {
  static constexpr bool few = true;
  static constexpr int rows = Rows, columns = Columns;
  static constexpr double bytes = 8.0 * rows * columns, tolerance = 1e-5;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape{rows, columns});

  cumsum_of() : workload<float, 2, S>(lf::shape{rows, columns}) {}
  void evaluate() { this->z = lf::cumsum(x * x, lf::axis<Axis>); }

  static constexpr index_t row(index_t which) { return (which + 1) * index_t{rows} / 3 - (rows > 2); }
  static constexpr index_t column(index_t which) { return (which + 1) * index_t{columns} / 3 - 1; }
  index_t results() const { return 3; }
  float* result(index_t which) { return this->z.data() + (rows > 2 ? row(which) : 0) * columns + column(which); }
  static double expected(index_t which) {
    const index_t i = rows > 2 ? row(which) : 0, j = column(which);
    double sum = 0;
    for (index_t k = 0; k <= (Axis == 1 ? j : i); ++k) {
      const double v = number<float>(1, Axis == 1 ? i * columns + k : k * columns + j);
      sum += v * v;
    }
    return sum;
  }
};
template <class S>
struct cumsum_squares : cumsum_of<S, 1, size<S>(1 << 27, 1 << 24), 1> {
  static constexpr const char* name = "cumsum_squares";
};
template <class S>
struct cumsum_rows : cumsum_of<S, size<S>(1 << 17, 1 << 14), 1024, 1> {
  static constexpr const char* name = "cumsum_rows";
};
template <class S>
struct cumsum_columns : cumsum_of<S, size<S>(11585, 4096), size<S>(11585, 4096), 0> {
  static constexpr const char* name = "cumsum_columns";
};

}  // namespace bench

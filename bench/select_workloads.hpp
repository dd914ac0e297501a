// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections by a mask, with arithmetic before and after: bytes are all of x and what is selected. Three results of
// each are checked, for each takes its place among all before it.
#pragma once

#include "workload.hpp"

#include <lazyfuse/select.hpp>

namespace bench {

/// So many of 16 numbers, which are uniform in [0.5, 1.5).
template <class S, int Sixteenths>
struct select_of : workload<float, 1, S> {
  static constexpr bool few = true;
  static constexpr int n = size<S>(1 << 28, 1 << 24);
  static constexpr double bytes = 4.0 * n * (1 + Sixteenths / 16.0), tolerance = 1e-6;
  static constexpr float least = 1.5f - Sixteenths / 16.0f;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape{n});

  select_of() : workload<float, 1, S>(lf::shape{n}) {}
  void evaluate() { this->z = lf::array<float, 1, S>(x(x >= least) * 2 + 1); }

  static constexpr index_t place(index_t which) { return (which + 1) * (index_t{n} / 16 * Sixteenths / 4); }
  index_t results() const { return 3; }
  float* result(index_t which) { return this->z.data() + place(which); }
  static double expected(index_t which) {
    index_t before = place(which), i = 0;
    while (number<float>(1, i) < least || before-- > 0) ++i;
    return number<float>(1, i) * 2 + 1;
  }
};
template <class S>
struct select_half : select_of<S, 8> {
  static constexpr const char* name = "select_half";
};
template <class S>
struct select_few : select_of<S, 3> {
  static constexpr const char* name = "select_few";
};

}  // namespace bench

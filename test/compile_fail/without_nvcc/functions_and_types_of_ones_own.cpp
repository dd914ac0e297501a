// expected-error: lazyfuse: functions and operations of your own need a file that nvcc compiles
// expected-error: lazyfuse: elements of types of your own need a file that nvcc compiles
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define LAZYFUSE_CUDA 1
#include <lazyfuse/cuda.hpp>

namespace lf = lazyfuse;

#ifdef LAZYFUSE_EXPECT_ERROR
using space = lf::cuda;
#else
using space = lf::host;
#endif
struct twice {
  template <class T>
  T operator()(T x) const {
    return x + x;
  }
};
struct point {
  float x, y;
};
lf::array<float, 1, space> mistake(const lf::array<float, 1, space>& x) { return lf::map(twice{}, x); }
lf::array<point, 1, space> another(const lf::array<point, 1, space>& x) { return x(lf::range(1, 3)); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// saxpy with one operand that is not the plain array it was: none of them may slow the others down. And a few
// workloads unfused, one kernel per operation, to show what fusing gives.
#pragma once

#include "workloads.hpp"

namespace bench {

/// Operands that start one element later, or end one earlier: only one of the three is aligned differently.
template <class S>
struct saxpy_slice : workload<float, 1, S> {
  static constexpr const char* name = "saxpy_slice";
  static constexpr int n = size<S>(1 << 28, 1 << 24);
  static constexpr double bytes = 12.0 * (n - 1), tolerance = 1e-6;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape<1>{n}), y = numbers<float, S>(2, lf::shape<1>{n});

  saxpy_slice() : workload<float, 1, S>(lf::shape<1>{n - 1}) {}
  void evaluate() { this->z = 2.5 * x(lf::range(1, lf::none)) + y(lf::range(lf::none, -1)); }
  LAZYFUSE_HD static double expected(index_t i) { return 2.5 * number<float>(1, i + 1) + number<float>(2, i); }
};

/// A size that no vector width divides.
template <class S>
struct saxpy_odd : workload<float, 1, S> {
  static constexpr const char* name = "saxpy_odd";
  static constexpr int n = size<S>((1 << 28) - 1, (1 << 24) - 1);
  static constexpr double bytes = 12.0 * n, tolerance = 1e-6;
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape<1>{n}), y = numbers<float, S>(2, lf::shape<1>{n});

  saxpy_odd() : workload<float, 1, S>(lf::shape<1>{n}) {}
  void evaluate() { this->z = 2.5 * x + y; }
  LAZYFUSE_HD static double expected(index_t i) { return 2.5 * number<float>(1, i) + number<float>(2, i); }
};

/// One row added to every row of a matrix.
template <class S>
struct saxpy_row : workload<float, 2, S> {
  static constexpr const char* name = "saxpy_row";
  static constexpr int n = size<S>(16384, 4096);
  static constexpr double bytes = 8.0 * n * n, tolerance = 1e-6;
  lf::array<float, 2, S> x = numbers<float, S>(1, lf::shape<2>{n, n});
  lf::array<float, 1, S> y = numbers<float, S>(2, lf::shape<1>{n});

  saxpy_row() : workload<float, 2, S>(lf::shape<2>{n, n}) {}
  void evaluate() { this->z = 2.5 * x + y; }
  LAZYFUSE_HD static double expected(index_t i) { return 2.5 * number<float>(1, i) + number<float>(2, i % n); }
};

/// The factor is an array of rank 0: it stays where it is and is read by every thread.
template <class S>
struct saxpy_0d : workload<float, 1, S> {
  static constexpr const char* name = "saxpy_0d";
  static constexpr int n = size<S>(1 << 28, 1 << 24);
  static constexpr double bytes = 12.0 * n, tolerance = 1e-6;
  lf::array<float, 0, S> a = numbers<float, S>(3, lf::shape<0>{});
  lf::array<float, 1, S> x = numbers<float, S>(1, lf::shape<1>{n}), y = numbers<float, S>(2, lf::shape<1>{n});

  saxpy_0d() : workload<float, 1, S>(lf::shape<1>{n}) {}
  void evaluate() { this->z = a * x + y; }
  LAZYFUSE_HD static double expected(index_t i) {
    return double(number<float>(3, 0)) * number<float>(1, i) + number<float>(2, i);
  }
};

template <class S>
struct fma3_unfused : fma3<S> {
  static constexpr const char* name = "fma3_unfused";
  lf::array<float, 1, S> product{lf::shape<1>{fma3<S>::n}};
  void evaluate() {
    product = this->a * this->b;
    this->z = product + this->c;
  }
};

template <class S>
struct chain20_unfused : chain20<S> {
  static constexpr const char* name = "chain20_unfused";
  void evaluate() {
    this->z = this->x * 1.0001;
    this->z += 0.5;
    for (int step = 1; step < 10; ++step) {
      this->z *= 1.0001;
      this->z += 0.5;
    }
  }
};

template <class S>
struct pyth_unfused : pyth<S> {
  static constexpr const char* name = "pyth_unfused";
  lf::array<float, 1, S> sine{lf::shape<1>{pyth<S>::n}}, cosine{lf::shape<1>{pyth<S>::n}};
  void evaluate() {
    sine = lf::sin(this->x);
    cosine = lf::cos(this->x);
    sine = lf::square(sine);
    cosine = lf::square(cosine);
    this->z = sine + cosine;
  }
};

}  // namespace bench

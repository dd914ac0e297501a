// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reconstruction of a program that is not public: one neuron learns. In each round p = 1 / (1 + exp(-(w x + b))), e =
// p - y, w -= rate mean(e x), b -= rate mean(e).
#pragma once

#include <lazyfuse/lazyfuse.hpp>

namespace programs {

namespace lf = lazyfuse;

/// Changes w and b.
template <class Space>
void nn(lf::array<double, 0, Space>& w, lf::array<double, 0, Space>& b, const lf::array<double, 1, Space>& x,
        const lf::array<double, 1, Space>& y, double rate, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const auto e = 1 / (1 + lf::exp(-(w * x + b))) - y;
    lf::assign(lf::tie(w, b), w - rate * lf::mean(e * x), b - rate * lf::mean(e));
  }
}

}  // namespace programs

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms: a convolution with a long filter, and the spectrum of a signal in noise.
#include "expect.hpp"

#include <lazyfuse/fft.hpp>
#include <lazyfuse/lazyfuse.hpp>

#include <numbers>

namespace lf = lazyfuse;

int main() {
  // [convolution]
  const lf::array<double, 1> signal = lf::sin(lf::linspace(0.0, 20.0, 1000));
  const lf::array<double, 1> filter = lf::exp(-lf::abs(lf::linspace(-5.0, 5.0, 201)));
  const lf::index_t n = signal.size() + filter.size() - 1;  // with room for both ends: what is missing are zeros
  const auto smooth = lf::fft::irfft(lf::fft::rfft(signal, n) * lf::fft::rfft(filter, n), n);
  // [convolution]
  double middle = 0;
  for (lf::index_t k = 0; k < filter.size(); ++k) middle += filter.data()[k] * signal.data()[500 - k];
  expect(lf::abs(smooth(500) - middle).item() < 1e-12);

  // [spectrum]
  const double rate = 8000;  // samples per second
  const auto t = lf::arange(4096.0) / rate;
  const auto noise = lf::random::normal<double>({4096}, lf::seed{3}, 0, 1);
  const auto heard = lf::sin(2 * std::numbers::pi * 1234 * t) + noise;           // an expression, computed by the
  const lf::array<double, 1> power = lf::square(lf::abs(lf::fft::rfft(heard)));  // kernel before the transform
  const auto frequency = lf::fft::rfftfreq(4096, 1 / rate);                      // lazy, in Hz
  const double loudest = lf::max(lf::where(power == lf::max(power), frequency, 0.0)).item();
  // [spectrum]
  expect(loudest > 1232 && loudest < 1236);
}

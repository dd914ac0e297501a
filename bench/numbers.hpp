// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of all workloads: random numbers that are functions of their index.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <cstdint>

namespace bench {

namespace lf = lazyfuse;
using lf::index_t;

LAZYFUSE_HD std::uint32_t scramble(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

/// The i-th number of a stream, uniform in [0.5, 1.5): a function of the index, so that the check of a
/// result needs no copy of the inputs.
template <class T>
LAZYFUSE_HD T number(int stream, index_t i) {
  const std::uint32_t bits = scramble(static_cast<std::uint32_t>(i) + scramble(static_cast<std::uint32_t>(stream)));
  return static_cast<T>(bits >> 8) * static_cast<T>(0x1p-24) + static_cast<T>(0.5);
}

/// Writes n numbers of a stream to memory of a space. The CUDA one is defined beside the kernels.
template <class T>
void fill(lf::host, T* p, index_t n, int stream) {
  for (index_t i = 0; i < n; ++i) p[i] = number<T>(stream, i);
}
void fill(lf::cuda, float* p, index_t n, int stream);
void fill(lf::cuda, double* p, index_t n, int stream);

template <class T, class Space, int Rank>
lf::array<T, Rank, Space> numbers(int stream, const lf::shape<Rank>& s) {
  lf::array<T, Rank, Space> x(s);
  fill(Space{}, x.data(), x.size(), stream);
  return x;
}

}  // namespace bench

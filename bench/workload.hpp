// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all workloads share: how large they are where, and the array they write.
#pragma once

#include "numbers.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <type_traits>

namespace bench {

/// Arrays that leave every cache: sizes on a GPU are powers of two up to 2^28, on a CPU smaller ones.
template <class Space>
constexpr int size(int on_gpu, int on_cpu) {
  return std::is_same_v<Space, lf::cuda> ? on_gpu : on_cpu;
}

/// What all workloads have: a destination that exists before the evaluation.
template <class T, int Rank, class Space>
struct workload {
  using value_type = T;
  using space = Space;
  static constexpr bool few = Rank == 0;  // few results, each made of the whole input
  lf::array<T, Rank, Space> z;

  explicit workload(const lf::shape<Rank>& s) : z(s) {}
  index_t results() const { return z.size(); }
  T* result(index_t i) { return z.data() + i; }
};

}  // namespace bench

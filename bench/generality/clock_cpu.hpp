// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of evaluations on the CPU.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

namespace generality {

/// Microseconds of one of so many evaluations.
template <class F>
double sample_us(const F& evaluate, int evaluations) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < evaluations; ++i) evaluate();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / evaluations;
}

/// Copies `count` elements that are `step` apart.
template <class T>
void copy_sample(T* to, const T* from, std::size_t step, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i * step];
}

/// A copy of so many bytes by all threads of OpenMP, as a yardstick.
template <class Report>
void time_copy(std::size_t bytes, const Report& report) {
  constexpr std::size_t part = std::size_t{1} << 20;
  const std::unique_ptr<char[]> from(new char[bytes]), to(new char[bytes]);
  const auto for_parts = [&](const auto& f) {
#pragma omp parallel for schedule(static)
    for (std::size_t b = 0; b < bytes; b += part) f(b, std::min(part, bytes - b));
  };
  for_parts([&](std::size_t b, std::size_t n) {  // each thread's memory is its own
    std::memset(from.get() + b, 1, n);
    std::memset(to.get() + b, 0, n);
  });
  report([&] { for_parts([&](std::size_t b, std::size_t n) { std::memcpy(to.get() + b, from.get() + b, n); }); });
}

}  // namespace generality

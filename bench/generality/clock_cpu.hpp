// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of evaluations on the CPU.
#pragma once

#include <lazyfuse/lazyfuse.hpp>

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

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

/// A copy of so many bytes by all threads of the machine, as a yardstick.
template <class Report>
void time_copy(std::size_t bytes, const Report& report) {
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency()), each = bytes / threads;
  const auto from = std::make_unique<char[]>(bytes), to = std::make_unique<char[]>(bytes);
  report([&] {
    std::vector<std::jthread> team;
    for (std::size_t t = 0; t < threads; ++t)
      team.emplace_back([&, t] { std::memcpy(to.get() + t * each, from.get() + t * each, each); });
  });
}

}  // namespace generality

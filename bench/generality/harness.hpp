// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs of bench/generality share: inputs that Python can make as well, times of one evaluation, and a
// sample of the results. On the GPU, or, compiled without it, on the CPU.
#pragma once

#ifdef LAZYFUSE_CUDA
#include "clock_gpu.hpp"
#else
#include "clock_cpu.hpp"
#endif

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace generality {

namespace lf = lazyfuse;

/// Numbers in [0.5, 1.5), of integers from 0 to 10006, that repeat after 10007 elements; peers.py has the same.
template <class T, int R>
lf::array<T, R> input(const lf::shape<R>& s, int number) {
  const auto whole = lf::remainder(lf::arange<lf::int64>(s.size()) * 7919 + 104729 * lf::int64{number}, 10007);
  if constexpr (lf::integer<T>) return lf::reshape(lf::cast<T>(whole), s);
  else if constexpr (sizeof(T) == 8) return lf::reshape(lf::cast<T>(whole) / T(10007) + T(0.5), s);
  else return lf::reshape(lf::cast<T>(lf::cast<float>(whole) / 10007.0f + 0.5f), s);
}

/// The median microseconds of one evaluation, of 15 samples of at least 2 ms.
template <class F>
double median_us(const F& evaluate) {
  sample_us(evaluate, 2);
  const int evaluations = std::clamp(static_cast<int>(2e3 / sample_us(evaluate, 2)), 1, 200);
  sample_us(evaluate, evaluations);
  std::vector<double> us;
  for (int i = 0; i < 15; ++i) us.push_back(sample_us(evaluate, evaluations));
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

/// The plan of what computes at once, or has no shape before: nobody can tell.
struct unplanned {
  std::vector<int> kernels = {};
  double predicted_us = 0;
};

/// Every so many elements of a result, as they are in memory, to FOLDER/NAME.bin.
template <class T, int R>
void sample_of(std::FILE* to, const lf::array<T, R>& y) {
  const lf::index_t n = y.size(), count = std::min<lf::index_t>(n, 4096), step = count > 0 ? n / count : 1;
  std::vector<T> sample(static_cast<std::size_t>(count));
  copy_sample(sample.data(), y.data(), static_cast<std::size_t>(step), sample.size());
  std::fwrite(sample.data(), sizeof(T), sample.size(), to);
}

/// The cases that are asked for by name; all where none is.
inline const char* const* wanted = nullptr;
inline bool is_wanted(const std::string& name) {
  if (!wanted || !*wanted) return true;
  for (const char* const* w = wanted; *w; ++w)
    if (name == *w) return true;
  return false;
}

/// One line of JSON for an expression: its time, its kernels, and what they were predicted to take.
template <class Plan, class F, class... Y>
void report(const std::string& folder, const char* name, const Plan& plan, const F& evaluate, const Y&... results) {
  if (!is_wanted(name)) return;
  try {
    const auto p = plan();
    evaluate();
    std::FILE* const to = std::fopen((folder + "/" + name + ".bin").c_str(), "wb");
    if (!to) throw std::runtime_error("the sample cannot be written");
    (sample_of(to, results), ...);
    std::fclose(to);
    std::printf("{\"name\": \"%s\", \"us\": %.3f, \"kernels\": %d, \"predicted_us\": %.3f}\n", name,
                median_us(evaluate), static_cast<int>(p.kernels.size()), p.predicted_us);
  } catch (const std::exception& e) {
    std::string text = e.what();
    std::replace(text.begin(), text.end(), '"', '\'');
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::printf("{\"name\": \"%s\", \"error\": \"%s\"}\n", name, text.c_str());
  }
  std::fflush(stdout);
}

/// The yardstick, in a line of its own.
inline void report_copy(std::size_t bytes) {
  time_copy(bytes, [&](const auto& copy) {
    std::printf("{\"name\": \"copy\", \"us\": %.3f, \"bytes\": %zu}\n", median_us(copy), 2 * bytes);
  });
}

}  // namespace generality

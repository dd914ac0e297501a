// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs of bench/generality share: inputs that Python can make as well, times of one evaluation, and a
// sample of the results.
#pragma once

#include <lazyfuse/cuda.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace generality {

namespace lf = lazyfuse;

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

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
  const cudaStream_t stream = lf::current_stream();
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  const auto sample = [&](int evaluations) {
    check(cudaEventRecord(start, stream));
    for (int i = 0; i < evaluations; ++i) evaluate();
    check(cudaEventRecord(stop, stream));
    check(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    return 1e3 * static_cast<double>(milliseconds) / evaluations;
  };
  sample(2);
  const int evaluations = std::clamp(static_cast<int>(2e3 / sample(2)), 1, 200);
  sample(evaluations);
  std::vector<double> us;
  for (int i = 0; i < 15; ++i) us.push_back(sample(evaluations));
  std::sort(us.begin(), us.end());
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  return us[us.size() / 2];
}

/// Every so many elements of a result, as they are in memory, to FOLDER/NAME.bin.
template <class T, int R>
void sample_of(std::FILE* to, const lf::array<T, R>& y) {
  const lf::index_t n = y.size(), count = std::min<lf::index_t>(n, 4096), step = count > 0 ? n / count : 1;
  std::vector<T> sample(static_cast<std::size_t>(count));
  lf::synchronize();
  check(cudaMemcpy2D(sample.data(), sizeof(T), y.data(), static_cast<std::size_t>(step) * sizeof(T), sizeof(T),
                     static_cast<std::size_t>(count), cudaMemcpyDeviceToHost));
  std::fwrite(sample.data(), sizeof(T), sample.size(), to);
}

/// One line of JSON for an expression: its time, its kernels, and what they were predicted to take.
template <class Plan, class F, class... Y>
void report(const std::string& folder, const char* name, const Plan& plan, const F& evaluate, const Y&... results) {
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

/// The fastest copy of so many bytes that cudaMemcpyAsync makes, as a yardstick.
inline void report_copy(std::size_t bytes) {
  void *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, bytes));
  check(cudaMalloc(&to, bytes));
  const double us =
      median_us([&] { check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, lf::current_stream())); });
  std::printf("{\"name\": \"copy\", \"us\": %.3f, \"bytes\": %zu}\n", us, 2 * bytes);
  check(cudaFree(from));
  check(cudaFree(to));
}

}  // namespace generality

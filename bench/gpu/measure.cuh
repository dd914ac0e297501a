// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a workload is checked and timed on a GPU, and how it becomes a row of Google Benchmark's report.
#pragma once

#include "../row_workloads.hpp"
#include "../samples.hpp"
#include "../workloads.hpp"

#include <lazyfuse/cuda.cuh>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

namespace bench {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Bytes per second, read and written, of the fastest simple copy kernel on this device in this run.
double copy_speed();

/// Counts the results that failed their check; the program's exit status.
int& failures();

struct timing {
  samples device, host;  // seconds of one evaluation
};

/// How often what is measured runs before, twice, and how many samples are taken, each of some evaluations at least:
/// what the host does for the first of them is part of the sample.
struct effort {
  int warm = 3, samples = 15, least = 8;
};

/// Evaluates back to back, at least 2 ms per sample and at most 200 times, between two events.
template <class F>
timing measure(const F& evaluate, effort e = {}) {
  using clock = std::chrono::steady_clock;
  const cudaStream_t stream = lf::current_stream();
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  const auto sample = [&](int evaluations, timing* into) {
    check(cudaEventRecord(start, stream));
    const auto before = clock::now();
    for (int i = 0; i < evaluations; ++i) evaluate();
    const std::chrono::duration<double> issued = clock::now() - before;
    check(cudaEventRecord(stop, stream));
    check(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    const double seconds = 1e-3 * milliseconds / evaluations;
    if (into) {
      into->device.add(seconds);
      into->host.add(issued.count() / evaluations);
    }
    return seconds;
  };
  int evaluations = 1;
  if (e.warm > 0) {
    sample(e.warm, nullptr);
    const double once = sample(e.warm, nullptr);
    evaluations = std::clamp(static_cast<int>(2e-3 / once), e.least, 200);
    sample(2 * evaluations, nullptr);
  }
  timing result;
  for (int i = 0; i < e.samples; ++i) sample(evaluations, &result);
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  return result;
}

LAZYFUSE_HD bool differs(double value, double expected, double tolerance) {
  const double distance = value < expected ? expected - value : value - expected;
  const double scale = 1 + (expected < 0 ? -expected : expected);
  return !(distance <= tolerance * scale);  // so that NaN differs
}

template <class W, class T>
__global__ void count_differences(const T* results, index_t n, unsigned long long* differences) {
  const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    if (differs(results[i], W::expected(i), W::tolerance)) atomicAdd(differences, 1ULL);
}

/// Poisons the destination, unless that is read, evaluates, and compares every element with the workload's own
/// definition in double precision: on the device, or on the host where there are few and each takes all of the input,
/// or where some lines stand for all.
template <class W>
index_t differences(W& w) {
  using T = typename W::value_type;
  const cudaStream_t stream = lf::current_stream();
  const index_t n = w.results();
  if constexpr (W::few) {
    for (index_t i = 0; i < n; ++i) check(cudaMemsetAsync(w.result(i), 0xff, sizeof(T), stream));
    w.evaluate();
    index_t count = 0;
    for (index_t i = 0; i < n; ++i) {
      T value;
      check(cudaMemcpyAsync(&value, w.result(i), sizeof(T), cudaMemcpyDeviceToHost, stream));
      check(cudaStreamSynchronize(stream));
      count += differs(value, W::expected(i), W::tolerance);
    }
    return count;
  } else if constexpr (requires { W::lines; }) {
    check(cudaMemsetAsync(w.result(0), 0xff, n * sizeof(T), stream));
    w.evaluate();
    return wrong_in_lines<W>(lf::to<lf::host>(w.z).data(), 1);
  } else {
    if constexpr (!requires { W::in_place; }) check(cudaMemsetAsync(w.result(0), 0xff, n * sizeof(T), stream));
    w.evaluate();
    unsigned long long *counter, count = 0;
    check(cudaMallocAsync(&counter, sizeof count, stream));
    check(cudaMemsetAsync(counter, 0, sizeof count, stream));
    count_differences<W><<<2048, 256, 0, stream>>>(w.result(0), n, counter);
    check(cudaGetLastError());
    check(cudaMemcpyAsync(&count, counter, sizeof count, cudaMemcpyDeviceToHost, stream));
    check(cudaFreeAsync(counter, stream));
    check(cudaStreamSynchronize(stream));
    return static_cast<index_t>(count);
  }
}

template <class W>
void run(benchmark::State& state) {
  W w;
  if (const index_t wrong = differences(w)) {
    ++failures();
    state.SkipWithError((std::to_string(wrong) + " of " + std::to_string(w.results()) + " results are wrong").c_str());
    return;
  }
  const double copy = copy_speed();
  for (auto _ : state) {
    const timing t = measure([&] { w.evaluate(); });
    const double speed = W::bytes / t.device.median();
    state.SetIterationTime(t.device.median());
    state.counters["GB/s"] = speed * 1e-9;
    state.counters["of_copy"] = speed / copy;
    state.counters["spread"] = t.device.spread();
    state.counters["host_us"] = t.host.median() * 1e6;
  }
  lf::kernel_trace trace;
  w.evaluate();
  state.counters["kernels"] = static_cast<double>(trace.launches());
  state.counters["allocated"] = static_cast<double>(trace.allocated_bytes());
  if (trace.launches() > 0) state.SetLabel(trace.kernels().front().path);
}

/// A row of the report: one run of the function, which takes as many samples as it needs by itself.
template <class F>
bool row(const std::string& name, const F& f) {
  benchmark::RegisterBenchmark(name.c_str(), f)->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
  return true;
}

template <class... W>
bool rows() {
  return (row(W::name, run<W>) && ...);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The yardstick: copies of 1 GiB by simple kernels of 16-byte loads and by cudaMemcpy, and an empty kernel.
#include "measure.cuh"

#include <algorithm>

namespace bench {
namespace {

constexpr index_t bytes = index_t{1} << 30;

/// PerThread loads in flight, then as many stores.
template <int PerThread>
__global__ void __launch_bounds__(256) copy_kernel(const float4* in, float4* out) {
  const index_t first = static_cast<index_t>(blockIdx.x) * 256 * PerThread + threadIdx.x;
  float4 value[PerThread];
#pragma unroll
  for (int k = 0; k < PerThread; ++k) value[k] = in[first + k * 256];
#pragma unroll
  for (int k = 0; k < PerThread; ++k) out[first + k * 256] = value[k];
}

__global__ void empty_kernel() {}

struct buffers {
  float4 *in = nullptr, *out = nullptr;
  buffers() {
    check(cudaMalloc(&in, bytes));
    check(cudaMalloc(&out, bytes));
    fill(lf::cuda{}, reinterpret_cast<float*>(in), bytes / sizeof(float), 1);
  }
  buffers(const buffers&) = delete;
  ~buffers() {
    cudaFree(in);
    cudaFree(out);
  }
};

template <int PerThread>
timing time_copy(const buffers& b) {
  return measure([&] {
    copy_kernel<PerThread><<<bytes / sizeof(float4) / 256 / PerThread, 256, 0, lf::current_stream()>>>(b.in, b.out);
  });
}

double speed(const timing& t) { return 2.0 * bytes / t.device.median(); }

void report(benchmark::State& state, const timing& t) {
  for (auto _ : state) state.SetIterationTime(t.device.median());
  state.counters["GB/s"] = speed(t) * 1e-9;
  state.counters["of_copy"] = speed(t) / copy_speed();
  state.counters["spread"] = t.device.spread();
}

template <int PerThread>
void by_kernel(benchmark::State& state) {
  const buffers b;
  report(state, time_copy<PerThread>(b));
}

void by_runtime(benchmark::State& state) {
  const buffers b;
  report(state,
         measure([&] { check(cudaMemcpyAsync(b.out, b.in, bytes, cudaMemcpyDeviceToDevice, lf::current_stream())); }));
}

void launch(benchmark::State& state) {
  const timing t = measure([&] { empty_kernel<<<1, 32, 0, lf::current_stream()>>>(); });
  for (auto _ : state) state.SetIterationTime(t.device.median());
  state.counters["host_us"] = t.host.median() * 1e6;
}

const bool registered = row("copy/kernel1", by_kernel<1>) && row("copy/kernel2", by_kernel<2>) &&
                        row("copy/kernel4", by_kernel<4>) && row("copy/cudaMemcpy", by_runtime) &&
                        row("empty_kernel", launch);

}  // namespace

double copy_speed() {
  static const double best = [] {
    const buffers b;
    for (int warm_up = 0; warm_up < 5; ++warm_up) time_copy<1>(b);  // lets the clocks rise
    return std::max({speed(time_copy<1>(b)), speed(time_copy<2>(b)), speed(time_copy<4>(b))});
  }();
  return best;
}

int& failures() {
  static int count = 0;
  return count;
}

}  // namespace bench

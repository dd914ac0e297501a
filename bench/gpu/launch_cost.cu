// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library adds to a launch, on the host: z = a * b + c, assigned and prepared, against the same kernel written
// and launched by hand; and how the speed of one expression grows with the size.
#include "measure.cuh"

namespace bench {
namespace {

constexpr int n = 1024;

__global__ void fma3_by_hand(const float* a, const float* b, const float* c, float* z, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) z[i] = a[i] * b[i] + c[i];
}

/// Seconds of host time per call, in a burst short enough that the queue of launches never fills.
template <class F>
double issue(const F& call) {
  constexpr int burst = 200;
  check(cudaStreamSynchronize(lf::current_stream()));
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < burst; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / burst;
}

void host_cost(benchmark::State& state) {
  const auto a = numbers<float, lf::cuda>(1, lf::shape{n}), b = numbers<float, lf::cuda>(2, lf::shape{n}),
             c = numbers<float, lf::cuda>(3, lf::shape{n});
  lf::array<float, 1, lf::cuda> z(lf::shape{n}), by_hand(lf::shape{n});
  float* const out = by_hand.data();
  const cudaStream_t stream = lf::current_stream();
  auto step = lf::prepare(z, a * b + c);
  samples library, bare, prepared, rebound;
  for (int i = -20; i < 200; ++i) {
    const double ours = issue([&] { z = a * b + c; });
    const double theirs =
        issue([&] { fma3_by_hand<<<n / 256, 256, 0, stream>>>(a.data(), b.data(), c.data(), out, n); });
    const double kept = issue([&] { step(); }), other = issue([&] { step(z, a * b + c); });
    if (i < 0) continue;
    library.add(ours);
    bare.add(theirs);
    prepared.add(kept);
    rebound.add(other);
  }
  check(cudaGetLastError());
  for (auto _ : state) state.SetIterationTime(library.median());
  state.counters["bare_us"] = bare.median() * 1e6;
  state.counters["overhead_us"] = (library.median() - bare.median()) * 1e6;
  state.counters["prepared_us"] = (prepared.median() - bare.median()) * 1e6;
  state.counters["rebound_us"] = (rebound.median() - bare.median()) * 1e6;
}

void sweep(benchmark::State& state, int log_n) {
  const lf::shape<1> s{index_t{1} << log_n};
  const auto a = numbers<float, lf::cuda>(1, s), b = numbers<float, lf::cuda>(2, s), c = numbers<float, lf::cuda>(3, s);
  lf::array<float, 1, lf::cuda> z(s);
  for (auto _ : state) {
    const timing t = measure([&] { z = a * b + c; });
    state.SetIterationTime(t.device.median());
    state.counters["GB/s"] = 16e-9 * static_cast<double>(s.size()) / t.device.median();
    state.counters["elements"] = static_cast<double>(s.size());
  }
}

const bool registered = [] {
  row("host_cost", host_cost);
  for (int log_n = 10; log_n <= 28; log_n += 2)
    row("sweep/" + std::to_string(log_n), [log_n](benchmark::State& state) { sweep(state, log_n); });
  return true;
}();

}  // namespace
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of the cost model (src/plan/cost.cpp): the speed of a copy from 1 KiB to 1 GiB, launched one by one and
// as a graph, which leaves the host out, and what a grid barrier takes.
#include "measure.cuh"

#include <cooperative_groups.h>

namespace bench {
namespace {

__global__ void __launch_bounds__(256) copy_kernel(const float4* in, float4* out, index_t n) {
  const index_t i = static_cast<index_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i < n) out[i] = in[i];
}

__global__ void __launch_bounds__(256) barrier_kernel(int count) {
  for (int k = 0; k < count; ++k) cooperative_groups::this_grid().sync();
}

struct copy {
  index_t bytes;
  float4 *in = nullptr, *out = nullptr;
  explicit copy(index_t size) : bytes(size) {
    check(cudaMalloc(&in, bytes));
    check(cudaMalloc(&out, bytes));
    fill(lf::cuda{}, reinterpret_cast<float*>(in), bytes / static_cast<index_t>(sizeof(float)), 1);
  }
  copy(const copy&) = delete;
  ~copy() {
    cudaFree(in);
    cudaFree(out);
  }
  void launch(cudaStream_t stream) const {
    const index_t n = bytes / static_cast<index_t>(sizeof(float4));
    copy_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
  }
};

/// So many copies, one after the other, as one graph.
class copies_in_a_graph {
 public:
  static constexpr int count = 50;
  explicit copies_in_a_graph(const copy& c) {
    cudaStream_t stream;
    cudaGraph_t graph;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < count; ++k) c.launch(stream);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&run_, graph, 0));
    check(cudaGraphDestroy(graph));
    check(cudaStreamDestroy(stream));
  }
  copies_in_a_graph(const copies_in_a_graph&) = delete;
  ~copies_in_a_graph() { cudaGraphExecDestroy(run_); }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(run_, stream)); }

 private:
  cudaGraphExec_t run_;
};

void report(benchmark::State& state, const copy& c, const timing& t, int copies) {
  check(cudaGetLastError());
  const double seconds = t.device.median() / copies;
  for (auto _ : state) state.SetIterationTime(seconds);
  state.counters["bytes"] = 2.0 * static_cast<double>(c.bytes);
  state.counters["GB/s"] = 2e-9 * static_cast<double>(c.bytes) / seconds;
  state.counters["spread"] = t.device.spread();
}

void in_stream(benchmark::State& state, index_t bytes) {
  const copy c(bytes);
  report(state, c, measure([&] { c.launch(lf::current_stream()); }), 1);
}

void in_graph(benchmark::State& state, index_t bytes) {
  const copy c(bytes);
  const copies_in_a_graph graph(c);
  report(state, c, measure([&] { graph.launch(lf::current_stream()); }), copies_in_a_graph::count);
}

/// One block of 256 threads on each multiprocessor; the time of a barrier is what a hundred more add.
void barrier(benchmark::State& state) {
  int device = 0, processors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  const auto seconds = [&](int count) {
    void* arguments[] = {&count};
    return measure([&] {
             check(cudaLaunchCooperativeKernel(barrier_kernel, dim3(static_cast<unsigned>(processors)), dim3(256),
                                               arguments, 0, lf::current_stream()));
           })
        .device.median();
  };
  for (auto _ : state) state.SetIterationTime((seconds(110) - seconds(10)) / 100);
}

const bool registered = [] {
  for (int log_bytes = 10; log_bytes <= 30; ++log_bytes) {
    const index_t bytes = index_t{1} << log_bytes;
    row("curve/stream/" + std::to_string(log_bytes), [bytes](benchmark::State& state) { in_stream(state, bytes); });
    row("curve/graph/" + std::to_string(log_bytes), [bytes](benchmark::State& state) { in_graph(state, bytes); });
  }
  row("curve/barrier", barrier);
  return true;
}();

}  // namespace
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a graph saves: many small evaluations in a row, and four chains that do not depend on each other; beside the
// same evaluations given to a stream. And what it takes to give a graph other arrays.
#include "measure.cuh"

#include <lazyfuse/graph.hpp>

#include <vector>

namespace bench {
namespace {

using floats = lf::array<float, 1, lf::cuda>;

/// f as a graph and as it is; `count` evaluations. Results are compared, so both must be repeatable.
template <class F>
void compare(benchmark::State& state, int count, const F& f, floats& result) {
  lf::graph g = lf::record(f);
  f();
  const float want = lf::sum(result).item();
  g.launch();
  if (lf::sum(result).item() != want) {
    ++failures();
    state.SkipWithError("the graph's result is another");
    return;
  }
  const timing by_graph = measure([&] { g.launch(); }), by_stream = measure(f);
  for (auto _ : state) state.SetIterationTime(by_graph.device.median());
  state.counters["us_each"] = by_graph.device.median() * 1e6 / count;
  state.counters["host_us"] = by_graph.host.median() * 1e6;
  state.counters["stream_us_each"] = by_stream.device.median() * 1e6 / count;
  state.counters["stream_host_us"] = by_stream.host.median() * 1e6;
  state.counters["of_stream"] = by_stream.device.median() / by_graph.device.median();
}

void chain_of_1000(benchmark::State& state) {
  const auto x = numbers<float, lf::cuda>(1, lf::shape{1024});
  floats y(lf::shape{1024});
  compare(
      state, 1000,
      [&] {
        y = x + 0.0f;
        for (int i = 1; i < 1000; ++i) y = y * 0.5f + x;
      },
      y);
}

/// Kernels of 32 blocks: several of them fit the GPU at a time.
void four_chains(benchmark::State& state) {
  const lf::shape<1> s{32768};
  const auto x = numbers<float, lf::cuda>(1, s);
  std::vector<floats> y(4);
  for (floats& v : y) v = floats(s);
  compare(
      state, 400,
      [&] {
        for (floats& v : y) v = x + 0.0f;
        for (int i = 1; i < 100; ++i)
          for (floats& v : y) v = lf::sin(v) * 0.5f + x;
      },
      y[3]);
}

void rebind_100(benchmark::State& state) {
  std::vector<floats> x, others, y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(numbers<float, lf::cuda>(1, lf::shape{1024}));
    others.push_back(numbers<float, lf::cuda>(2, lf::shape{1024}));
    y.emplace_back(lf::shape{1024});
  }
  lf::graph g = lf::record([&] {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * 2.0f;
  });
  samples all;
  double first = 0;
  for (int n = -3; n < 15; ++n) {
    const auto before = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < x.size(); ++i) g.rebind(x[i], others[i]);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    if (n >= 0) all.add(took.count());
    else if (n == -3) first = took.count();
    x.swap(others);
  }
  g.launch();
  for (auto _ : state) state.SetIterationTime(all.median());
  state.counters["first_us"] = first * 1e6;  // the plans are captured again
}

__global__ void nothing(const float*) {}

/// What the driver alone takes for the parameters of 100 kernels: less is not possible by its function.
void set_parameters_100(benchmark::State& state) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runnable = nullptr;
  cudaGraphCreate(&graph, 0);
  const float* at = nullptr;
  void* arguments[] = {&at};
  cudaKernelNodeParams p{};
  p.func = reinterpret_cast<void*>(&nothing);
  p.gridDim = dim3(1);
  p.blockDim = dim3(32);
  p.kernelParams = arguments;
  std::vector<cudaGraphNode_t> kernels(100);
  for (cudaGraphNode_t& k : kernels) cudaGraphAddKernelNode(&k, graph, nullptr, 0, &p);
  cudaGraphInstantiate(&runnable, graph, 0);
  samples all;
  for (int n = -3; n < 15; ++n) {
    const auto before = std::chrono::steady_clock::now();
    for (cudaGraphNode_t k : kernels) {
      ++at;
      cudaGraphExecKernelNodeSetParams(runnable, k, &p);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    if (n >= 0) all.add(took.count());
  }
  cudaGraphExecDestroy(runnable);
  cudaGraphDestroy(graph);
  for (auto _ : state) state.SetIterationTime(all.median());
}

const bool registered = row("graph/chain_of_1000", chain_of_1000) && row("graph/four_chains", four_chains) &&
                        row("graph/rebind_100", rebind_100) && row("graph/set_parameters_100", set_parameters_100);

}  // namespace
}  // namespace bench

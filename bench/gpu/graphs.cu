// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a graph saves: many small evaluations in a row, and four chains that do not depend on each other; beside the
// same evaluations given to a stream. What it takes to give a graph other arrays. And loops that ask nobody.
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
  // The host's time for f, with nothing to wait for.
  const auto time_of = [](const auto& f) {
    lf::synchronize();
    const auto before = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  };
  samples rebound, launched, launched_again;
  double first = 0, made_anew = 0;
  for (int n = -6; n < 15; ++n) {
    const double took = time_of([&] {
      for (std::size_t i = 0; i < x.size(); ++i) g.rebind(x[i], others[i]);
    });
    x.swap(others);
    const double launch = time_of([&] { g.launch(); }), again = n < 0 ? 0 : time_of([&] { g.launch(); });
    if (n == -6) first = took;
    if (n == -2) made_anew = launch;
    if (n < 0) continue;
    rebound.add(took);
    launched.add(launch);
    launched_again.add(again);
  }
  const double of_launch = launched.median() - launched_again.median();
  for (auto _ : state) state.SetIterationTime(rebound.median() + of_launch);
  state.counters["first_us"] = first * 1e6;  // the plans are captured again
  state.counters["anew_us"] = made_anew * 1e6;
  state.counters["of_launch_us"] = of_launch * 1e6;
}

/// Poisson's equation on a square, by conjugate gradients until the residual is 1e-4 of the right side's.
class solver {
  using plate = lf::array<float, 2, lf::cuda>;
  using number = lf::array<float, 0, lf::cuda>;
  static constexpr lf::range in{1, -1}, before{lf::none, -2}, after{2, lf::none};
  /// Of what has zeros around it.
  static auto laplace(const plate& u) {
    return 4 * u(in, in) - u(before, in) - u(after, in) - u(in, before) - u(in, after);
  }

 public:
  explicit solver(lf::index_t n)
      : b_(lf::full({n, n}, 1.0f / static_cast<float>(n * n))), p_(lf::zeros<float>({n + 2, n + 2})) {}
  void begin() {
    lf::assign(lf::tie(x_, r_), b_ * 0, b_ + 0);
    p_(in, in) = b_;
    const auto all = lf::sum(b_ * b_);
    lf::assign(lf::tie(rr_, least_), all, 1e-8f * all);
    going_ = rr_ > least_;
  }
  /// Four kernels.
  void turn() {
    alpha_ = rr_ / lf::sum(p_(in, in) * laplace(p_));
    lf::assign(lf::tie(x_, r_), x_ + alpha_ * p_(in, in), r_ - alpha_ * laplace(p_));
    const auto next = lf::sum(r_ * r_);
    lf::assign(lf::tie(beta_, rr_, going_), next / rr_, next, next > least_);
    p_(in, in) = r_ + beta_ * p_(in, in);
  }
  void solve() {
    begin();
    lf::while_loop(going_, [&] { turn(); });
  }
  /// A launch for each kernel, and a question after each turn; how many there were.
  int solve_by_stream() {
    int turns = 0;
    for (begin(); going_.item(); ++turns) turn();
    return turns;
  }
  float greatest() const { return lf::max(x_).item(); }

 private:
  plate b_, x_, r_, p_;
  number rr_, least_, alpha_, beta_;
  lf::array<bool, 0, lf::cuda> going_;
};

void conjugate_gradients(benchmark::State& state) {
  solver s(256);
  lf::graph g = lf::record([&] { s.solve(); });
  g.launch();
  const float result = s.greatest();
  const int turns = s.solve_by_stream();
  // The middle of the square has 0.07367 of the right side times the square of its side, which is the number of points.
  if (turns < 10 || s.greatest() != result || std::abs(result - 0.0737f) > 0.001f) {
    ++failures();
    state.SkipWithError("it is not solved, or otherwise than by a stream");
    return;
  }
  const timing by_graph = measure([&] { g.launch(); }), by_stream = measure([&] { s.solve_by_stream(); });
  for (auto _ : state) state.SetIterationTime(by_graph.device.median());
  state.counters["turns"] = turns;
  state.counters["us_each"] = by_graph.device.median() * 1e6 / turns;
  state.counters["host_us"] = by_graph.host.median() * 1e6;
  state.counters["stream_us_each"] = by_stream.host.median() * 1e6 / turns;
  state.counters["of_stream"] = by_stream.host.median() / by_graph.device.median();
}

/// What a turn of a loop takes beside its kernels: one, of one element.
void turns_1000(benchmark::State& state) {
  lf::array<float, 0, lf::cuda> n;
  lf::array<bool, 0, lf::cuda> going;
  lf::graph g = lf::record([&] {
    lf::assign(lf::tie(n, going), n * 0, n == n);
    lf::while_loop(going, [&] { lf::assign(lf::tie(n, going), n + 1, n < 999.0f); });
  });
  g.launch();
  if (n.item() != 1000) {
    ++failures();
    state.SkipWithError("the number of turns is another");
    return;
  }
  const timing by_graph = measure([&] { g.launch(); });
  for (auto _ : state) state.SetIterationTime(by_graph.device.median());
  state.counters["us_each"] = by_graph.device.median() * 1e6 / 1000;
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
                        row("graph/rebind_100", rebind_100) && row("graph/set_parameters_100", set_parameters_100) &&
                        row("graph/conjugate_gradients_256", conjugate_gradients) &&
                        row("graph/turns_1000", turns_1000);

}  // namespace
}  // namespace bench

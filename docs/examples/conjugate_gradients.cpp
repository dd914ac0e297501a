// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Poisson's equation on a square, by conjugate gradients until it is solved: one graph, which asks
// nobody meanwhile. On the host, and with lazyfuse/cuda.hpp before it on the GPU.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/graph.hpp>

#include <cmath>
#include <iostream>
#include <tuple>

namespace lf = lazyfuse;
using plate = lf::array<float, 2>;
using number = lf::array<float, 0>;

int main() {
#if defined(LAZYFUSE_CUDA)
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "no CUDA-capable device\n";
    return 77;  // skipped
  }
#endif
  // [solver]
  constexpr lf::index_t n = 64;
  const auto in = lf::range(1, -1), before = lf::range(lf::none, -2), after = lf::range(2, lf::none);
  const auto laplace = [&](const plate& u) {  // of what has zeros around it
    return 4 * u(in, in) - u(before, in) - u(after, in) - u(in, before) - u(in, after);
  };
  plate b = lf::zeros<float>({n, n}), x, r, p = lf::zeros<float>({n + 2, n + 2});
  number rr, least, alpha, beta;
  lf::array<bool, 0> going;  // rank 0: one bool
  lf::graph solve = lf::record([&] {
    lf::assign(lf::tie(x, r), b * 0, b + 0);
    p(in, in) = b;
    const auto all = lf::sum(b * b);
    lf::assign(lf::tie(rr, least), all, 1e-8f * all);
    going = rr > least;
    lf::while_loop(going, [&] {  // four kernels, in a graph within the graph
      alpha = rr / lf::sum(p(in, in) * laplace(p));
      lf::assign(lf::tie(x, r), x + alpha * p(in, in), r - alpha * laplace(p));
      const auto next = lf::sum(r * r);
      lf::assign(lf::tie(beta, rr, going), next / rr, next, next > least);
      p(in, in) = r + beta * p(in, in);
    });
  });
  b = 1.0f / (n * n);
  solve.launch();
  // [solver]
  expect(std::abs(lf::max(x).item() - 0.0759f) < 1e-3f);

  // [again]
  b(lf::range(0, n / 2), lf::all) = 0.0f;  // another right side; nothing is recorded anew
  solve.launch();
  // [again]
  expect(std::abs(x(n / 2, n / 2).item() - 0.038f) < 1e-3f);

  // [iterate]
  const lf::array<float, 1> a{2, 3, 5};
  const lf::array<float, 1> roots = lf::iterate_until(  // Newton's
      [&](const auto& y) { return lf::max(lf::abs(y * y - a)) < 1e-5f; },
      [&](const auto& y) { return (y + a / y) / 2; }, a);
  // [iterate]
  expect(lf::all(lf::abs(roots - lf::sqrt(a)) < 1e-5f).item());

  // [branch]
  lf::array<float, 1> gradient{3, -4, 0}, weights = lf::zeros<float>({3});
  lf::graph step = lf::record([&] {
    lf::cond(
        lf::all(lf::isfinite(gradient)), [&] { weights = weights - 0.1f * gradient; }, [&] { gradient = 0.0f; });
  });
  step.launch();
  // [branch]
  expect(weights(1).item() == 0.4f);

  // [beside]
  lf::array<float, 1, lf::host> samples = lf::arange<float>(1000), result = lf::zeros<float>({1});
  lf::array<float, 1> here = lf::zeros<float>({1000}), norm = lf::zeros<float>({1});
  int frames = 0;
  lf::graph frame = lf::record([&] {
    lf::copyto(here, samples);
    norm = lf::sqrt(lf::sum(here * here, lf::axis<0>, lf::keepdims));
    lf::copyto(result, norm);
    lf::call([&] { ++frames; }, result);  // on the host, when result is there
  });
  for (int i = 0; i < 3; ++i) frame.launch();
  lf::synchronize();
  // [beside]
  expect(frames == 3 && std::abs(result(0).item() - 18243.7f) < 1);
}

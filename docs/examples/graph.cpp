// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plate whose heat spreads: the steps between two questions are a graph, launched again and again. On the host, and
// with lazyfuse/cuda.hpp before it on the GPU.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <lazyfuse/graph.hpp>

#include <iostream>
#include <string>

namespace lf = lazyfuse;
using plate = lf::array<float, 2>;

int main() {
#if defined(LAZYFUSE_CUDA)
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "no CUDA-capable device\n";
    return 77;  // skipped
  }
#endif
  // [record]
  plate u = lf::zeros<float>({32, 32}), v = lf::zeros<float>({32, 32});
  plate heat = lf::zeros<float>({32, 32});
  heat(10, 10) = 1.0f;
  lf::array<float, 0> strength = lf::full(lf::shape<0>{}, 1.0f), change;
  const auto in = lf::range(1, -1), above = lf::range(lf::none, -2), below = lf::range(2, lf::none);
  const auto spread = [&](plate& to, const plate& from) {
    to(in, in) = (from(above, in) + from(below, in) + from(in, above) + from(in, below)) / 4 + strength * heat(in, in);
  };
  lf::graph steps = lf::record([&] {  // nothing is computed yet
    for (int n = 0; n < 50; ++n) {
      spread(v, u);
      spread(u, v);
    }
    change = lf::max(lf::abs(u - v));
  });
  do steps.launch();  // 101 kernels; on the GPU one call
  while (change.item() > 1e-3f);
  // [record]
  expect(steps.nodes() == 101);
  const float hottest = lf::max(u).item();
  expect(hottest > 1 && lf::all(u(0) == 0).item());

  // [change]
  strength = 2.0f;  // an array of rank 0 is a number that may change
  u = 0.0f;
  plate elsewhere = lf::zeros<float>({32, 32});
  elsewhere(20, 5) = 1.0f;
  steps.rebind(heat, elsewhere);
  do steps.launch();
  while (change.item() > 1e-3f);
  // [change]
  expect(lf::argmax(lf::reshape(u, {-1})).item() == 20 * 32 + 5);

  // [shared]
  const plate saved = u;  // shares its elements, which a launch would change
  try {
    steps.launch();
  } catch (const lf::graph_error& e) {
    // launch: node 99 (...) writes what another array or expression shares, ...
    expect(std::string(e.what()).find("launch: node ") == 0);
  }
  // [shared]
  expect(steps.dot().find("n0 -> n1;") != std::string::npos);
}

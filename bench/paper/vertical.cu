// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// E1 and E2: operations on one image of 4096 x 2160 bytes. What the library adds to a kernel by hand; chains of
// multiplications, and of multiplications and additions.
#include "experiment.cuh"

namespace bench {
namespace {

constexpr index_t rows_of_image = 2160, columns_of_image = 4096, pixels = rows_of_image * columns_of_image;

__global__ void pair_by_hand(const uchar4* x, float4* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const uchar4 v = x[i];
  y[i] = float4{v.x * 0.999f + 0.5f, v.y * 0.999f + 0.5f, v.z * 0.999f + 0.5f, v.w * 0.999f + 0.5f};
}

template <class Op, int N>
struct vertical {
  lf::array<unsigned char, 2, lf::cuda> x = image_of<unsigned char>(rows_of_image, columns_of_image, 0);
  lf::array<float, 2, lf::cuda> y{lf::shape{rows_of_image, columns_of_image}};

  double bytes() const { return 5.0 * pixels; }
  void poison() { make_nan(y); }
  void evaluate(way how) {
    if (how == way::fused) y = lf::repeat<N>(Op{}, lf::cast<float>(x));
    else {
      y = lf::cast<float>(x);
      for (int i = 0; i < N; ++i) Op::kernels(y);
    }
  }
  bool is_right(way) const {
    const auto got = lf::to<lf::host>(y);
    for (index_t i = 0; i < pixels; i += 49999)
      if (differs(got.data()[i], times<Op>(N, pixel_of(i, 0)), 2e-3)) return false;
    return true;
  }
};

/// The time on the device, and host_us.
template <class F>
void timed_pair(benchmark::State& state, const vertical<pair, 1>& w, const F& f) {
  f();
  if (w.is_right(way::fused)) return note(state, timed(f), w.bytes());
  ++failures();
  state.SkipWithError("results are wrong");
}
void assigned(benchmark::State& state) {
  vertical<pair, 1> w;
  w.poison();
  timed_pair(state, w, [&] { w.y = pair{}(lf::cast<float>(w.x)); });
}
void prepared(benchmark::State& state) {
  vertical<pair, 1> w;
  w.poison();
  auto step = lf::prepare(w.y, pair{}(lf::cast<float>(w.x)));
  timed_pair(state, w, [&] { step(); });
}
void by_hand(benchmark::State& state) {
  vertical<pair, 1> w;
  w.poison();
  const auto* const x = reinterpret_cast<const uchar4*>(w.x.data());
  auto* const y = reinterpret_cast<float4*>(w.y.data());
  timed_pair(state, w, [&] {
    pair_by_hand<<<pixels / 1024, 256, 0, lf::current_stream()>>>(x, y, static_cast<int>(pixels / 4));
  });
}

template <class Op, int... N>
bool chains(const char* name, std::initializer_list<way> all) {
  return (ways<vertical<Op, N>>(name, std::to_string(N), all) && ...);
}

constexpr auto all = {way::fused, way::unfused, way::graph};
constexpr auto no_graph = {way::fused, way::unfused};
const bool registered = row("E1/assigned/1", assigned) && row("E1/prepared/1", prepared) &&
                        row("E1/by_hand/1", by_hand) && chains<factor, 2, 102, 1002>("E2a", all) &&
                        chains<factor, 5002, 10002>("E2a", no_graph) && chains<factor, 19902>("E2a", {way::fused}) &&
                        chains<pair, 1, 10, 50, 100, 500>("E2b", all) && chains<pair, 5000>("E2b", no_graph);

}  // namespace
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// E3, E4 and E8: batches of images of 60 x 120 bytes, of four operations and of chains of pairs. The expression of a
// batch and its results are made before, as the paper's parameters are.
#include "experiment.cuh"

namespace bench {
namespace {

constexpr index_t rows_of_image = 60, columns_of_image = 120, pixels = rows_of_image * columns_of_image;

/// Pairs of 0: cast, multiply, subtract, divide.
template <int Pairs>
struct horizontal {
  using image = lf::array<unsigned char, 2, lf::cuda>;
  using batch_type = decltype(lf::batch(std::vector<image>()));
  index_t count;
  std::vector<image> images;
  batch_type all;
  lf::array<float, 3, lf::cuda> y;
  std::vector<lf::array<float, 2, lf::cuda>> each;

  static std::vector<image> made(index_t n) {
    std::vector<image> xs;
    for (index_t b = 0; b < n; ++b) xs.push_back(image_of<unsigned char>(rows_of_image, columns_of_image, b));
    return xs;
  }
  explicit horizontal(index_t n)
      : count(n), images(made(n)), all(lf::batch(images)), y(lf::shape{n, rows_of_image, columns_of_image}) {}
  double bytes() const { return 5.0 * double(count) * pixels; }
  void poison() {
    make_nan(y);
    if (count > 2000) return;  // only fused
    for (index_t b = 0; b < count; ++b) {
      each.emplace_back(lf::shape{rows_of_image, columns_of_image});
      make_nan(each.back());
    }
  }
  template <class E>
  static auto chain(const E& e) {
    if constexpr (Pairs == 0) return (lf::cast<float>(e) * 0.5f - 3) / 8;
    else return lf::repeat<Pairs>(pair{}, lf::cast<float>(e));
  }
  template <class Y, class X>
  static void kernels(Y& to, const X& x) {
    to = lf::cast<float>(x);
    if constexpr (Pairs == 0) {
      to = to * 0.5f;
      to = to - 3;
      to = to / 8;
    } else
      for (int i = 0; i < Pairs; ++i) pair::kernels(to);
  }
  void evaluate(way how) {
    if (how == way::fused) y = chain(all);
    else if (how == way::batched) kernels(y, all);
    else
      for (std::size_t b = 0; b < images.size(); ++b)
        if (how == way::looped) each[b] = chain(images[b]);
        else kernels(each[b], images[b]);
  }
  bool is_right(way how) const {
    const index_t step = count > 64 ? count / 16 : 1;
    for (index_t b = 0; b < count; b += step) {
      const auto number = b + step < count ? b : count - 1;
      const lf::array<float, 2, lf::host> got = how == way::fused || how == way::batched
                                                    ? lf::to<lf::host>(lf::array<float, 2, lf::cuda>(y(number)))
                                                    : lf::to<lf::host>(each[static_cast<std::size_t>(number)]);
      for (index_t i = 0; i < pixels; i += 997) {
        const double v = pixel_of(i, number);
        if (differs(got.data()[i], Pairs == 0 ? (v * 0.5 - 3) / 8 : times<pair>(Pairs, v), 2e-3)) return false;
      }
    }
    return true;
  }
};

/// Instructions of float that the GPU's table says it can do in the time of a byte, as Table II counts: a multiply-add
/// is two, a core does one in a cycle, and an SM has 128.
void ratio(benchmark::State& state) {
  const auto asked = [](cudaDeviceAttr a) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, a, 0));
    return static_cast<double>(value);
  };
  const double flops = 2 * 128 * asked(cudaDevAttrMultiProcessorCount) * asked(cudaDevAttrClockRate) * 1e3;
  const double bytes = 2 * asked(cudaDevAttrMemoryClockRate) * 1e3 * asked(cudaDevAttrGlobalMemoryBusWidth) / 8;
  for (auto _ : state) state.SetIterationTime(1e-6);
  state.counters["tflops"] = flops * 1e-12;
  state.counters["peak_GB/s"] = bytes * 1e-9;
  state.counters["flop_per_byte"] = flops / bytes;
}

constexpr auto loops = {way::fused, way::looped, way::looped_graph};
constexpr auto all = {way::fused, way::looped, way::batched, way::unfused, way::graph};
constexpr auto no_graph = {way::fused, way::looped, way::batched, way::unfused};

bool batches(std::initializer_list<way> how, std::initializer_list<index_t> counts) {
  for (const index_t n : counts) ways<horizontal<0>>("E3", std::to_string(n), how, n);
  return true;
}
template <int... Pairs>
bool chains(std::initializer_list<way> how) {
  return (ways<horizontal<Pairs>>("E4", std::to_string(Pairs), how, index_t{50}) && ...);
}

const bool registered = batches(loops, {1, 10, 50, 150, 600, 1191}) && batches({way::fused}, {10000, 100000}) &&
                        chains<1, 10, 100>(all) && chains<1000, 5000>(no_graph) && chains<10000>({way::fused}) &&
                        row("E8/ratio/1", ratio);

}  // namespace
}  // namespace bench

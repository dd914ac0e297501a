// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// E0, E5 and E7: chains on arrays of floats with one axis. How many instructions hide behind memory; how many a kernel
// of an unfused chain has; how many elements there are.
#include "experiment.cuh"

namespace bench {
namespace {

constexpr index_t paper_elements = index_t{3840} * 2160 * 8;

struct line {
  lf::array<float, 1, lf::cuda> x, y;
  explicit line(index_t n) : x(numbers<float, lf::cuda>(1, lf::shape{n})), y(lf::shape{n}) {}
  double bytes() const { return 8.0 * double(x.size()); }
  void poison() { make_nan(y); }
  template <class Op>
  bool holds(int n) const {
    const index_t size = y.size(), step = size > 200000 ? size / 64 : 1 + size / 64;
    const lf::array<float, 1, lf::host> got =
        lf::to<lf::host>(lf::array<float, 1, lf::cuda>(y(lf::range(0, lf::none, step))));
    for (index_t k = 0; k < got.size(); ++k)
      if (differs(got.data()[k], times<Op>(n, number<float>(1, k * step)), 1e-3)) return false;
    return true;
  }
};

template <int N>
struct additions : line {
  additions() : line(paper_elements) {}
  void evaluate(way) { y = lf::repeat<N>(term{}, x); }
  bool is_right(way) const { return holds<term>(N); }
};

/// 500 multiplications, so many in each kernel but the last.
template <int Each>
struct multiplications : line {
  multiplications() : line(paper_elements) {}
  void evaluate(way how) {
    if (how == way::fused) y = lf::repeat<500>(factor{}, x);
    else {
      y = lf::repeat<Each>(factor{}, x);
      for (int n = 2 * Each; n <= 500; n += Each) y = lf::repeat<Each>(factor{}, y);
      if constexpr (500 % Each != 0) y = lf::repeat<500 % Each>(factor{}, y);
    }
  }
  bool is_right(way) const { return holds<factor>(500); }
};

struct pairs_of_100 : line {
  explicit pairs_of_100(index_t n) : line(n) {}
  void evaluate(way how) {
    if (how == way::fused) y = lf::repeat<100>(pair{}, x);
    else {
      y = x * 0.999f;
      y = y + 0.5f;
      for (int i = 1; i < 100; ++i) pair::kernels(y);
    }
  }
  bool is_right(way) const { return holds<pair>(100); }
};

template <int... N>
bool hidden() {
  return (ways<additions<N>>("E0", std::to_string(N), {way::fused}) && ...);
}
template <int... Each>
bool granularities() {
  return ways<multiplications<1>>("E5", "500", {way::fused}) &&
         (ways<multiplications<Each>>("E5", std::to_string(Each), {way::unfused, way::graph}) && ...);
}
bool sizes(std::initializer_list<index_t> all) {
  for (const index_t n : all) ways<pairs_of_100>("E7", std::to_string(n), {way::fused, way::unfused, way::graph}, n);
  return true;
}

const bool registered = hidden<1, 31, 61, 121, 261, 521, 1161>() && granularities<1, 6, 26, 51, 101, 251, 496>() &&
                        sizes({100, 10000, 100000, 282370, 1000000, 4000000, 9032740, 16654030});

}  // namespace
}  // namespace bench

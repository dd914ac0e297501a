// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pytato's small graphs, of one form each, which show how kernels overlap.
#include "experiment.cuh"

namespace bench {
namespace {

/// 64 kernels of 1024 elements, each with a chain of so many pairs: one after the other; all of one array; two at a
/// time between kernels that wait for both.
enum class form { chain, fan, diamond };
template <form Form>
struct small_kernels {
  using floats = lf::array<float, 1, lf::cuda>;
  static constexpr int many = 64;
  int pairs;
  floats x{lf::full({1024}, 2.0f)};
  std::vector<floats> y;

  explicit small_kernels(int n) : pairs(n) {
    for (int i = 0; i < many; ++i) y.emplace_back(lf::shape{1024});
  }
  double bytes() const { return 8.0 * 1024 * many; }
  void poison() {
    for (floats& v : y) make_nan(v);
  }
  void evaluate(way) {
    const auto at = [&](const auto& e) { return lf::iterate(pairs, pair{}, e); };
    for (std::size_t i = 0; i < y.size(); ++i)
      if (Form == form::fan || i == 0) y[i] = at(x);
      else if (Form == form::chain) y[i] = at(y[i - 1]);
      else if (i % 3 == 0) y[i] = at((y[i - 1] + y[i - 2]) / 2);
      else y[i] = at(y[i - i % 3]);
  }
  bool is_right(way) const {
    const int rounds = Form == form::fan ? 1 : Form == form::chain ? many : 1 + 2 * ((many - 1) / 3);
    return !differs(y.back()(-1).item(), times<pair>(rounds * pairs, 2), 1e-3);
  }
};

template <form Form>
bool forms(const char* name) {
  for (const int pairs : {10, 1000})
    ways<small_kernels<Form>>(name, std::to_string(pairs), {way::unfused, way::graph}, pairs);
  return true;
}
const bool registered =
    forms<form::chain>("PT_chain") && forms<form::fan>("PT_fan") && forms<form::diamond>("PT_diamond");

}  // namespace
}  // namespace bench

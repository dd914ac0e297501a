// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three pictures made of a photograph: a sharper one, its corners, and one that a chemical reaction draws.
// Compiled by nvcc, after lazyfuse/cuda.cuh, it runs on the GPU. Usage: demo [steps [photograph]]
#include "png.hpp"

#include <filesystem>
#include <iostream>

namespace fs = std::filesystem;
namespace lf = lazyfuse;
using lf::ellipsis, lf::newaxis, lf::range;

/// A picture is (planes, height, width). This is it without `margin` pixels on each side, or what lies beside that.
auto look(const auto& x, int margin, int down = 0, int right = 0) {
  const auto height = x.shape()[1], width = x.shape()[2];
  return x(ellipsis, range(margin + down, height - margin + down), range(margin + right, width - margin + right));
}
/// Combines three pixels below each other, then three such results beside each other.
auto three_by_three(const auto& x, auto combine) {
  const auto rows = combine(x(lf::all, range(0, -2)), x(lf::all, range(1, -1)), x(lf::all, range(2, lf::end)));
  return combine(rows(ellipsis, range(0, -2)), rows(ellipsis, range(1, -1)), rows(ellipsis, range(2, lf::end)));
}
auto smooth(const auto& x) {
  return three_by_three(x, [](auto a, auto b, auto c) { return 0.25 * (a + 2 * b + c); });
}
auto highest(const auto& x) {
  return three_by_three(x, [](auto a, auto b, auto c) { return lf::maximum(lf::maximum(a, b), c); });
}
auto doubled(const auto& x) {
  const lf::shape s = x.shape();
  const lf::array four = lf::broadcast_to(x(ellipsis, newaxis, lf::all, newaxis), lf::shape{s[0], s[1], 2, s[2], 2});
  return lf::reshape(four, {s[0], 2 * s[1], 2 * s[2]});
}
void progress(int step, int steps) {
  lf::synchronize();  // kernels are only queued on a GPU
  const int done = 50 * step / steps;
  std::cerr << "\rreaction [" << std::string(done, '=') << std::string(50 - done, ' ') << "] " << step << '/' << steps
            << (step == steps ? "\n" : "");
}

template <class Space>
void demo(int steps, const fs::path& photograph, const fs::path& folder) {
  using picture = lf::array<float, 3, Space>;
  const lf::kernel_trace trace;
  const auto save = [&](const char* name, const auto& x) {
    png::write(folder / name, lf::to<lf::host>(lf::materialize(lf::permute_dims<1, 2, 0>(x))));
    std::cout << "wrote " << (folder / name).string() << '\n';
  };
  const picture photo = lf::permute_dims<2, 0, 1>(lf::to<Space>(png::read(photograph)));
  const picture weights{{{0.299f}}, {{0.587f}}, {{0.114f}}}, yellow{{{1}}, {{0.8f}}, {{0.1f}}};
  const picture grey = lf::sum(weights * photo, lf::axis<0>, lf::keepdims);

  // Unsharp masking: away from the smoothed picture.
  save("sharp.png", look(photo, 2) + 1.5 * (look(photo, 2) - smooth(lf::materialize(smooth(photo)))));

  // Harris: at a corner the smoothed products of the gradients have two large eigenvalues.
  const auto [x, y] = lf::materialize(look(grey, 1, 0, 1) - look(grey, 1, 0, -1), look(grey, 1, 1) - look(grey, 1, -1));
  const auto xx = smooth(x * x), yy = smooth(y * y), xy = smooth(x * y);
  const picture response = xx * yy - xy * xy - 0.05 * lf::square(xx + yy);
  const auto strength = look(response, 1);
  const auto peak = strength == highest(response);
  const picture corner = lf::cast<float>(lf::logical_and(peak, strength > 0.001 * lf::max(response)));
  const picture inner = highest(corner), outer = highest(inner);
  save("corners.png", lf::where(outer > look(inner, 1), yellow, 0.6 * look(photo, 5)));

  // Gray-Scott: u feeds v, which decays; both spread. Light sets the rates, and on each peak falls a drop of v.
  const picture top = lf::cast<float>(lf::logical_and(peak, strength > 0));
  const auto drop = doubled(highest(top)), light = doubled(look(grey, 4)), colour = doubled(look(photo, 4));
  const picture spread{{{0.16f}}, {{0.08f}}}, made{{{-1}}, {{1}}}, supply{{{1}}, {{0}}}, splash{{{-0.5f}}, {{0.25f}}};
  const picture dark{{{0.03f}}, {{0.0955f}}}, bright{{{0}}, {{-0.0096f}}};
  const picture rate = dark + 0.03 * light + bright * lf::sqrt(light);
  picture state = lf::broadcast_to(supply, lf::shape{2, rate.extent(1) + 2, rate.extent(2) + 2});
  state(ellipsis, range(1, -1), range(1, -1)) += splash * drop;
  const auto react = [&](const picture& x) {
    const auto now = look(x, 1), u = now(range(0, 1)), v = now(range(1, 2));
    const auto around = look(x, 1, -1) + look(x, 1, 1) + look(x, 1, 0, -1) + look(x, 1, 0, 1);
    return now + spread * (around - 4 * now) + made * (u * v * v) + rate * (supply - now);
  };
  picture next = state;
  for (int step = 1; step <= steps; ++step) {
    next(ellipsis, range(1, -1), range(1, -1)) = react(state);
    std::swap(state, next);
    if (step % (steps / 50 + 1) == 0 || step == steps) progress(step, steps);
  }
  save("reaction.png", lf::sqrt(colour) * lf::minimum(3.5 * look(state, 1)(range(1, 2)), 1));
  std::cout << lf::explain(react(state)) << trace.launches() << " kernels ran, in the space " << Space::name << '\n';
}

int main(int count, char** arguments) try {
  const fs::path folder = fs::path(arguments[0]).parent_path(), here = fs::path(__FILE__).parent_path();
  const fs::path photo = count > 2 ? fs::path(arguments[2]) : here / "photo.png";
  const int steps = count > 1 ? std::stoi(arguments[1]) : 4000;
  demo<lf::default_space>(steps, photo, folder);
} catch (const std::exception& e) {
  return std::cerr << "demo: " << e.what() << "\nusage: demo [steps [photograph]]\n", 1;
}

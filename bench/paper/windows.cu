// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The circular tensor of the Fused Kernel Library: a window of so many frames moves on by one, which is converted on
// the way, in one kernel; beside a kernel for the frame and one for the window.
#include "experiment.cuh"

namespace bench {
namespace {

struct moving_window {
  static constexpr index_t rows = 1080, columns = 1920, pixels = rows * columns;
  index_t frames;
  lf::array<unsigned char, 2, lf::cuda> frame = image_of<unsigned char>(rows, columns, 0);
  lf::array<float, 3, lf::cuda> window, next;
  lf::array<float, 2, lf::cuda> converted{lf::shape{rows, columns}};

  explicit moving_window(index_t n)
      : frames(n), window(lf::full({n, rows, columns}, 2.0f)), next(lf::shape{n, rows, columns}) {}
  double bytes() const { return double(pixels) * (8.0 * double(frames - 1) + 5); }
  void poison() {
    make_nan(next);
    make_nan(converted);
  }
  void evaluate(way how) {
    const auto kept = window(lf::range(1, lf::none), lf::all, lf::all);
    const auto scaled = lf::cast<float>(frame) * 0.5f - 3.0f;
    if (how == way::fused) next = lf::concat<0>(kept, scaled(lf::newaxis, lf::all, lf::all));
    else {
      converted = scaled;
      next = lf::concat<0>(kept, converted(lf::newaxis, lf::all, lf::all));
    }
  }
  bool is_right(way) const {
    const lf::array<float, 2, lf::host> last = lf::to<lf::host>(lf::array<float, 2, lf::cuda>(next(frames - 1)));
    for (index_t i = 0; i < pixels; i += 997)
      if (differs(last.data()[i], pixel_of(i, 0) * 0.5 - 3, 1e-5)) return false;
    return next(0, 0, 0).item() == 2 && next(frames - 2, -1, -1).item() == 2;
  }
};

const bool registered = [] {
  for (const index_t n : {2, 4, 16})
    ways<moving_window>("FKL46", std::to_string(n), {way::fused, way::unfused, way::graph}, n);
  return true;
}();

}  // namespace
}  // namespace bench

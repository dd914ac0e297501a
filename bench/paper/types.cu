// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// E9: a batch of 50 images of 60 x 120 elements, read as one type and computed and written as another.
#include "experiment.cuh"

#include <cstdint>

namespace bench {
namespace {

template <class In, class Out>
struct converted {
  static constexpr index_t count = 50, rows = 60, columns = 120;
  using image = lf::array<In, 2, lf::cuda>;
  using batch_type = decltype(lf::batch(std::vector<image>()));
  std::vector<image> images;
  batch_type all;
  lf::array<Out, 3, lf::cuda> y{lf::shape{count, rows, columns}};
  std::vector<lf::array<Out, 2, lf::cuda>> each;

  static std::vector<image> made() {
    std::vector<image> xs;
    for (index_t b = 0; b < count; ++b) xs.push_back(image_of<In>(rows, columns, b));
    return xs;
  }
  converted() : images(made()), all(lf::batch(images)) {}
  double bytes() const { return double(sizeof(In) + sizeof(Out)) * count * rows * columns; }
  void poison() {
    make_nan(y);
    for (index_t b = 0; b < count; ++b) {
      each.emplace_back(lf::shape{rows, columns});
      make_nan(each.back());
    }
  }
  void evaluate(way how) {
    if (how == way::fused) y = (lf::cast<Out>(all) * Out(0.3) - Out(3)) / Out(7);
    else
      for (std::size_t b = 0; b < images.size(); ++b) {
        auto& to = each[b];
        to = lf::cast<Out>(images[b]);
        to = to * Out(0.3);
        to = to - Out(3);
        to = to / Out(7);
      }
  }
  bool is_right(way how) const {
    for (index_t b = 0; b < count; b += 7) {
      const lf::array<Out, 2, lf::host> got = how == way::fused ? lf::to<lf::host>(lf::array<Out, 2, lf::cuda>(y(b)))
                                                                : lf::to<lf::host>(each[static_cast<std::size_t>(b)]);
      for (index_t i = 0; i < rows * columns; i += 97)
        if (differs(got.data()[i], (pixel_of(i, b) * 0.3 - 3) / 7, 1e-5)) return false;
    }
    return true;
  }
};

template <class In, class Out>
bool types(const char* name) {
  return ways<converted<In, Out>>("E9", name, {way::fused, way::unfused, way::graph});
}

const bool registered = types<std::uint8_t, float>("uint8_float") && types<std::uint16_t, float>("uint16_float") &&
                        types<std::int32_t, float>("int32_float") && types<float, float>("float_float") &&
                        types<std::uint8_t, double>("uint8_double") && types<std::int32_t, double>("int32_double") &&
                        types<float, double>("float_double") && types<double, double>("double_double");

}  // namespace
}  // namespace bench

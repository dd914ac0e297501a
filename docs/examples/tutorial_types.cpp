// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types: the blocks of docs/tutorial/4_element_types.md.
#include "expect.hpp"

#include <lazyfuse/lazyfuse.hpp>

#include <concepts>
#include <iostream>

namespace lf = lazyfuse;

// [dtype]
/// The element type of an expression, as NumPy calls it.
template <class E>
const char* dtype(const E&) {
  return lf::name_of(lf::dtype_of<typename E::value_type>);
}
// [dtype]

// [sample]
struct sample {
  float value, weight;
};
// [sample]

int main() {
  // [promotion]
  const lf::array<lf::int8, 1> i{100, 27, -5};
  const lf::array<lf::int32, 1> j{1, 2, 3};
  const lf::array<float, 1> f{0.5f, 1.5f, 2.5f};
  const lf::array<lf::half, 1> h = lf::zeros<lf::half>({3});
  std::cout << dtype(i + j) << ' ' << dtype(i + f) << ' ' << dtype(j + f) << ' ' << dtype(h + f) << ' '
            << dtype(lf::sqrt(i)) << '\n';
  static_assert(std::same_as<lf::promoted_t<lf::int8, lf::uint8>, lf::int16>);
  // [promotion]

  // [scalars]
  std::cout << dtype(f * 2.0) << ' ' << dtype(i + 1) << '\n'  // the arrays' type decides
            << i + 100 << '\n';                               // and integers wrap around
  try {
    const auto e = i + 1000;
  } catch (const lf::dtype_error& problem) {
    std::cout << problem.what() << '\n';
  }
  // [scalars]

  // [cast]
  const lf::array<double, 1> wide = f;                                      // widens by itself
  const lf::array<lf::int32, 1> whole = lf::cast<lf::int32>(f * 100);       // narrows when asked to
  const lf::array<lf::int32, 1> positive = lf::cast<lf::int32>(f > 1) + j;  // bool is no number by itself
  std::cout << whole << '\n' << positive << '\n' << lf::cast<lf::uint8>(f * 200) << '\n';  // saturates: at most 255
  // [cast]
  expect(lf::array_equal(wide, f));

  // [constants]
  const auto cubes = lf::pow(f, lf::c<3>) + lf::c<1>;  // known to the compiler: x * x * x + 1
  std::cout << cubes << '\n';
  // [constants]

  // [sums]
  std::cout << dtype(lf::sum(i)) << ' ' << dtype(lf::mean(i)) << ' ' << dtype(lf::sum(h)) << ' '
            << dtype(lf::sum(i > 0)) << '\n';
  const lf::array<lf::half, 1> many = lf::ones<lf::half>({4096});
  std::cout << lf::sum(many) << '\n';  // kept in float, rounded once
  // [sums]

  // [complex]
  const lf::array<lf::complex<float>, 1> z{{3, 4}, {0, 1}};
  std::cout << lf::abs(z) << '\n' << z * lf::conj(z) << '\n' << dtype(z * f(0)) << '\n';
  // [complex]

  // [vectors]
  const lf::array<lf::vec<lf::uint8, 3>, 1> pixels{{200, 100, 0}, {255, 255, 255}};
  const auto colours = lf::cast<float>(pixels) / 255;
  const auto grey =
      0.3f * lf::component<0>(colours) + 0.6f * lf::component<1>(colours) + 0.1f * lf::component<2>(colours);
  std::cout << lf::round(grey * 100) << '\n'
            << lf::max(pixels) << '\n'
            << lf::cast<lf::uint8>(lf::round(255 * lf::vec_of(grey, grey / 2, 0))) << '\n';
  // [vectors]

  // [parts]
  lf::array reddish = pixels;
  lf::component<1>(reddish) -= 50;
  lf::component<2>(reddish(0)) = 7;
  std::cout << reddish << '\n';
  // [parts]

  // [structs]
  const auto weigh = [](sample s) { return s.value * s.weight; };
  const lf::array<sample, 1> samples{{1, 0.5f}, {2, 0.25f}};
  std::cout << lf::sum(lf::map(weigh, samples)) << '\n';
  // [structs]
}

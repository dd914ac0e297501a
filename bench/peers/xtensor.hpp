// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workloads as a user of xtensor writes them, over the memory of the library's arrays.
#pragma once

#include "../row_workloads.hpp"
#include "../workloads.hpp"

#include <array>
#include <cmath>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace bench {

struct xtensor {
  static constexpr const char* name = "xtensor";
};

template <class T, int Rank>
auto xtensor_of(lf::array<T, Rank, lf::host>& x) {
  std::array<std::size_t, Rank> shape;
  for (int d = 0; d < Rank; ++d) shape[static_cast<std::size_t>(d)] = static_cast<std::size_t>(x.shape()[d]);
  return xt::adapt(x.data(), static_cast<std::size_t>(x.size()), xt::no_ownership(), shape);
}
template <class T, int Rank, class E>
void write(lf::array<T, Rank, lf::host>& z, const E& e) {
  auto out = xtensor_of(z);
  xt::noalias(out) = e;
}
// Sums of a whole array are asked for in double: xtensor adds one after the other, which in float goes wrong.
constexpr auto immediately = xt::evaluation_strategy::immediate;
const auto keeping = xt::keep_dims | immediately;

inline void by(xtensor, saxpy<lf::host>& w) { write(w.z, 2.5f * xtensor_of(w.x) + xtensor_of(w.y)); }
inline void by(xtensor, fma3<lf::host>& w) { write(w.z, xtensor_of(w.a) * xtensor_of(w.b) + xtensor_of(w.c)); }
template <int Steps, class E>
void xtensor_chain(chain20<lf::host>& w, const E& e) {
  if constexpr (Steps == 0) write(w.z, e);
  else xtensor_chain<Steps - 1>(w, e * 1.0001f + 0.5f);
}
inline void by(xtensor, chain20<lf::host>& w) { xtensor_chain<10>(w, xtensor_of(w.x)); }
template <class T>
void by(xtensor, pyth_of<lf::host, T>& w) {
  auto x = xtensor_of(w.x);
  write(w.z, xt::square(xt::sin(x)) + xt::square(xt::cos(x)));
}

inline void by(xtensor, blackscholes<lf::host>& w) {
  const float r = 0.05f, v = 0.2f;
  auto s = xtensor_of(w.price), k = xtensor_of(w.strike), t = xtensor_of(w.time);
  const auto cdf = [](const auto& d) { return 0.5f * (1.0f + xt::erf(d * 0.70710678f)); };
  const xt::xtensor<float, 1> deviation = v * xt::sqrt(t);
  const xt::xtensor<float, 1> d1 = (xt::log(s / k) + (r + 0.5f * v * v) * t) / deviation;
  const xt::xtensor<float, 1> d2 = d1 - deviation;
  write(w.z, s * cdf(d1) - k * xt::exp(-r * t) * cdf(d2));
}
inline void by(xtensor, arc_distance<lf::host>& w) {
  auto t1 = xtensor_of(w.t1), p1 = xtensor_of(w.p1), t2 = xtensor_of(w.t2), p2 = xtensor_of(w.p2);
  const xt::xtensor<float, 1> h =
      xt::square(xt::sin((t2 - t1) * 0.5f)) + xt::cos(t1) * xt::cos(t2) * xt::square(xt::sin((p2 - p1) * 0.5f));
  write(w.z, 2.0f * xt::atan2(xt::sqrt(h), xt::sqrt(1.0f - h)));
}

inline void by(xtensor, sumsq<lf::host>& w) {
  *w.z.data() = static_cast<float>(xt::sum<double>(xt::square(xtensor_of(w.x)), immediately)());
}
inline void by(xtensor, minmaxmean<lf::host>& w) {
  auto x = xtensor_of(w.x);
  *w.low.data() = xt::amin(x, immediately)();
  *w.high.data() = xt::amax(x, immediately)();
  *w.mean.data() = static_cast<float>(xt::sum<double>(x, immediately)() / w.n);
}
inline void by(xtensor, rowsum<lf::host>& w) {
  write(w.z, xt::sum(xt::exp(xtensor_of(w.x)) * xtensor_of(w.y), {1}, immediately));
}
inline void by(xtensor, colsum<lf::host>& w) {
  write(w.z, xt::sum(xt::exp(xtensor_of(w.x)) * xtensor_of(w.y), {0}, immediately));
}
inline void by(xtensor, rosen<lf::host>& w) {
  auto x = xtensor_of(w.x);
  const auto here = xt::view(x, xt::range(0, w.n - 1)), next = xt::view(x, xt::range(1, w.n));
  const auto terms = 100.0f * xt::square(next - xt::square(here)) + xt::square(1.0f - here);
  *w.z.data() = static_cast<float>(xt::sum<double>(terms, immediately)());
}
inline void by(xtensor, laplacian<lf::host>& w) {
  auto u = xtensor_of(w.u);
  const auto shifted = [&](int row, int column) {
    return xt::view(u, xt::range(row, w.n - 2 + row), xt::range(column, w.n - 2 + column));
  };
  write(w.z, shifted(0, 1) + shifted(2, 1) + shifted(1, 0) + shifted(1, 2) - 4.0f * shifted(1, 1));
}
inline void by(xtensor, broadcast_outer<lf::host>& w) {
  auto a = xtensor_of(w.a), b = xtensor_of(w.b);
  write(w.z, xt::square(xt::view(a, xt::all(), xt::newaxis()) - xt::view(b, xt::newaxis(), xt::all())));
}
inline void by(xtensor, transpose_add<lf::host>& w) {
  auto x = xtensor_of(w.x);
  write(w.z, x + xt::transpose(x));
}
inline void by(xtensor, small<lf::host>& w) {
  auto x = xtensor_of(w.x);
  write(w.z, xt::sin(x) * 2.0f + xt::cos(x));
}

template <int Columns, bool ByHand>
void by(xtensor, softmax_of<lf::host, Columns, ByHand>& w) {
  auto x = xtensor_of(w.x);
  auto z = xtensor_of(w.z);
  xt::noalias(z) = xt::exp(x - xt::amax(x, {1}, keeping));
  z /= xt::sum(z, {1}, keeping);
}
/// Subtracts the mean along an axis, and divides by the root of the mean of squares and epsilon.
template <class W>
void xtensor_standardized(W& w, std::size_t axis, float epsilon) {
  auto x = xtensor_of(w.x);
  auto z = xtensor_of(w.z);
  const auto n = static_cast<float>(w.length);
  const xt::xtensor<float, 2> mean = xt::sum(x, {axis}, keeping) / n;
  xt::noalias(z) = x - mean;
  const xt::xtensor<float, 2> squares = xt::sum(xt::square(z), {axis}, keeping) / n;
  z /= xt::sqrt(squares + epsilon);
}
template <bool ByHand>
void by(xtensor, layernorm_of<lf::host, ByHand>& w) {
  xtensor_standardized(w, 1, 1e-5f);
}
inline void by(xtensor, standardize_columns<lf::host>& w) { xtensor_standardized(w, 0, 0); }
template <int N>
void by(xtensor, normalize_of<lf::host, N>& w) {
  const auto norm = static_cast<float>(std::sqrt(xt::sum<double>(xt::square(xtensor_of(w.x)), immediately)()));
  write(w.z, xtensor_of(w.x) / norm);
}

}  // namespace bench

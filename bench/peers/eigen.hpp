// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workloads as a user of Eigen writes them: arrays, stored by rows as the library's are.
#pragma once

#include "../row_workloads.hpp"
#include "../workloads.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>  // erf

namespace bench {

struct eigen {
  static constexpr const char* name = "Eigen";
};

using S = lf::host;
template <class T>
using line_array = Eigen::Array<T, Eigen::Dynamic, 1>;
template <class T>
using table = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
auto eigen_of(lf::array<T, 1, S>& x) {
  return Eigen::Map<line_array<T>>(x.data(), x.size());
}
template <class T>
auto eigen_of(lf::array<T, 2, S>& x) {
  return Eigen::Map<table<T>>(x.data(), x.shape()[0], x.shape()[1]);
}

inline void by(eigen, saxpy<S>& w) { eigen_of(w.z) = 2.5f * eigen_of(w.x) + eigen_of(w.y); }
inline void by(eigen, fma3<S>& w) { eigen_of(w.z) = eigen_of(w.a) * eigen_of(w.b) + eigen_of(w.c); }

template <int Steps, class E>
void eigen_chain(chain20<S>& w, const E& e) {
  if constexpr (Steps == 0) eigen_of(w.z) = e;
  else eigen_chain<Steps - 1>(w, e * 1.0001f + 0.5f);
}
inline void by(eigen, chain20<S>& w) { eigen_chain<10>(w, eigen_of(w.x)); }

template <class T>
void by(eigen, pyth_of<S, T>& w) {
  const auto x = eigen_of(w.x);
  eigen_of(w.z) = x.sin().square() + x.cos().square();
}

inline void by(eigen, blackscholes<S>& w) {
  const float r = 0.05f, v = 0.2f;
  const auto s = eigen_of(w.price), k = eigen_of(w.strike), t = eigen_of(w.time);
  const auto cdf = [](const auto& d) { return 0.5f * (1 + (d * 0.70710678f).erf()); };
  const line_array<float> deviation = v * t.sqrt();
  const line_array<float> d1 = ((s / k).log() + (r + 0.5f * v * v) * t) / deviation;
  eigen_of(w.z) = s * cdf(d1) - k * (-r * t).exp() * cdf(d1 - deviation);
}

inline void by(eigen, arc_distance<S>& w) {
  const auto t1 = eigen_of(w.t1), p1 = eigen_of(w.p1), t2 = eigen_of(w.t2), p2 = eigen_of(w.p2);
  const line_array<float> h =
      ((t2 - t1) * 0.5f).sin().square() + t1.cos() * t2.cos() * ((p2 - p1) * 0.5f).sin().square();
  eigen_of(w.z) = h.sqrt().binaryExpr(
      (1 - h).sqrt(), [](float opposite, float adjacent) { return 2 * std::atan2(opposite, adjacent); });
}

inline void by(eigen, sumsq<S>& w) { *w.z.data() = eigen_of(w.x).square().sum(); }
inline void by(eigen, minmaxmean<S>& w) {
  const auto x = eigen_of(w.x);
  *w.low.data() = x.minCoeff();
  *w.high.data() = x.maxCoeff();
  *w.mean.data() = x.mean();
}
inline void by(eigen, rowsum<S>& w) { eigen_of(w.z) = (eigen_of(w.x).exp() * eigen_of(w.y)).rowwise().sum(); }
inline void by(eigen, colsum<S>& w) {
  eigen_of(w.z) = (eigen_of(w.x).exp() * eigen_of(w.y)).colwise().sum().transpose();
}
inline void by(eigen, rosen<S>& w) {
  const auto x = eigen_of(w.x);
  const auto here = x.head(x.size() - 1), next = x.tail(x.size() - 1);
  *w.z.data() = (100 * (next - here.square()).square() + (1 - here).square()).sum();
}
inline void by(eigen, laplacian<S>& w) {
  const auto u = eigen_of(w.u);
  const Eigen::Index n = u.rows() - 2;
  eigen_of(w.z) =
      u.block(0, 1, n, n) + u.block(2, 1, n, n) + u.block(1, 0, n, n) + u.block(1, 2, n, n) - 4 * u.block(1, 1, n, n);
}
inline void by(eigen, broadcast_outer<S>& w) {
  const auto a = eigen_of(w.a), b = eigen_of(w.b);
  eigen_of(w.z) = (a.replicate(1, b.size()).rowwise() - b.transpose()).square();
}
inline void by(eigen, transpose_add<S>& w) { eigen_of(w.z) = eigen_of(w.x) + eigen_of(w.x).transpose(); }
inline void by(eigen, small<S>& w) { eigen_of(w.z) = eigen_of(w.x).sin() * 2 + eigen_of(w.x).cos(); }

template <int Columns, bool ByHand>
void by(eigen, softmax_of<S, Columns, ByHand>& w) {
  const auto x = eigen_of(w.x);
  auto z = eigen_of(w.z);
  z = (x.colwise() - x.rowwise().maxCoeff()).exp();
  z.colwise() /= z.rowwise().sum().eval();
}
template <bool ByHand>
void by(eigen, layernorm_of<S, ByHand>& w) {
  const auto x = eigen_of(w.x);
  auto z = eigen_of(w.z);
  z = x.colwise() - x.rowwise().mean();
  z.colwise() /= (z.square().rowwise().mean() + 1e-5f).sqrt().eval();
}
template <int N>
void by(eigen, normalize_of<S, N>& w) {
  eigen_of(w.z) = eigen_of(w.x) / eigen_of(w.x).matrix().norm();
}
inline void by(eigen, standardize_columns<S>& w) {
  const auto x = eigen_of(w.x);
  auto z = eigen_of(w.z);
  z = x.rowwise() - x.colwise().mean();
  z.rowwise() /= z.square().colwise().mean().sqrt().eval();
}

}  // namespace bench

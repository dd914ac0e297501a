// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pytato's comparison: an operator of a discontinuous Galerkin method, whose array operations are a kernel each, given
// to a stream, as a graph in which independent ones overlap, and fused.
#include "experiment.cuh"

namespace bench {
namespace {

/// Right side of the wave equation on cubes of 4 x 4 x 4 nodes, in double: derivatives along each axis, what neighbours
/// differ by on faces, lifted. Pressure p, velocities v.
class wave {
  using field = lf::array<double, 4, lf::cuda>;
  using face = lf::array<double, 3, lf::cuda>;
  static constexpr int nodes = 4;
  static constexpr double slope[nodes][nodes] = {
      {-5.5, 9, -4.5, 1}, {-1, -1.5, 3, -0.5}, {0.5, -3, 1.5, 1}, {-1, 4.5, -9, 5.5}};  // of cubics on thirds
  static constexpr auto all = lf::all;
  static constexpr auto na = lf::newaxis;

  index_t count_;
  field p_, v_[3], rp_, rv_[3], d_[3], g_[3], lifted_[3];
  face jump_[3];
  lf::array<double, 1, lf::cuda> column_[nodes], weight_;  // of the matrix of derivatives
  lf::array<int, 1, lf::cuda> next_[3];

  /// A number for each node along an axis, and what is on a face, as arrays of all axes.
  template <int Axis, class E>
  static auto along(const E& e) {
    if constexpr (Axis == 0) return e(na, all, na, na);
    else if constexpr (Axis == 1) return e(na, na, all, na);
    else return e(na, na, na, all);
  }
  template <int Axis, class E>
  static auto spread(const E& e) {
    if constexpr (Axis == 0) return e(all, na, all, all);
    else if constexpr (Axis == 1) return e(all, all, na, all);
    else return e(all, all, all, na);
  }
  template <int Axis>
  static auto plane(const field& u, int node) {
    if constexpr (Axis == 0) return u(all, node, all, all);
    else if constexpr (Axis == 1) return u(all, all, node, all);
    else return u(all, all, all, node);
  }
  template <int Axis>
  auto derivative(const field& u) const {
    const auto part = [&](int j) { return along<Axis>(column_[j]) * spread<Axis>(plane<Axis>(u, j)); };
    return part(0) + part(1) + part(2) + part(3);
  }
  template <int Axis>
  auto jump() const {
    return lf::take(plane<Axis>(p_, 0), next_[Axis], lf::axis<0>) - plane<Axis>(p_, nodes - 1);
  }
  template <int Axis, class E>
  auto lift(const E& e) const {
    return along<Axis>(weight_) * spread<Axis>(e);
  }
  template <int Axis>
  void kernels_along() {
    d_[Axis] = derivative<Axis>(v_[Axis]);
    g_[Axis] = derivative<Axis>(p_);
    jump_[Axis] = jump<Axis>();
    lifted_[Axis] = lift<Axis>(jump_[Axis]);
    rv_[Axis] = lifted_[Axis] - g_[Axis];
  }
  /// Position k of n, in waves.
  field waves(int which) const {
    const auto at = lf::arange<double>(static_cast<int>(count_ * 64));
    return lf::reshape(lf::sin(at * (0.01 * which)), lf::shape{count_, 4, 4, 4});
  }

 public:
  explicit wave(index_t count) : count_(count) {
    const lf::shape<4> s{count, 4, 4, 4};
    for (field* f : {&rp_, &rv_[0], &rv_[1], &rv_[2]}) *f = field(s);
    p_ = waves(1);
    for (int k = 0; k < 3; ++k) {
      v_[k] = waves(2 + k);
      d_[k] = field(s);
      g_[k] = field(s);
      lifted_[k] = field(s);
      jump_[k] = face(lf::shape{count, 4, 4});
      const int step = k == 0 ? 1 : k == 1 ? 10 : 100;  // a neighbour on a torus
      next_[k] = lf::remainder(lf::arange<int>(static_cast<int>(count)) + step, static_cast<int>(count));
    }
    for (int j = 0; j < nodes; ++j)
      column_[j] = lf::array<double, 1, lf::cuda>{slope[0][j], slope[1][j], slope[2][j], slope[3][j]};
    weight_ = lf::array<double, 1, lf::cuda>{0.0, 0.0, 0.0, 8.0};
  }
  double bytes() const { return 8.0 * 64 * 8 * double(count_); }
  void poison() {
    for (field* f : {&rp_, &rv_[0], &rv_[1], &rv_[2]}) make_nan(*f);
  }
  void evaluate(way how) {
    if (how == way::fused) {
      const auto j0 = lift<0>(jump<0>());
      const auto j1 = lift<1>(jump<1>());
      const auto j2 = lift<2>(jump<2>());
      lf::assign(lf::tie(rp_, rv_[0], rv_[1], rv_[2]),
                 j0 + j1 + j2 - (derivative<0>(v_[0]) + derivative<1>(v_[1]) + derivative<2>(v_[2])),
                 j0 - derivative<0>(p_), j1 - derivative<1>(p_), j2 - derivative<2>(p_));
    } else {
      kernels_along<0>();
      kernels_along<1>();
      kernels_along<2>();
      rp_ = lifted_[0] + lifted_[1] + lifted_[2] - (d_[0] + d_[1] + d_[2]);
    }
  }
  bool is_right(way) const {
    const auto rp = lf::to<lf::host>(rp_), rv = lf::to<lf::host>(rv_[1]);
    const auto at = [&](int which, index_t e, int i, int j, int k) {
      return std::sin(double(((e * 4 + i) * 4 + j) * 4 + k) * (0.01 * which));
    };
    for (index_t e = 0; e < count_; e += 1 + count_ / 16)
      for (int node = 0; node < 64; ++node) {
        const int i = node / 16, j = node / 4 % 4, k = node % 4;
        const auto other = [&](index_t step) { return (e + step) % count_; };
        const double l0 = i == 3 ? 8 * (at(1, other(1), 0, j, k) - at(1, e, 3, j, k)) : 0;
        const double l1 = j == 3 ? 8 * (at(1, other(10), i, 0, k) - at(1, e, i, 3, k)) : 0;
        const double l2 = k == 3 ? 8 * (at(1, other(100), i, j, 0) - at(1, e, i, j, 3)) : 0;
        double sum = 0, down = 0;
        for (int n = 0; n < nodes; ++n) {
          sum += slope[i][n] * at(2, e, n, j, k) + slope[j][n] * at(3, e, i, n, k) + slope[k][n] * at(4, e, i, j, n);
          down += slope[j][n] * at(1, e, i, n, k);
        }
        const index_t place = e * 64 + node;
        if (differs(rp.data()[place], l0 + l1 + l2 - sum, 1e-9) || differs(rv.data()[place], l1 - down, 1e-9))
          return false;
      }
    return true;
  }
};

bool operators(std::initializer_list<index_t> counts) {
  for (const index_t n : counts) ways<wave>("PT_wave", std::to_string(n), {way::fused, way::unfused, way::graph}, n);
  return true;
}

const bool registered = operators({100, 1000, 10000, 100000});

}  // namespace
}  // namespace bench

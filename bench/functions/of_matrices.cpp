// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, linear algebra and Fourier transforms.
#include "run.hpp"

#include <lazyfuse/fft.hpp>
#include <lazyfuse/linalg.hpp>

namespace bench {

namespace {
template <class T>
auto numbers(index_t rows, index_t columns) {
  return [=] { return lf::materialize(lf::cast<lf::complex<T>>(matrix<double>(rows, columns))); };
}
template <class T>
auto numbers(index_t n) {
  return [=] { return lf::materialize(lf::cast<lf::complex<T>>(line<double>(n))); };
}
}  // namespace

std::vector<function> of_matrices() {
  using lf::axis;
  const auto product = [](const auto& x, const auto& y) { return matmul(x, y); };
  const auto transformed = [](const auto& z) { (void)lf::fft::fft(z); };
  const auto columns = [](const auto& z) { (void)lf::fft::fft(z, axis<0>); };
  const auto both = [](const auto& z) { (void)lf::fft::fft2(z); };
  const auto half = [](const auto& z) { (void)lf::fft::rfft(z); };
  return {
      lazily("matmul, 1000 double", product, square<double>(1000), square<double>(1000, 2)),
      lazily("matmul, 1000 float", product, square<float>(1000), square<float>(1000, 2)),
      lazily("matmul, 200 double", product, square<double>(200), square<double>(200, 2)),
      lazily("matmul of a vector, 2000 double", product, square<double>(2000), [] { return line<double>(2000); }),
      lazily(
          "matmul, 1000 x 16 x 16 double", product,
          [] {
            return lf::materialize(reshape(line<double>(256000), {1000, 16, 16}));
          },
          [] {
            return lf::materialize(reshape(line<double>(256000, 2), {1000, 16, 16}));
          }),
      lazily("matmul, 300 int64", product, square<lf::int64>(300), square<lf::int64>(300, 2)),
      lazily(
          "dot, 4e6 double", [](const auto& x, const auto& y) { return dot(x, y); }, [] { return line<double>(); },
          [] { return line<double>(elements, 2); }),
      lazily(
          "outer, 2000 double", [](const auto& x) { return outer(x, x); }, [] { return line<double>(2000); }),
      lazily(
          "einsum ij,ij->i, double", [](const auto& x, const auto& y) { return lf::einsum<"ij,ij->i">(x, y); },
          square<double>(2000), square<double>(2000, 2)),
      of(
          "solve, 1000 double", [](const auto& x, const auto& y) { (void)lf::linalg::solve(x, y); },
          square<double>(1000), square<double>(1000, 2)),
      of(
          "solve, 1000 x 8 x 8 double", [](const auto& x, const auto& y) { (void)lf::linalg::solve(x, y); },
          [] {
            return lf::materialize(reshape(line<double>(64000), {1000, 8, 8}));
          },
          [] {
            return lf::materialize(reshape(line<double>(64000, 2), {1000, 8, 8}));
          }),
      of(
          "inv, 500 double", [](const auto& x) { (void)lf::linalg::inv(x); }, square<double>(500)),
      of(
          "svd, 300 double", [](const auto& x) { (void)lf::linalg::svd(x); }, square<double>(300)),
      of(
          "eigh, 400 double", [](const auto& x) { (void)lf::linalg::eigh(x); },
          [] {
            const auto x = matrix<double>(400, 400);
            return lf::materialize(x + x.T());
          }),
      of(
          "qr, 500 double", [](const auto& x) { (void)lf::linalg::qr(x); }, square<double>(500)),
      of(
          "cholesky, 1000 double", [](const auto& x) { (void)lf::linalg::cholesky(x); },
          [] {
            const auto x = matrix<double>(1000, 1000);
            return lf::materialize(matmul(x, x.T()));
          }),
      of(
          "det, 500 double", [](const auto& x) { (void)lf::linalg::det(x); }, square<double>(500)),
      of("fft, 2^20 complex double", transformed, numbers<double>(1 << 20)),
      of("fft, 2^20 complex float", transformed, numbers<float>(1 << 20)),
      of("fft, 2^22 complex double", transformed, numbers<double>(1 << 22)),
      of("fft, 10^6 complex double", transformed, numbers<double>(1000000)),
      of("fft, prime 100003 complex double", transformed, numbers<double>(100003)),
      of("fft, 2^10 complex double", transformed, numbers<double>(1 << 10)),
      of("fft, 4096 x 1024 complex double", transformed, numbers<double>(4096, 1024)),
      of("fft, 4096 x 1024 complex float", transformed, numbers<float>(4096, 1024)),
      of("fft, 100000 x 16 complex double", transformed, numbers<double>(100000, 16)),
      of("fft, 2048 x 2048 complex double", transformed, numbers<double>(2048, 2048)),
      of("fft, 256 x 8192 complex double", transformed, numbers<double>(256, 8192)),
      of("fft axis 0, 2048 x 2048 complex double", columns, numbers<double>(2048, 2048)),
      of("fft axis 0, 2048 x 2048 complex float", columns, numbers<float>(2048, 2048)),
      of("fft axis 0, 8192 x 256 complex double", columns, numbers<double>(8192, 256)),
      of("fft axis 0, 1000 x 1000 complex double", columns, numbers<double>(1000, 1000)),
      of("fft2, 2048 x 2048 complex double", both, numbers<double>(2048, 2048)),
      of("fft2, 1000 x 1000 complex double", both, numbers<double>(1000, 1000)),
      of("fft2, 512 x 512 complex float", both, numbers<float>(512, 512)),
      of("rfft, 2^20 double", half, [] { return line<double>(1 << 20); }),
      of("rfft, 4096 x 1024 double", half, [] { return matrix<double>(4096, 1024); }),
      of(
          "rfft2, 2048 x 2048 double", [](const auto& x) { (void)lf::fft::rfft2(x); }, square<double>(2048)),
      of(
          "irfft, 4096 x 513 complex double", [](const auto& z) { (void)lf::fft::irfft(z); },
          numbers<double>(4096, 513)),
  };
}

}  // namespace bench

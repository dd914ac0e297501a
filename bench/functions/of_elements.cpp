// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise functions, reductions, scans and views.
#include "run.hpp"

namespace bench {

std::vector<function> of_elements() {
  using lf::axis, lf::all, lf::range, lf::none, lf::sum, lf::prod, lf::max, lf::mean, lf::var, lf::argmax, lf::norm,
      lf::any;
  using lf::count_nonzero, lf::cumsum, lf::cumprod, lf::cummax, lf::diff;
  const auto plus = [](const auto& x, const auto& y) { return x + y; };
  return {
      lazily("x + y, float", plus, one<float>(), one<float>(2)),
      lazily("x + y, double", plus, one<double>(), one<double>(2)),
      lazily("x + y, half", plus, one<lf::half>(), one<lf::half>(2)),
      lazily("x + y, int8", plus, one<lf::int8>(), one<lf::int8>(2)),
      lazily(
          "sqrt(abs(x)), float", [](const auto& x) { return sqrt(abs(x)); }, one<float>()),
      lazily(
          "exp(x), float", [](const auto& x) { return exp(x); }, one<float>()),
      lazily(
          "exp(x), double", [](const auto& x) { return exp(x); }, one<double>()),
      lazily(
          "sin(x), float", [](const auto& x) { return sin(x); }, one<float>()),
      lazily(
          "sin(x), double", [](const auto& x) { return sin(x); }, one<double>()),
      lazily(
          "tanh(x), float", [](const auto& x) { return tanh(x); }, one<float>()),
      lazily(
          "log(abs(x)), double", [](const auto& x) { return log(abs(x)); }, one<double>()),
      lazily(
          "pow(abs(x), y), double", [](const auto& x, const auto& y) { return pow(abs(x), y); }, one<double>(),
          one<double>(2)),
      lazily(
          "where(x > 0, x, y), float", [](const auto& x, const auto& y) { return where(x > 0, x, y); }, one<float>(),
          one<float>(2)),
      lazily(
          "clip(x, 0, 1), double", [](const auto& x) { return clip(x, 0, 1); }, one<double>()),
      lazily(
          "floor_divide(i, 7), int64", [](const auto& x) { return floor_divide(x, 7); }, one<lf::int64>()),
      lazily(
          "remainder(i, 7), int32", [](const auto& x) { return remainder(x, 7); }, one<int>()),
      lazily(
          "sum(x), float", [](const auto& x) { return sum(x); }, one<float>()),
      lazily(
          "sum(x), double", [](const auto& x) { return sum(x); }, one<double>()),
      lazily(
          "sum(x), half", [](const auto& x) { return sum(x); }, one<lf::half>()),
      lazily(
          "sum(x), int64", [](const auto& x) { return sum(x); }, one<lf::int64>()),
      lazily(
          "sum(x, 0), float", [](const auto& x) { return sum(x, axis<0>); }, square<float>()),
      lazily(
          "sum(x, 0), double", [](const auto& x) { return sum(x, axis<0>); }, square<double>()),
      lazily(
          "sum(x, 1), float", [](const auto& x) { return sum(x, axis<1>); }, square<float>()),
      lazily(
          "sum(x, 1), double", [](const auto& x) { return sum(x, axis<1>); }, square<double>()),
      lazily(
          "prod(x), double", [](const auto& x) { return prod(x); }, one<double>()),
      lazily(
          "max(x), float", [](const auto& x) { return max(x); }, one<float>()),
      lazily(
          "max(x, 0), double", [](const auto& x) { return max(x, axis<0>); }, square<double>()),
      lazily(
          "max(x, 1), double", [](const auto& x) { return max(x, axis<1>); }, square<double>()),
      lazily(
          "mean(x, 1), half", [](const auto& x) { return mean(x, axis<1>); }, square<lf::half>()),
      lazily(
          "std(x), float", [](const auto& x) { return lf::std(x); }, one<float>()),
      lazily(
          "std(x), double", [](const auto& x) { return lf::std(x); }, one<double>()),
      lazily(
          "var(x, 0), double", [](const auto& x) { return var(x, axis<0>); }, square<double>()),
      lazily(
          "var(x, 1), double", [](const auto& x) { return var(x, axis<1>); }, square<double>()),
      lazily(
          "argmax(x), float", [](const auto& x) { return argmax(x); }, one<float>()),
      lazily(
          "argmax(x), double", [](const auto& x) { return argmax(x); }, one<double>()),
      lazily(
          "argmax(x), int32", [](const auto& x) { return argmax(x); }, one<int>()),
      lazily(
          "argmax(x, 0), double", [](const auto& x) { return argmax(x, axis<0>); }, square<double>()),
      lazily(
          "argmax(x, 1), float", [](const auto& x) { return argmax(x, axis<1>); }, square<float>()),
      lazily(
          "norm(x), double", [](const auto& x) { return norm(x); }, one<double>()),
      lazily(
          "norm(x), float", [](const auto& x) { return norm(x); }, one<float>()),
      lazily(
          "norm(x, 1), double", [](const auto& x) { return norm(x, axis<1>); }, square<double>()),
      lazily(
          "any(x > 9), double", [](const auto& x) { return any(x > 9); }, one<double>()),
      lazily(
          "all(b), bool", [](const auto& b) { return lf::all(b); }, [] { return lf::materialize(line<double>() < 9); }),
      lazily(
          "any(b, 0), bool", [](const auto& b) { return any(b, axis<0>); },
          [] { return lf::materialize(matrix<double>() > 9); }),
      lazily(
          "count_nonzero(b), bool", [](const auto& b) { return count_nonzero(b); },
          [] { return lf::materialize(line<double>() > 0); }),
      lazily(
          "cumsum(x), float", [](const auto& x) { return cumsum(x); }, one<float>()),
      lazily(
          "cumsum(x), double", [](const auto& x) { return cumsum(x); }, one<double>()),
      lazily(
          "cumsum(x), int32", [](const auto& x) { return cumsum(x); }, one<int>()),
      lazily(
          "cumsum(x, 0), double", [](const auto& x) { return cumsum(x, axis<0>); }, square<double>()),
      lazily(
          "cumsum(x, 1), double", [](const auto& x) { return cumsum(x, axis<1>); }, square<double>()),
      lazily(
          "cumprod(x), double", [](const auto& x) { return cumprod(x); }, one<double>()),
      lazily(
          "cummax(x), double", [](const auto& x) { return cummax(x); }, one<double>()),
      lazily(
          "diff(x), float", [](const auto& x) { return diff(x); }, one<float>()),
      lazily(
          "diff(x, 0), double", [](const auto& x) { return diff(x, axis<0>); }, square<double>()),
      lazily(
          "x[::2] + 1, double", [](const auto& x) { return x(range(none, none, 2)) + 1; }, one<double>()),
      lazily(
          "x[::-1] + 1, float", [](const auto& x) { return x(range(none, none, -1)) + 1; }, one<float>()),
      lazily(
          "x[:, ::3] * 2, float", [](const auto& x) { return x(all, range(none, none, 3)) * 2; }, square<float>()),
      lazily(
          "x.T copied, float", [](const auto& x) { return x.T() + 0; }, square<float>()),
      lazily(
          "x.T copied, double", [](const auto& x) { return x.T() + 0; }, square<double>()),
      lazily(
          "x + x.T, double", [](const auto& x) { return x + x.T(); }, square<double>()),
      lazily(
          "flip(x), double", [](const auto& x) { return flip(x); }, square<double>()),
      lazily(
          "roll(x, 5), float", [](const auto& x) { return roll(x, 5); }, one<float>()),
      lazily(
          "roll(x, (3, 4)), double",
          [](const auto& x) {
            return roll(x, {3, 4}, axis<0, 1>);
          },
          square<double>()),
      lazily("x + v, double", plus, square<double>(), [] { return line<double>(side, 2); }),
      lazily(
          "cast<float>(x), double", [](const auto& x) { return lf::cast<float>(x); }, one<double>()),
      lazily(
          "cast<double>(x), int32", [](const auto& x) { return lf::cast<double>(x); }, one<int>()),
      lazily(
          "exp(z), complex", [](const auto& z) { return exp(z); },
          [] { return lf::materialize(lf::cast<lf::complex<double>>(line<double>(elements / 4))); }),
      lazily(
          "z * w, complex", [](const auto& z, const auto& w) { return z * w; },
          [] { return lf::materialize(lf::cast<lf::complex<double>>(line<double>(elements))); },
          [] { return lf::materialize(lf::cast<lf::complex<double>>(line<double>(elements, 2))); }),
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frequencies that elements of a transform are of, and their order: lazy expressions, which fuse.
#pragma once

#include <lazyfuse/expr/create.hpp>
#include <lazyfuse/expr/parts.hpp>
#include <lazyfuse/expr/roll.hpp>
#include <lazyfuse/fft/transforms.hpp>

namespace lazyfuse {

namespace fft_detail {

/// Rolls axes by half of their extents, Sign times.
template <int Sign, class X, int... A>
auto shifted(X&& x, axes<A...> a) {
  shape<int(sizeof...(A))> shifts;
  int k = 0;
  ((shifts[k++] = Sign * (x.shape()[view_detail::normal_axis<A, rank_of<X>>()] / 2)), ...);
  return roll(static_cast<X&&>(x), shifts, a);
}
template <int Sign, class X, int... I>
auto shifted_all(X&& x, index_sequence<I...>) {
  if constexpr (sizeof...(I) == 0) return bare_t<X>(static_cast<X&&>(x));
  else return shifted<Sign>(static_cast<X&&>(x), axes<I...>{});
}

}  // namespace fft_detail

namespace fft {

/// fftfreq(n, d): the frequencies of the elements of a transform of n points that are d apart: 0, 1, ... and then the
/// negative ones up to -1, each divided by n d. An expression of double, or T. Throws index_error unless n > 0.
/// \numpy{fft.fftfreq}
template <real_number T = double>
auto fftfreq(index_t n, double d = 1) {
  const double unit = 1 / (static_cast<double>(fft_detail::checked_points("fftfreq", n)) * d);
  const auto i = arange<int64>(n);
  return cast<T>(cast<double>(where(i < (n + 1) / 2, i, i - n)) * unit);
}
/// rfftfreq(n, d): those of rfft, n / 2 + 1 which are not negative. \numpy{fft.rfftfreq}
template <real_number T = double>
auto rfftfreq(index_t n, double d = 1) {
  const double unit = 1 / (static_cast<double>(fft_detail::checked_points("rfftfreq", n)) * d);
  return cast<T>(arange<double>(n / 2 + 1) * unit);
}

/// fftshift(x, axis<...>): x with frequency zero in the middle of these axes, all unless named. A view.
/// \numpy{fft.fftshift}
template <class X, int... A>
  requires(expression<X> && sizeof...(A) > 0)
auto fftshift(X&& x, axes<A...> a) { return fft_detail::shifted<1>(static_cast<X&&>(x), a); }
template <class X>
  requires expression<X>
auto fftshift(X&& x) { return fft_detail::shifted_all<1>(static_cast<X&&>(x), make_index_sequence<rank_of<X>>{}); }
/// What undoes fftshift. \numpy{fft.ifftshift}
template <class X, int... A>
  requires(expression<X> && sizeof...(A) > 0)
auto ifftshift(X&& x, axes<A...> a) { return fft_detail::shifted<-1>(static_cast<X&&>(x), a); }
template <class X>
  requires expression<X>
auto ifftshift(X&& x) { return fft_detail::shifted_all<-1>(static_cast<X&&>(x), make_index_sequence<rank_of<X>>{}); }

}  // namespace fft

}  // namespace lazyfuse

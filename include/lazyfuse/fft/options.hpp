// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of fft are, and what they take beside their operand: how many points, along which axes, and who
// divides by their number.
#pragma once

#include <lazyfuse/expr/options.hpp>
#include <lazyfuse/fft/transforms.hpp>

namespace lazyfuse {

namespace fft {

/// Which transforms are divided by the number of points: those backward, both by its root (ortho), or those forward.
enum scaling { backward, ortho, forward };

}  // namespace fft

namespace fft_detail {

/// A family of functions: of one axis, of two, of any.
enum class kind { fft, ifft, rfft, irfft, hfft, ihfft, fft2, ifft2, rfft2, irfft2, fftn, ifftn, rfftn, irfftn };
inline constexpr const char* names[] = {"fft",   "ifft",  "rfft",   "irfft", "hfft",  "ihfft", "fft2",
                                        "ifft2", "rfft2", "irfft2", "fftn",  "ifftn", "rfftn", "irfftn"};
template <kind F>
inline constexpr const char* name_of = names[int(F)];

template <kind F>
inline constexpr sides sides_of =
    F == kind::rfft || F == kind::rfft2 || F == kind::rfftn || F == kind::ihfft     ? sides::from_real
    : F == kind::irfft || F == kind::irfft2 || F == kind::irfftn || F == kind::hfft ? sides::to_real
                                                                                    : sides::complex;
/// hfft and ihfft are irfft and rfft of conjugate numbers, so that their directions are the other ones.
template <kind F>
inline constexpr bool is_hermitian = F == kind::hfft || F == kind::ihfft;
template <kind F>
inline constexpr bool is_backward = F == kind::ifft || F == kind::irfft || F == kind::ihfft || F == kind::ifft2 ||
                                    F == kind::irfft2 || F == kind::ifftn || F == kind::irfftn;
/// So many axes, 0 for any number.
template <kind F>
inline constexpr int axes_of = F < kind::fft2   ? 1
                               : F < kind::fftn ? 2
                                                : 0;

/// The numbers of points along some axes; 0 of them: those of the operand.
template <int K>
struct points {
  static constexpr int count = K;
  index_t along[K > 0 ? K : 1];
};
template <class O>
inline constexpr bool is_points = std::is_integral_v<O> && !__is_same(O, bool);
template <int K>
inline constexpr bool is_points<shape<K>> = true;
template <class O>
inline constexpr bool is_scaling = __is_same(O, fft::scaling);

template <int K>
points<K> points_of(const shape<K>& s) {
  points<K> p{};
  for (int k = 0; k < K; ++k) p.along[k] = s[k];
  return p;
}
inline points<0> points_in() { return {}; }
template <class A, class... O>
auto points_in(const A& a, const O&... o) {
  if constexpr (std::is_integral_v<A>) return points<1>{{static_cast<index_t>(a)}};
  else if constexpr (is_points<A>) {
    return points_of(a);
  } else return points_in(o...);
}

/// Axes that are counted from the front.
template <int R, int... A>
constexpr auto normal(axes<A...>) {
  return axes<(A < 0 ? A + R : A)...>{};
}
template <int R, int Count>
constexpr auto last_axes() {
  return []<int... I>(index_sequence<I...>) { return axes<(R - Count + I)...>{}; }
  (make_index_sequence<Count>{});
}
template <int R, int... A>
constexpr bool are_axes(axes<A...>) {
  unsigned seen = 0;
  return ((A >= -R && A < R && !((seen >> (A < 0 ? A + R : A)) & 1) && (seen |= 1u << (A < 0 ? A + R : A))) && ...);
}

}  // namespace fft_detail

}  // namespace lazyfuse

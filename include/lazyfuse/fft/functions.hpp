// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms: their operand is evaluated into the order that they are computed in, which pads, cuts and moves axes,
// and the result is an array.
#pragma once

#include <lazyfuse/array/empty.hpp>
#include <lazyfuse/evaluate/assign.hpp>
#include <lazyfuse/expr/pad.hpp>
#include <lazyfuse/fft/options.hpp>

namespace lazyfuse {

namespace fft_detail {

/// What elements are transformed in: float of 16-bit reals, double of integers and bool.
template <class T>
struct transformed_real {
  using type = std::conditional_t<integer<T> || boolean<T>, double, std::conditional_t<small_real<T>, float, T>>;
};
template <complex_number T>
struct transformed_real<T> {
  using type = typename T::value_type;
};
template <class T>
using transformed_real_t = typename transformed_real<T>::type;

struct request {
  const char* operation;
  bool scales_backward;  // divided by the number of points unless told
  fft::scaling how;

  double scale(double points) const {
    if (how == fft::ortho) return 1 / __builtin_sqrt(points);
    return scales_backward == (how == fft::backward) ? 1 / points : 1;
  }
};

/// x with its extents cut, or filled up with zeros.
template <class T, class X, int... I>
auto cut(const X& x, const shape<rank_of<X>>& s, index_sequence<I...>) {
  const auto from = x.shape();
  return cast<T>(view(x, range(0, from[I] < s[I] ? from[I] : s[I])...));
}
template <class E>
auto filled(const E& e, const shape<rank_of<E>>& s) {
  constexpr int R = rank_of<E>;
  index_t widths[R][2];
  for (int k = 0; k < R; ++k) {
    widths[k][0] = 0;
    widths[k][1] = s[k] - e.shape()[k];
  }
  return pad(e, widths);
}

/// Transforms K axes from First on, the last ones or a single one.
template <sides Between, bool MayScale, int K, int First, class X, int P, class = maker>
auto transformed_from(const request& r, const X& x, const points<P>& n, bool backward) {
  constexpr int R = rank_of<X>;
  using Space = result_space<X>;
  using real = transformed_real_t<value_t<X>>;
  using From = std::conditional_t<Between == sides::from_real, real, complex<real>>;
  using To = std::conditional_t<Between == sides::to_real, real, complex<real>>;
  constexpr bool on_device = space_traits<Space>::on_device, in_place = __is_same(From, To);
  const shape<R> own = x.shape();
  shape<R> read = own, written;
  transforms t{Between, __is_same(real, double), backward, K, {}, 1, 1, nullptr};
  double total = 1;
  for (int k = 0; k < K; ++k) {
    const int axis = First + k;
    const bool is_half = Between == sides::to_real && k == K - 1;
    index_t along = is_half ? 2 * (own[axis] - 1) : own[axis];
    if constexpr (P > 0) along = n.along[k];
    t.extents[k] = checked_points(r.operation, along);
    read[axis] = is_half ? along / 2 + 1 : along;
    total *= static_cast<double>(along);
  }
  written = read;
  if constexpr (!in_place) written[R - 1] = Between == sides::to_real ? t.extents[K - 1] : t.extents[K - 1] / 2 + 1;
  for (int k = 0; k < First; ++k) t.count *= own[k];
  for (int k = First + K; k < R; ++k) t.beside *= own[k];
  const double scale = r.scale(total);
  if (!on_device) t.scale = scale;

  const auto compute = [&](From* from) {
    array<To, R, Space> result(checked(written, r.operation), caller{});
    if (result.size() > 0) transform(Space{}, r.operation, t, from, result.data());
    return result;
  };
  // An array may be as it has to be.
  if constexpr (__is_same(X, array<From, R, Space>) && !(Between == sides::to_real && (K > 1 || on_device)))
    if (own == read && (!on_device || scale == 1)) {
      t.read = x.owner();
      return compute(const_cast<From*>(x.data()));
    }
  auto work = [&] {
    const auto evaluated = [&](const auto& e) {
      if constexpr (on_device && MayScale) return array<From, R, Space>(e * static_cast<real>(scale));
      else return array<From, R, Space>(e);
    };
    if constexpr (P == 0) return evaluated(cast<From>(x));
    else {
      const auto e = cut<From>(x, read, make_index_sequence<R>{});
      return e.shape() == read ? evaluated(e) : evaluated(filled(e, read));
    }
  }();
  if constexpr (in_place) {
    if (work.size() > 0) transform(Space{}, r.operation, t, work.data(), work.data());
    return work;
  } else return compute(work.size() > 0 ? work.data() : nullptr);
}

/// The axes that are not transformed, and then those that are; and back.
template <int R, int... A>
struct order_of {
  int to[R] = {}, back[R] = {};
  bool as_it_is = true;
  constexpr order_of() {
    int k = 0;
    for (int axis = 0; axis < R; ++axis)
      if (((axis != A) && ...)) to[k++] = axis;
    ((to[k++] = A), ...);
    for (int j = 0; j < R; ++j) {
      back[to[j]] = j;
      as_it_is = as_it_is && to[j] == j;
    }
  }
};
/// Whether the host transforms lines of complex numbers that lie beside each other as they are: points so far apart
/// that most go to one place of a cache, where there are many, had better be moved together.
template <class Real, int R>
bool goes_along(const shape<R>& s, int axis) {
  index_t bytes = 2 * index_t{sizeof(Real)};
  for (int k = axis + 1; k < R; ++k) bytes *= s[k];
  return s[axis] <= 2048 || bytes % 1024 != 0;
}
template <sides Between, bool MayScale, class X, int P, int... A, int... I, class = maker>
auto transformed_axes(const request& r, const X& x, const points<P>& n, bool backward, axes<A...>,
                      index_sequence<I...>) {
  constexpr int K = sizeof...(A), R = rank_of<X>;
  constexpr order_of<R, A...> order;
  if constexpr (order.as_it_is) return transformed_from<Between, MayScale, K, R - K>(r, x, n, backward);
  else {
    if constexpr (K == 1 && Between == sides::complex && !space_traits<result_space<X>>::on_device)
      if (goes_along<transformed_real_t<value_t<X>>>(x.shape(), (A, ...)))
        return transformed_from<Between, MayScale, 1, (A, ...)>(r, x, n, backward);
    const auto result = transformed_from<Between, MayScale, K, R - K>(r, permute_dims<order.to[I]...>(x), n, backward);
    return bare_t<decltype(result)>(permute_dims<order.back[I]...>(result));
  }
}

template <int First, int... A, int... I>
constexpr auto some_axes(axes<A...>, index_sequence<I...>) {
  constexpr int all[] = {A...};
  return axes<all[First + I]...>{};
}
template <int First, int Count, int P>
points<(P > 0 ? Count : 0)> some_points(const points<P>& n) {
  points<(P > 0 ? Count : 0)> some{};
  if constexpr (P > 0)
    for (int k = 0; k < Count; ++k) some.along[k] = n.along[First + k];
  return some;
}
/// Of many axes the last ones first, but where those become real.
template <sides Between, bool MayScale, class X, int P, int... A, class = maker>
auto transformed(const request& r, const X& x, const points<P>& n, bool backward, axes<A...> a) {
  constexpr int K = sizeof...(A), last = most_axes, first = K - last;
  if constexpr (first <= 0)
    return transformed_axes<Between, MayScale>(r, x, n, backward, a, make_index_sequence<rank_of<X>>{});
  else {
    const auto first_axes = some_axes<0>(a, make_index_sequence<first>{});
    const auto last_axes = some_axes<first>(a, make_index_sequence<last>{});
    const auto first_points = some_points<0, first>(n);
    const auto last_points = some_points<first, last>(n);
    if constexpr (Between == sides::to_real)
      return transformed<Between, MayScale>(
          r, transformed<sides::complex, MayScale>(r, x, first_points, backward, first_axes), last_points, backward,
          last_axes);
    else
      return transformed<sides::complex, MayScale>(
          r, transformed<Between, MayScale>(r, x, last_points, backward, last_axes), first_points, backward,
          first_axes);
  }
}

template <class X, class... O>
inline constexpr bool has_scaling = (is_scaling<O> || ...);

/// Whether F takes X and O; says why not.
template <kind F, class X, class... O>
constexpr bool takes() {
  constexpr bool known = ((options_detail::is_axes<O> || is_points<O> || is_scaling<O>)&&...) &&
                         (0 + ... + options_detail::is_axes<O>) <= 1 && (0 + ... + is_points<O>) <= 1 &&
                         (0 + ... + is_scaling<O>) <= 1;
  static_assert(known,
                "lazyfuse: transforms take the number of points, axis<...> and fft::ortho or fft::forward after their "
                "operand, fft(x, 64, axis<0>)");
  constexpr bool real = sides_of<F> != sides::from_real || !complex_number<value_t<X>>;
  static_assert(real, "lazyfuse: rfft and ihfft take real numbers; of complex ones write fft(x)");
  constexpr bool axes = rank_of<X> >= (axes_of < F >> 0 ? axes_of<F> : 1);
  static_assert(axes, "lazyfuse: what is transformed has at least one axis, and by fft2 and its like two");
  return known && real && axes;
}
template <kind F, int R, int P, int... A>
constexpr bool fits(axes<A...> a) {
  constexpr bool named = are_axes<R>(axes<A...>{});
  static_assert(named, "lazyfuse: axes that are transformed are within the rank of the expression, and named once");
  constexpr bool as_many = axes_of<F> == 0 || axes_of<F> == sizeof...(A);
  static_assert(as_many, "lazyfuse: fft and its like transform one axis, fft2 two, fftn any number");
  constexpr bool each = P == 0 || P == sizeof...(A);
  static_assert(each, "lazyfuse: transforms take one number of points for each axis, fft2(x, {64, 32})");
  (void)a;
  return named && as_many && each;
}

template <kind F>
struct function {
  template <class X, class... O>
    requires expression<X>
  auto operator()(const X& x, const O&... options) const {
    if constexpr (takes<F, X, O...>()) {
      constexpr int R = rank_of<X>;
      const auto n = points_in(options...);
      constexpr int P = decltype(n)::count, usual = axes_of < F >> 0 ? axes_of<F> : P > 0 && P <= R ? P : R;
      const auto a = options_detail::axes_in(last_axes<R, usual>(), options...);
      if constexpr (fits<F, R, P>(decltype(a){})) {
        const memory_detail::device_scope<result_space<X>> device(array_detail::device_of(x));
        constexpr sides between = sides_of<F>;
        constexpr bool may_scale = is_backward<F> || has_scaling<X, O...>;
        const request r{name_of<F>, is_backward<F>, options_detail::value_in(fft::backward, options...)};
        // Whether by exp(+2 pi i jk / n).
        constexpr bool back = between == sides::to_real || (is_backward<F> && between == sides::complex);
        const auto along = normal<R>(decltype(a){});
        if constexpr (F == kind::hfft) return transformed<between, may_scale>(r, conj(x), n, back, along);
        else if constexpr (F == kind::ihfft) {
          auto result = transformed<between, may_scale>(r, x, n, back, along);
          result = conj(result);
          return result;
        } else return transformed<between, may_scale>(r, x, n, back, along);
      }
    }
  }
  /// fft2(x, {64, 32}): the numbers of points in a list.
  template <class X, int K, class... O>
    requires expression<X>
  auto operator()(const X& x, const index_t (&n)[K], const O&... options) const {
    return (*this)(x, view_detail::shape_from(n), options...);
  }
};

}  // namespace fft_detail

namespace fft {

// All return arrays of complex<float>, of float, 16-bit reals and complex<float>, else of complex<double>; those to
// real numbers of float or double.

/// fft(x, n, axis<k>, scaling): the sums of x[j] exp(-2 pi i j k / n), k < n, along one axis, the last unless named, of
/// n points, as many as x has unless given: x is cut, or filled up with zeros. Divided by nothing, by sqrt(n) with
/// fft::ortho, by n with fft::forward. An array of complex<float>, of float, 16-bit reals and complex<float>, or
/// complex<double>; what x is computed from is in the kernel that brings it in order. Throws index_error unless n > 0,
/// fft_error without cuFFT. O(n log n) for any n, also primes. \numpy{fft.fft}
inline constexpr fft_detail::function<fft_detail::kind::fft> fft{};
/// ifft(x, n, axis<k>, scaling): what undoes fft: with exp(+2 pi i j k / n), and divided by n; by sqrt(n) with
/// fft::ortho, by nothing with fft::forward. \numpy{fft.ifft}
inline constexpr fft_detail::function<fft_detail::kind::ifft> ifft{};
/// rfft(x, n, axis<k>, scaling): the first n / 2 + 1 elements of fft, of real x: the others are their conjugates. Half
/// the work for even n. \numpy{fft.rfft}
inline constexpr fft_detail::function<fft_detail::kind::rfft> rfft{};
/// irfft(x, n, axis<k>, scaling): what undoes rfft: real, n points, which unless given are 2 (m - 1) of m elements of
/// x. The imaginary parts of x[0], and of x[n / 2] for even n, are taken as zero on the host, and should be zero on the
/// GPU. \numpy{fft.irfft}
inline constexpr fft_detail::function<fft_detail::kind::irfft> irfft{};
/// hfft(x, n, axis<k>, scaling): the transform of what is Hermitian, x[-j] = conj(x[j]), of which x has the first half:
/// real. As irfft, of conj(x), divided by nothing. \numpy{fft.hfft}
inline constexpr fft_detail::function<fft_detail::kind::hfft> hfft{};
/// ihfft(x, n, axis<k>, scaling): what undoes hfft, of real x. \numpy{fft.ihfft}
inline constexpr fft_detail::function<fft_detail::kind::ihfft> ihfft{};

/// fft2(x, {m, n}, axis<j, k>, scaling): fft along two axes, the last ones unless named. \numpy{fft.fft2}
inline constexpr fft_detail::function<fft_detail::kind::fft2> fft2{};
/// What undoes fft2. \numpy{fft.ifft2}
inline constexpr fft_detail::function<fft_detail::kind::ifft2> ifft2{};
/// rfft2(x, {m, n}, axis<j, k>, scaling): rfft along the last of two axes, fft along the first. \numpy{fft.rfft2}
inline constexpr fft_detail::function<fft_detail::kind::rfft2> rfft2{};
/// What undoes rfft2; the last number of points is 2 (m - 1) of m elements unless given. \numpy{fft.irfft2}
inline constexpr fft_detail::function<fft_detail::kind::irfft2> irfft2{};
/// fftn(x, {l, m, n}, axis<i, j, k>, scaling): fft along several axes: those named, else as many last ones as there are
/// numbers of points, else all. \numpy{fft.fftn}
inline constexpr fft_detail::function<fft_detail::kind::fftn> fftn{};
/// What undoes fftn. \numpy{fft.ifftn}
inline constexpr fft_detail::function<fft_detail::kind::ifftn> ifftn{};
/// rfftn(x, {l, m, n}, axis<i, j, k>, scaling): rfft along the last of several axes, fft along the others.
/// \numpy{fft.rfftn}
inline constexpr fft_detail::function<fft_detail::kind::rfftn> rfftn{};
/// What undoes rfftn; the last number of points is 2 (m - 1) of m elements unless given. \numpy{fft.irfftn}
inline constexpr fft_detail::function<fft_detail::kind::irfftn> irfftn{};

}  // namespace fft

}  // namespace lazyfuse

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms of several lines at once, each in a lane of the processor's vectors: mixed-radix steps that need no
// reordering (Stockham's, as in C. Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992, 1.7).
#pragma once

#include <lazyfuse/core/index.hpp>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace lazyfuse::fft_detail {

template <class T>
struct vector_of {
  typedef T type __attribute__((vector_size(32)));
};
template <class T>
inline constexpr int lanes = 32 / int(sizeof(T));

/// A complex number, or one in each lane.
template <class S>
struct point {
  S re, im;
};
template <class S>
point<S> operator+(const point<S>& a, const point<S>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class S>
point<S> operator-(const point<S>& a, const point<S>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class S, class T>
point<S> operator*(const point<S>& a, const point<T>& w) {
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}
template <class S>
point<S> conjugate(const point<S>& a) {
  return {a.re, -a.im};
}
/// By which transforms go backward: exchanged before and after.
template <class S>
point<S> exchanged(const point<S>& a) {
  return {a.im, a.re};
}
template <class T>
using in_lanes = point<typename vector_of<T>::type>;

/// exp(-2 pi i k / n), rounded once: from an angle of the first eighth of the circle.
template <class T>
point<T> root(index_t k, index_t n) {
  index_t eighths = 8 * (k % n);
  const bool upper = eighths > 4 * n;
  if (upper) eighths = 8 * n - eighths;
  const bool left = eighths > 2 * n;
  if (left) eighths = 4 * n - eighths;
  const bool steep = eighths > n;
  if (steep) eighths = 2 * n - eighths;
  constexpr long double quarter = 0.785398163397448309615660845819875721L;  // of pi
  const long double angle = quarter * static_cast<long double>(eighths) / static_cast<long double>(n);
  T re = static_cast<T>(std::cos(angle)), im = static_cast<T>(std::sin(angle));
  if (steep) std::swap(re, im);
  return {left ? -re : re, upper ? im : -im};
}

/// Larger prime factors are no steps.
inline constexpr int most_radix = 47;

/// A step of radix r takes x[j][p][q] to y[p][k][q], j, k < r, p < m, q < l: sums over j, times root(p k, r m).
template <class T>
struct radix_step {
  int radix;
  index_t m, l;
  std::vector<point<T>> turns;  // [p - 1][k - 1]; for p = 0 there are none
  std::vector<point<T>> roots;  // of odd radices: root(j, r)
};
/// A transform of n points, n without large prime factors.
template <class T>
struct steps {
  std::vector<radix_step<T>> all;

  steps() = default;
  explicit steps(index_t n) {
    auto add = [&, l = index_t{1}](int r) mutable {
      radix_step<T> s{r, n / r, l, {}, {}};
      for (index_t p = 1; p < s.m; ++p)
        for (int k = 1; k < r; ++k) s.turns.push_back(root<T>(p * k, n));
      if (r % 2 == 1)
        for (int j = 0; j < r; ++j) s.roots.push_back(root<T>(j, r));
      all.push_back(std::move(s));
      l *= r;
      return r;
    };
    while (n % 4 == 0) n /= add(4);
    for (int r = 2; r <= most_radix; ++r)
      while (n % r == 0) n /= add(r);
  }
};

template <class S>
void butterfly2(point<S>* a) {
  const auto sum = a[0] + a[1], difference = a[0] - a[1];
  a[0] = sum;
  a[1] = difference;
}
template <class S>
void butterfly4(point<S>* a) {
  const auto even = a[0] + a[2], odd = a[0] - a[2], sum = a[1] + a[3], d = a[1] - a[3];
  const point<S> turned{d.im, -d.re};
  a[0] = even + sum;
  a[1] = odd + turned;
  a[2] = even - sum;
  a[3] = odd - turned;
}
/// In pairs j and r - j, whose roots are conjugate.
template <class S, class T>
void odd_butterfly(int r, point<S>* a, const point<T>* roots) {
  constexpr int most_pairs = most_radix / 2;
  const int pairs = r / 2;
  point<S> sums[most_pairs], differences[most_pairs];
  point<S> total = a[0];
  for (int j = 1; j <= pairs; ++j) {
    sums[j - 1] = a[j] + a[r - j];
    differences[j - 1] = a[j] - a[r - j];
    total = total + sums[j - 1];
  }
  for (int k = 1; k <= pairs; ++k) {
    point<S> even = a[0], odd{};
    for (int j = 1; j <= pairs; ++j) {
      const point<T> w = roots[(j * k) % r];
      even = {even.re + sums[j - 1].re * w.re, even.im + sums[j - 1].im * w.re};
      odd = {odd.re - differences[j - 1].im * w.im, odd.im + differences[j - 1].re * w.im};
    }
    a[k] = even + odd;
    a[r - k] = even - odd;
  }
  a[0] = total;
}

/// Radix: 0 where it is known when it runs.
template <int Radix, class S, class T>
void run_step(const radix_step<T>& s, const point<S>* x, point<S>* y) {
  const int r = Radix > 0 ? Radix : s.radix;
  const index_t m = s.m, l = s.l;
  const point<T>* turns = s.turns.data();
  for (index_t p = 0; p < m; ++p) {
    for (index_t q = 0; q < l; ++q) {
      point<S> a[Radix > 0 ? Radix : most_radix];
      a[0] = x[q + l * p];
      for (int j = 1; j < r; ++j) a[j] = x[q + l * (p + m * j)];
      if constexpr (Radix == 2) butterfly2(a);
      else if constexpr (Radix == 4) butterfly4(a);
      else odd_butterfly(r, a, s.roots.data());
      point<S>* const to = y + q + l * r * p;
      to[0] = a[0];
      if (p == 0)
        for (int k = 1; k < r; ++k) to[l * k] = a[k];
      else
        for (int k = 1; k < r; ++k) to[l * k] = a[k] * turns[k - 1];
    }
    if (p > 0) turns += r - 1;
  }
}
/// Returns which of the two buffers has the result: the other one is destroyed.
template <class S, class T>
point<S>* run(const steps<T>& plan, point<S>* x, point<S>* y) {
  for (const auto& s : plan.all) {
    if (s.radix == 4) run_step<4>(s, x, y);
    else if (s.radix == 2) run_step<2>(s, x, y);
    else if (s.radix == 3) run_step<3>(s, x, y);
    else if (s.radix == 5) run_step<5>(s, x, y);
    else if (s.radix == 7) run_step<7>(s, x, y);
    else run_step<0>(s, x, y);
    std::swap(x, y);
  }
  return x;
}

/// From the transform z of h numbers (x[2j], x[2j+1]) to the first h + 1 of that of the 2h numbers x, in place.
/// turns[k]: root(k, 2h).
template <class S, class T>
void part_reals(point<S>* z, index_t h, const point<T>* turns) {
  const S even = z[0].re, uneven = z[0].im;
  z[0] = {even + uneven, S{}};
  z[h] = {even - uneven, S{}};
  for (index_t k = 1; 2 * k <= h; ++k) {
    const auto a = z[k], b = conjugate(z[h - k]);
    const auto sum = a + b, difference = (a - b) * turns[k];
    // root(k) -i / 2 is what the odd ones are turned by.
    const point<S> odd{difference.im, -difference.re};
    const auto low = sum + odd, high = conjugate(sum - odd);
    z[k] = {low.re * T(0.5), low.im * T(0.5)};
    z[h - k] = {high.re * T(0.5), high.im * T(0.5)};
  }
}
/// The other way, but for a factor of 2, to be transformed backward, and exchanged for it. Imaginary parts at both ends
/// are not read.
template <class S, class T>
void join_reals(point<S>* z, index_t h, const point<T>* turns) {
  const S first = z[0].re, last = z[h].re;
  for (index_t k = 1; 2 * k <= h; ++k) {
    const auto a = z[k], b = conjugate(z[h - k]);
    const auto sum = a + b, difference = (a - b) * conjugate(turns[k]);
    const point<S> odd{-difference.im, difference.re};
    z[k] = exchanged(sum + odd);
    if (h - k != k) z[h - k] = exchanged(conjugate(sum - odd));
  }
  z[0] = {first - last, first + last};
}

/// How lines lie: their elements a step apart, and each from the next one.
struct layout {
  index_t step, apart;
};

template <class T, std::size_t... I>
void turn_square(typename vector_of<T>::type* v, std::index_sequence<I...>) {
  constexpr int n = lanes<T>;
  typename vector_of<T>::type other[n];
  for (int rounds = n; rounds > 1; rounds /= 2) {
    for (int k = 0; k < n / 2; ++k) {
      other[2 * k] = __builtin_shufflevector(v[k], v[k + n / 2], (I / 2 + I % 2 * n)...);
      other[2 * k + 1] = __builtin_shufflevector(v[k], v[k + n / 2], (n / 2 + I / 2 + I % 2 * n)...);
    }
    for (int k = 0; k < n; ++k) v[k] = other[k];
  }
}
/// As many vectors as lanes, as columns of what they are rows of.
template <class T>
void turn_square(typename vector_of<T>::type* v) {
  turn_square<T>(v, std::make_index_sequence<lanes<T>>{});
}
template <class T, std::size_t... I>
in_lanes<T> parted(const T* from, std::index_sequence<I...>) {
  typename vector_of<T>::type a, b;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, from + lanes<T>, sizeof b);
  return {__builtin_shufflevector(a, b, (2 * I)...), __builtin_shufflevector(a, b, (2 * I + 1)...)};
}
template <class T, std::size_t... I>
void join(const in_lanes<T>& p, T* to, std::index_sequence<I...>) {
  constexpr int n = lanes<T>;
  const typename vector_of<T>::type a = __builtin_shufflevector(p.re, p.im, (I / 2 + I % 2 * n)...),
                                    b = __builtin_shufflevector(p.re, p.im, (n / 2 + I / 2 + I % 2 * n)...);
  std::memcpy(to, &a, sizeof a);
  std::memcpy(to + n, &b, sizeof b);
}

/// n complex numbers of so many lines into lanes; others are zero.
template <class T>
void load(const T* from, const layout& at, index_t n, int lines, in_lanes<T>* to) {
  constexpr int width = lanes<T>;
  index_t i = 0;
  if (lines == width && at.apart == 1)
    for (; i < n; ++i) to[i] = parted(from + 2 * i * at.step, std::make_index_sequence<width>{});
  else if (lines == width && at.step == 1)
    for (; i + width / 2 <= n; i += width / 2) {
      typename vector_of<T>::type square[width];
      for (int w = 0; w < width; ++w) std::memcpy(&square[w], from + 2 * (i + w * at.apart), 32);
      turn_square<T>(square);
      for (int k = 0; k < width / 2; ++k) to[i + k] = {square[2 * k], square[2 * k + 1]};
    }
  for (; i < n; ++i) {
    T re[width] = {}, im[width] = {};
    for (int w = 0; w < lines; ++w) {
      const T* const one = from + 2 * (i * at.step + w * at.apart);
      re[w] = one[0];
      im[w] = one[1];
    }
    std::memcpy(&to[i].re, re, 32);
    std::memcpy(&to[i].im, im, 32);
  }
}
template <class T>
void store(const in_lanes<T>* from, index_t n, int lines, T* to, const layout& at) {
  constexpr int width = lanes<T>;
  index_t i = 0;
  if (lines == width && at.apart == 1)
    for (; i < n; ++i) join(from[i], to + 2 * i * at.step, std::make_index_sequence<width>{});
  else if (lines == width && at.step == 1)
    for (; i + width / 2 <= n; i += width / 2) {
      typename vector_of<T>::type square[width];
      for (int k = 0; k < width / 2; ++k) {
        square[2 * k] = from[i + k].re;
        square[2 * k + 1] = from[i + k].im;
      }
      turn_square<T>(square);
      for (int w = 0; w < width; ++w) std::memcpy(to + 2 * (i + w * at.apart), &square[w], 32);
    }
  for (; i < n; ++i)
    for (int w = 0; w < lines; ++w) {
      T* const one = to + 2 * (i * at.step + w * at.apart);
      one[0] = from[i].re[w];
      one[1] = from[i].im[w];
    }
}

}  // namespace lazyfuse::fft_detail

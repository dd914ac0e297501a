// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms on the host. Lines are transformed as many at once as vectors have lanes; one long line
// as a matrix, whose columns and rows are such lines (four steps; D. H. Bailey, FFTs in External or Hierarchical
// Memory, 1990), so that it, too, has work for all threads. Large prime factors are convolutions (L. I. Bluestein,
// 1970). What is done depends on the length alone, and so do the bits.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are handed to functions that are inlined
#endif
#include <lazyfuse/backend/host/threads.hpp>
#include <lazyfuse/backend/widest_vectors.hpp>
#include <lazyfuse/fft/transforms.hpp>
#include <lazyfuse/observe/recording.hpp>

#include "backend/host/fft_lanes.hpp"
#include "fft/recently_used.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace lazyfuse::fft_detail {

namespace {

/// From here on a line is a matrix.
constexpr index_t least_matrix = 4096;
/// Plans that are kept, of each type, and their bytes.
constexpr std::size_t most_plans = 64, most_bytes = std::size_t{256} << 20;

index_t largest_factor(index_t n) {
  index_t largest = 1;
  for (index_t f = 2; f * f <= n; ++f)
    while (n % f == 0) {
      largest = f;
      n /= f;
    }
  return std::max(largest, n);
}
/// The smallest number of factors 2, 3 and 5 that is no less.
index_t good_length(index_t least) {
  index_t best = 1;
  while (best < least) best *= 2;
  for (index_t fives = 1; fives < best; fives *= 5)
    for (index_t n = fives; n < best; n *= 3) {
      index_t m = n;
      while (m < least) m *= 2;
      best = std::min(best, m);
    }
  return best;
}

/// root(k, n), in double also for floats, as the product of roots that are closer together and further apart.
struct root_table {
  int bits = 0;
  std::vector<point<double>> fine, coarse;

  root_table() = default;
  explicit root_table(index_t n) {
    while (index_t{1} << 2 * bits < n) ++bits;
    const index_t size = index_t{1} << bits;
    for (index_t k = 0; k < size; ++k) fine.push_back(root<double>(k, n));
    for (index_t k = 0; k < n; k += size) coarse.push_back(root<double>(k, n));
  }
  point<double> operator()(index_t k) const {
    return fine[std::size_t(k & ((index_t{1} << bits) - 1))] * coarse[std::size_t(k >> bits)];
  }
};

/// How a length is transformed.
template <class T>
struct plan {
  index_t n;
  bool matrix, convolution;
  steps<T> own;  // of n points; of the convolution in lanes
  // A matrix of rows x columns.
  index_t rows = 0, columns = 0;
  steps<T> of_rows, of_columns;
  root_table roots;  // of n
  // A convolution of m points with a chirp, whose transform is `spectrum`.
  index_t m = 0;
  std::vector<point<T>> chirp, spectrum;
  std::shared_ptr<const plan> convolved;  // unless in lanes
};

/// exp(-pi i k^2 / n), k < n.
template <class T>
std::vector<point<T>> chirp_of(index_t n) {
  std::vector<point<T>> chirp;
  index_t square = 0;  // modulo 2n
  for (index_t k = 0; k < n; ++k) {
    chirp.push_back(root<T>(square, 2 * n));
    square = (square + 2 * k + 1) % (2 * n);
  }
  return chirp;
}

void transform_line(const plan<double>& p, point<double>* line);

/// Of plans in double, rounded once for floats.
std::vector<point<double>> spectrum_of(const plan<double>& p, index_t m) {
  std::vector<point<double>> line(static_cast<std::size_t>(m), point<double>{0, 0});
  for (index_t k = 0; k < p.n; ++k) {
    const auto w = conjugate(p.chirp[std::size_t(k)]);
    line[std::size_t(k)] = line[std::size_t(k > 0 ? m - k : 0)] = {w.re / double(m), w.im / double(m)};
  }
  if (p.convolved) transform_line(*p.convolved, line.data());
  else {
    std::vector<point<double>> other(line.size());
    const auto* const result = run(p.own, line.data(), other.data());
    if (result != line.data()) return other;
  }
  return line;
}

template <class T>
std::shared_ptr<const plan<T>> plan_of(index_t n);

template <class T>
std::shared_ptr<const plan<T>> make_plan(index_t n) {
  auto made = std::make_shared<plan<T>>();
  plan<T>& p = *made;
  p.n = n;
  p.convolution = largest_factor(n) > most_radix;
  p.matrix = !p.convolution && n >= least_matrix;
  if (p.convolution) {
    p.m = good_length(2 * n - 1);
    p.chirp = chirp_of<T>(n);
    if (p.m < least_matrix) p.own = steps<T>(p.m);
    else p.convolved = plan_of<T>(p.m);
    if constexpr (std::is_same_v<T, double>) p.spectrum = spectrum_of(p, p.m);
    else
      for (const auto& w : plan_of<double>(n)->spectrum) p.spectrum.push_back({T(w.re), T(w.im)});
  } else if (p.matrix) {
    p.rows = static_cast<index_t>(std::sqrt(static_cast<double>(n)));
    while (n % p.rows != 0) --p.rows;
    p.columns = n / p.rows;
    p.of_rows = steps<T>(p.columns);
    p.of_columns = steps<T>(p.rows);
    p.roots = root_table(n);
  } else p.own = steps<T>(n);
  return made;
}
template <class T>
std::shared_ptr<const plan<T>> plan_of(index_t n) {
  static auto& known = *new recently_used<index_t, const plan<T>>(most_plans, most_bytes);
  return known.find_or(
      n, [n] { return make_plan<T>(n); },
      [](const plan<T>& p) {
        return (p.chirp.size() + p.spectrum.size() + std::size_t(least_matrix)) * sizeof(point<T>);
      });
}

/// root(k, 2 h) for k <= h / 2, for real lines of 2 h.
template <class T>
std::shared_ptr<const std::vector<point<T>>> roots_of_reals(index_t h) {
  static auto& known = *new recently_used<index_t, const std::vector<point<T>>>(most_plans, most_bytes);
  const auto bytes_of = [](const std::vector<point<T>>& roots) { return roots.size() * sizeof(point<T>); };
  const auto make = [h] {
    const root_table table(h < least_matrix ? 1 : 2 * h);
    auto made = std::make_shared<std::vector<point<T>>>();
    for (index_t k = 0; k <= h / 2; ++k) {
      if (h < least_matrix) made->push_back(root<T>(k, 2 * h));
      else {
        const auto w = table(k);
        made->push_back({static_cast<T>(w.re), static_cast<T>(w.im)});
      }
    }
    return made;
  };
  return known.find_or(h, make, bytes_of);
}

/// Two buffers of n points.
template <class S>
struct buffers {
  explicit buffers(index_t n)
      : all(std::make_unique_for_overwrite<point<S>[]>(static_cast<std::size_t>(2 * n))),
        x(all.get()),
        y(all.get() + n) {}
  std::unique_ptr<point<S>[]> all;
  point<S>*x, *y;
};
template <class T>
using buffers_in_lanes = buffers<typename vector_of<T>::type>;

/// What is done to lines in lanes, and where they lie.
template <class T>
struct lines {
  const plan<T>& p;
  const point<T>* roots;  // of reals
  sides between;
  bool exchange_before, exchange_after;
  T scale;
  const T* from;
  T* to;
  layout in, out;
  int count;
};

template <class V, class T>
void adapt(point<V>* x, index_t n, bool exchange, T scale) {
  if (exchange && scale != 1)
    for (index_t i = 0; i < n; ++i) x[i] = {x[i].im * scale, x[i].re * scale};
  else if (exchange)
    for (index_t i = 0; i < n; ++i) x[i] = exchanged(x[i]);
  else if (scale != 1)
    for (index_t i = 0; i < n; ++i) x[i] = {x[i].re * scale, x[i].im * scale};
}
/// Returns the buffer that has the transform of x.
template <class V, class T>
point<V>* transform_buffer(const plan<T>& p, point<V>* x, point<V>* y) {
  if (!p.convolution) return run(p.own, x, y);
  for (index_t k = 0; k < p.n; ++k) x[k] = x[k] * p.chirp[std::size_t(k)];
  for (index_t k = p.n; k < p.m; ++k) x[k] = point<V>{};
  point<V>* z = run(p.own, x, y);
  for (index_t k = 0; k < p.m; ++k) z[k] = exchanged(z[k] * p.spectrum[std::size_t(k)]);
  z = run(p.own, z, z == x ? y : x);
  for (index_t k = 0; k < p.n; ++k) z[k] = exchanged(z[k]) * p.chirp[std::size_t(k)];
  return z;
}
constexpr auto transform_lines = []<class T>(const lines<T>& l, in_lanes<T>* x, in_lanes<T>* y) {
  const index_t n = l.p.n;
  load(l.from, l.in, n, l.count, x);
  adapt(x, n, l.exchange_before, l.scale);
  in_lanes<T>* const z = transform_buffer(l.p, x, y);
  if (l.exchange_after) adapt(z, n, true, T(1));
  store(z, n, l.count, l.to, l.out);
};
constexpr auto transform_pairs_of_reals = []<class T>(const lines<T>& l, in_lanes<T>* x, in_lanes<T>* y) {
  const index_t h = l.p.n;
  const bool back = l.between == sides::to_real;
  load(l.from, l.in, h + back, l.count, x);
  adapt(x, h + back, false, l.scale);
  if (back) join_reals(x, h, l.roots);
  in_lanes<T>* const z = transform_buffer(l.p, x, y);
  if (back) adapt(z, h, true, T(1));
  else part_reals(z, h, l.roots);
  store(z, h + !back, l.count, l.to, l.out);
};
/// Real lines of odd lengths, as complex ones.
constexpr auto transform_odd_reals = []<class T>(const lines<T>& l, in_lanes<T>* x, in_lanes<T>* y) {
  const index_t n = l.p.n, half = n / 2 + 1;
  if (l.between == sides::from_real) {
    for (index_t i = 0; i < n; ++i) {
      x[i] = in_lanes<T>{};
      for (int w = 0; w < l.count; ++w) x[i].re[w] = l.from[i * l.in.step + w * l.in.apart];
    }
    adapt(x, n, false, l.scale);
    store(transform_buffer(l.p, x, y), half, l.count, l.to, l.out);
  } else {
    load(l.from, l.in, half, l.count, x);
    adapt(x, half, true, l.scale);
    x[0].re = typename vector_of<T>::type{};
    for (index_t i = 1; i < half; ++i) x[n - i] = {-x[i].re, x[i].im};
    const in_lanes<T>* const z = transform_buffer(l.p, x, y);
    for (index_t i = 0; i < n; ++i)
      for (int w = 0; w < l.count; ++w) l.to[i * l.out.step + w * l.out.apart] = z[i].im[w];
  }
};

/// One step of a long line: columns of the matrix, turned and written as rows of another one.
template <class T>
struct columns_of_line {
  const plan<T>& p;
  const T* from;
  T* to;
  index_t step, first;
  bool exchange;
  T scale;
  int count;
};
constexpr auto transform_columns = []<class T>(const columns_of_line<T>& c, in_lanes<T>* x, in_lanes<T>* y) {
  const plan<T>& p = c.p;
  load(c.from + 2 * c.first * c.step, {p.columns * c.step, c.step}, p.rows, c.count, x);
  adapt(x, p.rows, c.exchange, c.scale);
  in_lanes<T>* const z = run(p.of_columns, x, y);
  for (index_t k = 1; k < p.rows; ++k) {
    T re[lanes<T>], im[lanes<T>];
    for (int w = 0; w < lanes<T>; ++w) {
      const point<double> by = p.roots(std::min(c.first + w, p.columns - 1) * k);
      re[w] = static_cast<T>(by.re);
      im[w] = static_cast<T>(by.im);
    }
    in_lanes<T> turns;
    std::memcpy(&turns.re, re, sizeof re);
    std::memcpy(&turns.im, im, sizeof im);
    z[k] = z[k] * turns;
  }
  store(z, p.rows, c.count, c.to + 2 * c.first * p.rows, {1, p.rows});
};
constexpr auto transform_rows = []<class T>(const columns_of_line<T>& c, in_lanes<T>* x, in_lanes<T>* y) {
  const plan<T>& p = c.p;
  load(c.from + 2 * c.first, {p.rows, 1}, p.columns, c.count, x);
  in_lanes<T>* const z = run(p.of_rows, x, y);
  if (c.exchange) adapt(z, p.columns, true, T(1));
  store(z, p.columns, c.count, c.to + 2 * c.first * c.step, {p.rows * c.step, c.step});
};

double cost_of(index_t n, index_t count) {
  return 2 * static_cast<double>(count) * static_cast<double>(n) * (1 + std::log2(static_cast<double>(n)));
}
/// body(first, count, buffer) for groups of as many lines as lanes; several to a task, which has the buffers.
template <class T, class Body>
void for_groups(index_t count, index_t points, index_t n, const Body& body) {
  const index_t groups = (count + lanes<T> - 1) / lanes<T>;
  const index_t together = (groups + 63) / 64, tasks = (groups + together - 1) / std::max<index_t>(together, 1);
  host_detail::for_tasks(tasks, cost_of(n, count), [&](index_t task) {
    buffers_in_lanes<T> b(points);
    for (index_t g = task * together; g < std::min(groups, (task + 1) * together); ++g) {
      const index_t first = g * lanes<T>;
      body(first, static_cast<int>(std::min<index_t>(lanes<T>, count - first)), b);
    }
  });
}

/// One line that is a matrix, or a convolution of such.
template <class T>
struct long_line {
  const plan<T>& p;
  const T* from;
  index_t in;  // elements a step apart
  T* to;
  index_t out;
  bool exchange_before, exchange_after;
  T scale;

  void transform() const {
    if (p.convolution) convolve();
    else as_matrix();
  }

 private:
  void as_matrix() const {
    const auto between = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(2 * p.n));
    for_groups<T>(p.columns, p.rows, p.rows, [&](index_t first, int count, buffers_in_lanes<T>& b) {
      const columns_of_line<T> c{p, from, between.get(), in, first, exchange_before, scale, count};
      host_detail::in_wide_vectors(transform_columns, c, b.x, b.y);
    });
    for_groups<T>(p.rows, p.columns, p.columns, [&](index_t first, int count, buffers_in_lanes<T>& b) {
      const columns_of_line<T> c{p, between.get(), to, out, first, exchange_after, T(1), count};
      host_detail::in_wide_vectors(transform_rows, c, b.x, b.y);
    });
  }
  void convolve() const {
    std::vector<point<T>> line(static_cast<std::size_t>(p.m), point<T>{0, 0});
    const auto chirped = [&](index_t k, const point<T>& v) { return v * p.chirp[std::size_t(k)]; };
    for (index_t k = 0; k < p.n; ++k) {
      const T* const one = from + 2 * k * in;
      const point<T> v{one[0] * scale, one[1] * scale};
      line[std::size_t(k)] = chirped(k, exchange_before ? exchanged(v) : v);
    }
    T* const data = &line[0].re;
    long_line{*p.convolved, data, 1, data, 1, false, false, T(1)}.transform();
    for (std::size_t k = 0; k < line.size(); ++k) line[k] = line[k] * p.spectrum[k];
    long_line{*p.convolved, data, 1, data, 1, true, true, T(1)}.transform();
    for (index_t k = 0; k < p.n; ++k) {
      const auto v = chirped(k, line[std::size_t(k)]);
      to[2 * k * out] = exchange_after ? v.im : v.re;
      to[2 * k * out + 1] = exchange_after ? v.re : v.im;
    }
  }
};
void transform_line(const plan<double>& p, point<double>* line) {
  long_line<double>{p, &line->re, 1, &line->re, 1, false, false, 1}.transform();
}

/// A long line with a real side, in memory of its own meanwhile.
template <class T>
void transform_long_reals(const plan<T>& p, const point<T>* roots, sides between, index_t n, const T* from, T* to,
                          T scale) {
  const index_t half = n / 2 + 1;
  std::vector<point<T>> line(static_cast<std::size_t>(std::max(p.n, half)));
  T* const data = &line[0].re;
  const auto* const source = reinterpret_cast<const point<T>*>(from);
  if (between == sides::from_real) {
    if (n % 2 == 0) {
      long_line<T>{p, from, 1, data, 1, false, false, scale}.transform();
      part_reals(line.data(), p.n, roots);
    } else {
      for (index_t i = 0; i < n; ++i) line[std::size_t(i)] = {from[i], T(0)};
      long_line<T>{p, data, 1, data, 1, false, false, scale}.transform();
    }
    std::copy_n(line.data(), half, reinterpret_cast<point<T>*>(to));
    return;
  }
  std::copy_n(source, half, line.data());
  if (n % 2 == 0) {
    join_reals(line.data(), p.n, roots);
    long_line<T>{p, data, 1, to, 1, false, true, scale}.transform();
    return;
  }
  line[0].im = 0;
  for (index_t i = 1; i < half; ++i) line[std::size_t(n - i)] = conjugate(line[std::size_t(i)]);
  long_line<T>{p, data, 1, data, 1, true, true, scale}.transform();
  for (index_t i = 0; i < n; ++i) to[i] = line[std::size_t(i)].re;
}

/// All lines along an axis: `outer` times `inner` of them, the latter beside each other.
template <class T>
struct along_axis {
  sides between;
  index_t n, outer, inner;
  bool backward;
  T scale;

  void transform(const T* from, T* to) const {
    if (outer == 0 || inner == 0) return;
    const bool pairs = between != sides::complex && n % 2 == 0;
    const auto p = plan_of<T>(pairs ? n / 2 : n);
    const auto roots = pairs ? roots_of_reals<T>(n / 2) : nullptr;
    const point<T>* const first_root = roots ? roots->data() : nullptr;
    if (p->matrix || p->convolved) each_alone(*p, first_root, from, to);
    else in_groups(*p, first_root, from, to);
  }

 private:
  // Reals and complex numbers of a line. Lines with a real side have no others beside them.
  index_t reals() const { return n; }
  index_t numbers() const { return between == sides::complex ? n : n / 2 + 1; }

  void in_groups(const plan<T>& p, const point<T>* roots, const T* from, T* to) const {
    const bool pairs = roots;
    const index_t points = std::max(p.m, p.n + 1);
    // Beside each other, or after each other.
    const bool beside = inner > 1;
    const index_t blocks = beside ? outer : 1, count = beside ? inner : outer;
    const index_t groups = (count + lanes<T> - 1) / lanes<T> * blocks, per_block = groups / blocks;
    const bool to_real = between == sides::to_real, from_real = between == sides::from_real;
    const index_t real_apart = pairs ? n / 2 : n;  // of odd ones counted in reals
    const layout in = beside ? layout{inner, 1} : layout{1, from_real ? real_apart : numbers()},
                 out = beside ? layout{inner, 1} : layout{1, to_real ? real_apart : numbers()};
    const index_t from_length = from_real && !pairs ? 1 : 2, to_length = to_real && !pairs ? 1 : 2;
    const index_t together = (groups + 63) / 64;
    host_detail::for_tasks((groups + together - 1) / together, cost_of(n, outer * inner), [&](index_t task) {
      buffers_in_lanes<T> b(points);
      for (index_t g = task * together; g < std::min(groups, (task + 1) * together); ++g) {
        const index_t block = g / per_block, first = g % per_block * lanes<T>;
        const index_t at_in = block * n * inner + first * in.apart, at_out = block * n * inner + first * out.apart;
        const lines<T> l{p,
                         roots,
                         between,
                         backward,
                         backward,
                         scale,
                         from + from_length * at_in,
                         to + to_length * at_out,
                         in,
                         out,
                         static_cast<int>(std::min<index_t>(lanes<T>, count - first))};
        if (between == sides::complex) host_detail::in_wide_vectors(transform_lines, l, b.x, b.y);
        else if (pairs) host_detail::in_wide_vectors(transform_pairs_of_reals, l, b.x, b.y);
        else host_detail::in_wide_vectors(transform_odd_reals, l, b.x, b.y);
      }
    });
  }
  /// Many lines are tasks, within which there are no others; few ones have tasks.
  void each_alone(const plan<T>& p, const point<T>* roots, const T* from, T* to) const {
    const index_t count = outer * inner;
    const bool many = count >= 2 * host_detail::thread_count();
    host_detail::for_tasks(many ? count : 1, cost_of(n, count) * many, [&](index_t task) {
      for (index_t i = many ? task : 0; i < (many ? task + 1 : count); ++i) {
        if (between == sides::complex) {
          const index_t at = 2 * (i / inner * n * inner + i % inner);
          long_line<T>{p, from + at, inner, to + at, inner, backward, backward, scale}.transform();
        } else {
          const index_t reals_at = i * n, numbers_at = 2 * i * numbers();
          const bool to_real = between == sides::to_real;
          transform_long_reals(p, roots, between, n, from + (to_real ? numbers_at : reals_at),
                               to + (to_real ? reals_at : numbers_at), scale);
        }
      }
    });
  }
};

template <class T>
void transform_all(const transforms& t, T* from, T* to) {
  const int last = t.axes - 1;
  const auto scale = static_cast<T>(t.scale);
  index_t outer = t.count;
  for (int k = 0; k < last; ++k) outer *= t.extents[k];
  const index_t n = t.extents[last];
  const auto others = [&](T* data) {
    index_t before = t.count, after = t.between == sides::complex ? n : n / 2 + 1;
    for (int k = 0; k < last; ++k) before *= t.extents[k];
    for (int k = last - 1; k >= 0; --k) {
      before /= t.extents[k];
      along_axis<T>{sides::complex, t.extents[k], before, after, t.backward, T(1)}.transform(data, data);
      after *= t.extents[k];
    }
  };
  if (t.between == sides::to_real) others(from);
  along_axis<T>{t.between, n, outer, t.beside, t.backward, scale}.transform(from, to);
  if (t.between != sides::to_real) others(to);
}

}  // namespace

void transform(host, const char* operation, const transforms& t, void* from, void* to) {
  record_detail::refuse_computing(operation);
  index_t numbers = t.count * t.beside;
  for (int k = 0; k < t.axes; ++k) numbers *= t.extents[k];
  if (numbers == 0) return;
  if (t.twice_as_wide) transform_all(t, static_cast<double*>(from), static_cast<double*>(to));
  else transform_all(t, static_cast<float*>(from), static_cast<float*>(to));
}

}  // namespace lazyfuse::fft_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families of expressions: pairs, rows of several arrays, channels, columns, stencils. Operands that many results share
// are laid out, and results taken several at a time, so that loops run along memory and sums stay in registers.
#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hand {
namespace {

extern "C" {
__attribute__((simd("notinbranch"), const, nothrow, leaf)) float hand_family_exp(float) __asm__("expf"),
    hand_family_log(float) __asm__("logf");
}

}  // namespace

void bodies(const float* x, const float* y, const float* u, const float* m, float* ax, float* ay, float* au, size n) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < n; ++i) {
    float sx = 0, sy = 0, su = 0;
#pragma omp simd reduction(+ : sx, sy, su)
    for (size j = 0; j < n; ++j) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], du = u[j] - u[i];
      const float r = 1 / std::sqrt(dx * dx + dy * dy + du * du + 1e-3f);
      const float w = m[j] * r * r * r;
      sx += w * dx;
      sy += w * dy;
      su += w * du;
    }
    ax[i] = sx, ay[i] = sy, au[i] = su;
  }
}

void density(const float* x, float* z, size n) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < n; ++i) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size j = 0; j < n; ++j) sum += hand_family_exp(-(x[j] - x[i]) * (x[j] - x[i]));
    z[i] = sum;
  }
}

/// Four rows by 64 columns of the result in registers; the operands of a block of 256 stay in the cache.
void product(const float* a, const float* b, float* z, size n) {
  constexpr size height = 4, width = 64, depth = 256;
#pragma omp parallel for schedule(static)
  for (size i = 0; i < n; i += height) {
    for (size k0 = 0; k0 < n; k0 += depth) {
      const size k1 = std::min(n, k0 + depth);
      for (size j = 0; j < n; j += width) {
        float sums[height][width];
        for (size r = 0; r < height; ++r)
          for (size c = 0; c < width; ++c) sums[r][c] = k0 == 0 ? 0 : z[(i + r) * n + j + c];
        for (size k = k0; k < k1; ++k)
          for (size r = 0; r < height; ++r) {
            const float factor = a[(i + r) * n + k];
#pragma omp simd
            for (size c = 0; c < width; ++c) sums[r][c] += factor * b[k * n + j + c];
          }
        for (size r = 0; r < height; ++r)
          for (size c = 0; c < width; ++c) z[(i + r) * n + j + c] = sums[r][c];
      }
    }
  }
}

/// Distances from all centres side by side, of which the coordinates are laid out one after the other.
void nearest_centre(const float* points, const float* centres, std::int64_t* z, size n, size count, size axes) {
  std::vector<float> turned(static_cast<std::size_t>(count * axes));
  for (size c = 0; c < count; ++c)
    for (size k = 0; k < axes; ++k) turned[static_cast<std::size_t>(k * count + c)] = centres[c * axes + k];
#pragma omp parallel
  {
    std::vector<float> distances(static_cast<std::size_t>(count));
    float* const d = distances.data();
#pragma omp for schedule(static)
    for (size i = 0; i < n; ++i) {
      std::fill(distances.begin(), distances.end(), 0.0f);
      for (size k = 0; k < axes; ++k) {
        const float at = points[i * axes + k], *const c = turned.data() + k * count;
#pragma omp simd
        for (size j = 0; j < count; ++j) d[j] += (at - c[j]) * (at - c[j]);
      }
      z[i] = std::min_element(d, d + count) - d;
    }
  }
}

void kl_rows(const float* p, const float* q, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float *a = p + i * columns, *b = q + i * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size j = 0; j < columns; ++j) sum += a[j] * (hand_family_log(a[j]) - hand_family_log(b[j]));
    z[i] = sum;
  }
}

void cosine_rows(const float* p, const float* q, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float *a = p + i * columns, *b = q + i * columns;
    float ab = 0, aa = 0, bb = 0;
#pragma omp simd reduction(+ : ab, aa, bb)
    for (size j = 0; j < columns; ++j) {
      ab += a[j] * b[j];
      aa += a[j] * a[j];
      bb += b[j] * b[j];
    }
    z[i] = ab / (std::sqrt(aa) * std::sqrt(bb));
  }
}

void bray_curtis_rows(const float* p, const float* q, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float *a = p + i * columns, *b = q + i * columns;
    float differences = 0, sums = 0;
#pragma omp simd reduction(+ : differences, sums)
    for (size j = 0; j < columns; ++j) {
      differences += std::abs(a[j] - b[j]);
      sums += std::abs(a[j] + b[j]);
    }
    z[i] = differences / sums;
  }
}

namespace {

float largest(const float* x, size n) {
  float most = x[0];
#pragma omp simd reduction(max : most)
  for (size j = 0; j < n; ++j) most = x[j] > most ? x[j] : most;
  return most;
}

}  // namespace

void two_softmaxes(const float* x, const float* y, float* z, size rows, size columns) {
#pragma omp parallel
  {
    std::vector<float> others(static_cast<std::size_t>(columns));
    float* const other = others.data();
#pragma omp for schedule(static)
    for (size i = 0; i < rows; ++i) {
      const float *a = x + i * columns, *b = y + i * columns;
      const float most_a = largest(a, columns), most_b = largest(b, columns);
      float *out = z + i * columns, sum_a = 0, sum_b = 0;
#pragma omp simd reduction(+ : sum_a, sum_b)
      for (size j = 0; j < columns; ++j) {
        sum_a += out[j] = hand_family_exp(a[j] - most_a);
        sum_b += other[j] = hand_family_exp(b[j] - most_b);
      }
      const float scale_a = 1 / sum_a, scale_b = 1 / sum_b;
#pragma omp simd
      for (size j = 0; j < columns; ++j) out[j] = out[j] * scale_a + other[j] * scale_b;
    }
  }
}

void softmax_times_log_softmax(const float* x, const float* y, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float *a = x + i * columns, *b = y + i * columns;
    const float most_a = largest(a, columns), most_b = largest(b, columns);
    float *out = z + i * columns, sum_a = 0, sum_b = 0;
#pragma omp simd reduction(+ : sum_a, sum_b)
    for (size j = 0; j < columns; ++j) {
      sum_a += out[j] = hand_family_exp(a[j] - most_a);
      sum_b += hand_family_exp(b[j] - most_b);
    }
    const float scale = 1 / sum_a, shift = most_b + std::log(sum_b);
#pragma omp simd
    for (size j = 0; j < columns; ++j) out[j] = out[j] * scale * (b[j] - shift);
  }
}

void layernorm_backward(const float* x, const float* dy, const float* w, float* z, size rows, size columns) {
  const float n = static_cast<float>(columns);
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float *a = x + i * columns, *d = dy + i * columns;
    float *out = z + i * columns, sum = 0, sum_g = 0, squares = 0, sum_gh = 0;
#pragma omp simd reduction(+ : sum, sum_g)
    for (size j = 0; j < columns; ++j) {
      sum += a[j];
      sum_g += d[j] * w[j];
    }
    const float mean = sum / n;
#pragma omp simd reduction(+ : squares, sum_gh)
    for (size j = 0; j < columns; ++j) {
      squares += (a[j] - mean) * (a[j] - mean);
      sum_gh += (a[j] - mean) * d[j] * w[j];
    }
    const float scale = 1 / std::sqrt(squares / n + 1e-5f), mean_g = sum_g / n, slope = sum_gh / n * scale * scale;
#pragma omp simd
    for (size j = 0; j < columns; ++j) out[j] = (d[j] * w[j] - mean_g - (a[j] - mean) * slope) * scale;
  }
}

void batch_norm(const float* x, float* z, size pictures, size channels, size pixels) {
  const float n = static_cast<float>(pictures * pixels);
#pragma omp parallel for schedule(static)
  for (size c = 0; c < channels; ++c) {
    float sum = 0, squares = 0;
    for (size i = 0; i < pictures; ++i) {
      const float* in = x + (i * channels + c) * pixels;
#pragma omp simd reduction(+ : sum)
      for (size k = 0; k < pixels; ++k) sum += in[k];
    }
    const float mean = sum / n;
    for (size i = 0; i < pictures; ++i) {
      const float* in = x + (i * channels + c) * pixels;
#pragma omp simd reduction(+ : squares)
      for (size k = 0; k < pixels; ++k) squares += (in[k] - mean) * (in[k] - mean);
    }
    const float scale = 1 / std::sqrt(squares / n + 1e-5f);
    for (size i = 0; i < pictures; ++i) {
      const float* in = x + (i * channels + c) * pixels;
      float* out = z + (i * channels + c) * pixels;
#pragma omp simd
      for (size k = 0; k < pixels; ++k) out[k] = (in[k] - mean) * scale;
    }
  }
}

void sums_over_ends(const float* x, float* z, size first, size middle, size last) {
#pragma omp parallel for schedule(static)
  for (size j = 0; j < middle; ++j) {
    float sum = 0;
    for (size i = 0; i < first; ++i) {
      const float* in = x + (i * middle + j) * last;
#pragma omp simd reduction(+ : sum)
      for (size k = 0; k < last; ++k) sum += in[k];
    }
    z[j] = sum;
  }
}

namespace {

/// Of up to 64 columns next to each other, which lie `step` apart from one element to the next.
void softmax_of_columns(const float* x, float* z, size length, size step, size width) {
  float most[64], sums[64];
  for (size k = 0; k < width; ++k) most[k] = x[k], sums[k] = 0;
  for (size c = 1; c < length; ++c) {
    const float* in = x + c * step;
#pragma omp simd
    for (size k = 0; k < width; ++k) most[k] = in[k] > most[k] ? in[k] : most[k];
  }
  for (size c = 0; c < length; ++c) {
    const float* in = x + c * step;
    float* out = z + c * step;
#pragma omp simd
    for (size k = 0; k < width; ++k) sums[k] += out[k] = hand_family_exp(in[k] - most[k]);
  }
  for (size k = 0; k < width; ++k) sums[k] = 1 / sums[k];
  for (size c = 0; c < length; ++c) {
    float* out = z + c * step;
#pragma omp simd
    for (size k = 0; k < width; ++k) out[k] *= sums[k];
  }
}

}  // namespace

void softmax_of_channels(const float* x, float* z, size pictures, size channels, size pixels) {
#pragma omp parallel for collapse(2) schedule(static)
  for (size i = 0; i < pictures; ++i)
    for (size k = 0; k < pixels; k += 64) {
      const size at = i * channels * pixels + k;
      softmax_of_columns(x + at, z + at, channels, pixels, std::min<size>(64, pixels - k));
    }
}

void softmax_down(const float* x, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size k = 0; k < columns; k += 64)
    softmax_of_columns(x + k, z + k, rows, columns, std::min<size>(64, columns - k));
}

namespace {

/// f(centre of the operand, result) along the rows of a cube's inner part.
template <class F>
void inner_rows(const float* x, float* z, size n, const F& f) {
  const size m = n - 2;
#pragma omp parallel for collapse(2) schedule(static)
  for (size i = 0; i < m; ++i)
    for (size j = 0; j < m; ++j) f(((i + 1) * n + j + 1) * n + 1, z + (i * m + j) * m, x);
}

}  // namespace

void points_7(const float* x, float* z, size n) {
  inner_rows(x, z, n, [n](size at, float* out, const float* in) {
    const float *c = in + at, *up = c - n * n, *down = c + n * n, *left = c - n, *right = c + n;
#pragma omp simd
    for (size k = 0; k < n - 2; ++k) out[k] = up[k] + down[k] + left[k] + right[k] + c[k - 1] + c[k + 1] - 6 * c[k];
  });
}

void points_27(const float* x, float* z, size n) {
  inner_rows(x, z, n, [n](size at, float* out, const float* in) {
    const float* rows[9];
    for (size r = 0; r < 9; ++r) rows[r] = in + at + (r / 3 - 1) * n * n + (r % 3 - 1) * n;
#pragma omp simd
    for (size k = 0; k < n - 2; ++k) {
      float sum = 0;
      for (const float* row : rows) sum += row[k - 1] + row[k] + row[k + 1];
      out[k] = sum * (1.0f / 27);
    }
  });
}

void gradient_norm(const float* x, float* z, size n) {
  inner_rows(x, z, n, [n](size at, float* out, const float* in) {
    const float *c = in + at, *up = c - n * n, *down = c + n * n, *left = c - n, *right = c + n;
#pragma omp simd
    for (size k = 0; k < n - 2; ++k) {
      const float a = down[k] - up[k], b = right[k] - left[k], d = c[k + 1] - c[k - 1];
      out[k] = std::sqrt(a * a + b * b + d * d);
    }
  });
}

void wave_step(const float* x, const float* before, const float* speed, float* z, size n) {
  inner_rows(x, z, n, [=](size at, float* out, const float* in) {
    const float *c = in + at, *up = c - n * n, *down = c + n * n, *left = c - n, *right = c + n;
    const float *old = before + at, *v = speed + at;
#pragma omp simd
    for (size k = 0; k < n - 2; ++k)
      out[k] = 2 * c[k] - old[k] + v[k] * (up[k] + down[k] + left[k] + right[k] + c[k - 1] + c[k + 1] - 6 * c[k]);
  });
}

void gaussian_25(const float* x, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows - 4; ++i) {
    const float* in = x + i * columns;
    float* out = z + i * (columns - 4);
#pragma omp simd
    for (size k = 0; k < columns - 4; ++k) {
      const auto row = [k](const float* r) { return r[k] + 4 * r[k + 1] + 6 * r[k + 2] + 4 * r[k + 3] + r[k + 4]; };
      const float ends = row(in) + row(in + 4 * columns), inner = row(in + columns) + row(in + 3 * columns);
      out[k] = (ends + 4 * inner + 6 * row(in + 2 * columns)) * (1.0f / 256);
    }
  }
}

}  // namespace hand

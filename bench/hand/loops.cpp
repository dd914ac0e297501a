// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <algorithm>
#include <vector>

#include <omp.h>

namespace hand {
namespace {

// libm's functions under names of ours, with the vector variants glibc has for them: without -ffast-math
// <cmath> does not offer these, and the compiler would merge sine and cosine into one scalar call.
extern "C" {
__attribute__((simd("notinbranch"), const, nothrow, leaf)) float hand_sin(float) __asm__("sinf"),
    hand_cos(float) __asm__("cosf"), hand_exp(float) __asm__("expf"), hand_log(float) __asm__("logf"),
    hand_erf(float) __asm__("erff"), hand_atan2(float, float) __asm__("atan2f");
__attribute__((simd("notinbranch"), const, nothrow, leaf)) double hand_sin_double(double) __asm__("sin"),
    hand_cos_double(double) __asm__("cos");
}

}  // namespace

int threads() { return omp_get_max_threads(); }

void saxpy(const float* x, const float* y, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) z[i] = 2.5f * x[i] + y[i];
}

void fma3(const float* a, const float* b, const float* c, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) z[i] = a[i] * b[i] + c[i];
}

void chain20(const float* x, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) {
    float v = x[i];
#pragma GCC unroll 10
    for (int step = 0; step < 10; ++step) v = v * 1.0001f + 0.5f;
    z[i] = v;
  }
}

void pyth(const float* x, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) {
    const float s = hand_sin(x[i]), c = hand_cos(x[i]);
    z[i] = s * s + c * c;
  }
}

void pyth(const double* x, double* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) {
    const double s = hand_sin_double(x[i]), c = hand_cos_double(x[i]);
    z[i] = s * s + c * c;
  }
}

void blackscholes(const float* price, const float* strike, const float* time, float* z, size n) {
  const float r = 0.05f, v = 0.2f, half_root = 0.70710678f;
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) {
    const float deviation = v * __builtin_sqrtf(time[i]);
    const float d1 = (hand_log(price[i] / strike[i]) + (r + 0.5f * v * v) * time[i]) / deviation;
    const float d2 = d1 - deviation;
    z[i] = price[i] * (0.5f * (1 + hand_erf(d1 * half_root))) -
           strike[i] * hand_exp(-r * time[i]) * (0.5f * (1 + hand_erf(d2 * half_root)));
  }
}

void arc_distance(const float* t1, const float* p1, const float* t2, const float* p2, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) {
    const float st = hand_sin((t2[i] - t1[i]) * 0.5f), sp = hand_sin((p2[i] - p1[i]) * 0.5f);
    const float h = st * st + hand_cos(t1[i]) * hand_cos(t2[i]) * (sp * sp);
    z[i] = 2 * hand_atan2(__builtin_sqrtf(h), __builtin_sqrtf(1 - h));
  }
}

float sumsq(const float* x, size n) {
  float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (size i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

/// The sums of squares up to each of n elements, and what came before them.
static float cumsum(const float* x, float* z, size n, float sum) {
  for (size i = 0; i < n; ++i) z[i] = sum += x[i] * x[i];
  return sum;
}
void cumsum_rows(const float* x, float* z, size rows, size columns) {
  if (rows == 1) {  // parts of the row, which are summed first
    constexpr size part = 65536;
    const size parts = (columns + part - 1) / part;
    std::vector<float> before(static_cast<std::size_t>(parts) + 1);
#pragma omp parallel for schedule(static)
    for (size p = 0; p < parts; ++p) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (size i = p * part; i < std::min((p + 1) * part, columns); ++i) sum += x[i] * x[i];
      before[static_cast<std::size_t>(p) + 1] = sum;
    }
    for (size p = 0; p < parts; ++p) before[static_cast<std::size_t>(p) + 1] += before[static_cast<std::size_t>(p)];
#pragma omp parallel for schedule(static)
    for (size p = 0; p < parts; ++p)
      cumsum(x + p * part, z + p * part, std::min(part, columns - p * part), before[static_cast<std::size_t>(p)]);
    return;
  }
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) cumsum(x + i * columns, z + i * columns, columns, 0);
}
void cumsum_columns(const float* x, float* z, size rows, size columns) {
  constexpr size together = 1024;
#pragma omp parallel for schedule(static)
  for (size first = 0; first < columns; first += together) {
    float sum[together] = {};
    const size n = std::min(together, columns - first);
    for (size i = 0; i < rows; ++i) {
      const float* in = x + i * columns + first;
      float* out = z + i * columns + first;
#pragma omp simd
      for (size j = 0; j < n; ++j) out[j] = sum[j] += in[j] * in[j];
    }
  }
}

void minmaxmean(const float* x, size n, float* low, float* high, float* mean) {
  float least = x[0], most = x[0], sum = 0;
#pragma omp parallel for simd schedule(static) reduction(min : least) reduction(max : most) reduction(+ : sum)
  for (size i = 0; i < n; ++i) {
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
    sum += x[i];
  }
  *low = least, *high = most, *mean = sum / static_cast<float>(n);
}

void rowsum(const float* x, const float* y, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float *a = x + i * columns, *b = y + i * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size j = 0; j < columns; ++j) sum += hand_exp(a[j]) * b[j];
    z[i] = sum;
  }
}

void colsum(const float* x, const float* y, float* z, size rows, size columns) {
  std::fill_n(z, columns, 0.0f);
#pragma omp parallel
  {
    std::vector<float> partial(static_cast<std::size_t>(columns));
    float* sum = partial.data();
#pragma omp for schedule(static)
    for (size i = 0; i < rows; ++i) {
      const float *a = x + i * columns, *b = y + i * columns;
#pragma omp simd
      for (size j = 0; j < columns; ++j) sum[j] += hand_exp(a[j]) * b[j];
    }
#pragma omp critical
    for (size j = 0; j < columns; ++j) z[j] += sum[j];
  }
}

float rosen(const float* x, size n) {
  float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (size i = 0; i < n - 1; ++i) {
    const float step = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
    sum += 100 * step * step + rest * rest;
  }
  return sum;
}

void laplacian(const float* u, float* z, size n) {
  const size m = n - 2;
#pragma omp parallel for schedule(static)
  for (size i = 0; i < m; ++i) {
    const float *above = u + i * n + 1, *here = above + n, *below = here + n;
    float* out = z + i * m;
#pragma omp simd
    for (size j = 0; j < m; ++j) out[j] = above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j];
  }
}

void broadcast_outer(const float* a, const float* b, float* z, size n) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < n; ++i) {
    const float left = a[i];
    float* out = z + i * n;
#pragma omp simd
    for (size j = 0; j < n; ++j) out[j] = (left - b[j]) * (left - b[j]);
  }
}

void transpose_add(const float* x, float* z, size n) {
  constexpr size tile = 64, pitch = tile + 1;  // the odd pitch spreads a column over the sets of the cache
#pragma omp parallel for collapse(2) schedule(static)
  for (size ti = 0; ti < n; ti += tile)
    for (size tj = 0; tj < n; tj += tile) {
      float turned[tile * pitch];
      const size rows = std::min(tile, n - ti), columns = std::min(tile, n - tj);
      for (size j = 0; j < columns; ++j) {
        const float* in = x + (tj + j) * n + ti;
        for (size i = 0; i < rows; ++i) turned[i * pitch + j] = in[i];
      }
      for (size i = 0; i < rows; ++i) {
        const float *in = x + (ti + i) * n + tj, *across = turned + i * pitch;
        float* out = z + (ti + i) * n + tj;
#pragma omp simd
        for (size j = 0; j < columns; ++j) out[j] = in[j] + across[j];
      }
    }
}

void small(const float* x, float* z, size n) {
#pragma omp simd
  for (size i = 0; i < n; ++i) z[i] = hand_sin(x[i]) * 2 + hand_cos(x[i]);
}

}  // namespace hand

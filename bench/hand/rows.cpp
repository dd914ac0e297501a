// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row stays in the cache between its passes; threads take different rows.
#include "loops.hpp"

#include <cmath>
#include <vector>

namespace hand {
namespace {

extern "C" __attribute__((simd("notinbranch"), const, nothrow, leaf)) float hand_row_exp(float) __asm__("expf");

}  // namespace

void softmax(const float* x, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float* in = x + i * columns;
    float *out = z + i * columns, most = in[0], sum = 0;
#pragma omp simd reduction(max : most)
    for (size j = 0; j < columns; ++j) most = in[j] > most ? in[j] : most;
#pragma omp simd reduction(+ : sum)
    for (size j = 0; j < columns; ++j) {
      const float e = hand_row_exp(in[j] - most);
      out[j] = e;
      sum += e;
    }
    const float scale = 1 / sum;
#pragma omp simd
    for (size j = 0; j < columns; ++j) out[j] *= scale;
  }
}

void layernorm(const float* x, float* z, size rows, size columns, float epsilon) {
  const float n = static_cast<float>(columns);
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float* in = x + i * columns;
    float *out = z + i * columns, sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (size j = 0; j < columns; ++j) sum += in[j];
    const float mean = sum / n;
#pragma omp simd reduction(+ : squares)
    for (size j = 0; j < columns; ++j) squares += (in[j] - mean) * (in[j] - mean);
    const float scale = 1 / std::sqrt(squares / n + epsilon);
#pragma omp simd
    for (size j = 0; j < columns; ++j) out[j] = (in[j] - mean) * scale;
  }
}

void normalize(const float* x, float* z, size n) {
  const float scale = 1 / std::sqrt(sumsq(x, n));
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) z[i] = x[i] * scale;
}

/// Sums of the distances from the first row, and of their squares, side by side for all columns.
void standardize_columns(const float* x, float* z, size rows, size columns) {
  const auto width = static_cast<std::size_t>(columns);
  std::vector<float> mean(width), scale(width);
  const float n = static_cast<float>(rows);
#pragma omp parallel
  {
    std::vector<float> sums(width), squares(width);
    float *s = sums.data(), *q = squares.data();
#pragma omp for schedule(static)
    for (size i = 0; i < rows; ++i) {
      const float* in = x + i * columns;
#pragma omp simd
      for (size j = 0; j < columns; ++j) {
        const float d = in[j] - x[j];
        s[j] += d;
        q[j] += d * d;
      }
    }
#pragma omp critical
    for (std::size_t j = 0; j < width; ++j) mean[j] += s[j], scale[j] += q[j];
#pragma omp barrier
#pragma omp single
    for (std::size_t j = 0; j < width; ++j) {
      const float shift = mean[j] / n;
      scale[j] = 1 / std::sqrt(scale[j] / n - shift * shift);
      mean[j] = x[j] + shift;
    }
    const float *m = mean.data(), *f = scale.data();
#pragma omp for schedule(static)
    for (size i = 0; i < rows; ++i) {
      const float* in = x + i * columns;
      float* out = z + i * columns;
#pragma omp simd
      for (size j = 0; j < columns; ++j) out[j] = (in[j] - m[j]) * f[j];
    }
  }
}

}  // namespace hand

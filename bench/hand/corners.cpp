// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <cmath>
#include <cstdint>

namespace hand {
namespace {

extern "C" {
__attribute__((simd("notinbranch"), const, nothrow, leaf)) float hand_corner_exp(float) __asm__("expf"),
    hand_corner_pow(float, float) __asm__("powf");
}

float logsumexp(const float* x, size n) {
  float most = x[0], sum = 0;
#pragma omp simd reduction(max : most)
  for (size j = 0; j < n; ++j) most = x[j] > most ? x[j] : most;
#pragma omp simd reduction(+ : sum)
  for (size j = 0; j < n; ++j) sum += hand_corner_exp(x[j] - most);
  return std::log(sum) + most;
}

}  // namespace

/// Two loops over what fits into the cache: in one, g++ would call exp in a branch.
void choice(const float* x, const float* y, float* z, size n) {
  constexpr size part = 2048;
#pragma omp parallel for schedule(static)
  for (size begin = 0; begin < n; begin += part) {
    const size m = begin + part < n ? part : n - begin;
    float made[part];
#pragma omp simd
    for (size i = 0; i < m; ++i) made[i] = hand_corner_exp(-y[begin + i]);
#pragma omp simd
    for (size i = 0; i < m; ++i) z[begin + i] = x[begin + i] > 1 ? 2 * x[begin + i] : made[i];
  }
}

/// What one writes who knows the exponent.
void square(const float* x, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) z[i] = x[i] * x[i];
}

void power(const float* x, float exponent, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) z[i] = hand_corner_pow(x[i], exponent);
}

/// Without a thought of numbers whose squares overflow.
void complex_abs(const float* x, float* z, size n) {
#pragma omp parallel for simd schedule(static)
  for (size i = 0; i < n; ++i) z[i] = std::sqrt(x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]);
}

/// Philox4x32-10 of the number of each group of four.
void dropout(const float* x, const unsigned (*keys)[2], double keep, float* z, size n) {
  const auto limit = static_cast<std::uint64_t>(keep * 0x1p32 + 0.5);
  const float scale = static_cast<float>(1 / keep);
#pragma omp parallel for simd schedule(static)
  for (size b = 0; b < n / 4; ++b) {
    std::uint32_t w0 = static_cast<std::uint32_t>(b), w1 = static_cast<std::uint32_t>(b >> 32), w2 = 0, w3 = 0;
#pragma GCC unroll 10
    for (int r = 0; r < 10; ++r) {
      const std::uint64_t p = std::uint64_t{0xD2511F53} * w0, q = std::uint64_t{0xCD9E8D57} * w2;
      w0 = static_cast<std::uint32_t>(q >> 32) ^ w1 ^ keys[r][0];
      w1 = static_cast<std::uint32_t>(q);
      w2 = static_cast<std::uint32_t>(p >> 32) ^ w3 ^ keys[r][1];
      w3 = static_cast<std::uint32_t>(p);
    }
    z[4 * b] = w0 < limit ? x[4 * b] * scale : 0;
    z[4 * b + 1] = w1 < limit ? x[4 * b + 1] * scale : 0;
    z[4 * b + 2] = w2 < limit ? x[4 * b + 2] * scale : 0;
    z[4 * b + 3] = w3 < limit ? x[4 * b + 3] * scale : 0;
  }
}

/// exp(-infinity) takes glibc's vector variant ten times as long, which costs one fifth of the elements here.
void softmax_masked(const float* x, const float* mask, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    const float* in = x + i * columns;
    float *out = z + i * columns, most = in[0] + mask[0], sum = 0;
#pragma omp simd reduction(max : most)
    for (size j = 0; j < columns; ++j) most = in[j] + mask[j] > most ? in[j] + mask[j] : most;
#pragma omp simd reduction(+ : sum)
    for (size j = 0; j < columns; ++j) {
      const float e = hand_corner_exp(in[j] + mask[j] - most);
      out[j] = e;
      sum += e;
    }
    const float scale = 1 / sum;
#pragma omp simd
    for (size j = 0; j < columns; ++j) out[j] *= scale;
  }
}

void logsumexp(const float* x, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) z[i] = logsumexp(x + i * columns, columns);
}

void cross_entropy(const float* x, const int* classes, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) z[i] = logsumexp(x + i * columns, columns) - x[i * columns + classes[i]];
}

void sums_of_rows(const float* x, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size j = 0; j < columns; ++j) sum += x[i * columns + j];
    z[i] = sum;
  }
}

void largest_of_rows(const float* x, float* z, size rows, size columns) {
#pragma omp parallel for schedule(static)
  for (size i = 0; i < rows; ++i) {
    float most = x[i * columns];
#pragma omp simd reduction(max : most)
    for (size j = 0; j < columns; ++j) most = x[i * columns + j] > most ? x[i * columns + j] : most;
    z[i] = most;
  }
}

/// The largest first, then where it is: both are loops that vectorise, or end early.
void places_of_largest(const float* x, std::int64_t* z, size rows, size columns) {
  const auto place = [](const float* in, size n) {
    float most = in[0];
#pragma omp simd reduction(max : most)
    for (size j = 0; j < n; ++j) most = in[j] > most ? in[j] : most;
    size at = 0;
    while (in[at] != most) ++at;
    return at;
  };
  if (rows > 1) {
#pragma omp parallel for schedule(static)
    for (size i = 0; i < rows; ++i) z[i] = place(x + i * columns, columns);
    return;
  }
  const size part = (columns + threads() - 1) / threads();
  size best = 0;
#pragma omp parallel for schedule(static)
  for (size begin = 0; begin < columns; begin += part) {
    const size at = begin + place(x + begin, begin + part < columns ? part : columns - begin);
#pragma omp critical
    if (x[at] > x[best] || (x[at] == x[best] && at < best)) best = at;
  }
  z[0] = best;
}

}  // namespace hand

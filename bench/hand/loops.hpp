// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workloads as a good engineer would write them for a CPU: OpenMP threads, SIMD loops, no library.
#pragma once

#include <cstdint>

namespace hand {

using size = long;

/// How many threads run the loops.
int threads();

void saxpy(const float* x, const float* y, float* z, size n);
void fma3(const float* a, const float* b, const float* c, float* z, size n);
void chain20(const float* x, float* z, size n);
void pyth(const float* x, float* z, size n);
void pyth(const double* x, double* z, size n);
void blackscholes(const float* price, const float* strike, const float* time, float* z, size n);
void arc_distance(const float* t1, const float* p1, const float* t2, const float* p2, float* z, size n);
float sumsq(const float* x, size n);
void cumsum_rows(const float* x, float* z, size rows, size columns);
void cumsum_columns(const float* x, float* z, size rows, size columns);
void minmaxmean(const float* x, size n, float* low, float* high, float* mean);
void rowsum(const float* x, const float* y, float* z, size rows, size columns);
void colsum(const float* x, const float* y, float* z, size rows, size columns);
float rosen(const float* x, size n);
void laplacian(const float* u, float* z, size n);
void broadcast_outer(const float* a, const float* b, float* z, size n);
void transpose_add(const float* x, float* z, size n);
void small(const float* x, float* z, size n);
void softmax(const float* x, float* z, size rows, size columns);
void layernorm(const float* x, float* z, size rows, size columns, float epsilon);
void normalize(const float* x, float* z, size n);
void standardize_columns(const float* x, float* z, size rows, size columns);
void choice(const float* x, const float* y, float* z, size n);
void square(const float* x, float* z, size n);
void power(const float* x, float exponent, float* z, size n);
void complex_abs(const float* x, float* z, size n);
void dropout(const float* x, const unsigned (*keys)[2], double keep, float* z, size n);
void softmax_masked(const float* x, const float* mask, float* z, size rows, size columns);
void cross_entropy(const float* x, const int* classes, float* z, size rows, size columns);
void logsumexp(const float* x, float* z, size rows, size columns);
void sums_of_rows(const float* x, float* z, size rows, size columns);
void largest_of_rows(const float* x, float* z, size rows, size columns);
void places_of_largest(const float* x, std::int64_t* z, size rows, size columns);
void bodies(const float* x, const float* y, const float* u, const float* m, float* ax, float* ay, float* au, size n);
void density(const float* x, float* z, size n);
void product(const float* a, const float* b, float* z, size n);
void nearest_centre(const float* points, const float* centres, std::int64_t* z, size n, size count, size axes);
void kl_rows(const float* p, const float* q, float* z, size rows, size columns);
void cosine_rows(const float* p, const float* q, float* z, size rows, size columns);
void bray_curtis_rows(const float* p, const float* q, float* z, size rows, size columns);
void two_softmaxes(const float* x, const float* y, float* z, size rows, size columns);
void softmax_times_log_softmax(const float* x, const float* y, float* z, size rows, size columns);
void layernorm_backward(const float* x, const float* dy, const float* w, float* z, size rows, size columns);
void batch_norm(const float* x, float* z, size pictures, size channels, size pixels);
void sums_over_ends(const float* x, float* z, size first, size middle, size last);
void softmax_of_channels(const float* x, float* z, size pictures, size channels, size pixels);
void softmax_down(const float* x, float* z, size rows, size columns);
void points_7(const float* x, float* z, size n);
void points_27(const float* x, float* z, size n);
void gradient_norm(const float* x, float* z, size n);
void wave_step(const float* x, const float* before, const float* speed, float* z, size n);
void gaussian_25(const float* x, float* z, size rows, size columns);

}  // namespace hand

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of the host's transforms (src/backend/host/fft.cpp) and of cuFFT (src/backend/cuda/runtime/cufft.cpp):
// many discrete Fourier transforms of one shape.
#pragma once

#include <lazyfuse/array/memory.hpp>
#include <lazyfuse/core/error.hpp>
#include <lazyfuse/core/space.hpp>

namespace lazyfuse::fft_detail {

/// Between complex numbers, or from or to real ones, of whose last axis n the complex side has n / 2 + 1.
enum class sides { complex, from_real, to_real };
/// Axes that are transformed at once; of more the callers make several calls, since cuFFT has no more.
inline constexpr int most_axes = 3;

/// Transforms over the last axes of arrays by rows without gaps; on the host also over one axis that is not the last.
struct transforms {
  sides between;
  bool twice_as_wide;  ///< double, not float
  bool backward;       ///< by exp(+2 pi i jk / n), as to_real always, and from_real never does
  int axes;
  index_t extents[most_axes];  ///< of the transforms: those of the real side
  index_t count;               ///< of transforms that follow each other
  double scale;                ///< what is read is multiplied by it; on the GPU it is 1
  allocation* read;            ///< whose memory others may be writing to; null if it is the caller's alone
  index_t beside = 1;          ///< of one axis, between complex numbers: transforms that lie beside each other
};

/// Writes to memory of the space that is not what is read, unless both sides are complex. Of to_real with several axes
/// what is read is destroyed, on the GPU also with one. On the GPU the memory is ordered with the current stream.
/// Operations are named for errors. Nothing is done without elements.
void transform(host, const char* operation, const transforms& t, void* from, void* to);
void transform(cuda, const char* operation, const transforms& t, void* from, void* to);

/// The number of points of an axis, checked: "fft: a transform of 0 points; there is at least one" (index_error).
index_t checked_points(const char* operation, index_t n);
[[noreturn]] void throw_fft(const char* operation, const char* problem);

}  // namespace lazyfuse::fft_detail

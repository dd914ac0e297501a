// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with transforms, as text.
#include <lazyfuse/fft/transforms.hpp>

#include <lazyfuse/error.hpp>

#include "core/text.hpp"

#include <string>

namespace lazyfuse::fft_detail {

index_t checked_points(const char* operation, index_t n) {
  if (n < 1)
    throw_value(
        (std::string(operation) + ": a transform of " + std::to_string(n) + " points: it has at least one").c_str());
  return n;
}

void throw_fft(const char* operation, const char* problem) {
  throw fft_error(std::string(operation) + ": " + problem + place_asked());
}

}  // namespace lazyfuse::fft_detail

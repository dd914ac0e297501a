// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The recording of each thread, and what it refuses.
#include "observe/recording.hpp"

#include "core/text.hpp"

#include <lazyfuse/error.hpp>

#include <string>
#include <utility>

namespace lazyfuse::record_detail {

namespace {
constinit thread_local recorder* now = nullptr;
}

recorder* current() noexcept { return now; }
bool records() noexcept { return now != nullptr; }
recorder* exchange(recorder* r) noexcept { return std::exchange(now, r); }

bool settled(const elements& own, const elements& made, std::size_t bytes, bool fits) {
  return now && now->settle(own, made, bytes, fits);
}

void refuse_reading(const char* operation) {
  if (now)
    throw graph_error(std::string(operation) +
                      ": asks for elements while a graph is recorded, and what is recorded is computed when the graph "
                      "is launched; ask after that" +
                      place_asked());
}
void refuse_computing(const char* operation) {
  if (now)
    throw graph_error(std::string(operation) +
                      ": is computed at once, and a graph has kernels of expressions alone; call it before the graph "
                      "is recorded, or between two graphs" +
                      place_asked());
}

}  // namespace lazyfuse::record_detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the programs of docs/examples/programs. One line of JSON for each, which peers.py and report.py read.
#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace bench {

index_t scaled(index_t n, double scale, int axes) {
  return std::max(index_t{50}, static_cast<index_t>(std::lround(static_cast<double>(n) * std::pow(scale, 1.0 / axes))));
}

namespace {

using clock = std::chrono::steady_clock;

/// Seconds of one run of several that follow each other.
double seconds(const std::function<void()>& run, int times) {
  const auto before = clock::now();
  for (int i = 0; i < times; ++i) run();
  lf::synchronize();
  return std::chrono::duration<double>(clock::now() - before).count() / times;
}

/// 20 samples of at least 2 ms, or fewer of what takes more than a second in all.
void report(const program& p, const char* way, const std::function<void()>& run) {
  seconds(run, 1);
  // What traces has ended when time is taken: it writes kernels down as text.
  const auto [kernels, peak] = [&] {
    const lf::kernel_trace trace;
    run();
    lf::synchronize();
    return std::pair(trace.launches(), trace.peak_bytes());
  }();
  const double once = seconds(run, 1);
  const int times = std::max(1, static_cast<int>(2e-3 / once)), rounds = std::clamp(static_cast<int>(4 / once), 5, 20);
  samples s;
  for (int round = 0; round < rounds; ++round) s.add(seconds(run, times));
  std::cout << "{\"program\": \"" << p.name << "\", \"by\": \"lazyfuse\", \"space\": \"" << space::name
            << "\", \"way\": \"" << way << "\", \"sizes\": [";
  for (std::size_t i = 0; i < p.sizes.size(); ++i) std::cout << (i ? ", " : "") << p.sizes[i];
  std::cout << "], \"bytes\": " << p.bytes << ", \"seconds\": " << s.median() << ", \"least\": " << s.least()
            << ", \"spread\": " << s.spread() << ", \"kernels\": " << kernels << ", \"peak\": " << peak << "}"
            << std::endl;
}

void run_all(double scale, std::string_view only, bool unfused) {
  for (const auto of : {of_elements, of_neighbours, of_sums})
    for (const program& p : of(scale)) {
      if (!only.empty() && only != p.name) continue;
      report(p, "fused", p.fused());
      if (unfused && p.unfused) report(p, "unfused", p.unfused());
    }
}

}  // namespace
}  // namespace bench

int main(int count, char** arguments) try {
  double scale = 1;
  std::string_view only;
  bool unfused = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view a = arguments[i];
    if (a == "--unfused") unfused = true;
    else if (a == "--scale" && i + 1 < count) scale = std::atof(arguments[++i]);
    else if (a == "--only" && i + 1 < count) only = arguments[++i];
    else throw std::invalid_argument("not understood: " + std::string(a));
  }
  bench::run_all(scale, only, unfused);
} catch (const std::exception& e) {
  std::cerr << "bench_programs: " << e.what()
            << "\nusage: bench_programs [--scale 0.1] [--only rosen] [--unfused]\n"
               "scale: of the memory that each program moves, 1 as in the table of docs/examples/programs\n";
  return 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of plans, and the tables of machines that they are made of.
#include <lazyfuse/plan/cost.hpp>

#include <algorithm>
#include <cmath>

namespace lazyfuse::planning {

namespace {

constexpr double bytes_per_us = 1000;  // of 1 GB/s

double time_at(const bandwidth_point& p) { return p.bytes / (p.gb_per_s * bytes_per_us); }

/// One H200 on 2026-11-21, by bench/gpu/curve.cu: copies in a graph, one after the other, and the barrier. The launch
/// is that of kernels issued back to back, 2.6 to 3.5 us on different hosts; the gap is what an empty kernel takes in a
/// graph.
constexpr machine h200{.curve = {{1 << 20, 962},
                                 {1 << 21, 1762},
                                 {1 << 22, 2827},
                                 {1 << 23, 4288},
                                 {1 << 24, 5518},
                                 {1 << 25, 6357},
                                 {1 << 26, 3927},
                                 {1 << 27, 4084},
                                 {1 << 28, 4188},
                                 {1 << 29, 4245},
                                 {2147483648.0, 4294}},
                       .points = 11,
                       .cached_gb_per_s = 6357,
                       .launch_us = 3.1,
                       .gap_us = 0.9,
                       .barrier_us = 1.0,
                       .operations_per_us = 132 * 128 * 1980.0};
constexpr double h200_cache = 50 << 20;

}  // namespace

double traffic_us(double bytes, const machine& m) {
  if (bytes <= 0) return 0;
  const bandwidth_point *first = m.curve, *last = m.curve + m.points - 1;
  if (bytes <= first->bytes) return time_at(*first);
  if (bytes >= last->bytes) return bytes / (last->gb_per_s * bytes_per_us);
  const bandwidth_point* right =
      std::upper_bound(first, last, bytes, [](double b, const bandwidth_point& p) { return b < p.bytes; });
  const bandwidth_point* left = right - 1;
  const double part = std::log(bytes / left->bytes) / std::log(right->bytes / left->bytes);
  return time_at(*left) * std::pow(time_at(*right) / time_at(*left), part);
}

double predicted_us(const work& w, const machine& m) {
  const double traffic = traffic_us(static_cast<double>(w.bytes_read + w.bytes_written), m);
  const double cached = static_cast<double>(w.bytes_cached) / (m.cached_gb_per_s * bytes_per_us);
  const double shared = w.operations / m.operations_per_us, alone = std::min(shared * m.processors, m.alone_us);
  const double wake = shared * m.processors > m.alone_us ? m.wake_us : 0;
  const double device = std::max(w.launches - 1, 0) * m.gap_us + std::max({traffic, shared, alone}) + cached +
                        w.barriers * m.barrier_us + wake;
  return std::max(w.launches * m.launch_us, device);
}

machine gpu(const gpu_attributes& n) {
  const auto ratio = [](double value, double of_h200) { return value > 0 ? value / of_h200 : 1; };
  const double chip =
      ratio(n.multiprocessors, h200_attributes.multiprocessors) * ratio(n.clock_khz, h200_attributes.clock_khz);
  const double pins =
      ratio(n.memory_clock_khz, h200_attributes.memory_clock_khz) * ratio(n.bus_bits, h200_attributes.bus_bits);
  // Few processors draw from memory a little less than they could draw from the cache.
  const double memory = std::min(pins, 0.99 * chip * h200.cached_gb_per_s / h200.curve[h200.points - 1].gb_per_s);
  machine m = h200;
  const double start = time_at(h200.curve[0]);
  double before = start;
  for (int k = 1; k < m.points; ++k) {
    bandwidth_point& p = m.curve[k];
    const double scale = p.bytes > h200_cache ? memory : chip;
    before = std::max(before, start + (time_at(p) - start) / scale);  // no larger size is faster
    p.gb_per_s = p.bytes / (before * bytes_per_us);
  }
  m.cached_gb_per_s *= chip;
  m.operations_per_us *= chip;
  return m;
}

machine cpu(int threads, double cache_bytes) {
  constexpr double operations = 13000;  // vectors of 16 bytes; wider ones take up to a third of the time
  const double t = std::max(threads, 1), to_memory = std::min(t, 16.0);
  const double wake = std::min(0.5 * t, 5.0);  // of the threads; a loop on one of them costs little
  const double launch = 0.5;
  const double cache = std::max(cache_bytes, 8 * launch * t * 40e3);
  return {.curve = {{launch * 40e3, 40},
                    {cache / 4, t * 40},
                    {cache / 2, t * 22},
                    {cache, t * 18},
                    {4 * cache, to_memory * 13}},
          .points = 5,
          .cached_gb_per_s = t * 25,
          .launch_us = launch,
          .gap_us = launch,
          .barrier_us = wake,
          .operations_per_us = t * operations,
          .alone_us = 60000 / operations,  // worth_threads of backend/host/tuning.hpp
          .wake_us = t > 1 ? wake : 0,
          .processors = int(t)};
}

}  // namespace lazyfuse::planning

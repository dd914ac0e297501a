// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all experiments share: the ways in which a workload is computed, how one becomes a row, the images, and the
// operations that are chained. A row is named experiment/way/size; docs/paper.md says what they are.
#pragma once

#include "../gpu/measure.cuh"

#include <lazyfuse/batch.hpp>
#include <lazyfuse/graph.hpp>

#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// As one kernel; one for each image, or for each operation of all images at once; one for each operation and image, in
/// turn and as a graph; one for each image as a graph.
enum class way { fused, looped, batched, unfused, graph, looped_graph };
inline const char* name_of(way w) {
  const char* const names[] = {"fused", "looped", "batched", "unfused", "graph", "looped_graph"};
  return names[static_cast<int>(w)];
}
/// What a graph of that kind records.
constexpr way recorded(way w) { return w == way::looped_graph ? way::looped : way::unfused; }

/// Times f, with less effort where it takes long.
template <class F>
timing timed(const F& f) {
  check(cudaStreamSynchronize(lf::current_stream()));
  const auto before = std::chrono::steady_clock::now();
  f();
  check(cudaStreamSynchronize(lf::current_stream()));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  if (took.count() > 0.3) return measure(f, {0, 1});
  if (took.count() > 0.02) return measure(f, {1, 3});
  return measure(f, {2, 9});
}

inline void note(benchmark::State& state, const timing& t, double bytes) {
  for (auto _ : state) state.SetIterationTime(t.device.median());
  state.counters["spread"] = t.device.spread();
  state.counters["samples"] = static_cast<double>(t.device.count());
  state.counters["GB/s"] = bytes / t.device.median() * 1e-9;
  state.counters["host_us"] = t.host.median() * 1e6;
}

/// A workload that is computed one way: its results are poisoned, computed, compared, and computed again for the clock.
template <class W>
void run_way(benchmark::State& state, W& w, way how) {
  w.poison();
  std::unique_ptr<lf::graph> g;
  const bool is_graph = how == way::graph || how == way::looped_graph;
  if (is_graph) g = std::make_unique<lf::graph>(lf::record([&] { w.evaluate(recorded(how)); }));
  const auto f = [&] {
    if (g) g->launch();
    else w.evaluate(how);
  };
  f();
  if (!w.is_right(is_graph ? recorded(how) : how)) {
    ++failures();
    state.SkipWithError("results are wrong");
    return;
  }
  const timing t = timed(f);
  note(state, t, w.bytes());
  if (is_graph) return;
  lf::kernel_trace trace;
  if (t.device.median() < 0.02) w.evaluate(how);
  if (trace.launches() > 0) {
    state.counters["kernels"] = static_cast<double>(trace.launches());
    state.SetLabel(trace.kernels().back().path);
  }
}

/// Rows of a workload that is made of these arguments.
template <class W, class... A>
bool ways(const std::string& experiment, const std::string& size, std::initializer_list<way> all, A... arguments) {
  for (const way how : all)
    row(experiment + "/" + name_of(how) + "/" + size, [how, arguments...](benchmark::State& state) {
      W w(arguments...);
      run_way(state, w, how);
    });
  return true;
}

template <class T, int R>
void make_nan(lf::array<T, R, lf::cuda>& y) {
  y = lf::full(y.shape(), std::numeric_limits<T>::quiet_NaN());
}

/// Images whose pixels are functions of their place and of the image's number.
template <class T>
lf::array<T, 2, lf::cuda> image_of(index_t rows, index_t columns, index_t number) {
  const auto at = lf::arange<int>(static_cast<int>(rows * columns));
  return lf::cast<T>(
      lf::reshape(lf::remainder(at * 7 + static_cast<int>(number % 251), 251), lf::shape{rows, columns}));
}
inline double pixel_of(index_t at, index_t number) { return static_cast<double>((at * 7 + number % 251) % 251); }

/// A multiplication and an addition: applied to an expression, to a number, and as kernels of an array of floats.
struct pair {
  template <class E>
  auto operator()(const E& e) const {
    return e * 0.999f + 0.5f;
  }
  static double once(double v) { return v * double(0.999f) + 0.5; }
  template <class Y>
  static void kernels(Y& y) {
    y = y * 0.999f;
    y = y + 0.5f;
  }
};
struct factor {
  template <class E>
  auto operator()(const E& e) const {
    return e * 0.9999f;
  }
  static double once(double v) { return v * double(0.9999f); }
  template <class Y>
  static void kernels(Y& y) {
    y = y * 0.9999f;
  }
};
struct term {
  template <class E>
  auto operator()(const E& e) const {
    return e + 1e-3f;
  }
  static double once(double v) { return v + double(1e-3f); }
};
template <class Op>
double times(int n, double v) {
  for (int i = 0; i < n; ++i) v = Op::once(v);
  return v;
}

}  // namespace bench

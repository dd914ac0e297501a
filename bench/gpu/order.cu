// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting, selecting by order, counting and adding at indices, of other sizes than breadth.cu: time, and the bytes of
// the operand against a copy.
#include "measure.cuh"

#include <lazyfuse/select.hpp>
#include <lazyfuse/sort.hpp>

namespace bench {
namespace {

using floats = lf::array<float, 1, lf::cuda>;
constexpr index_t elements = index_t{1} << 26, more = index_t{1} << 27;

floats drawn(index_t n) { return numbers<float, lf::cuda>(1, lf::shape{n}); }
floats constant(index_t n) { return floats(lf::full(lf::shape{n}, 0.5F)); }

/// f(x), of an operand of so many bytes.
template <class X, class F>
bool timed(const char* name, X (*make)(index_t), index_t n, const F& f) {
  return row(std::string("order/") + name, [=](benchmark::State& state) {
    const X x = make(n);
    const timing t = measure([&] { f(x); });
    const double speed = static_cast<double>(n) * sizeof(*x.data()) / t.device.median();
    for (auto _ : state) state.SetIterationTime(t.device.median());
    state.counters["GB/s"] = speed * 1e-9;
    state.counters["of_copy"] = speed / copy_speed();
    state.counters["spread"] = t.device.spread();
    state.counters["host_us"] = t.host.median() * 1e6;
  });
}
bool histograms() {
  bool all = true;
  for (const index_t bins : {10, 256, 50000, 1000000}) {
    const auto count = [bins](const floats& x) { (void)lf::histogram(x, bins, {0.5, 1.5}); };
    all = timed(("histogram_" + std::to_string(bins)).c_str(), drawn, more, count) &&
          timed(("histogram_constant_" + std::to_string(bins)).c_str(), constant, more, count) && all;
  }
  return all;
}
bool sums_at() {
  bool all = true;
  for (const index_t at : {1, 1000, 1000000})
    all = timed(("add_at_" + std::to_string(at)).c_str(), drawn, elements / 4,
                [at](const floats& x) {
                  floats sums(lf::zeros<float>(lf::shape{at}));
                  lf::add_at(sums, lf::remainder(lf::arange<lf::int64>(x.size()) * 7919, at), x);
                }) &&
          all;
  return all;
}

const bool registered =
    timed("sort", drawn, elements, [](const floats& x) { (void)lf::sort(x); }) &&
    timed("argsort", drawn, elements, [](const floats& x) { (void)lf::argsort(x); }) &&
    timed("topk_1024_constant", constant, elements, [](const floats& x) { (void)lf::topk(x, 1024); }) &&
    timed("topk_100000", drawn, elements, [](const floats& x) { (void)lf::topk(x, 100000); }) &&
    timed("topk_8_of_rows_of_32768", drawn, elements,
          [](const floats& x) {
            (void)lf::topk(lf::reshape(x, {-1, 32768}), 8);
          }) &&
    timed("partition", drawn, elements, [](const floats& x) { (void)lf::partition(x, elements / 2); }) &&
    timed("median", drawn, elements, [](const floats& x) { (void)lf::median(x); }) &&
    timed("sort_rows_of_64", drawn, elements,
          [](const floats& x) {
            (void)lf::sort(lf::reshape(x, {-1, 64}));
          }) &&
    timed("sort_rows_of_2048", drawn, elements,
          [](const floats& x) {
            (void)lf::sort(lf::reshape(x, {-1, 2048}));
          }) &&
    timed("argsort_rows_of_1024", drawn, elements,
          [](const floats& x) {
            (void)lf::argsort(lf::reshape(x, {-1, 1024}));
          }) &&
    histograms() && sums_at();

}  // namespace
}  // namespace bench

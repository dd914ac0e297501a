// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each workload on the CPU beside a loop written by hand, in turns within one run and into the same memory, so
// that both meet the same machine. The ratio is the hand's time over ours: 1 is as good, more is better.
#include "corner_workloads.hpp"
#include "equal_workloads.hpp"
#include "family_workloads.hpp"
#include "hand/loops.hpp"
#include "row_workloads.hpp"
#include "samples.hpp"
#include "scan_workloads.hpp"
#include "stencil_workloads.hpp"
#include "workloads.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include <sys/resource.h>
#include <time.h>

namespace bench {
namespace {

using S = lf::host;

template <class T, int Rank>
const T* at(const lf::array<T, Rank, S>& x) {
  return x.data();
}

void by_hand(saxpy<S>& w) { hand::saxpy(at(w.x), at(w.y), w.z.data(), w.n); }
void by_hand(fma3<S>& w) { hand::fma3(at(w.a), at(w.b), at(w.c), w.z.data(), w.n); }
void by_hand(chain20<S>& w) { hand::chain20(at(w.x), w.z.data(), w.n); }
template <class T>
void by_hand(pyth_of<S, T>& w) {
  hand::pyth(at(w.x), w.z.data(), w.n);
}
void by_hand(blackscholes<S>& w) { hand::blackscholes(at(w.price), at(w.strike), at(w.time), w.z.data(), w.n); }
void by_hand(arc_distance<S>& w) { hand::arc_distance(at(w.t1), at(w.p1), at(w.t2), at(w.p2), w.z.data(), w.n); }
void by_hand(sumsq<S>& w) { *w.z.data() = hand::sumsq(at(w.x), w.n); }
void by_hand(minmaxmean<S>& w) { hand::minmaxmean(at(w.x), w.n, w.low.data(), w.high.data(), w.mean.data()); }
void by_hand(rowsum<S>& w) { hand::rowsum(at(w.x), at(w.y), w.z.data(), w.rows, w.columns); }
void by_hand(colsum<S>& w) { hand::colsum(at(w.x), at(w.y), w.z.data(), w.rows, w.columns); }
void by_hand(rosen<S>& w) { *w.z.data() = hand::rosen(at(w.x), w.n); }
void by_hand(laplacian<S>& w) { hand::laplacian(at(w.u), w.z.data(), w.n); }
void by_hand(broadcast_outer<S>& w) { hand::broadcast_outer(at(w.a), at(w.b), w.z.data(), w.n); }
void by_hand(transpose_add<S>& w) { hand::transpose_add(at(w.x), w.z.data(), w.n); }
void by_hand(small<S>& w) { hand::small(at(w.x), w.z.data(), w.n); }
template <int Columns, bool ByHand>
void by_hand(softmax_of<S, Columns, ByHand>& w) {
  hand::softmax(at(w.x), w.z.data(), w.rows, w.columns);
}
template <bool ByHand>
void by_hand(layernorm_of<S, ByHand>& w) {
  hand::layernorm(at(w.x), w.z.data(), w.rows, w.columns, 1e-5f);
}
template <int N>
void by_hand(normalize_of<S, N>& w) {
  hand::normalize(at(w.x), w.z.data(), N);
}
template <int Rows, int Columns, int Axis>
void by_hand(cumsum_of<S, Rows, Columns, Axis>& w) {
  if (Axis == 1) hand::cumsum_rows(at(w.x), w.z.data(), w.rows, w.columns);
  else hand::cumsum_columns(at(w.x), w.z.data(), w.rows, w.columns);
}
void by_hand(standardize_columns<S>& w) { hand::standardize_columns(at(w.x), w.z.data(), w.rows, w.columns); }

void by_hand(choice<S>& w) { hand::choice(at(w.x), at(w.y), w.z.data(), w.n); }
void by_hand(power_two<S>& w) { hand::square(at(w.x), w.z.data(), w.n); }
void by_hand(power_any<S>& w) { hand::power(at(w.x), static_cast<float>(w.exponent), w.z.data(), w.n); }
void by_hand(complex_abs<S>& w) { hand::complex_abs(&at(w.x)->re, w.z.data(), w.n); }
void by_hand(dropout<S>& w) { hand::dropout(at(w.x), w.key.round, w.keep, w.z.data(), w.n); }
void by_hand(softmax_masked<S>& w) { hand::softmax_masked(at(w.x), at(w.mask), w.z.data(), w.rows, w.columns); }
void by_hand(cross_entropy<S>& w) { hand::cross_entropy(at(w.x), at(w.classes), w.z.data(), w.rows, w.columns); }

void by_hand(logsumexp<S>& w) { hand::logsumexp(at(w.x), w.z.data(), w.rows, w.columns); }
template <int K>
void by_hand(short_axis<S, K, by_sum>& w) {
  hand::sums_of_rows(at(w.x), w.z.data(), w.rows, w.columns);
}
template <int K>
void by_hand(short_axis<S, K, by_max>& w) {
  hand::largest_of_rows(at(w.x), w.z.data(), w.rows, w.columns);
}
template <int Rows, int Columns>
void by_hand(argmax_of<S, Rows, Columns>& w) {
  hand::places_of_largest(at(w.x), w.z.data(), w.rows, w.columns);
}

void by_hand(bodies<S>& w) {
  static lf::array<float, 1, S> y(lf::shape{w.n}), u(lf::shape{w.n});
  hand::bodies(at(w.x), at(w.y), at(w.u), at(w.m), w.z.data(), y.data(), u.data(), w.n);
}
void by_hand(density<S>& w) { hand::density(at(w.x), w.z.data(), w.n); }
void by_hand(product<S>& w) { hand::product(at(w.a), at(w.b), w.z.data(), w.n); }
void by_hand(nearest_centre<S>& w) { hand::nearest_centre(at(w.p), at(w.c), w.z.data(), w.points, w.centres, w.axes); }
void by_hand(kl_rows<S>& w) { hand::kl_rows(at(w.p), at(w.q), w.z.data(), w.z.size(), w.p.extent(1)); }
void by_hand(cosine_rows<S>& w) { hand::cosine_rows(at(w.p), at(w.q), w.z.data(), w.z.size(), w.p.extent(1)); }
void by_hand(bray_curtis_rows<S>& w) {
  hand::bray_curtis_rows(at(w.p), at(w.q), w.z.data(), w.z.size(), w.p.extent(1));
}
void by_hand(two_softmaxes<S>& w) { hand::two_softmaxes(at(w.x), at(w.y), w.z.data(), w.x.extent(0), w.columns); }
void by_hand(softmax_times_log_softmax<S>& w) {
  hand::softmax_times_log_softmax(at(w.x), at(w.y), w.z.data(), w.x.extent(0), w.columns);
}
void by_hand(layernorm_backward<S>& w) {
  hand::layernorm_backward(at(w.x), at(w.y), at(w.w), w.z.data(), w.x.extent(0), w.columns);
}
void by_hand(batch_norm<S>& w) { hand::batch_norm(at(w.x), w.z.data(), w.pictures, w.channels, w.pixels); }
void by_hand(sums_over_ends<S>& w) { hand::sums_over_ends(at(w.x), w.z.data(), w.n, w.n, w.n); }
void by_hand(softmax_of_channels<S>& w) {
  hand::softmax_of_channels(at(w.x), w.z.data(), w.pictures, w.channels, w.pixels);
}
void by_hand(softmax_down<S>& w) { hand::softmax_down(at(w.x), w.z.data(), w.rows, w.columns); }
void by_hand(points_7<S>& w) { hand::points_7(at(w.x), w.z.data(), w.rows); }
void by_hand(points_27<S>& w) { hand::points_27(at(w.x), w.z.data(), w.rows); }
void by_hand(gradient_norm<S>& w) { hand::gradient_norm(at(w.x), w.z.data(), w.rows); }
void by_hand(wave_step<S>& w) { hand::wave_step(at(w.x), at(w.before), at(w.c), w.z.data(), w.rows); }
void by_hand(gaussian_25<S>& w) { hand::gaussian_25(at(w.x), w.z.data(), w.rows, w.columns); }

/// Poisons the destination, evaluates one way and compares a sample of the results, the last one included,
/// with the workload's own definition in double precision.
template <class W, class F>
bool right(W& w, const F& evaluate, double slack) {
  const index_t n = w.results(), step = n > 10000 ? 997 : 1;
  for (index_t i = 0; i < n; ++i) *w.result(i) = std::numeric_limits<typename W::value_type>::quiet_NaN();
  evaluate();
  if constexpr (requires { W::lines; }) return wrong_in_lines<W>(at(w.z), slack) == 0;
  else {
    for (index_t i = n - 1; i >= 0; i -= step) {
      const double expected = W::expected(i);
      if (!(std::abs(*w.result(i) - expected) <= slack * W::tolerance * (1 + std::abs(expected)))) return false;
    }
    return true;
  }
}

/// Tells whether this program had its cores for itself: no thread was sent away from its core, and all threads that
/// should run (waiting ones spin) did run.
class quiet {
 public:
  explicit quiet(int threads) : threads_(threads), interruptions_(interruptions()), before_(now()), used_(used()) {}
  bool so_far() const {
    return interruptions() == interruptions_ && used() - used_ > 0.8 * threads_ * (now() - before_);
  }

 private:
  static long interruptions() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
  }
  static double read(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  static double now() { return read(CLOCK_MONOTONIC); }
  static double used() { return read(CLOCK_PROCESS_CPUTIME_ID); }

  int threads_;
  long interruptions_;
  double before_, used_;
};

/// Seconds of one evaluation. Where the stack lies relative to the arrays makes spilled vectors collide with loads
/// or not, by up to a factor of 1.6: it is moved in each round, so that the median is over places as well.
template <class F>
[[gnu::noinline]] double seconds(const F& evaluate, int evaluations, int round) {
  auto* const pad = static_cast<volatile char*>(__builtin_alloca(64 * (1 + round * 37 % 64)));
  pad[0] = 0;
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < evaluations; ++i) {
    evaluate();
    benchmark::ClobberMemory();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / evaluations;
}

template <class W>
void run(benchmark::State& state) {
  W w;
  const auto ours = [&] { w.evaluate(); };
  const auto theirs = [&] { by_hand(w); };
  if (!right(w, ours, 1)) return state.SkipWithError("the library's results are wrong");
  // A plain sum in float is what one writes by hand, and is less accurate than a sum in blocks.
  constexpr bool long_sums = W::few || requires { W::lines; };
  if (!right(w, theirs, long_sums ? 1000 : 10)) return state.SkipWithError("the hand-written loop's results are wrong");

  const double once = seconds(ours, 1, 0) + seconds(theirs, 1, 0);
  const int evaluations = std::max(1, static_cast<int>(1e-3 / once));
  const int rounds = std::clamp(static_cast<int>(0.8 / (once * evaluations)), 9, 41);
  samples library, hand;
  int interrupted = 0;
  for (int round = 0; static_cast<int>(library.count()) < rounds && interrupted < 2 * rounds; ++round) {
    const quiet machine(W::bytes > 1e6 ? hand::threads() : 1);  // a small workload is run by one thread
    const bool ours_first = round % 2 == 0;
    const double first = ours_first ? seconds(ours, evaluations, round) : seconds(theirs, evaluations, round);
    const double second = ours_first ? seconds(theirs, evaluations, round) : seconds(ours, evaluations, round);
    if (!machine.so_far()) {
      ++interrupted;
      continue;
    }
    library.add(ours_first ? first : second);
    hand.add(ours_first ? second : first);
  }
  if (library.count() < 5) return state.SkipWithError("other programs kept taking the cores: nothing to compare");
  for (auto _ : state) state.SetIterationTime(library.median());
  state.counters["hand_us"] = hand.median() * 1e6;
  state.counters["ratio"] = hand.median() / library.median();
  state.counters["ratio_of_best"] = hand.least() / library.least();
  state.counters["samples"] = static_cast<double>(library.count());
  state.counters["spread"] = library.spread();
  state.counters["GB/s"] = 1e-9 * W::bytes / library.median();
  lf::kernel_trace trace;
  w.evaluate();
  state.counters["kernels"] = static_cast<double>(trace.launches());
  state.counters["allocated"] = static_cast<double>(trace.allocated_bytes());
}

template <class... W>
bool rows() {
  return (
      (benchmark::RegisterBenchmark(W::name, run<W>)->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond) !=
       nullptr) &&
      ...);
}

const bool registered =
    rows<saxpy<S>, fma3<S>, chain20<S>, pyth<S>, pyth64<S>, blackscholes<S>, arc_distance<S>, sumsq<S>, minmaxmean<S>,
         rowsum<S>, colsum<S>, rosen<S>, laplacian<S>, broadcast_outer<S>, transpose_add<S>, small<S>,
         small_prepared<S>>() &&
    rows<softmax_128<S>, softmax_1024<S>, softmax_8192<S>, softmax_262144<S>, softmax_128_spelled<S>,
         softmax_1024_spelled<S>, softmax_8192_spelled<S>, softmax_262144_spelled<S>, layernorm_1024<S>,
         layernorm_1024_spelled<S>, normalize_4M<S>, normalize_64M<S>, standardize_columns<S>>() &&
    rows<cumsum_squares<S>, cumsum_rows<S>, cumsum_columns<S>>() &&
    rows<choice<S>, power_two<S>, power_any<S>, complex_abs<S>, dropout<S>, softmax_masked<S>, cross_entropy<S>>() &&
    rows<bodies<S>, bodies_fused<S>, density<S>, product<S>, product_in_tiles<S>, nearest_centre<S>, kl_rows<S>,
         cosine_rows<S>, bray_curtis_rows<S>, two_softmaxes<S>, softmax_times_log_softmax<S>, layernorm_backward<S>,
         batch_norm<S>, sums_over_ends<S>, softmax_of_channels<S>, softmax_down<S>, points_7<S>, points_27<S>,
         gradient_norm<S>, wave_step<S>, gaussian_25<S>>() &&
    rows<logsumexp<S>, sum_of_2<S>, sum_of_4<S>, sum_of_8<S>, sum_of_16<S>, max_of_3<S>, max_of_16<S>, argmax_of_10<S>,
         argmax_of_1000<S>, argmax_of_16M<S>>();

}  // namespace
}  // namespace bench

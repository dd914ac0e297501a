// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the cost model says of plans: the order of things, not the microseconds of a machine.
#include <lazyfuse/lazyfuse.hpp>
#include <lazyfuse/plan/cost.hpp>
#include <lazyfuse/plan/fusion_gain.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

namespace lf = lazyfuse;
namespace planning = lazyfuse::planning;
using lf::index_t;

struct named_machine {
  std::string name;
  planning::machine machine;
};

/// Small and large ones, and devices that are unlike the one measured in either way.
std::vector<named_machine> machines() {
  return {{"h200", planning::gpu()},
          {"a100", planning::gpu({1215000, 5120, 108, 1410000})},
          {"few processors", planning::gpu({3201000, 6144, 4, 1000000})},
          {"slow memory", planning::gpu({800000, 64, 132, 1980000})},
          {"1 thread", planning::cpu(1)},
          {"2 threads", planning::cpu(2)},
          {"96 threads", planning::cpu(96)}};
}

planning::work kernel(index_t read, index_t written) {
  return {.bytes_read = read, .bytes_written = written, .launches = 1};
}

/// Sizes from 1 KiB to 16 GiB, eight per factor of two.
std::vector<double> sizes() {
  std::vector<double> all;
  for (int k = 10 * 8; k <= 34 * 8; ++k) all.push_back(std::exp2(k / 8.0));
  return all;
}

TEST(cost_model, meets_the_points_of_its_table) {
  for (const auto& [name, m] : machines()) {
    for (int k = 0; k < m.points; ++k) {
      const auto [bytes, speed] = m.curve[k];
      EXPECT_DOUBLE_EQ(planning::traffic_us(bytes, m), bytes / (1e3 * speed)) << name << " at " << bytes;
    }
  }
}
TEST(cost_model, is_continuous_between_the_points) {
  for (const auto& [name, m] : machines()) {
    for (int k = 0; k < m.points; ++k) {
      const double at = m.curve[k].bytes, here = planning::traffic_us(at, m);
      EXPECT_NEAR(planning::traffic_us(at * (1 - 1e-9), m), here, 1e-6 * here) << name;
      EXPECT_NEAR(planning::traffic_us(at * (1 + 1e-9), m), here, 1e-6 * here) << name;
    }
    for (const double bytes : sizes())
      EXPECT_NEAR(planning::traffic_us(bytes * (1 + 1e-6), m) / planning::traffic_us(bytes, m), 1, 1e-4)
          << name << " at " << bytes;
  }
}
TEST(cost_model, keeps_the_last_speed_beyond_the_table_and_the_first_time_before_it) {
  for (const auto& [name, m] : machines()) {
    const planning::bandwidth_point first = m.curve[0], last = m.curve[m.points - 1];
    EXPECT_DOUBLE_EQ(planning::traffic_us(8 * last.bytes, m), 8 * planning::traffic_us(last.bytes, m)) << name;
    EXPECT_DOUBLE_EQ(planning::traffic_us(first.bytes / 8, m), planning::traffic_us(first.bytes, m)) << name;
    EXPECT_EQ(planning::traffic_us(0, m), 0) << name;
  }
}
TEST(cost_model, never_falls_as_the_bytes_grow) {
  for (const auto& [name, m] : machines()) {
    double traffic = 0, read = 0, written = 0, cached = 0;
    for (const double size : sizes()) {
      const index_t bytes = static_cast<index_t>(size);
      const auto grows = [&, &name = name](double& before, double now) {
        EXPECT_LE(before, now) << name << " at " << bytes;
        before = now;
      };
      grows(traffic, planning::traffic_us(size, m));
      grows(read, planning::predicted_us(kernel(bytes, 1 << 20), m));
      grows(written, planning::predicted_us(kernel(1 << 20, bytes), m));
      grows(cached, planning::predicted_us({.bytes_read = 1 << 20, .bytes_cached = bytes, .launches = 1}, m));
    }
  }
}
TEST(cost_model, never_falls_with_more_launches_barriers_or_operations) {
  for (const auto& [name, m] : machines()) {
    for (const double size : sizes()) {
      const planning::work w = kernel(static_cast<index_t>(size), 0);
      const double before = planning::predicted_us(w, m);
      EXPECT_LT(before, planning::predicted_us(w + kernel(0, 0), m)) << name << " at " << size;
      EXPECT_LE(before, planning::predicted_us(w + planning::work{.barriers = 1}, m)) << name << " at " << size;
      EXPECT_LE(before, planning::predicted_us(w + planning::work{.operations = size}, m)) << name << " at " << size;
    }
  }
}
TEST(cost_model, says_that_nothing_takes_no_time) {
  for (const auto& [name, m] : machines()) EXPECT_EQ(planning::predicted_us({}, m), 0) << name;
}
TEST(cost_model, never_prefers_two_kernels_that_read_everything_twice) {
  for (const auto& [name, m] : machines()) {
    for (const double size : sizes()) {
      const index_t bytes = static_cast<index_t>(size);
      EXPECT_GT(planning::predicted_us(kernel(bytes, 0) + kernel(bytes, bytes), m),
                planning::predicted_us(kernel(bytes, bytes), m))
          << name << " at " << bytes;
    }
    const index_t gigabyte = 1000000000;
    const double once = planning::predicted_us(kernel(gigabyte, gigabyte), m);
    const double twice = planning::predicted_us(kernel(gigabyte, 0) + kernel(gigabyte, gigabyte), m);
    EXPECT_NEAR(twice / once, 1.5, 0.03) << name;
  }
}
TEST(cost_model, finds_launches_in_small_plans_and_traffic_in_large_ones) {
  const planning::machine m = planning::gpu();
  for (const index_t bytes : {0, 4096, 65536, 1 << 20}) {
    EXPECT_DOUBLE_EQ(planning::predicted_us(kernel(bytes, 0), m), m.launch_us);
    EXPECT_DOUBLE_EQ(planning::predicted_us(kernel(bytes, 0) + kernel(0, bytes), m), 2 * m.launch_us);
  }
  const double large = planning::predicted_us(kernel(1 << 30, 1 << 30), m);
  EXPECT_NEAR(planning::predicted_us(kernel(1 << 30, 1 << 30) + kernel(4096, 4096), m), large, 0.01 * large);
}
TEST(cost_model, counts_what_is_read_again_from_a_cache_as_less_than_from_memory) {
  for (const auto& [name, m] : machines()) {
    const planning::work cached{.bytes_read = 1 << 30, .bytes_cached = 1 << 30, .launches = 1};
    EXPECT_LT(planning::predicted_us(cached, m), planning::predicted_us(kernel(index_t{2} << 30, 0), m)) << name;
  }
}
TEST(cost_model, is_bound_by_operations_where_there_are_many) {
  const planning::machine m = planning::gpu();
  const double n = 1e9;
  const auto of = [&](double per_element) {
    return planning::predicted_us({.bytes_read = 4000000000, .operations = per_element * n, .launches = 1}, m);
  };
  EXPECT_EQ(of(1), of(10));
  EXPECT_DOUBLE_EQ(of(2000), 2 * of(1000));
}
TEST(cost_model, is_within_three_times_of_what_a_processor_was_measured_to_take) {
  // 2^24 elements on two threads of an EPYC 9004: ms with vectors of 16 bytes, and of 64
  struct row {
    const char* name;
    double bytes, cost, narrow, wide;
  };
  const bool short_powers = lf::math::has_short_powers;  // g++ has a square of its own, clang calls the power
  const row rows[] = {{"exp(-x)", 8, lf::op::exp::cost + lf::op::negative::cost, 8.5, 3.2},
                      {"where(x > 1, 2 * x, exp(-y))", 12,
                       lf::op::exp::cost + lf::op::where::cost + lf::op::greater::cost + lf::op::multiply::cost +
                           lf::op::negative::cost,
                       10.3, 3.8},
                      {"pow(x, 2.0f)", 8, double(lf::op::pow::cost - lf::op::pow::cost_saved(2.0F)),
                       short_powers ? 6.5 : 36, short_powers ? 2.1 : 18},
                      {"pow(x, 2.5f)", 8, double(lf::op::pow::cost - lf::op::pow::cost_saved(2.5F)), 36, 18},
                      {"pow(x, 2.3f)", 8, double(lf::op::pow::cost - lf::op::pow::cost_saved(2.3F)), 36, 18},
                      {"pow(x, 2.3)", 16, double(lf::op::pow::cost - lf::op::pow::cost_saved(2.3)), 92, 34},
                      {"bernoulli", 1, lf::random_detail::bernoulli_distribution::cost / 2, 5.3, 3.8},
                      {"uniform", 4, lf::random_detail::unit_distribution<float>::cost / 2, 6.3, 5.6},
                      {"normal", 4, lf::random_detail::normal_distribution<float>::cost / 2, 20, 10.4}};
  const double n = 1 << 24;
  for (const row& r : rows) {
    const double ms =
        1e-3 * planning::predicted_us({.bytes_read = index_t(r.bytes * n), .operations = r.cost * n, .launches = 1},
                                      planning::cpu(2));
    EXPECT_LT(ms, 3 * r.narrow) << r.name;
    EXPECT_GT(ms, r.narrow / 3) << r.name;
    EXPECT_LT(ms, 3 * r.wide) << r.name;
    EXPECT_GT(ms, r.wide / 3) << r.name;
  }
}
TEST(cost_model, is_within_three_times_of_measured_searches) {
  // Milliseconds on one thread of an EPYC 9004 (vectors of 16 bytes), on two where it says so (of 64).
  const auto numbers = [](lf::index_t rows, lf::index_t columns) {
    return lf::array<float, 2, lf::host>(lf::shape{rows, columns});
  };
  const auto expect = [](const char* what, const auto& e, int threads, double measured) {
    const double ms = 1e-3 * planning::predicted_us(lf::plan(e).costs(), planning::cpu(threads));
    EXPECT_LT(ms, 3 * measured) << what;
    EXPECT_GT(ms, measured / 3) << what;
  };
  const lf::index_t n = 1 << 23;
  expect("rows of 2", lf::argmax(numbers(n / 2, 2), lf::axis<1>), 1, 28);
  expect("rows of 10", lf::argmax(numbers(1 << 20, 10), lf::axis<1>), 2, 11.5);
  expect("rows of 1000", lf::argmax(numbers(1 << 14, 1000), lf::axis<1>), 2, 1.26);
  expect("columns of 2", lf::argmax(numbers(2, n / 2), lf::axis<0>), 1, 32);
  expect("columns of 1024", lf::argmax(numbers(1024, n / 1024), lf::axis<0>), 1, 9.5);
}
TEST(cost_model, knows_that_data_that_fit_the_last_cache_are_read_faster) {
  const double large = 8e9, cache = 64e6;
  for (const int threads : {1, 2, 96}) {
    const planning::machine m = planning::cpu(threads, cache);
    const double of_memory = planning::traffic_us(large, m) / large;
    EXPECT_GT(of_memory * cache, 1.1 * planning::traffic_us(cache, m)) << threads << " threads";
    EXPECT_GT(of_memory * cache / 4, 2.4 * planning::traffic_us(cache / 4, m)) << threads << " threads";
    EXPECT_EQ(planning::traffic_us(large, planning::cpu(threads, 2 * cache)), planning::traffic_us(large, m));
  }
}
TEST(cost_model, leaves_to_one_thread_what_it_does_soon) {
  const auto us = [](double operations, int threads) {
    return planning::predicted_us({.operations = operations, .launches = 1}, planning::cpu(threads));
  };
  EXPECT_EQ(us(5e4, 2), us(5e4, 1));
  EXPECT_DOUBLE_EQ(us(2e6, 2), us(1e6, 1) + planning::cpu(2).wake_us);
  EXPECT_LE(us(5e4, 96), us(1e5, 96));
}
TEST(cost_model, is_within_three_times_of_measured_scans_columns_and_ranges) {
  // Microseconds on one thread of an EPYC (vectors of 16 bytes): 2^18 numbers in rows of so many.
  const auto expect = [](const std::string& what, const auto& e, double measured) {
    const double us = planning::predicted_us(lf::plan(e).costs(), planning::cpu(1));
    EXPECT_LT(us, 3 * measured) << what;
    EXPECT_GT(us, measured / 3) << what;
  };
  const lf::axes<1> along;
  const lf::axes<0> across;
  struct measured {
    lf::index_t length;
    double cumsum_along, cumsum_across, cummax_across, variance, largest, place, standardized;
  };
  for (const measured& m : {measured{4, 2985, 1049, 1802, 1866, 986, 1652, 2183},
                            {16, 1001, 619, 614, 568, 321, 693, 791},
                            {1024, 291, 258, 283, 107, 60.3, 343, 295}}) {
    const lf::array<float, 2, lf::host> x(lf::shape((1 << 18) / m.length, m.length));
    const std::string rows = " of rows of " + std::to_string(m.length);
    expect("cumsum along" + rows, lf::cumsum(x, along), m.cumsum_along);
    expect("cumsum across" + rows, lf::cumsum(x, across), m.cumsum_across);
    expect("cummax across" + rows, lf::cummax(x, across), m.cummax_across);
    expect("var across" + rows, lf::var(x, across), m.variance);
    expect("max across" + rows, lf::max(x, across), m.largest);
    expect("argmax across" + rows, lf::argmax(x, across), m.place);
    expect("standardized columns" + rows, (x - lf::mean(x, across)) / lf::std(x, across), m.standardized);
  }
  const lf::array<float, 1, lf::host> y(lf::shape(1 << 18));
  expect("cumsum", lf::cumsum(y), 194);
  expect("cummax", lf::cummax(y), 1105);
  expect("a range", lf::arange<float>(1 << 18) * 2.0F, 105);
  expect("uniform numbers", lf::random::uniform<float>({1 << 18}, lf::seed(1)), 432);
  expect("normal numbers", lf::random::normal<float>({1 << 18}, lf::seed(1)), 1072);
}
TEST(cost_model, is_within_three_times_of_measured_reductions_and_rows) {
  // Microseconds on one thread of an EPYC (vectors of 16 bytes), beside other programs: one in eight evaluations after
  // the first takes less. Functions of rows are one kernel, also where short rows would be cut.
  using numbers = lf::array<float, 2, lf::host>;
  const auto expect = [](const std::string& what, const auto& e, double measured) {
    const double us = planning::predicted_us(lf::plan(e, lf::plan_choice::rows).costs(), planning::cpu(1));
    EXPECT_LT(us, 3 * measured) << what;
    EXPECT_GT(us, measured / 3) << what;
  };
  const lf::axes<1> along;
  const numbers small(lf::shape(1, 1 << 17)), middle(lf::shape(1, 1 << 20)), large(lf::shape(1, 1 << 26));
  expect("sum of 2^17", lf::sum(small), 11.8);
  expect("sum of 2^20", lf::sum(middle), 73);
  expect("max of 2^20", lf::max(middle), 130);
  expect("x + 1 of 2^20", middle + 1, 113);
  expect("sum of 2^26", lf::sum(large), 17600);
  struct of_rows {
    lf::index_t length;
    double sum, max, softmax, logsumexp;
  };
  // of 2^12 elements
  for (const of_rows& r : {of_rows{2, 5.1, 4.6, 207, 247}, {4, 3.1, 2.9, 103, 122}, {16, 1.1, 1.1, 29, 33}}) {
    const numbers x(lf::shape(4096 / r.length, r.length));
    const std::string of = " of rows of " + std::to_string(r.length);
    expect("sum" + of, lf::sum(x, along), r.sum);
    expect("mean" + of, lf::mean(x, along), r.sum);
    expect("max" + of, lf::max(x, along), r.max);
    expect("min" + of, lf::min(x, along), r.max);
    expect("softmax" + of, lf::softmax(x), r.softmax);
    expect("logsumexp" + of, lf::logsumexp(x, along), r.logsumexp);
  }
  const numbers x(lf::shape(256, 16)), pairs(lf::shape(2048, 2));
  const lf::array<int, 1, lf::host> classes(lf::shape(256));
  expect("cross entropy of rows of 16", lf::cross_entropy(x, classes), 60);
  expect("sum of rows of 100", lf::sum(numbers(lf::shape(10485, 100)), along), 676);
  expect("sum of two columns", lf::sum(pairs, lf::axis<0>), 11.2);
}
TEST(cost_model, gives_the_measured_device_its_own_table) {
  const planning::machine m = planning::gpu(planning::h200_attributes);
  EXPECT_DOUBLE_EQ(planning::predicted_us(kernel(1 << 30, 1 << 30), m), 2147483648.0 / 4294e3);
  const planning::machine half =
      planning::gpu({planning::h200_attributes.memory_clock_khz, planning::h200_attributes.bus_bits / 2,
                     planning::h200_attributes.multiprocessors, planning::h200_attributes.clock_khz});
  EXPECT_NEAR(planning::traffic_us(4e9, half) / planning::traffic_us(4e9, m), 2, 0.02);
  EXPECT_EQ(planning::traffic_us(16 << 20, half), planning::traffic_us(16 << 20, m)) << "within the cache";
  EXPECT_EQ(planning::traffic_us(4e9, planning::gpu({0, 0, 0, 0})), planning::traffic_us(4e9, m))
      << "a device that says nothing";
}
TEST(cost_model, can_be_the_gain_of_a_partition) {
  // t = f(x), z = g(x, t): one kernel reads x once and never stores t
  for (const auto& [name, m] : machines()) {
    for (const index_t bytes : {4096, 1 << 20, 1 << 28}) {
      planning::fusion_gain<2, 1> f;
      const int x = f.add_input(bytes), t = f.add_node(bytes), z = f.add_node(bytes, 0, true);
      f.add_read(t, x);
      f.add_read(z, x);
      f.add_read(z, t);
      const auto gain = [&, &m = m](const planning::node_set<2>& group) {
        planning::work apart;
        group.for_each([&](int i) {
          planning::node_set<2> alone;
          alone.insert(i);
          apart = apart + kernel(f.traffic_of(alone).bytes, 0);
        });
        return planning::predicted_us(apart, m) - planning::predicted_us(kernel(f.traffic_of(group).bytes, 0), m);
      };
      EXPECT_EQ(planning::best_partition(f.graph(), gain).groups, 1) << name << " of " << bytes;
    }
  }
}

static_assert(planning::work{.bytes_read = 1, .launches = 1} + planning::work{.bytes_read = 2, .barriers = 3} ==
              planning::work{.bytes_read = 3, .launches = 1, .barriers = 3});

}  // namespace

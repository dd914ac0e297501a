// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two GPUs: every pattern runs on the second one, arrays are read from threads of the other, copies between them wait
// for what is copied and are waited for. Skipped where there is one.
#include "support/streams.cuh"

#include <lazyfuse/interop/dlpack.hpp>

#include <thread>

namespace {

using lf::axis, lf::keepdims, lf::device;
using vector = lf::array<float, 1, lf::cuda>;
using matrix = lf::array<float, 2, lf::cuda>;
using host_matrix = lf::array<float, 2, lf::host>;
using test::many, test::slowly;

class two_devices : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2) GTEST_SKIP() << "needs two GPUs, there are " << count;
  }
};

/// Runs f on a thread of its own whose current device is d, and is so in the end.
template <class F>
void on_thread_of(int d, const F& f) {
  std::thread([&] {
    test::check(cudaSetDevice(d));
    ASSERT_NO_THROW(f());
    int now = -1;
    EXPECT_EQ(cudaGetDevice(&now), cudaSuccess);
    EXPECT_EQ(now, d);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }).join();
}
bool everywhere(const vector& x, float value) { return lf::all(x == value).item(); }

/// Small integers, so that all sums of them are exact.
template <class Space>
auto digits(lf::index_t rows, lf::index_t columns) {
  const auto i = lf::arange<float>(rows * columns);
  return lf::to<Space>(lf::array<float, 2, lf::host>(lf::reshape(i - lf::floor(i / 7) * 7, {rows, columns})));
}

/// f of arrays of device 1, from a thread of either, is what it is on the host.
template <class F>
void agrees(const char* text, lf::index_t rows, lf::index_t columns, const F& f) {
  const auto on_host = digits<lf::host>(rows, columns);
  const auto expected = lf::to<lf::host>(f(on_host));
  for (const int of_thread : {1, 0})
    on_thread_of(of_thread, [&] {
      SCOPED_TRACE(std::string(text) + ", thread at device " + std::to_string(of_thread));
      const matrix x = lf::to<lf::cuda>(on_host, device{1});
      const auto y = lf::materialize(f(x));
      EXPECT_EQ(y.device(), device{1});
      EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(y), expected));
    });
}
TEST_F(two_devices, every_pattern_runs_on_the_second) {
  agrees("flat", 300, 500, [](const auto& x) { return x * 2 + 1; });
  agrees("strided", 300, 500,
         [](const auto& x) { return x(lf::all, lf::range(3, 400)) - x(lf::all, lf::range(0, 397)); });
  agrees("tiled", 400, 400, [](const auto& x) { return x + lf::transpose(x); });
  agrees("reduce", 3000, 1024, [](const auto& x) { return lf::sum(x); });
  agrees("reduce rows", 300, 5000, [](const auto& x) { return lf::sum(x * 2, axis<1>); });
  agrees("reduce columns", 5000, 300, [](const auto& x) { return lf::sum(x, axis<0>); });
  for (const lf::index_t length : {100, 1000, 8192, 20000, 1 << 18, 1 << 21})
    agrees("rows", 6, length, [](const auto& x) { return x - lf::sum(x, axis<1>, keepdims); });
  agrees("columns", 6000, 200, [](const auto& x) { return x - lf::max(x, axis<0>, keepdims); });
  agrees("one row", 2048, 2048, [](const auto& x) { return x - lf::sum(x); });
  agrees("cut", 300, 500,
         [](const auto& x) { return x + lf::sum(x, axis<0>, keepdims) + lf::sum(x, axis<1>, keepdims); });
  agrees("barrier", 300, 500, [](const auto& x) { return 2 * lf::barrier(x + 1); });
  agrees("scan of rows", 300, 5000, [](const auto& x) { return lf::cumsum(x, axis<1>); });
  agrees("scan of columns", 5000, 300, [](const auto& x) { return lf::cumsum(x, axis<0>); });
  agrees("roll", 300, 500, [](const auto& x) { return lf::roll(x, 7, axis<1>) + x; });
}
TEST_F(two_devices, kernels_made_at_run_time_run_on_the_second) {
  const lf::jit before = lf::current_jit();
  lf::use_jit(lf::jit::always);
  const auto at = [](const auto& x, int i, int j) { return x(lf::range(1 + i, 299 + i), lf::range(1 + j, 499 + j)); };
  agrees("flat", 300, 500, [](const auto& x) { return x * 2 + x * x; });
  agrees("stencil", 300, 500, [&](const auto& x) {
    return at(x, 1, 0) + at(x, -1, 0) + at(x, 0, 1) + at(x, 0, -1) - 4 * lf::abs(at(x, 0, 0));
  });
  agrees("reduce rows", 300, 5000, [](const auto& x) { return lf::sum(x * 2 + x, axis<1>); });
  agrees("rows", 300, 500, [](const auto& x) { return x - lf::sum(x * x, axis<1>, keepdims); });
  lf::use_jit(before);
}
TEST_F(two_devices, a_prepared_assignment_runs_on_the_one_of_its_arrays) {
  for (const int of_thread : {1, 0})
    on_thread_of(of_thread, [] {
      vector x = lf::to(lf::arange<float>(1000), device{1}), y = lf::to(lf::zeros<float>({1000}), device{1});
      auto step = lf::prepare(y, x * 2 + y);
      step();
      step();
      EXPECT_EQ(y.device(), device{1});
      EXPECT_EQ(y(9).item(), 36);
    });
}
TEST_F(two_devices, random_numbers_are_the_same_on_both) {
  const auto e = lf::random::uniform<float>({1000}, lf::seed{42});
  vector x;
  on_thread_of(1, [&] {
    x = e;
    EXPECT_EQ(x.device(), device{1});
  });
  EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(x), lf::to<lf::host>(vector(e))));
}

TEST_F(two_devices, arrays_of_one_are_used_on_threads_of_the_other) {
  for (const int d : {0, 1}) {
    vector x = lf::to(lf::arange<float>(many), device{d});
    const vector sharer = x;
    on_thread_of(1 - d, [&] {
      EXPECT_EQ(x(9).item(), 9);
      EXPECT_EQ(lf::max(x).item(), float(many - 1));
      x(0) = 5.0f;  // detaches: others keep the old values
      x += 1;
      EXPECT_EQ(x.device(), device{d});
      EXPECT_EQ(x(0).item(), 6);
      std::ostringstream text;
      text << x(lf::range(0, 3));
      EXPECT_EQ(text.str(), "[6. 2. 3.]");
      const vector copy = x;
      x = lf::zeros<float>({3});
      EXPECT_EQ(x.device(), device{d});
    });
    EXPECT_EQ(sharer(0).item(), 0);
  }
}

TEST_F(two_devices, are_named_where_an_expression_mixes_them) {
  const vector x = lf::to(lf::ones<float>({1000}), device{0}), y = lf::to(lf::ones<float>({1000}), device{1});
  vector z = x;
  try {
    z = x + y;
    FAIL() << "was evaluated";
  } catch (const lf::device_error& e) {
    EXPECT_NE(std::string(e.what()).find("(x0 + x1): x0 is on device 0, x1 on device 1; copy one of them with "
                                         "to(x, device{0})"),
              std::string::npos)
        << e.what();
  }
  EXPECT_TRUE(everywhere(z, 1));
  EXPECT_TRUE(everywhere(x + lf::to(y, device{0}), 2));
  test::stream s;
  EXPECT_THROW((void)lf::materialize(lf::on(s), y + 1), lf::device_error);
  EXPECT_THROW((void)lf::to(x, device{1000}), lf::device_error);
}

TEST_F(two_devices, copies_wait_for_the_values_and_are_waited_for) {
  for (const int of_thread : {0, 1})
    on_thread_of(of_thread, [&] {
      for (int run = 0; run < 5; ++run) {
        vector x = slowly(lf::to(lf::full({many}, float(run)), device{0}) + 1);
        const vector y = lf::to(x, device{1});
        EXPECT_EQ(y.device(), device{1});
        x = lf::zeros<float>({many});  // overwrites it after it was copied
        const vector back = lf::to(slowly(y * 2), device{0});
        EXPECT_TRUE(everywhere(y, float(run + 1)));
        EXPECT_TRUE(everywhere(back, 2 * float(run + 1)));
        EXPECT_TRUE(everywhere(x, 0));
      }
    });
}
TEST_F(two_devices, copies_of_views_and_of_all_sizes) {
  const host_matrix values = digits<lf::host>(50, 70);
  const matrix x = lf::to<lf::cuda>(values, device{0});
  EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(lf::to<lf::cuda>(lf::transpose(x), device{1})),
                              host_matrix(lf::transpose(values))));
  const auto part = [](const auto& a) { return a(lf::range(1, 40, 3), lf::range(60, 2, -2)); };
  EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(lf::to(part(x), device{1})), host_matrix(part(values))));
  for (const lf::index_t n : {0, 1, 7, 1 << 20}) {
    const vector y = lf::to(vector(lf::arange<float>(n)), device{1});
    EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(y), lf::array<float, 1, lf::host>(lf::arange<float>(n)))) << n;
  }
}
TEST_F(two_devices, freed_memory_is_not_reused_while_the_other_copies_it) {
  for (int run = 0; run < 10; ++run) {
    vector y;
    {
      const vector x = slowly(lf::to(lf::full({many}, 1.0f), device{0}));
      y = lf::to(x, device{1});
    }
    const vector z = lf::to(lf::full({many}, -5.0f), device{0});
    EXPECT_TRUE(everywhere(y, 1)) << run;
    EXPECT_TRUE(everywhere(z, -5)) << run;
  }
}

TEST_F(two_devices, threads_come_and_go_on_either) {
  for (int n = 0; n < 200; ++n)
    on_thread_of(n % 2, [&] {
      const vector x = lf::arange<float>(1 << 16);
      EXPECT_EQ(x.device(), device{n % 2});
      const auto rows = lf::reshape(x - lf::floor(x / 7) * 7, {256, 256});
      EXPECT_EQ(lf::sum(rows - lf::max(rows, axis<1>, keepdims)).item(), lf::sum(rows).item() - 6 * 65536);
      EXPECT_EQ(lf::to(x, device{1 - n % 2})(1000).item(), 1000);
    });
}
TEST_F(two_devices, many_threads_at_a_time_use_both) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      test::check(cudaSetDevice(t % 2));
      for (int n = 0; n < 50; ++n) {
        const vector x = lf::full({1 << 18}, float(t + n));
        const vector y = lf::to(x * 2, device{1 - t % 2});
        EXPECT_EQ(lf::sum(y - lf::max(y)).item(), 0);
        EXPECT_EQ(lf::max(y).item(), 2 * float(t + n));
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST_F(two_devices, streams_belong_to_one) {
  on_thread_of(1, [&] {
    test::stream s;
    vector x = lf::materialize(lf::on(s), slowly(lf::full({many}, 3.0f)));
    on_thread_of(0, [&] {
      EXPECT_TRUE(everywhere(x, 3));
      lf::assign(lf::on(s), x, x * 2);
      EXPECT_EQ(lf::materialize(lf::on(s), lf::ones<float>({4})).device(), device{1});
    });
    EXPECT_TRUE(everywhere(x, 6));
    x = vector();
    s.wait();
  });
}
TEST_F(two_devices, a_graph_of_the_second_is_replayed) {
  on_thread_of(1, [&] {
    test::stream s;
    vector x = lf::arange<float>(1 << 20), z = lf::zeros<float>({1 << 20});
    lf::array<float, 0, lf::cuda> most = lf::full(lf::shape<0>{}, 0.0f);
    lf::synchronize();
    on_thread_of(0, [&] {
      test::graph g(s);
      lf::assign(lf::on(s), z, x + 1);
      lf::assign(lf::on(s), most, lf::max(x));
      g.end();
      g.replay();
    });
    EXPECT_EQ(z(9).item(), 10);
    EXPECT_EQ(most.item(), float((1 << 20) - 1));
  });
}

TEST_F(two_devices, tensors_and_pointers_say_which) {
  vector x = lf::to(slowly(lf::full({many}, 3.0f)), device{1});
  for (const lf::dlpack::stream s : {lf::dlpack::legacy, lf::dlpack::no_sync}) {
    lf::synchronize();
    auto* const m = lf::to_dlpack(x, s);
    EXPECT_EQ(m->dl_tensor.device.id, 1);
    const auto t = lf::from_dlpack<const float, 1, lf::cuda>(m, s);  // from a thread at device 0
    const vector y = t + 1;
    EXPECT_EQ(y.device(), device{1});
    EXPECT_TRUE(everywhere(y, 4));
  }
  auto* const m = lf::to_dlpack(x, lf::dlpack::legacy);
  m->dl_tensor.device.id = 0;
  EXPECT_THROW((void)(lf::from_dlpack<const float, 1, lf::cuda>(m, lf::dlpack::legacy)), lf::borrow_error);
  m->deleter(m);
  const auto b = lf::borrow<lf::cuda>(x.data(), {many});
  EXPECT_TRUE(everywhere(b * 2, 6));
  lf::into(b(lf::range(0, 4))) = 1.0f;
  EXPECT_EQ(lf::min(x).item(), 1);
  EXPECT_THROW((void)vector(b + lf::to(lf::ones<float>({many}), device{0})), lf::device_error);
}

TEST_F(two_devices, plans_and_traces_of_the_second) {
  ::setenv("LAZYFUSE_CACHE", "off", 1);  // what is tuned here is of no use to anybody
  const matrix x = lf::to<lf::cuda>(digits<lf::host>(64, 1 << 16), device{1});
  const auto e = lf::softmax(x, axis<1>);
  std::string of_second, of_first;
  on_thread_of(0, [&] { of_first = lf::explain(e); });
  on_thread_of(1, [&] { of_second = lf::explain(e); });
  EXPECT_EQ(of_first, of_second);  // it is planned for where x is
  const lf::kernel_trace trace;
  const matrix y = e;
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 1);
  EXPECT_NE(lf::tune(e).plan, nullptr);
  lf::tuning::clear();
}

}  // namespace

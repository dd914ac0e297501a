// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two devices: work goes to where its arrays are, from threads of any current device, which stays what it was. No GPU:
// a runtime of the tests' own stands in, in which streams, events, pools and memory belong to a device, too.
#include "support/arrays.hpp"
#include "support/standin_cudart.hpp"

#include <lazyfuse/interop/dlpack.hpp>

#include <algorithm>
#include <functional>
#include <thread>

namespace {

using lf::axis, lf::keepdims, lf::device;
using vector = lf::array<float, 1, lf::cuda>;
using matrix = lf::array<float, 2, lf::cuda>;

const bool there_are_two = [] {
  standin::devices(2);
  return true;
}();

int current() {
  int d = -1;
  cudaGetDevice(&d);
  return d;
}
/// Runs f on a thread of its own whose current device is d, and is so in the end.
template <class F>
void on_thread_of(int d, const F& f) {
  std::thread([&] {
    ASSERT_EQ(cudaSetDevice(d), cudaSuccess);
    ASSERT_NO_THROW(f());
    EXPECT_EQ(current(), d);
  }).join();
}
cudaStream_t stream_of(int d) {
  cudaStream_t s = nullptr;
  on_thread_of(d, [&] { ASSERT_EQ(cudaStreamCreate(&s), cudaSuccess); });
  return s;
}
matrix matrix_on(int d, lf::index_t rows = 64, lf::index_t columns = 100) {
  return lf::to(lf::ones<float>({rows, columns}), device{d});
}

class several_devices : public ::testing::Test {
 protected:
  void SetUp() override { standin::reset(); }
};

struct evaluation {
  const char* text;
  int (*run)(matrix& z, const matrix& x, const matrix& y);  ///< returns the device of the result
};
const evaluation evaluations[] = {
    {"x * 2 + y", [](auto&, auto& x, auto& y) { return matrix(x * 2 + y).device().number; }},
    {"z = x + y, in place", [](auto& z, auto& x, auto& y) { return (z = x + y).device().number; }},
    {"z = 0", [](auto& z, auto&, auto&) { return (z = 0.0f).device().number; }},
    {"z(range) = x.T",
     [](auto& z, auto& x, auto&) {
       z(lf::range(0, 64), lf::range(0, 64)) = lf::transpose(x(lf::all, lf::range(0, 64)));
       return z.device().number;
     }},
    {"z(0) = 1, z shared",
     [](auto& z, auto&, auto&) {
       const auto sharer = z;
       z(0) = 1.0f;
       return z.device().number;
     }},
    {"sum(x * y)", [](auto&, auto& x, auto& y) { return lf::materialize(lf::sum(x * y)).device().number; }},
    {"sum(x, axis<0>)", [](auto&, auto& x, auto&) { return lf::materialize(lf::sum(x, axis<0>)).device().number; }},
    {"softmax(x)", [](auto&, auto& x, auto&) { return lf::materialize(lf::softmax(x, axis<1>)).device().number; }},
    {"softmax of columns",
     [](auto&, auto& x, auto&) { return lf::materialize(lf::softmax(x, axis<0>)).device().number; }},
    {"cumsum(x, axis<1>)",
     [](auto&, auto& x, auto&) { return lf::materialize(lf::cumsum(x, axis<1>)).device().number; }},
    {"cumsum(x, axis<0>)",
     [](auto&, auto& x, auto&) { return lf::materialize(lf::cumsum(x, axis<0>)).device().number; }},
    {"roll(x, 3)", [](auto&, auto& x, auto& y) { return matrix(lf::roll(x, 3, axis<1>) + y).device().number; }},
    {"x * y + x, made at run time",
     [](auto&, auto& x, auto& y) {
       const lf::jit before = lf::current_jit();
       lf::use_jit(lf::jit::always);
       const matrix z = x * y + x;
       lf::use_jit(before);
       return z.device().number;
     }},
    {"x / norm(x)", [](auto&, auto& x, auto&) { return lf::materialize(x / lf::norm(x)).device().number; }},
    {"a barrier", [](auto&, auto& x, auto& y) { return matrix(2 * lf::barrier(x + y)).device().number; }},
    {"two at once",
     [](auto&, auto& x, auto&) { return std::get<1>(lf::materialize(lf::min(x), lf::max(x))).device().number; }},
    {"assign(tie(z, w), w + x, z - y), in place",
     [](auto& z, auto& x, auto& y) {
       matrix w = y + 0;
       lf::assign(lf::tie(z, w), w + x, z - y);
       EXPECT_EQ(w.device(), z.device());
       return z.device().number;
     }},
    {"assign(tie(z(0), w), 1, sum(z))",
     [](auto& z, auto&, auto&) {
       vector w;
       lf::assign(lf::tie(z(0), w), 1, lf::sum(z, axis<0>));
       EXPECT_EQ(w.device(), z.device());
       return z.device().number;
     }},
    {"data() of a shared array",
     [](auto& z, auto&, auto&) {
       const auto sharer = z;
       (void)z.data();
       return z.device().number;
     }},
    {"borrowed memory",
     [](auto&, auto& x, auto&) {
       return lf::materialize(lf::sqrt(lf::borrow<lf::cuda>(x.data(), {64, 100}))).device().number;
     }},
    {"borrowed memory behind a barrier",
     [](auto&, auto& x, auto&) {
       return lf::materialize(2 * lf::barrier(lf::borrow<lf::cuda>(x.data(), {64, 100}))).device().number;
     }},
    {"into borrowed memory",
     [](auto& z, auto&, auto&) {
       lf::into(lf::borrow<lf::cuda>(z.data(), {64, 100})) = 3.0f;
       return z.device().number;
     }},
    {"from_dlpack",
     [](auto&, auto& x, auto&) {
       auto* const m = lf::to_dlpack(x, lf::dlpack::legacy);
       EXPECT_EQ(m->dl_tensor.device.id, x.device().number);
       return lf::materialize(lf::from_dlpack<const float, 2, lf::cuda>(m, lf::dlpack::legacy) + 1).device().number;
     }},
    {"empty_like",
     [](auto&, auto& x, auto& y) {
       (void)matrix(x + 1);
       return lf::empty_like(x + y).device().number;
     }},
};

TEST_F(several_devices, work_goes_to_the_one_that_has_the_arrays) {
  for (const evaluation& e : evaluations)
    for (const int of_arrays : {0, 1})
      for (const int of_thread : {0, 1}) {
        SCOPED_TRACE(std::string(e.text) + " on device " + std::to_string(of_arrays) + ", thread at device " +
                     std::to_string(of_thread));
        on_thread_of(of_thread, [&] {
          matrix z = matrix_on(of_arrays);
          const matrix x = matrix_on(of_arrays), y = matrix_on(of_arrays);
          EXPECT_EQ(e.run(z, x, y), of_arrays);
          (void)lf::to<lf::host>(x);
          (void)lf::sum(y).item();
          lf::synchronize();
        });
        EXPECT_FALSE(standin::launched().empty());
        for (const standin::launch& l : standin::launched()) EXPECT_EQ(l.device, of_arrays);
        standin::reset();
      }
}
TEST_F(several_devices, rows_of_every_length_run_on_both) {
  for (const int of_arrays : {0, 1, 0, 1})
    for (const lf::index_t length : {100, 8192, 1 << 17, 1 << 20})
      on_thread_of(1 - of_arrays, [&] {
        const matrix x = matrix_on(of_arrays, 4, length);
        const matrix y = lf::softmax(x, axis<1>);
        EXPECT_EQ(standin::launched().back().device, of_arrays);
      });
}

TEST_F(several_devices, what_reads_no_array_runs_on_the_one_of_the_result_or_stream_or_thread) {
  const cudaStream_t s = stream_of(1);
  on_thread_of(0, [&] {
    EXPECT_EQ(vector(lf::arange<float>(9)).device().number, 0);
    EXPECT_EQ((vector{1, 2, 3}).device().number, 0);
    vector x = lf::to(lf::arange<float>(9), device{1});
    EXPECT_EQ(x.device().number, 1);
    x = lf::random::uniform<float>({9}, lf::seed{1});
    EXPECT_EQ(x.device().number, 1);
    x = lf::zeros<float>({12});
    EXPECT_EQ(x.device().number, 1);
    EXPECT_EQ(lf::materialize(lf::on(s), lf::ones<float>({9})).device().number, 1);
    const lf::on scope(s);
    EXPECT_EQ(vector(lf::shape{9}).device().number, 1);
  });
  on_thread_of(1, [&] {
    EXPECT_EQ(vector(lf::arange<float>(9)).device().number, 1);
    EXPECT_EQ(vector().device().number, -1);
  });
  EXPECT_EQ((lf::array<float, 1, lf::host>{1, 2}).device().number, -1);
}
TEST_F(several_devices, an_array_moves_to_where_what_it_is_assigned_is_computed) {
  matrix z = matrix_on(0);
  const matrix x = matrix_on(1);
  z = x * 2;
  EXPECT_EQ(z.device().number, 1);
}

TEST_F(several_devices, do_not_mix_in_an_expression) {
  const matrix x0 = matrix_on(0), y0 = matrix_on(0), x1 = matrix_on(1);
  matrix z0 = matrix_on(0);
  const float* const before = z0.data();
  const cudaStream_t s1 = stream_of(1);
  const std::pair<std::string, std::string> table[] = {
      {test::thrown_by<lf::device_error>([&] { z0 = x0 + x1; }),
       "(x0 + x1): x0 is on device 0, x1 on device 1; copy one of them with to(x, device{0})"},
      {test::thrown_by<lf::device_error>([&] { z0 = x1 * y0; }),
       "(x0 * x1): x0 is on device 1, x1 on device 0; copy one of them with to(x, device{1})"},
      {test::thrown_by<lf::device_error>([&] { z0 += x1; }),
       "(x0 + x1): x0 is on device 0, x1 on device 1; copy one of them with to(x, device{0})"},
      {test::thrown_by<lf::device_error>([&] { z0(lf::all, 0) = x1(lf::all, 1); }),
       "x0: x0 is on device 1, the result on device 0; copy one of them with to(e, device{0})"},
      {test::thrown_by<lf::device_error>([&] {
         lf::into(lf::borrow<lf::cuda>(z0.data(), {64, 100})) = x1;
       }),
       "x0: x0 is on device 1, the result on device 0; copy one of them with to(e, device{0})"},
      {test::thrown_by<lf::device_error>([&] { z0 = x0 - lf::sum(x1); }),
       "sum(x0): x0 is on device 1, the result on device 0"},
      {test::thrown_by<lf::device_error>([&] { z0 = lf::softmax(x0 + x1, axis<1>); }),
       "x0 is on device 0, x1 on device 1"},
      {test::thrown_by<lf::device_error>([&] { (void)lf::materialize(x0 + 1, x1 + 1); }), "on device 0"},
      {test::thrown_by<lf::device_error>([&] {
         vector s;
         lf::assign(lf::tie(z0, s), x0 + 1, lf::sum(x1, axis<0>));
       }),
       "on device 0"},
      {test::thrown_by<lf::device_error>([&] { (void)lf::array_equal(x0, x1); }), "x0 is on device 0, x1 on device 1"},
      {test::thrown_by<lf::device_error>([&] { (void)lf::explain(x0 + x1); }),
       "explain: the expression reads arrays on device 0 and on device 1; copy some of them with to(x, device{0})"},
      {test::thrown_by<lf::device_error>([&] { (void)lf::materialize(lf::on(s1), x0 + 1); }),
       "(x0 + x1): x0 is on device 0, and the stream given by on() is on device 1"},
      {test::thrown_by<lf::device_error>([&] { (void)lf::to(x0, device{2}); }),
       "to: there is no device 2; the last of 2 is device 1"},
      {test::thrown_by<lf::device_error>([&] { (void)lf::to(x0, device{}); }), "to: there is no device -1"},
  };
  for (const auto& [text, expected] : table) EXPECT_NE(text.find(expected), std::string::npos) << text;
  EXPECT_EQ(z0.data(), before);
  EXPECT_EQ(current(), 0);
  EXPECT_THROW((void)lf::to(x0, device{2}), lf::error);
}

TEST_F(several_devices, to_copies_between_them_in_the_order_of_their_streams) {
  for (const int of_thread : {0, 1})
    on_thread_of(of_thread, [&] {
      lf::array<float, 2, lf::host> values = lf::reshape(lf::arange<float>(12), {3, 4});
      const matrix x = lf::to<lf::cuda>(values, device{0});
      const matrix y = lf::to<lf::cuda>(x, device{1});
      EXPECT_EQ(x.device(), device{0});
      EXPECT_EQ(y.device(), device{1});
      EXPECT_TRUE(lf::array_equal(lf::to<lf::host>(y), values));
      const matrix same = lf::to(y, device{1});
      EXPECT_EQ(same.data(), y.data());
      standin::reset();
      const matrix z = lf::to(x(lf::all, lf::range(1, 3)), device{1});  // a kernel there, and the copy
      ASSERT_EQ(standin::launched().size(), 1u);
      EXPECT_EQ(standin::launched()[0].device, 0);
      EXPECT_EQ(z.device(), device{1});
      ASSERT_GE(standin::waits().size(), 1u);  // the copy for the kernel, then whoever frees it for the copy
      const cudaStream_t other = standin::waits()[0].later;
      EXPECT_EQ(standin::waits()[0].earlier, standin::launched()[0].stream);
      EXPECT_NE(other, standin::launched()[0].stream);
      EXPECT_EQ(standin::waits().back().earlier, other);
      EXPECT_EQ(standin::waits().back().later, standin::launched()[0].stream);
    });
}
TEST_F(several_devices, synchronize_waits_for_the_chosen_stream_and_for_copies_to_others) {
  const cudaStream_t s = stream_of(0);
  const matrix x = matrix_on(0);
  const lf::on scope(s);
  const matrix there = lf::to(x, device{1});
  const cudaStream_t copies =
      standin::waits().back().earlier == s ? standin::waits().back().later : standin::waits().back().earlier;
  ASSERT_NE(copies, s);
  standin::reset();
  lf::synchronize();
  const std::vector<cudaStream_t>& ended = standin::waited_for();
  EXPECT_EQ(std::count(ended.begin(), ended.end(), s), 1);
  EXPECT_EQ(std::count(ended.begin(), ended.end(), copies), 1);
}
TEST_F(several_devices, have_default_streams_of_the_same_handle) {
  const lf::on scope(cudaStreamLegacy);
  const vector x = lf::to(lf::arange<float>(9), device{0});
  standin::reset();
  const vector y = lf::to(x, device{1});
  ASSERT_EQ(standin::waits().size(), 2u);  // for what has made x, and for what the memory was taken from the pool on
  for (const standin::wait& w : standin::waits()) {
    EXPECT_EQ(w.earlier, cudaStreamLegacy);
    EXPECT_NE(w.later, cudaStreamLegacy);
  }
}

TEST_F(several_devices, streams_of_threads_that_end_wait_for_others_on_the_same_device) {
  const auto work = [] {
    const vector x = lf::arange<float>(1 << 20);
    const vector y = lf::to(x * 2, device{1 - x.device().number});
    EXPECT_NE(x.device(), y.device());
    (void)lf::sum(y).item();
  };
  for (const int d : {0, 1}) on_thread_of(d, work);
  const standin::balance live = standin::live();
  for (int n = 0; n < 100; ++n) {
    on_thread_of(n % 2, work);
    on_thread_of(n % 3 % 2, work);
  }
  EXPECT_EQ(standin::live(), live);
}

TEST_F(several_devices, have_occupancies_and_predictions_of_their_own) {
  unsigned blocks[2] = {};
  std::string plans[2];
  for (const int d : {0, 1, 0, 1}) {
    const vector x = lf::to(lf::ones<float>({1 << 24}), device{d});
    standin::reset();
    (void)lf::materialize(lf::max(x));
    ASSERT_EQ(standin::launched().size(), 1u);
    if (blocks[d] > 0) EXPECT_EQ(standin::launched()[0].blocks, blocks[d]);
    blocks[d] = standin::launched()[0].blocks;
    plans[d] = lf::explain(lf::sin(lf::cos(lf::tan(lf::exp(x)))));
  }
  EXPECT_NEAR(blocks[0], 2 * blocks[1], 20);  // half as many processors
  EXPECT_NE(plans[0], plans[1]);
}

TEST_F(several_devices, calls_that_fail_leave_the_current_one_and_the_arrays_as_they_were) {
  const std::function<void(matrix&, const matrix&, const matrix&)> statements[] = {
      [](auto& z, auto& x, auto& y) { z = x * 2 + y; }, [](auto& z, auto& x, auto&) { z(0) = lf::sum(x); },
      [](auto&, auto& x, auto&) { (void)lf::to(x + 1, device{1}); },
      [](auto&, auto& x, auto&) { (void)lf::sum(x).item(); }};
  long failures = 0;
  for (const auto& run : statements)
    on_thread_of(1, [&] {
      matrix z = matrix_on(0);
      const matrix x = matrix_on(0), y = matrix_on(0);
      run(z, x, y);
      const standin::balance live = standin::live();
      for (long n = 1;; ++n) {
        standin::fail_at(n);
        bool thrown = false;
        try {
          run(z, x, y);
        } catch (const lf::error&) {
          thrown = true;
        }
        const std::string failed = standin::failed();
        standin::reset();
        if (failed.empty()) break;
        failures += thrown;
        if (failed != "cudaSetDevice") EXPECT_EQ(current(), 1) << failed;  // true ones can go back to where they were
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        EXPECT_EQ(z.device(), device{0});
        EXPECT_EQ(standin::live(), live) << failed;
      }
    });
  EXPECT_GT(failures, 20);
}

/// Memory from where the current device is, which it remembers.
struct resource {
  std::vector<int>*taken, *given_back;
  int always = -1;
  void* allocate(std::size_t bytes, std::size_t, lf::stream_handle s) {
    taken->push_back(current());
    int d = -1;
    EXPECT_EQ(cudaStreamGetDevice(s, &d), cudaSuccess);
    EXPECT_EQ(d, current());
    void* p = nullptr;
    if (always >= 0) on_thread_of(always, [&] { ASSERT_EQ(cudaMalloc(&p, bytes), cudaSuccess); });
    else EXPECT_EQ(cudaMalloc(&p, bytes), cudaSuccess);
    return p;
  }
  void deallocate(void* p, std::size_t, std::size_t, lf::stream_handle) {
    given_back->push_back(current());
    EXPECT_EQ(cudaFree(p), cudaSuccess);
  }
  bool operator==(const resource&) const = default;
};
TEST_F(several_devices, resources_see_the_one_that_the_array_is_for) {
  std::vector<int> taken, given_back;
  resource r{&taken, &given_back};
  on_thread_of(0, [&] {
    const lf::memory_scope scope(lf::cuda{}, r);
    const vector x = lf::to(lf::arange<float>(9), device{1});
    const vector y = x + 1;
  });
  EXPECT_EQ(taken, (std::vector<int>{1, 1}));
  EXPECT_EQ(given_back, (std::vector<int>{1, 1}));
  resource wrong{&taken, &given_back, 0};
  const lf::memory_scope scope(lf::cuda{}, wrong);
  EXPECT_NE(test::thrown_by<lf::device_error>([&] {
              (void)lf::to(lf::arange<float>(9), device{1});
            }).find("the memory resource gave memory on device 0 for an array on device 1"),
            std::string::npos);
  EXPECT_EQ(given_back.size(), 3u);
}

TEST_F(several_devices, tensors_must_be_where_they_are_said_to_be) {
  const vector x = lf::to(lf::arange<float>(9), device{1});
  auto* const m = lf::to_dlpack(x, lf::dlpack::legacy);
  for (const int wrong : {0, 2, -1}) {
    m->dl_tensor.device.id = wrong;
    EXPECT_THROW((void)(lf::from_dlpack<const float, 1, lf::cuda>(m, lf::dlpack::legacy)), lf::borrow_error);
  }
  m->dl_tensor.device.id = 1;
  m->deleter(m);
}

TEST_F(several_devices, what_tune_found_on_one_is_not_taken_on_another) {
  const auto launches_on = [](int d) {
    const matrix x = matrix_on(d);
    standin::reset();
    const matrix y = x / lf::sum(x, axis<1>, keepdims);
    return standin::launches().size();
  };
  ::setenv("LAZYFUSE_CACHE", "off", 1);
  on_thread_of(0, [] {
    const matrix x = matrix_on(0);
    lf::tune_detail::remember(lf::tune_detail::rows_of(x / lf::sum(x, axis<1>, keepdims)), lf::plan_choice::cut);
  });
  EXPECT_EQ(launches_on(0), 2u);
  EXPECT_EQ(launches_on(1), 1u);
  lf::tune_detail::forget();
  EXPECT_EQ(launches_on(0), 1u);
}

TEST_F(several_devices, an_evaluation_asks_only_once_which_is_the_current_one) {
  const matrix a = matrix_on(0), b = matrix_on(0), c = matrix_on(0);
  matrix z = matrix_on(0);
  z = a * b + c;
  standin::reset();
  z = a * b + c;
  EXPECT_EQ(standin::calls(), 2);  // cudaGetDevice and the launch
  matrix w = matrix_on(0);
  lf::assign(lf::tie(z, w), w + a, z - b);
  standin::reset();
  lf::assign(lf::tie(z, w), w + a, z - b);
  EXPECT_EQ(standin::calls(), 2);
}

}  // namespace

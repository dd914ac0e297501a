// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a prepared assignment asks of CUDA: the launch, and nothing else; order between streams, and its device. No GPU:
// a runtime of the tests' own stands in.
#include "support/arrays.hpp"
#include "support/standin_cudart.hpp"

namespace {

using lf::axis, lf::keepdims, lf::device;
using matrix = lf::array<float, 2, lf::cuda>;

const bool there_are_two = [] {
  standin::devices(2);
  return true;
}();

matrix ones(lf::index_t rows = 64, lf::index_t columns = 100, int on = 0) {
  return lf::to(lf::ones<float>({rows, columns}), device{on});
}
/// The calls of f after the first time, without those that ask which device is current.
template <class F>
long calls_of(const F& f) {
  f();
  const lf::memory_detail::device_scope<lf::cuda> scope(0);  // nobody asks within
  standin::reset();
  f();
  return standin::calls();
}

class prepared_launches : public ::testing::Test {
 protected:
  void SetUp() override { standin::reset(); }
  void TearDown() override { standin::reset(); }
};

TEST_F(prepared_launches, are_one_call_for_each_kernel) {
  const matrix x = ones(), z = ones();
  matrix y = ones(), w = ones();
  auto flat = lf::prepare(y, x * 2 + z);
  EXPECT_EQ(calls_of([&] { flat(); }), 1);
  EXPECT_EQ(calls_of([&] { flat(w, z * 3 + y); }), 1);
  auto strided = lf::prepare(y, x + lf::flip(z, axis<1>));
  EXPECT_EQ(calls_of([&] { strided(); }), 1);
  auto rows = lf::prepare(y, x - lf::mean(x, axis<1>, keepdims));
  EXPECT_EQ(calls_of([&] { rows(); }), 1);
  EXPECT_EQ(calls_of([&] { rows(w, z - lf::mean(z, axis<1>, keepdims)); }), 1);
  auto cut = lf::prepare(y, x / lf::sum(x, axis<0>) / lf::sum(x, axis<1>, keepdims));
  EXPECT_EQ(calls_of([&] { cut(); }), 3);
  EXPECT_EQ(calls_of([&] { cut(w, z / lf::sum(z, axis<0>) / lf::sum(z, axis<1>, keepdims)); }), 3);
  auto again = lf::prepare(y, y + 1);
  EXPECT_EQ(calls_of([&] { again(); }), 1);
  auto turns = lf::prepare(y, lf::flip(y));
  turns();  // takes its second memory
  EXPECT_EQ(calls_of([&] { turns(); }), 1);
}

TEST_F(prepared_launches, go_to_the_current_stream_and_wait_for_others) {
  const matrix x = ones();
  matrix y = ones();
  auto step = lf::prepare(y, x / lf::barrier(x + 1));
  step();
  const cudaStream_t own = lf::current_stream();
  cudaStream_t other = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  {
    standin::reset();
    const lf::on scope(other);
    step();
    ASSERT_EQ(standin::launched().size(), 2u);
    for (const standin::launch& l : standin::launched()) EXPECT_EQ(l.stream, other);
    for (const standin::wait& w : standin::waits()) EXPECT_TRUE(w.earlier == own && w.later == other);
    EXPECT_EQ(standin::waits().size(), 2u) << "once by each kernel, of whatever it reads and writes";
  }
  standin::reset();
  step();
  for (const standin::wait& w : standin::waits()) EXPECT_TRUE(w.earlier == other && w.later == own);
  EXPECT_EQ(standin::waits().size(), 2u) << "what lies between the kernels, and y";
  lf::synchronize();
  y = {};
}

TEST_F(prepared_launches, stay_on_their_device) {
  const matrix here = ones(), there = ones(64, 100, 1);
  matrix y, z;
  auto step = lf::prepare(y, there * 2);
  standin::reset();
  step();
  ASSERT_EQ(standin::launched().size(), 1u);
  EXPECT_EQ(standin::launched()[0].device, 1);
  EXPECT_EQ(y.device(), device{1});
  EXPECT_EQ(test::thrown_by<lf::device_error>([&] {
              step(z, here * 2);
            }).find("prepare: the arrays are on device 0, and the assignment was prepared on device 1"),
            0u);
  y = here;  // on the other device: the result gets memory where it is computed
  step();
  EXPECT_EQ(y.device(), device{1});
  EXPECT_NE(test::thrown_by<lf::device_error>([&] { lf::prepare(y, here + there); }).find("prepare: "),
            std::string::npos);
  matrix moving = ones();
  auto again = lf::prepare(moving, moving + 1);
  moving = there;
  EXPECT_NE(test::thrown_by<lf::device_error>([&] { again(); }), "");
}

}  // namespace

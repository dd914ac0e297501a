// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array produced on one stream and used on another is ordered by the library; memory is reused only when nobody
// reads it any more. Every test would fail now and then without that order.
#include "support/streams.cuh"

#include <thread>

namespace {

using vector = lf::array<float, 1, lf::cuda>;
using test::many, test::slowly;

class streams : public test::on<lf::cuda> {};

bool everywhere(const vector& x, float value) { return lf::all(x == value).item(); }

TEST_F(streams, a_result_of_one_stream_is_read_on_another) {
  test::stream a, b;
  for (int run = 0; run < 5; ++run) {
    const vector x = lf::materialize(lf::on(a), slowly(lf::full({many}, float(run)) + 1));
    const vector y = lf::materialize(lf::on(b), x * 2);
    EXPECT_TRUE(everywhere(y, 2.0f * float(run + 1))) << run;
  }
}
TEST_F(streams, the_current_stream_waits_for_an_explicit_one) {
  test::stream a;
  for (int run = 0; run < 5; ++run) {
    const vector x = lf::materialize(lf::on(a), slowly(lf::full({many}, float(run)) + 1));
    const vector y = x * 2;
    EXPECT_TRUE(everywhere(y, 2.0f * float(run + 1))) << run;
  }
}
TEST_F(streams, writing_waits_for_a_reader_on_another_stream) {
  test::stream a, b;
  for (int run = 0; run < 5; ++run) {
    vector x = lf::materialize(lf::on(a), lf::full({many}, 1.0f) + 0);
    const vector y = lf::materialize(lf::on(b), slowly(x));
    lf::assign(lf::on(a), x, lf::zeros<float>({many}));
    EXPECT_TRUE(everywhere(y, 1)) << run;
    EXPECT_TRUE(everywhere(x, 0)) << run;
  }
}
TEST_F(streams, memory_freed_on_one_stream_is_not_reused_while_another_reads_it) {
  test::stream a, b;
  for (int run = 0; run < 5; ++run) {
    vector y;
    {
      const vector x = lf::materialize(lf::on(a), lf::full({many}, 1.0f) + 0);
      y = lf::materialize(lf::on(b), slowly(x));
    }
    const vector z = lf::materialize(lf::on(a), lf::full({many}, -5.0f) + 0);
    const vector w = lf::materialize(lf::on(a), lf::full({many}, -7.0f) + 0);
    EXPECT_TRUE(everywhere(y, 1)) << run;
    EXPECT_TRUE(everywhere(z, -5)) << run;
    EXPECT_TRUE(everywhere(w, -7)) << run;
  }
}
TEST_F(streams, assignment_on_another_stream_waits_for_the_old_contents_to_be_written) {
  test::stream a, b;
  for (int run = 0; run < 5; ++run) {
    vector x = lf::materialize(lf::on(a), slowly(lf::full({many}, 1.0f) + 0));
    lf::assign(lf::on(b), x, x + 1);
    lf::assign(lf::on(a), x, x * 10);
    EXPECT_TRUE(everywhere(x, 20)) << run;
  }
}
TEST_F(streams, a_thread_uses_what_another_has_made) {
  vector x;
  std::thread([&] { x = slowly(lf::full({many}, 3.0f) + 0); }).join();
  EXPECT_TRUE(everywhere(x * 2, 6));
}
TEST_F(streams, items_and_copies_wait_for_their_own_stream) {
  test::stream a;
  const vector x = lf::materialize(lf::on(a), slowly(lf::arange<float>(many)));
  EXPECT_EQ(x(7).item(), 7.0f);
  const auto h = lf::to<lf::host>(x(lf::range(0, 5)));
  EXPECT_TRUE(test::evaluates_to(h, test::counting<float>({5})));
}
TEST_F(streams, evaluation_does_not_touch_the_legacy_stream) {
  // while a stream that waits for the legacy one is being captured, any work on the legacy stream is an error
  test::stream a, captured(cudaStreamDefault);
  vector x = lf::materialize(lf::on(a), lf::ones<float>({1000}) + 0);
  vector y = lf::materialize(lf::on(a), x + 1);
  a.wait();
  cudaGraph_t graph = nullptr;
  test::check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed));
  lf::assign(lf::on(a), y, x * 5);
  ASSERT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  std::size_t nodes = 1;
  test::check(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 0u);
  test::check(cudaGraphDestroy(graph));
  EXPECT_TRUE(everywhere(y, 5));
}
TEST_F(streams, the_current_stream_is_not_the_legacy_one) {
  EXPECT_NE(static_cast<cudaStream_t>(lf::current_stream()), nullptr);
  EXPECT_NE(static_cast<cudaStream_t>(lf::current_stream()), cudaStreamLegacy);
}

}  // namespace

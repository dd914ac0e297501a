// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluations are captured in a CUDA graph and replayed over new values.
#include "support/streams.cuh"

#include <lazyfuse/graph.hpp>

namespace {

using vector = lf::array<float, 1, lf::cuda>;

class cuda_graph : public test::on<lf::cuda> {};

using test::values;

TEST_F(cuda_graph, replays_an_assignment_over_new_values) {
  test::stream s;
  vector x = lf::zeros<float>({4}), y = lf::zeros<float>({4}), z = lf::zeros<float>({4});
  lf::synchronize();
  // once outside the capture, so that everything belongs to the stream
  lf::assign(lf::on(s), x, lf::arange<float>(4));
  lf::assign(lf::on(s), y, lf::ones<float>({4}));
  lf::assign(lf::on(s), z, x * 2 + y);
  s.wait();
  test::graph g(s);
  lf::assign(lf::on(s), z, x * 2 + y);
  g.end();
  EXPECT_EQ(g.nodes(), 1u);
  g.replay();
  EXPECT_TRUE(test::evaluates_to(z, values({1, 3, 5, 7})));
  lf::assign(lf::on(s), x, lf::full({4}, 10.0f));
  g.replay();
  EXPECT_TRUE(test::evaluates_to(z, values({21, 21, 21, 21})));
}

TEST_F(cuda_graph, an_update_in_place_accumulates_over_replays) {
  test::stream s;
  vector x = lf::zeros<float>({1000});
  lf::assign(lf::on(s), x, lf::ones<float>({1000}));
  s.wait();
  test::graph g(s);
  lf::assign(lf::on(s), x, x * 2);
  g.end();
  for (int n = 0; n < 5; ++n) g.replay();
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({1000}, 32, 0)));
}

TEST_F(cuda_graph, a_prepared_assignment_is_captured_with_the_memory_between_its_kernels) {
  test::stream s;
  vector x = lf::zeros<float>({1000}), y = lf::zeros<float>({1000});
  lf::assign(lf::on(s), x, lf::ones<float>({1000}));
  auto step = lf::prepare(y, y + lf::barrier(x * 2));
  {
    const lf::on scope(s);
    step();
  }
  s.wait();
  test::graph g(s);
  {
    const lf::on scope(s);
    step();
  }
  g.end();
  EXPECT_EQ(g.nodes(), 2u);
  for (int n = 0; n < 5; ++n) g.replay();
  EXPECT_TRUE(test::evaluates_to(y, test::counting<float>({1000}, 12, 0)));
}

TEST_F(cuda_graph, arrays_made_on_another_stream_are_captured_after_synchronize) {
  test::stream s;  // outlives the arrays last used on it
  vector x = lf::arange<float>(1000), z = lf::zeros<float>({1000});
  lf::synchronize();
  test::graph g(s);
  lf::assign(lf::on(s), z, x + 1);
  g.end();
  g.replay();
  EXPECT_TRUE(test::evaluates_to(z, test::counting<float>({1000}, 1, 1)));
}

TEST_F(cuda_graph, a_reduction_with_its_scratch_memory_is_captured) {
  test::stream s;
  vector x = lf::zeros<float>({1 << 20});
  lf::array<float, 0, lf::cuda> total = lf::full(lf::shape<0>{}, 0.0f);
  lf::array<float, 1, lf::cuda> columns = lf::zeros<float>({1024});
  lf::assign(lf::on(s), x, lf::ones<float>({1 << 20}));
  lf::assign(lf::on(s), total, lf::sum(x));
  lf::assign(lf::on(s), columns, lf::sum(lf::reshape(x, {1024, 1024}), lf::axis<0>));
  s.wait();
  test::graph g(s);
  lf::assign(lf::on(s), total, lf::sum(x * 3));
  lf::assign(lf::on(s), columns, lf::sum(lf::reshape(x, {1024, 1024}), lf::axis<0>) + 1);
  g.end();
  for (int n = 0; n < 3; ++n) g.replay();
  EXPECT_EQ(total.item(), 3.0f * (1 << 20));
  EXPECT_TRUE(test::evaluates_to(columns, test::counting<float>({1024}, 1025, 0)));
  lf::assign(lf::on(s), x, lf::full({1 << 20}, 2.0f));
  g.replay();
  EXPECT_EQ(total.item(), 6.0f * (1 << 20));
}

TEST_F(cuda_graph, a_temporary_lives_within_the_graph) {
  test::stream s;
  lf::array<float, 2, lf::cuda> x = lf::zeros<float>({64, 64});
  lf::assign(lf::on(s), x, lf::reshape(lf::arange<float>(4096), {64, 64}));
  s.wait();
  test::graph g(s);
  {
    const auto doubled = lf::materialize(lf::on(s), x * 2);
    // a statement of its own: while an expression over x lives, x is not written in place
    const auto difference = lf::materialize(lf::on(s), doubled - x);
    lf::assign(lf::on(s), x, difference + 1);
  }
  g.end();
  g.replay();
  g.replay();
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({64, 64}, 2, 1)));
}

TEST_F(cuda_graph, a_recorded_loop_is_a_part_of_what_is_captured) {
  test::stream s;
  vector x = lf::ones<float>({1000});
  lf::graph loop =
      lf::record<lf::cuda>([&] { lf::while_loop([&] { return lf::max(x) < 100.0f; }, [&] { x = x * 2; }); });
  lf::assign(lf::on(s), x, x + 0);
  lf::synchronize();
  test::graph g(s);
  loop.launch(s);
  lf::assign(lf::on(s), x, x + 1);
  g.end();
  g.replay();
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({1000}, 129, 0)));
  g.replay();
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({1000}, 130, 0)));
  loop.launch();
  EXPECT_TRUE(test::evaluates_to(x, test::counting<float>({1000}, 130, 0)));
}

TEST_F(cuda_graph, kernels_of_a_chain_see_what_the_one_before_has_written) {
  for (const lf::index_t n : {1000, 1 << 18, 1 << 22}) {
    const vector x = lf::sin(lf::arange<float>(n));
    vector y = lf::zeros<float>({n}), z = y + 0, want, with;
    const auto chain = [&](vector& a, vector& b) {
      a = x + 0;
      for (int i = 0; i < 100; ++i) {  // a block reads what any block of the one before may have written
        b = lf::flip(a) * 0.5f + x;
        a = lf::roll(b, 3 * n / 4 + 1) + 1;
      }
    };
    lf::graph g = lf::record<lf::cuda>([&] {
      chain(y, z);
      y = y * 2;
      y = y - 1;
      y = y / 3;
    });
    g.launch();
    g.launch();
    chain(want, with);
    want = want * 2;
    want = want - 1;
    want = want / 3;
    EXPECT_TRUE(lf::array_equal(y, want)) << n;
  }
}

}  // namespace

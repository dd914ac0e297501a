// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is recorded is computed by launches alone, each as the evaluations would have computed it by then; kernels wait
// for those that their memory makes them wait for, and for no others.
#include "support/arrays.hpp"
#include "support/messages.hpp"

#include <lazyfuse/graph.hpp>

#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace {

using lf::axis, lf::keepdims, lf::none, lf::range;

template <class Space>
class graphs : public test::on<Space> {};
TYPED_TEST_SUITE(graphs, test::spaces, test::space_name);

template <class Space>
using vector = lf::array<float, 1, Space>;
template <class Space>
using matrix = lf::array<float, 2, Space>;
using test::evaluates_to, test::mentions, test::message_of, test::values;

template <class Space>
matrix<Space> counting(float first, float step = 0.37f, const test::extents& shape = {20, 36}) {
  return test::array_of<Space, 2>(test::counting<float>(shape, first, step));
}

/// "0>1 0>2" of what the graph says in Graphviz's language.
std::string edges_of(const lf::graph& g) {
  const std::string text = g.dot();
  std::string found;
  for (std::size_t at = text.find(" -> "); at != std::string::npos; at = text.find(" -> ", at + 1)) {
    const std::size_t begin = text.rfind('n', at) + 1, end = text.find(';', at);
    found += (found.empty() ? "" : " ") + text.substr(begin, at - begin) + ">" + text.substr(at + 5, end - at - 5);
  }
  return found;
}

/// Calls each(text, make) for expressions of every pattern.
template <class Each>
void each_expression(const Each& each) {
  each("a transform", [](const auto& x, const auto& z) { return 2 * x + lf::sin(z); });
  each("views", [](const auto& x, const auto& z) { return lf::flip(x, axis<1>) + z(0); });
  each("sums of rows", [](const auto& x, const auto& z) { return lf::sum(x * 2 + z, axis<1>, keepdims); });
  each("rows", [](const auto& x, const auto& z) { return lf::softmax(x - z, axis<1>); });
  each("a running sum", [](const auto& x, const auto&) { return lf::cumsum(x, axis<1>); });
#if !defined(__CUDACC__)  // which takes a while for each pattern
  each("a product", [](const auto& x, const auto& z) { return lf::matmul(x, z.T()) + 1; });
  each("several kernels", [](const auto& x, const auto& z) { return lf::barrier(x * z) - lf::sum(z); });
  each("a gather", [](const auto& x, const auto&) { return lf::take(x, lf::arange(3) * 2, axis<0>); });
#endif
}

TYPED_TEST(graphs, compute_at_each_launch_what_evaluations_would) {
  each_expression([](const char* text, const auto& make) {
    SCOPED_TRACE(text);
    matrix<TypeParam> x = counting<TypeParam>(1), z = counting<TypeParam>(-3, 0.11f), y;
    lf::graph g = lf::record<TypeParam>([&] { y = make(x, z); });
    EXPECT_GE(g.nodes(), 1);
    for (const float by : {1.0f, -2.0f}) {
      x = x * by;
      g.launch();
      EXPECT_TRUE(evaluates_to(y, test::tensor_of(make(x, z))));
    }
  });
}

TYPED_TEST(graphs, compute_nothing_before_they_are_launched) {
  vector<TypeParam> x = lf::arange<float>(5), y = lf::zeros<float>({5});
  lf::kernel_trace trace;
  lf::graph g = lf::record<TypeParam>([&] { y = x + 1; });
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_TRUE(evaluates_to(y, values({0, 0, 0, 0, 0})));
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({1, 2, 3, 4, 5})));
}

TYPED_TEST(graphs, wait_for_memory_alone) {
  vector<TypeParam> x, y, z, a, b;
  vector<TypeParam>* const all[] = {&x, &y, &z, &a, &b};
  const auto fill = [&] {
    for (vector<TypeParam>* v : all) *v = lf::arange<float>(100);
  };
  const struct {
    const char *text, *edges;
    std::function<void()> run;
  } cases[] = {
      {"nothing", "", [] {}},
      {"independent ones", "",
       [&] {
         y = x + 1;
         z = x * 2;
       }},
      {"a chain", "0>1 1>2",
       [&] {
         y = x + 1;
         z = y * 2;
         a = z - 1;
       }},
      {"a diamond", "0>1 0>2 1>3 2>3",
       [&] {
         y = x + 1;
         z = y * 2;
         a = y * 3;
         b = z + a;
       }},
      {"written after it was read", "0>1",
       [&] {
         y = x + 1;
         x = z * 2;
       }},
      {"written after it was read twice", "0>2 1>2",
       [&] {
         y = x + 1;
         z = x - 1;
         x = a * 2;
       }},
      {"written after it was written", "0>1",
       [&] {
         y = x + 1;
         y = z * 2;
       }},
      {"read after it was written again", "0>1 1>2",
       [&] {
         y = x + 1;
         y = z * 2;
         a = y + 1;
       }},
      {"in place, three times", "0>1 1>2",
       [&] {
         x = x + 1;
         x = x * 2;
         x = x - 1;
       }},
      {"read beside what is written in place", "0>1 0>2",
       [&] {
         y = x + 1;
         y = y * 2;
         x = x * 3;
       }},
      {"temporaries", "0>1 2>3",
       [&] {
         const auto t = lf::materialize(x + 1);
         y = t * 2;
         const auto s = lf::materialize(x + 2);
         z = s * 2;
       }},
      {"parts of one array", "0>1 1>2",
       [&] {
         y(range(0, 50)) = x(range(0, 50));
         y(range(50, 100)) = z(range(0, 50));
         a = y + 1;
       }},
      {"within one expression", "0>1", [&] { y = lf::barrier(x + 1) * 2; }},
      {"four chains", "0>1 2>3 4>5 6>7",
       [&] {
         for (vector<TypeParam>* v : {&y, &z, &a, &b}) {
           *v = x + 1;
           *v = *v * 2;
         }
       }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    fill();
    lf::graph g = lf::record<TypeParam>(c.run);
    EXPECT_EQ(edges_of(g), c.edges) << g.dot();
    EXPECT_EQ(static_cast<int>(g.kernels().size()), g.nodes());
    fill();
    g.launch();
    std::vector<test::tensor<float>> got;
    for (const vector<TypeParam>* v : all) got.push_back(test::tensor_of(*v));
    fill();
    c.run();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(evaluates_to(*all[i], got[i])) << "array " << i;
  }
}

TYPED_TEST(graphs, go_on_from_what_the_last_launch_left) {
  vector<TypeParam> x = lf::ones<float>({1000});
  lf::graph g = lf::record<TypeParam>([&] { x = x * 2; });
  for (int n = 0; n < 5; ++n) g.launch();
  EXPECT_TRUE(evaluates_to(x, test::counting<float>({1000}, 32, 0)));
}

TYPED_TEST(graphs, read_scalars_that_are_arrays_of_rank_zero) {
  vector<TypeParam> x = lf::arange<float>(3), y = lf::zeros<float>({3});
  lf::array<float, 0, TypeParam> a = lf::full(lf::shape<0>{}, 2.0f);
  lf::graph g = lf::record<TypeParam>([&] { y = a * x; });
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({0, 2, 4})));
  a = -1.0f;
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({-0.0, -1, -2})));
}

TYPED_TEST(graphs, keep_the_memory_that_they_use) {
  std::optional<lf::graph> g;
  vector<TypeParam> y = lf::zeros<float>({3});
  {
    vector<TypeParam> x = lf::arange<float>(3), t;
    g = lf::record<TypeParam>([&] {
      t = x + 1;
      y = t * 2;
    });
  }
  vector<TypeParam> others[8];
  for (auto& o : others) o = lf::full({3}, 77.0f);  // in memory that was given back
  g->launch();
  EXPECT_TRUE(evaluates_to(y, values({2, 4, 6})));
  g.reset();
  EXPECT_TRUE(evaluates_to(y, values({2, 4, 6})));
}

TYPED_TEST(graphs, give_memory_back_with_their_end) {
  lf::kernel_trace trace;
  {
    std::optional<lf::graph> g;
    {
      const vector<TypeParam> x(lf::shape(1000));
      g = lf::record<TypeParam>([&] { (void)lf::materialize(lf::barrier(x + 1) * 2); });
    }
    EXPECT_EQ(trace.peak_bytes(), 12000);
  }
  const vector<TypeParam> another(lf::shape(3000));
  EXPECT_EQ(trace.peak_bytes(), 12000);
}

TYPED_TEST(graphs, are_rebound_to_other_arrays) {
  vector<TypeParam> x = lf::arange<float>(4), y = lf::zeros<float>({4}), z = lf::zeros<float>({4});
  vector<TypeParam> other = lf::full({4}, 10.0f), result = lf::zeros<float>({4});
  lf::graph g = lf::record<TypeParam>([&] {
    y = x(range(none, none, -1)) + 1;
    z = lf::sum(y) * x + y;
  });
  g.launch();
  EXPECT_TRUE(evaluates_to(z, values({4, 13, 22, 31})));
  g.rebind(x, other);
  g.launch();
  EXPECT_TRUE(evaluates_to(z, values({451, 451, 451, 451})));
  g.rebind(z, result);
  z = 0.0f;
  g.launch();
  EXPECT_TRUE(evaluates_to(result, values({451, 451, 451, 451})));
  EXPECT_TRUE(evaluates_to(z, values({0, 0, 0, 0})));
  g.rebind(other, x);
  g.launch();
  EXPECT_TRUE(evaluates_to(result, values({4, 13, 22, 31})));
}

TYPED_TEST(graphs, say_why_they_cannot_be_rebound) {
  vector<TypeParam> x = lf::arange<float>(4), y = lf::zeros<float>({4}), unused = lf::zeros<float>({4}),
                    longer = lf::zeros<float>({5});
  lf::graph g = lf::record<TypeParam>([&] { y = x + 1; });
  EXPECT_TRUE(
      mentions(message_of<lf::shape_error>([&] { g.rebind(x, longer); }), {"rebind", "(4,)", "(5,)", "graphs.cpp"}));
  EXPECT_TRUE(mentions(message_of<lf::graph_error>([&] { g.rebind(unused, x); }), {"no kernel", "the first array"}));
  EXPECT_TRUE(mentions(message_of<lf::graph_error>([&] { g.rebind(x, y); }), {"uses the second array already"}));
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({1, 2, 3, 4})));
}

TYPED_TEST(graphs, change_no_copy_of_what_they_write) {
  vector<TypeParam> x = lf::arange<float>(3), y = lf::zeros<float>({3});
  lf::graph g = lf::record<TypeParam>([&] { y = x + 1; });
  {
    const vector<TypeParam> saved = y;
    EXPECT_TRUE(
        mentions(message_of<lf::graph_error>([&] { g.launch(); }), {"node 0 (x0 + x1)", "shares", "graphs.cpp"}));
    EXPECT_TRUE(evaluates_to(saved, values({0, 0, 0})));
    const vector<TypeParam> also_read = x;
  }
  const auto reads = x + 2;  // of what is read there may be copies
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({1, 2, 3})));
}

TYPED_TEST(graphs, are_told_of_what_they_compute) {
  matrix<TypeParam> x = counting<TypeParam>(1), y = counting<TypeParam>(2);
  const lf::graph g = lf::record<TypeParam>([&] {
    y = x * 2;
    y = y + lf::sum(y, axis<1>, keepdims);
  });
  EXPECT_EQ(g.kernels().front(), "x0 * x1");
  const std::string text = g.dot();
  EXPECT_TRUE(mentions(text, {"digraph", "n0 [label=\"transform: x0 * x1\\n(720,)\"]", "n0 -> n1;"})) << text;
}

#if !defined(__CUDACC__)
TYPED_TEST(graphs, of_what_else_evaluates) {
  matrix<TypeParam> x = counting<TypeParam>(1), y = counting<TypeParam>(2), z, w;
  auto step = lf::prepare(y, x + lf::barrier(y * 2));
  const auto run = [&] {
    step();
    lf::assign(lf::tie(z, w), x + y, x - y);
    lf::lazy_array<float, 2, TypeParam> sum = x;
    for (int i = 0; i < 3; ++i) sum = sum * y + 1;
    w = sum;
    const auto [low, high] = lf::materialize(lf::min(w), lf::max(w));
    z = (w - low) / (high - low);
  };
  lf::graph g = lf::record<TypeParam>(run);
  g.launch();
  g.launch();
  const auto got = test::tensor_of(z);
  y = counting<TypeParam>(2);
  run();
  run();
  EXPECT_TRUE(evaluates_to(z, got));
}
#endif

TYPED_TEST(graphs, of_memory_of_others_wait_for_all_of_it) {
  vector<TypeParam> here = lf::arange<float>(8), y = lf::zeros<float>({4});
  float* const p = here.data();
  auto a = lf::borrow<TypeParam>(p, {4}), b = lf::borrow<TypeParam>(p + 2, {4});
  lf::graph g = lf::record<TypeParam>([&] {
    lf::into(a) = y + 1;
    y = b + 0;
  });
  EXPECT_EQ(edges_of(g), "0>1");
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({1, 1, 4, 5})));
}

TYPED_TEST(graphs, of_several_threads_are_apart) {
  std::vector<std::thread> threads;
  int wrong[4] = {};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      vector<TypeParam> x = lf::full({100}, float(t)), y = lf::zeros<float>({100});
      lf::graph g = lf::record<TypeParam>([&] { y = x + 1; });
      for (int n = 0; n < 10; ++n) {
        g.launch();
        x = x * 2;
      }
      wrong[t] = g.nodes() != 1 || lf::max(y).item() != float(t) * 512 + 1;
    });
  for (std::thread& t : threads) t.join();
  for (const int w : wrong) EXPECT_EQ(w, 0);
}

TYPED_TEST(graphs, leave_nothing_behind_where_the_function_throws) {
  vector<TypeParam> x = lf::arange<float>(3), y = lf::zeros<float>({3});
  EXPECT_THROW(lf::record<TypeParam>([&] {
                 y = x + 1;
                 throw std::runtime_error("of the user's own");
               }),
               std::runtime_error);
  y = x + 2;
  EXPECT_TRUE(evaluates_to(y, values({2, 3, 4})));
}

TYPED_TEST(graphs, refuse_what_asks_for_elements) {
  vector<TypeParam> x = lf::arange<float>(3), y = lf::zeros<float>({3});
  lf::graph inner = lf::record<TypeParam>([&] { y = x + 1; });
  const struct {
    const char *call, *why;
    std::function<void()> run;
  } cases[] = {
      {"item", "asks for elements", [&] { (void)lf::sum(x).item(); }},
      {"item", "asks for elements", [&] { (void)lf::array_equal(x, y); }},
      {"printing", "asks for elements",
       [&] {
         std::ostringstream out;
         out << x;
       }},
      {"printing", "asks for elements", [&] { (void)lf::format(x + 1); }},
      {"tune", "computed at once", [&] { (void)lf::tune(x - lf::mean(x)); }},
      {"launch", "computed at once", [&] { inner.launch(); }},
      {"record", "already", [&] { (void)lf::record<TypeParam>([] {}); }},
  };
  for (const auto& c : cases) {
    const std::string text = message_of<lf::graph_error>([&] {
      (void)lf::record<TypeParam>([&] {
        y = x * 2;
        c.run();
      });
    });
    EXPECT_TRUE(mentions(text, {c.call, c.why})) << c.call << ": " << text;
    EXPECT_EQ(lf::sum(x).item(), 3) << c.call;
  }
}

TYPED_TEST(graphs, of_nothing_do_nothing) {
  lf::graph g = lf::record<TypeParam>([] {});
  g.launch();
  EXPECT_EQ(g.nodes(), 0);
  vector<TypeParam> empty, y;
  lf::graph of_empty = lf::record<TypeParam>([&] { y = empty + 1; });
  of_empty.launch();
  EXPECT_EQ(of_empty.nodes(), 0);
}

}  // namespace

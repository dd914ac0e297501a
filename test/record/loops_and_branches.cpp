// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and branches compute what those of C++ would, without asking the host; arrays stay where they are. Copies and
// functions of one's own are parts of graphs.
#include "support/arrays.hpp"
#include "support/messages.hpp"

#include <lazyfuse/graph.hpp>

#include <functional>
#include <stdexcept>
#include <tuple>

namespace {

template <class Space>
class loops : public test::on<Space> {};
TYPED_TEST_SUITE(loops, test::spaces, test::space_name);

template <class Space>
using vector = lf::array<float, 1, Space>;
template <class Space>
using number = lf::array<float, 0, Space>;
template <class Space>
using flag = lf::array<bool, 0, Space>;
using test::evaluates_to, test::mentions, test::message_of, test::values;

TYPED_TEST(loops, run_as_long_as_the_condition_holds) {
  for (const float from : {100.0f, 9.0f, 0.5f}) {  // of the last no turn
    vector<TypeParam> x = lf::arange<float>(5) * from, turns = lf::zeros<float>({1});
    const float* const place = std::as_const(x).data();
    lf::while_loop([&] { return lf::max(x) > 3.0f; },
                   [&] {
                     x = x / 2;
                     turns = turns + 1;
                   });
    vector<TypeParam> want = lf::arange<float>(5) * from;
    float n = 0;
    for (; lf::max(want).item() > 3.0f; ++n) want = want / 2;
    EXPECT_TRUE(evaluates_to(x, test::tensor_of(want)));
    EXPECT_TRUE(evaluates_to(turns, values({n})));
    EXPECT_EQ(std::as_const(x).data(), place);
  }
}

TYPED_TEST(loops, run_until_their_body_says_so) {
  number<TypeParam> a = lf::full(lf::shape<0>{}, 27.0f), steps = lf::full(lf::shape<0>{}, 0.0f);
  flag<TypeParam> going = lf::full(lf::shape<0>{}, true);
  lf::while_loop(going, [&] {  // Collatz
    a = lf::where(lf::fmod(a, 2.0f) == 0, a / 2, 3 * a + 1);
    lf::assign(lf::tie(steps, going), steps + 1, a != 1);
  });
  EXPECT_EQ(steps.item(), 111);
  EXPECT_FALSE(going.item());
}

TYPED_TEST(loops, are_parts_of_graphs) {
  vector<TypeParam> x = lf::ones<float>({100}), y = lf::zeros<float>({100}), z = lf::zeros<float>({100});
  number<TypeParam> limit = lf::full(lf::shape<0>{}, 10.0f);
  lf::graph g = lf::record<TypeParam>([&] {
    y = x + 0;
    z = x * 2;  // nobody waits for it
    lf::while_loop([&] { return lf::sum(y) < limit * 100; }, [&] { y = y * 2; });
    y = -y;
  });
  lf::kernel_trace trace;
  EXPECT_EQ(trace.launches(), 0);
  for (const float l : {10.0f, 100.0f, 1.0f}) {
    limit = l;
    g.launch();
    float want = 1;
    while (want < l) want *= 2;
    EXPECT_TRUE(evaluates_to(y, test::counting<float>({100}, -want, 0)));
  }
  EXPECT_TRUE(evaluates_to(z, test::counting<float>({100}, 2, 0)));
  const std::string text = g.dot();
  EXPECT_TRUE(mentions(text, {"label=\"while_loop\", shape=diamond", "subgraph cluster_n", "while n", "style=dotted"}))
      << text;
}

TYPED_TEST(loops, copy_what_is_computed_of_other_places) {
  vector<TypeParam> x = lf::arange<float>(6), y = lf::zeros<float>({6});
  number<TypeParam> n = lf::full(lf::shape<0>{}, 0.0f);
  const float *const place = std::as_const(x).data(), *const other = std::as_const(y).data();
  lf::while_loop([&] { return n < 4.0f; },
                 [&] {
                   x = lf::roll(x, 1);
                   lf::assign(lf::tie(x, y), lf::flip(y), lf::flip(x));  // both of the values before
                   n += 1.0f;
                 });
  vector<TypeParam> want = lf::arange<float>(6), with = lf::zeros<float>({6});
  for (int i = 0; i < 4; ++i) {
    want = lf::roll(want, 1);
    lf::assign(lf::tie(want, with), lf::flip(with), lf::flip(want));
  }
  EXPECT_TRUE(evaluates_to(x, test::tensor_of(want)));
  EXPECT_TRUE(evaluates_to(y, test::tensor_of(with)));
  EXPECT_EQ(std::as_const(x).data(), place);
  EXPECT_EQ(std::as_const(y).data(), other);
}

TYPED_TEST(loops, branch) {
  vector<TypeParam> x = lf::arange<float>(3), y = lf::zeros<float>({3});
  number<TypeParam> a = lf::full(lf::shape<0>{}, 0.0f);
  lf::graph one = lf::record<TypeParam>([&] { lf::cond(a > 0.0f, [&] { y = x + a; }); });
  lf::graph two = lf::record<TypeParam>([&] {
    lf::cond(
        a > 0.0f, [&] { y = x * 10; }, [&] { y = lf::flip(y); });
  });
  one.launch();
  EXPECT_TRUE(evaluates_to(y, values({0, 0, 0})));
  a = 5.0f;
  one.launch();
  EXPECT_TRUE(evaluates_to(y, values({5, 6, 7})));
  two.launch();
  EXPECT_TRUE(evaluates_to(y, values({0, 10, 20})));
  a = -1.0f;
  two.launch();
  EXPECT_TRUE(evaluates_to(y, values({20, 10, 0})));
  EXPECT_TRUE(mentions(two.dot(), {"label=\"cond\"", "if n", "else n"})) << two.dot();
  const lf::graph in_place = lf::record<TypeParam>([&] { lf::cond(lf::max(y) > 0, [&] { y = y * 2; }); });
  EXPECT_EQ(in_place.nodes(), 3);  // without a copy
}

TYPED_TEST(loops, contain_others) {
  number<TypeParam> i = lf::full(lf::shape<0>{}, 0.0f), j = i + 0, sum = i + 0, odd = i + 0;
  lf::graph g = lf::record<TypeParam>([&] {
    i = 0.0f;
    lf::while_loop([&] { return i < 5.0f; },
                   [&] {
                     j = 0.0f;
                     lf::while_loop([&] { return j < i; },
                                    [&] {
                                      sum = sum + j;
                                      j = j + 1;
                                    });
                     lf::cond(lf::fmod(i, 2.0f) == 1, [&] { odd = odd + 1; });
                     i = i + 1;
                   });
  });
  for (const float times : {1.0f, 2.0f}) {
    g.launch();
    EXPECT_EQ(sum.item(), 10 * times);
    EXPECT_EQ(odd.item(), 2 * times);
  }
}

TYPED_TEST(loops, iterate_until) {
  const vector<TypeParam> a{1, 4, 9, 16};
  const auto root = [&](const auto& x) { return (x + a / x) / 2; };
  const auto near = [&](const auto& x) { return lf::max(lf::abs(x * x - a)) < 1e-4f; };
  vector<TypeParam> x = lf::iterate_until(near, root, a);
  EXPECT_TRUE(lf::all(lf::abs(x - lf::sqrt(a)) < 1e-4f).item());
  EXPECT_TRUE(evaluates_to(a, values({1, 4, 9, 16})));

  vector<TypeParam> y;
  lf::graph g = lf::record<TypeParam>([&] {
    y = lf::iterate_until(
        near, [&](const auto& v) { return lf::materialize(root(v)); }, a * 2 + 1);
  });
  for (int n = 0; n < 2; ++n) {
    g.launch();
    EXPECT_TRUE(lf::all(lf::abs(y * y - a) < 1e-3f).item());
  }

  // what is returned of several sees the values before
  const lf::array<int, 0, TypeParam> zero;
  const auto [first, second, count] =
      lf::iterate_until([](const auto& f, const auto&, const auto&) { return f > 1000; },
                        [](const auto& f, const auto& s, const auto& n) { return std::tuple(s + 0, f + s, n + 1); },
                        zero, zero + 1, zero);
  EXPECT_EQ(first.item(), 1597);
  EXPECT_EQ(second.item(), 2584);
  EXPECT_EQ(count.item(), 17);
}

TYPED_TEST(loops, use_other_arrays_once_they_are_rebound) {
  vector<TypeParam> x = lf::ones<float>({4}), y = lf::zeros<float>({4}), other = lf::full({4}, 3.0f),
                    result = lf::zeros<float>({4});
  lf::graph g = lf::record<TypeParam>([&] {
    y = x + 0;
    lf::while_loop([&] { return lf::max(y) < 10.0f; }, [&] { y = lf::flip(y) + x; });
  });
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({10, 10, 10, 10})));
  g.rebind(x, other);
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({12, 12, 12, 12})));
  g.rebind(y, result);
  y = 0.0f;
  g.launch();
  EXPECT_TRUE(evaluates_to(result, values({12, 12, 12, 12})));
  EXPECT_TRUE(evaluates_to(y, values({0, 0, 0, 0})));
}

TYPED_TEST(loops, ask_the_condition_that_they_are_rebound_to) {
  vector<TypeParam> x = lf::zeros<float>({4});
  flag<TypeParam> going = lf::full(lf::shape<0>{}, true), other = lf::full(lf::shape<0>{}, true);
  const auto record = [&] {
    return lf::record<TypeParam>(
        [&] { lf::while_loop(going, [&] { lf::assign(lf::tie(x, going), x + 1, lf::max(x) < 4.0f); }); });
  };
  lf::graph g = record();
  g.launch();
  EXPECT_TRUE(evaluates_to(x, values({5, 5, 5, 5})));
  g.rebind(going, other);
  x = 2.0f;
  g.launch();  // the first one has ended
  EXPECT_TRUE(evaluates_to(x, values({5, 5, 5, 5})));
  EXPECT_FALSE(other.item());
  g.launch();
  EXPECT_TRUE(evaluates_to(x, values({5, 5, 5, 5})));
}

TYPED_TEST(loops, say_what_cannot_be_in_them) {
  vector<TypeParam> x = lf::ones<float>({4}), y = lf::ones<float>({4}), shared = lf::ones<float>({4});
  const vector<TypeParam> copy = shared;
  const auto goes_on = [&] { return lf::max(x) < 10.0f; };
  const struct {
    const char* why;
    std::function<void()> run;
  } cases[] = {
      {"another shape", [&] { x = lf::concat(x, x); }},
      {"memory of another one",
       [&] {
         y = y + x;
         x = y;
       }},
      {"does not assign to the condition",
       [&] {
         flag<TypeParam> going = lf::full(lf::shape<0>{}, true);
         lf::while_loop(going, [&] { y = y + 1; });
       }},
      {"item: asks for elements", [&] { x = x + lf::max(x).item(); }},
      {"shares", [&] { shared = shared + x; }},
  };
  for (const auto& c : cases) {
    const std::string text = message_of<lf::graph_error>([&] {
      lf::while_loop(goes_on, [&] {
        x = x * 2;
        c.run();
      });
    });
    EXPECT_TRUE(mentions(text, {c.why})) << c.why << ": " << text;
    x = lf::ones<float>({4});  // nothing is recorded any more
    EXPECT_EQ(lf::max(x).item(), 1);
  }
}

TYPED_TEST(loops, leave_no_part_where_their_body_throws) {
  vector<TypeParam> x = lf::ones<float>({4}), y = lf::zeros<float>({4});
  lf::graph g = lf::record<TypeParam>([&] {
    try {
      lf::while_loop([&] { return lf::max(x) < 10.0f; },
                     [&] {
                       x = x * 2;
                       throw std::runtime_error("of the user's own");
                     });
    } catch (const std::runtime_error&) {
    }
    y = x + 1;
  });
  g.launch();
  EXPECT_TRUE(evaluates_to(y, values({2, 2, 2, 2})));
  EXPECT_TRUE(evaluates_to(x, values({1, 1, 1, 1})));
}

TYPED_TEST(loops, have_copies_and_calls_beside_them) {
  lf::array<float, 1, lf::host> in = lf::arange<float>(4), out = lf::zeros<float>({4}), seen = lf::zeros<float>({4});
  vector<TypeParam> x = lf::zeros<float>({4}), y = lf::zeros<float>({4});
  int calls = 0;
  const float *const from = std::as_const(out).data(), *const first = std::as_const(in).data();
  lf::graph g = lf::record<TypeParam>([&] {
    lf::copyto(x, in);
    y = x * 2;
    lf::copyto(out, y);
    lf::call(
        [&, to = seen.data()] {
          ++calls;
          for (int i = 0; i < 4; ++i) to[i] = from[i];
        },
        std::as_const(out), seen);
  });
  EXPECT_TRUE(mentions(g.dot(), {"label=\"copy\\n16 bytes\"", "label=\"call\"", "n0 -> n1;", "n1 -> n2;", "n2 -> n3;"}))
      << g.dot();
  for (const float by : {1.0f, 3.0f}) {
    in = in * by;
    EXPECT_EQ(std::as_const(in).data(), first);
    g.launch();
    lf::synchronize();
    EXPECT_TRUE(evaluates_to(out, values({0, 2 * by, 4 * by, 6 * by})));
    EXPECT_TRUE(evaluates_to(seen, values({0, 2 * by, 4 * by, 6 * by})));
  }
  EXPECT_EQ(calls, 2);
  lf::copyto(out, x);
  EXPECT_TRUE(evaluates_to(out, values({0, 3, 6, 9})));
  lf::call([&] { ++calls; }, out);
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(mentions(message_of<lf::shape_error>([&] { lf::copyto(out, vector<TypeParam>(lf::shape(3))); }),
                       {"copyto", "(4,)", "(3,)"}));
}

TYPED_TEST(loops, tell_the_next_launch_what_a_call_throws) {
  vector<TypeParam> x = lf::zeros<float>({4});
  bool throws = true;
  lf::graph g = lf::record<TypeParam>([&] {
    lf::call(
        [&] {
          if (std::exchange(throws, false)) throw std::runtime_error("of the user's own");
        },
        x);
  });
  const auto launch = [&] {
    g.launch();
    lf::synchronize();
  };
  EXPECT_THROW(
      {
        launch();
        launch();
      },
      std::runtime_error);
  launch();
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What CUDA is asked for by graphs: nodes and what they wait for, launches in the order of streams, new parameters, and
// what is left where a call fails. Kernels are made for the stand-in's device; nothing runs.
#include "support/failing_new.hpp"
#include "support/messages.hpp"
#include "support/standin_programs.hpp"

#include <lazyfuse/cuda.hpp>
#include <lazyfuse/graph.hpp>
#include <lazyfuse/select.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

namespace lf = lazyfuse;
using lf::axis, lf::range;
using vector = lf::array<float, 1>;
using test::mentions, test::message_of;
static_assert(std::is_same_v<vector::space, lf::cuda>);

class recorded_graphs : public test::by_standin {};

/// A stream of its own.
struct stream {
  cudaStream_t handle = nullptr;
  stream() { cudaStreamCreate(&handle); }
  ~stream() { cudaStreamDestroy(handle); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
};

/// "transform_flat transform_flat<0 memset<1"; bodies are in brackets.
std::string text_of(const std::vector<standin::graph_node>& nodes) {
  std::string text;
  for (const standin::graph_node& n : nodes) {
    text += (text.empty() ? "" : " ") + n.what;
    for (const int before : n.after) text += "<" + std::to_string(before);
    for (const auto& body : n.bodies) text += "[" + text_of(body) + "]";
  }
  return text;
}
std::string nodes_of_cuda() { return text_of(standin::graph()); }

TEST_F(recorded_graphs, have_nodes_that_wait_for_memory_alone) {
  vector x(lf::shape(1000)), y(lf::shape(1000)), z(lf::shape(1000)), a(lf::shape(1000)), b(lf::shape(1000));
  lf::array<float, 0> total;
  const vector large(lf::shape(1 << 22));
  const struct {
    const char* nodes;
    std::function<void()> run;
  } cases[] = {
      {"", [] {}},
      {"transform_flat transform_flat",
       [&] {
         y = x + 1;
         z = x * 2;
       }},
      {"transform_flat transform_flat<0 transform_flat<0 transform_flat<1<2",
       [&] {
         y = x + 1;
         z = y * 2;
         a = y * 3;
         b = z + a;
       }},
      {"transform_flat transform_flat<0",
       [&] {
         y = x + 1;
         x = z * 2;
       }},
      {"transform_flat transform_flat transform_flat<0<1",
       [&] {
         y = x + 1;
         z = x - 1;
         x = a * 2;
       }},
      {"transform_flat transform_flat<0 transform_flat transform_flat<2",
       [&] {
         const auto t = lf::materialize(x + 1);
         y = t * 2;
         const auto s = lf::materialize(x + 2);
         z = s * 2;
       }},
      // partial sums are in memory of the graph's own, and so are counters, which what scans makes zero first
      {"reduce_rows reduce_rows",
       [&] {
         total = lf::sum(large);
         a(0) = lf::sum(large * large);
       }},
      {"memset scan_tiles<0 reduce_rows<1", [&] { total = lf::sum(lf::materialize(lf::cumsum(large))); }},
  };
  for (const auto& c : cases) {
    lf::graph g = lf::record(c.run);
    EXPECT_EQ(nodes_of_cuda(), c.nodes);
    EXPECT_TRUE(standin::launches().empty());
    g.launch();
    g.launch();
    EXPECT_EQ(standin::graph_launches().size(), 2u);
    EXPECT_TRUE(standin::launches().empty());
    standin::reset();
  }
}

TEST_F(recorded_graphs, are_launched_by_one_call_and_allocate_nothing) {
  vector x(lf::shape(1000)), y(lf::shape(1000));
  lf::graph g = lf::record([&] {
    const auto t = lf::materialize(x + 1);
    y = t * lf::sum(t);
  });
  g.launch();
  standin::reset();
  const standin::balance live = standin::live();
  g.launch();
  EXPECT_EQ(standin::calls(), 1);
  EXPECT_EQ(standin::live(), live);
}

TEST_F(recorded_graphs, are_in_order_with_what_uses_their_memory) {
  const stream s, t, u;
  vector x(lf::shape(1000)), y(lf::shape(1000)), z(lf::shape(1000));
  lf::graph g = lf::record([&] { y = x + 1; });
  lf::assign(lf::on(s.handle), x, lf::zeros<float>({1000}));
  standin::reset();
  g.launch(t.handle);
  ASSERT_EQ(standin::graph_launches().size(), 1u);
  EXPECT_EQ(standin::graph_launches()[0], t.handle);
  const auto waits = [](cudaStream_t earlier, cudaStream_t later) {
    for (const standin::wait& w : standin::waits())
      if (w.earlier == earlier && w.later == later) return true;
    return false;
  };
  EXPECT_TRUE(waits(s.handle, t.handle));
  standin::reset();
  lf::assign(lf::on(u.handle), z, y * 2);  // reads what the graph writes
  EXPECT_TRUE(waits(t.handle, u.handle));
  standin::reset();
  lf::assign(lf::on(s.handle), x, x * 2);  // writes what the graph reads
  EXPECT_TRUE(waits(t.handle, s.handle));
  standin::reset();
  {
    const lf::on scope(s.handle);
    g.launch();
  }
  EXPECT_EQ(standin::graph_launches().back(), s.handle);
  EXPECT_TRUE(waits(u.handle, s.handle));  // y is read there
  lf::synchronize();
}

TEST_F(recorded_graphs, wait_once_for_another_stream_however_many_arrays_are_of_it) {
  const stream s, t, u;
  std::vector<vector> x, y;
  for (int i = 0; i < 5; ++i) {
    x.emplace_back(lf::shape(1000));
    y.emplace_back(lf::shape(1000));
  }
  lf::graph g = lf::record([&] {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
  });
  const auto write = [](vector& v, const stream& by) { lf::assign(lf::on(by.handle), v, lf::zeros<float>({1000})); };
  for (auto& v : x) write(v, s);
  for (auto& v : y) write(v, s);
  const auto launched = [&] {
    standin::reset();
    g.launch(t.handle);
    return standin::waits().size();
  };
  EXPECT_EQ(launched(), 1u);
  EXPECT_EQ(launched(), 1u) << "what is read is another stream's still, which may have been given more";
  write(x[0], u);
  write(x[3], u);
  EXPECT_EQ(launched(), 2u) << "of two streams";
  // A kernel waits as often.
  for (auto& v : x) write(v, s);
  standin::reset();
  lf::assign(lf::on(u.handle), y[0], x[0] + x[1] * x[2] - x[3]);
  EXPECT_EQ(standin::waits().size(), 2u) << "for who wrote the operands, and for who wrote the target";
  lf::synchronize();
}

TEST_F(recorded_graphs, get_new_parameters_where_they_are_rebound) {
  vector x(lf::shape(1000)), y(lf::shape(1000)), z(lf::shape(1000)), other(lf::shape(1000));
  lf::graph g = lf::record([&] {
    y = x + 1;
    z = y * 2;
  });
  EXPECT_EQ(standin::graph()[0].first, std::as_const(x).data());
  EXPECT_EQ(standin::graph()[1].first, std::as_const(y).data());
  standin::reset();
  g.rebind(x, other);
  EXPECT_EQ(standin::graph_updates(), 1);
  EXPECT_EQ(standin::graph()[0].first, std::as_const(other).data());
  g.rebind(y, x);
  EXPECT_EQ(standin::graph_updates(), 3);
  EXPECT_EQ(standin::graph()[1].first, std::as_const(x).data());
  EXPECT_TRUE(standin::launches().empty());
}

TEST_F(recorded_graphs, know_after_the_first_time_where_addresses_are) {
  vector x(lf::shape(1000)), y(lf::shape(1000)), z(lf::shape(1000)), other(lf::shape(1000));
  lf::graph g = lf::record([&] {
    y = x + 1;
    z = x * 2;
  });
  g.rebind(x, other);
  standin::reset();
  g.rebind(other, x);
  EXPECT_EQ(standin::calls(), 2);  // nothing but two kernels' parameters
  EXPECT_EQ(standin::graph_updates(), 2);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(standin::graph()[std::size_t(i)].first, std::as_const(x).data());
  for (const int n : {1, 2}) {  // none, or both
    standin::fail_at(n);
    EXPECT_TRUE(mentions(message_of<lf::cuda_error>([&] { g.rebind(x, other); }), {"cuGraphExecKernelNodeSetParams"}));
    standin::reset();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(standin::graph()[std::size_t(i)].first, std::as_const(x).data()) << n;
  }
  g.rebind(x, other);
  EXPECT_EQ(standin::calls(), 2);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(standin::graph()[std::size_t(i)].first, std::as_const(other).data());
  g.launch();
}

/// Memory that is aligned as its elements are, and no more.
struct odd_places {
  void* allocate(std::size_t bytes, std::size_t, lf::stream_handle stream) const {
    void* p = nullptr;
    return cudaMallocAsync(&p, bytes + 4, stream.handle) == cudaSuccess ? static_cast<char*>(p) + 4 : nullptr;
  }
  void deallocate(void* p, std::size_t, std::size_t, lf::stream_handle stream) const noexcept {
    (void)cudaFreeAsync(static_cast<char*>(p) - 4, stream.handle);
  }
  friend bool operator==(const odd_places&, const odd_places&) { return true; }
};
vector new_vector() { return vector(lf::shape(1000)); }
vector new_odd_vector() {
  static odd_places odd;
  const lf::memory_scope scope(lf::cuda{}, odd);
  return new_vector();
}

/// A graph of kernels of which each reads one of several arrays; which arrays they are the test knows, too.
struct many_rebound {
  std::vector<vector> used, instead, written;
  std::optional<lf::graph> graph;

  explicit many_rebound(int count, int kernels_of_each = 1) {
    for (int i = 0; i < count; ++i)
      for (std::vector<vector>* const v : {&used, &instead}) v->push_back(new_vector());
    for (int i = 0; i < count * kernels_of_each; ++i) written.push_back(new_vector());
    graph = lf::record([&] {
      for (std::size_t i = 0; i < written.size(); ++i) written[i] = used[i % used.size()] + 1;
    });
  }
  void rebind(std::size_t i) {
    graph->rebind(used[i], instead[i]);
    std::swap(used[i], instead[i]);
  }
  void rebind() {
    for (std::size_t i = 0; i < used.size(); ++i) rebind(i);
  }
  /// Rebound before each launch, until the device is told.
  void become_updatable() {
    for (int n = 0; n < 5; ++n) {
      rebind();
      graph->launch();
    }
    standin::reset();
  }
  bool reads_what_it_should() const {
    const auto nodes = standin::graph();
    for (std::size_t i = 0; i < written.size(); ++i)
      if (nodes[i].first != std::as_const(used[i % used.size()]).data()) return false;
    return nodes.size() == written.size();
  }
};

TEST_F(recorded_graphs, are_made_anew_where_other_arrays_take_blocks_that_form_clusters) {
  using matrix = lf::array<float, 2, lf::cuda>;
  static odd_places odd;
  const auto new_matrix = [](bool aligned) {
    if (aligned) return matrix(lf::shape(600, 30000));
    const lf::memory_scope scope(lf::cuda{}, odd);
    return matrix(lf::shape(600, 30000));
  };
  matrix x = new_matrix(true), y(lf::shape(600, 30000));
  lf::graph g = lf::record([&] { y = lf::softmax(x, lf::axis<1>); });
  const unsigned in_vectors = standin::graph().back().cluster;
  for (const bool aligned : {false, true, false, false}) {
    const matrix other = new_matrix(aligned);
    g.rebind(x, other);
    x = other;
    g.launch();
    ASSERT_EQ(standin::graph().size(), 1u);
    EXPECT_EQ(standin::graph()[0].first, std::as_const(x).data());
    EXPECT_EQ(standin::graph()[0].cluster, aligned ? in_vectors : 4u);
  }
  EXPECT_NE(in_vectors, 4u);
}

TEST_F(recorded_graphs, are_changed_by_the_device_where_they_are_rebound_before_each_launch) {
  many_rebound g(10);
  for (int n = 0; n < 5; ++n) {
    standin::reset();
    g.rebind();
    EXPECT_EQ(standin::graph_updates(), 10);
    EXPECT_TRUE(g.reads_what_it_should());
    g.graph->launch();
    EXPECT_TRUE(g.reads_what_it_should());
    EXPECT_EQ(standin::device_updates(), 0);
  }
  standin::reset();
  g.rebind();
  EXPECT_EQ(standin::calls(), 0);
  g.graph->launch();
  EXPECT_EQ(test::launched_now(), "tell_parameters");
  EXPECT_TRUE(g.reads_what_it_should());
  g.graph->launch();
  EXPECT_EQ(standin::device_updates(), 0);  // nothing is new
  for (int n = 0; n < 3; ++n) g.rebind(4);
  g.rebind(7);
  g.graph->launch();
  EXPECT_EQ(standin::device_updates(), 2);  // each once, and the newest
  EXPECT_TRUE(g.reads_what_it_should());
  standin::reset();
  g.graph->rebind(g.written[4], g.instead[4]);  // for the first time
  g.graph->launch();
  EXPECT_EQ(standin::graph_updates(), 0);
  EXPECT_TRUE(g.reads_what_it_should());
}

TEST_F(recorded_graphs, are_made_anew_once_for_all_kernels_that_are_rebound_alike) {
  many_rebound g(20, 10);
  const long all = 200;
  for (int round = 1; round <= 40; ++round) {
    standin::reset();
    g.rebind();
    const bool by_device = round > 5;
    EXPECT_EQ(standin::captures(), round == 1 ? all : 0) << round;  // then it is known where the addresses are
    EXPECT_EQ(standin::graph_updates(), by_device ? 0 : all) << round;
    if (by_device) {
      EXPECT_EQ(standin::calls(), 0) << round;
    }
    standin::reset();
    g.graph->launch();
    EXPECT_EQ(standin::captures(), round == 5 ? all : 0) << round;
    EXPECT_EQ(standin::device_updates(), by_device ? all : 0) << round;
    EXPECT_EQ(standin::launches().size(), by_device ? 2u : 0u) << round;
    EXPECT_TRUE(g.reads_what_it_should()) << round;
  }
}

TEST_F(recorded_graphs, are_made_anew_for_kernels_that_follow_later_and_later) {
  many_rebound g(40);
  std::vector<int> made_anew;
  for (int round = 1; round <= 40; ++round) {
    for (std::size_t i = 0; i < 40 && i < static_cast<std::size_t>(10 * round); ++i) g.rebind(i);
    standin::reset();
    g.graph->launch();
    if (standin::captures() > 0) made_anew.push_back(round);
    EXPECT_TRUE(g.reads_what_it_should()) << round;
  }
  EXPECT_EQ(made_anew, (std::vector{5, 10, 19, 36}));
}

TEST_F(recorded_graphs, are_changed_by_as_many_kernels_as_it_takes) {
  many_rebound g(400);
  g.become_updatable();
  g.rebind();
  EXPECT_EQ(standin::calls(), 0);
  g.graph->launch();
  EXPECT_EQ(standin::device_updates(), 400);
  EXPECT_EQ(test::launched_now(), "tell_parameters tell_parameters tell_parameters");
  EXPECT_TRUE(g.reads_what_it_should());
}

TEST_F(recorded_graphs, are_changed_by_the_host_where_they_are_rebound_now_and_then) {
  many_rebound few(7), few_of_many(40, 10), seldom(10);
  for (int n = 0; n < 10; ++n) {
    few.rebind();
    few.graph->launch();
    few_of_many.rebind(0);
    few_of_many.graph->launch();
    seldom.rebind();
    seldom.rebind();
    seldom.graph->launch();
    if (n % 3 == 2) seldom.graph->launch();
  }
  standin::reset();
  few.rebind();
  EXPECT_EQ(standin::graph_updates(), 7);
  few_of_many.rebind(0);
  EXPECT_EQ(standin::graph_updates(), 17);
  seldom.rebind();
  EXPECT_EQ(standin::graph_updates(), 27);
}

TEST_F(recorded_graphs, are_made_ready_again_where_what_the_device_changes_becomes_another_kernel) {
  many_rebound g(10);
  g.become_updatable();
  g.rebind();
  vector odd = new_odd_vector();
  std::swap(odd, g.instead[3]);
  g.rebind(3);
  EXPECT_EQ(standin::graph_updates(), 0);
  g.graph->launch();
  EXPECT_TRUE(g.reads_what_it_should());
  EXPECT_TRUE(standin::launches().empty());
  for (int n = 0; n < 20; ++n) {  // by the host from now on
    standin::reset();
    g.rebind();
    EXPECT_EQ(standin::graph_updates(), 10);
    g.graph->launch();
    EXPECT_EQ(standin::device_updates(), 0);
    EXPECT_TRUE(g.reads_what_it_should());
  }
}

TEST_F(recorded_graphs, are_changed_when_their_last_launch_has_ended) {
  const stream s, t;
  many_rebound g(10);
  g.become_updatable();
  g.graph->launch(s.handle);
  g.rebind();
  standin::reset();
  g.graph->launch(t.handle);
  bool waits = false;
  for (const standin::wait& w : standin::waits()) waits = waits || (w.earlier == s.handle && w.later == t.handle);
  EXPECT_TRUE(waits);
  ASSERT_EQ(standin::launched().size(), 1u);
  EXPECT_EQ(standin::launched()[0].stream, t.handle);
  lf::synchronize();
}

TEST_F(recorded_graphs, become_a_part_of_what_is_captured_where_the_device_changes_them) {
  const stream s;
  many_rebound g(10);
  g.become_updatable();
  g.rebind();
  cudaGraph_t users = nullptr;
  ASSERT_EQ(cudaGraphCreate(&users, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(s.handle, users, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  g.graph->launch(s.handle);
  EXPECT_TRUE(standin::graph_launches().empty());
  EXPECT_TRUE(standin::launches().empty());
  ASSERT_EQ(cudaStreamEndCapture(s.handle, &users), cudaSuccess);
  const auto nodes = standin::nodes_of(users);
  ASSERT_EQ(nodes.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(nodes[i].first, std::as_const(g.used[i]).data());
  ASSERT_EQ(cudaGraphDestroy(users), cudaSuccess);
  g.graph->launch();
  EXPECT_TRUE(g.reads_what_it_should());
  lf::synchronize();
}

TEST_F(recorded_graphs, read_what_they_should_where_a_call_fails_while_they_are_rebound) {
  const auto run = [](std::string& texts) {
    many_rebound g(9);
    vector odd = new_odd_vector();
    const auto once_more = [&](const auto& f) {
      try {
        f();
      } catch (const lf::error& e) {
        texts += e.what();
        f();
      }
    };
    for (int n = 0; n < 8; ++n) {
      if (n == 6) std::swap(g.instead[3], odd);
      for (std::size_t i = 0; i < 9; ++i) once_more([&] { g.rebind(i); });
      once_more([&] { g.graph->launch(); });
      EXPECT_TRUE(g.reads_what_it_should()) << n << " " << standin::failed();
    }
  };
  std::string texts;
  run(texts);
  EXPECT_EQ(texts, "");
  lf::synchronize();
  const standin::balance live = standin::live();
  std::set<std::string> failures, silent;
  for (const cudaError_t error : {cudaErrorLaunchOutOfResources, cudaErrorNotSupported})
    for (long n = 1;; ++n) {
      ASSERT_LT(n, 3000);
      texts.clear();
      standin::fail_at(n, error);
      try {
        run(texts);
      } catch (const lf::error& e) {  // before there is a graph
        texts += e.what();
      }
      const std::string failed = standin::failed();
      standin::reset();
      if (failed.empty()) break;
      failures.insert(failed);
      if (texts.empty()) silent.insert(failed);
      lf::synchronize();
      EXPECT_EQ(standin::live(), live) << failed;
    }
  for (const char* const call : {"cuGraphKernelNodeSetAttribute", "cudaGraphInstantiate", "cudaGraphLaunch",
                                 "cudaLaunchKernel", "cudaEventRecord", "cudaStreamWaitEvent"})
    EXPECT_EQ(failures.count(call), 1u) << call;
  EXPECT_EQ(silent.count("cuGraphKernelNodeSetAttribute"), 1u);
  EXPECT_EQ(silent.count("cudaGraphLaunch"), 0u);
}

TEST_F(recorded_graphs, are_as_they_were_where_a_rebinding_fails) {
  vector x(lf::shape(1000)), y(lf::shape(1000)), z(lf::shape(1000)), other(lf::shape(1000));
  lf::graph g = lf::record([&] {
    y = x + 1;
    z = x * lf::sum(x);
  });
  const auto before = standin::graph();
  long n = 1;
  for (;; ++n) {
    ASSERT_LT(n, 200);
    const standin::balance live = standin::live();
    standin::fail_at(n);
    std::string text;
    try {
      g.rebind(x, other);
    } catch (const lf::cuda_error& e) {
      text = e.what();
    }
    const std::string failed = standin::failed();
    standin::reset();
    if (failed.empty()) break;
    EXPECT_NE(text, "") << failed;
    EXPECT_EQ(standin::live(), live) << failed;
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(standin::graph()[i].first, before[i].first) << failed;
    g.launch();
  }
  EXPECT_GT(n, 8);
  EXPECT_EQ(standin::graph()[0].first, std::as_const(other).data());
}

TEST_F(recorded_graphs, leave_nothing_where_a_call_fails) {
  vector x(lf::shape(1000)), y(lf::shape(1000));
  const auto run = [&] {
    lf::graph g = lf::record([&] {
      const auto t = lf::materialize(lf::cumsum(x));
      y = t * lf::sum(t);
    });
    g.launch();
  };
  run();
  lf::synchronize();
  const standin::balance live = standin::live();
  long n = 1;
  int named = 0;
  for (;; ++n) {
    ASSERT_LT(n, 300);
    standin::fail_at(n);
    std::string text;
    try {
      run();
    } catch (const lf::error& e) {
      text = e.what();
    }
    const std::string failed = standin::failed();
    standin::reset();
    if (failed.empty()) break;
    if (failed != "cudaStreamIsCapturing") {  // which counts as one that is not
      EXPECT_TRUE(mentions(text, {failed}) || text.find("could not allocate") != std::string::npos)
          << failed << ": " << text;
    }
    named += text.find("node ") != std::string::npos;
    lf::synchronize();
    EXPECT_EQ(standin::live(), live) << failed;
    y = x + 1;  // the thread neither records nor captures
    EXPECT_EQ(standin::launches().size(), 1u) << failed;
  }
  EXPECT_GT(n, 15);
  EXPECT_GT(named, 5);
}

TEST_F(recorded_graphs, give_back_what_they_kept) {
  const standin::balance live = standin::live();
  {
    std::optional<lf::graph> g;
    {
      vector x(lf::shape(1000)), y(lf::shape(1000));
      g = lf::record([&] { y = lf::cumsum(x) + lf::sum(x); });
    }
    EXPECT_GT(standin::live().blocks, live.blocks);
    g->launch();
  }
  EXPECT_EQ(standin::live().blocks, live.blocks);
  EXPECT_EQ(standin::live().graphs, live.graphs);
  EXPECT_EQ(standin::live().streams, live.streams);
}

TEST_F(recorded_graphs, refuse_what_waits_for_the_gpu) {
  vector x(lf::shape(1000)), y(lf::shape(1000));
  const lf::array<lf::int64, 1> places(lf::shape(10));
  const struct {
    const char* call;
    std::function<void()> run;
  } cases[] = {
      {"item", [&] { (void)lf::sum(x).item(); }},
      {"to<host>", [&] { (void)lf::to<lf::host>(x + 1); }},
      {"selection", [&] { (void)lf::materialize(x(x > 0)); }},
      {"by indices", [&] { x(places) = 1.0f; }},
      {"of one's own", [&] { (void)lf::data_on(lf::current_stream(), x); }},
      {"is evaluated on the host", [&] { (void)lf::materialize(lf::array<float, 1, lf::host>(lf::shape(3)) + 1); }},
  };
  for (const auto& c : cases) {
    const standin::balance live = standin::live();
    const std::string text = message_of<lf::graph_error>([&] {
      (void)lf::record([&] {
        y = x * 2;
        c.run();
      });
    });
    EXPECT_TRUE(mentions(text, {c.call})) << c.call << ": " << text;
    EXPECT_EQ(standin::live().graphs, live.graphs);
    standin::reset();
  }
}

TEST_F(recorded_graphs, are_not_recorded_where_a_stream_is_captured_but_launched_there) {
  const stream s;
  vector x(lf::shape(1000)), y(lf::shape(1000));
  lf::graph g = lf::record([&] { y = x + 1; });
  cudaGraph_t users = nullptr;
  ASSERT_EQ(cudaGraphCreate(&users, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(s.handle, users, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  {
    const lf::on scope(s.handle);
    const std::string text = message_of<lf::graph_error>([&] { (void)lf::record([&] { y = x + 1; }); });
    EXPECT_TRUE(mentions(text, {"captured", "already"})) << text;
    g.launch();
    EXPECT_EQ(standin::graph_launches().size(), 1u);
    EXPECT_TRUE(standin::waits().empty());  // nobody may wait for what is captured
  }
  ASSERT_EQ(cudaStreamEndCapture(s.handle, &users), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(users), cudaSuccess);
  lf::synchronize();
}

TEST_F(recorded_graphs, let_a_kernel_that_waits_itself_begin_while_the_one_before_ends) {
  vector x(lf::shape(1000)), y(lf::shape(1000)), z(lf::shape(1000));
  const vector large(lf::shape(1 << 22));
  const lf::graph g = lf::record([&] {
    y = x + 1;
    z = y * 2;  // after one kernel
    x = y + z;  // the same: the one before was after the others
    y = x + z;
    z = lf::cumsum(y);       // does not wait itself
    y = z + 1;               // after that
    x = y + lf::sum(large);  // after two
  });
  const auto early = [](const std::vector<standin::graph_node>& nodes) {
    std::string each;
    for (const standin::graph_node& n : nodes) each += n.early ? '1' : '0';
    return each;
  };
  EXPECT_EQ(early(standin::graph()), "01110100") << nodes_of_cuda();
  lf::array<float, 0> total;
  lf::array<bool, 0> going;
  const lf::graph loop = lf::record([&] {
    lf::while_loop(going, [&] {
      y = x * 2;
      lf::assign(lf::tie(total, going), lf::sum(y), lf::sum(y) < 3.0f);
    });
  });
  EXPECT_EQ(nodes_of_cuda(), "tell_node while<0[transform_flat reduce_rows<0 tell_node<1]");
  EXPECT_EQ(early(standin::graph()[1].bodies[0]), "011");
}

TEST_F(recorded_graphs, have_full_edges_where_cuda_takes_no_others) {
  vector x(lf::shape(1000)), y(lf::shape(1000));
  const auto record = [&] {
    return lf::record([&] {
      y = x + 1;
      y = y * 2;
    });
  };
  (void)record();
  EXPECT_TRUE(standin::graph()[1].early);
  std::set<std::string> refused;
  for (long n = 1;; ++n) {
    ASSERT_LT(n, 100);
    standin::fail_at(n, cudaErrorNotSupported);
    try {
      (void)record();
      if (!standin::failed().empty() && !standin::graph()[1].early) refused.insert(standin::failed());
    } catch (const lf::error&) {
    }
    const bool ended = standin::failed().empty();
    standin::reset();
    if (ended) break;
    EXPECT_EQ(nodes_of_cuda(), "transform_flat transform_flat<0");
  }
  EXPECT_EQ(refused.count("cudaGraphAddDependencies") + refused.count("cuGraphKernelNodeGetParams"), 2u);
}

TEST_F(recorded_graphs, have_four_kernels_for_a_turn_of_conjugate_gradients) {
  constexpr lf::index_t n = 256;
  const auto in = range(1, -1), before = range(lf::none, -2), after = range(2, lf::none);
  lf::array<float, 2> x = lf::zeros<float>({n, n}), r = lf::ones<float>({n, n}), p = lf::zeros<float>({n + 2, n + 2});
  lf::array<float, 0> rr, least, alpha, beta;
  lf::array<bool, 0> going;
  const auto laplace = [&](const auto& u) {
    return 4 * u(in, in) - u(before, in) - u(after, in) - u(in, before) - u(in, after);
  };
  const lf::graph g = lf::record([&] {
    lf::while_loop(going, [&] {
      alpha = rr / lf::sum(p(in, in) * laplace(p));
      lf::assign(lf::tie(x, r), x + alpha * p(in, in), r - alpha * laplace(p));
      const auto next = lf::sum(r * r);
      lf::assign(lf::tie(beta, rr, going), next / rr, next, next > least);
      p(in, in) = r + beta * p(in, in);
    });
  });
  EXPECT_EQ(nodes_of_cuda(),
            "tell_node while<0[reduce_rows transform_stencil<0 reduce_rows<1 transform_strided<2 tell_node<2]");
}

/// Records what has every kind of node, and launches it on a stream.
class every_node {
 public:
  lf::graph graph() {
    return lf::record([this] {
      lf::copyto(x_, in_);
      lf::while_loop([this] { return lf::max(x_) < 10.0f; },
                     [this] {
                       x_ = lf::roll(x_, 1) * 2;
                       lf::cond(
                           x_(0) > 3.0f, [this] { y_ = x_ + 1; }, [this] { y_ = x_ - 1; });
                     });
      lf::copyto(out_, y_);
      lf::call([this] { called_ = true; }, out_);
    });
  }
  bool was_called() const { return called_; }
  static constexpr const char* nodes =
      "memcpy reduce_rows<0 tell_node<1 "
      "while<2[transform_flat memcpy<0 transform_flat<1 tell_node<2 if<3[transform_flat][transform_flat] "
      "reduce_rows<1 tell_node<5] "
      "memcpy<3 call<4";

 private:
  lf::array<float, 1, lf::host> in_ = lf::arange<float>(1000), out_ = lf::zeros<float>({1000});
  vector x_{lf::shape(1000)}, y_{lf::shape(1000)};
  bool called_ = false;
};

TEST_F(recorded_graphs, have_loops_branches_copies_and_calls) {
  every_node all;
  {
    lf::graph g = all.graph();
    EXPECT_EQ(nodes_of_cuda(), every_node::nodes);
    g.launch();
    EXPECT_EQ(standin::graph_launches().size(), 1u);
    standin::call_hosts();
    EXPECT_TRUE(all.was_called());
    standin::reset();
  }
  EXPECT_EQ(standin::calls(), 1);  // waits: the function, and the host's memory, may be in use until then
}

TEST_F(recorded_graphs, become_a_part_of_what_is_captured_where_they_have_conditions) {
  const stream s;
  every_node all;
  lf::graph g = all.graph();
  standin::reset();
  cudaGraph_t users = nullptr;
  ASSERT_EQ(cudaGraphCreate(&users, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(s.handle, users, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  vector x(lf::shape(1000));
  const lf::array<float, 1> z = x * 2;  // its kernel is there
  standin::reset();
  lf::assign(lf::on(s.handle), x, x * 2);
  g.launch(s.handle);
  lf::assign(lf::on(s.handle), x, x * 2);
  EXPECT_TRUE(standin::graph_launches().empty());
  ASSERT_EQ(cudaStreamEndCapture(s.handle, &users), cudaSuccess);
  EXPECT_EQ(text_of(standin::nodes_of(users)),
            "transform_flat memcpy<0 reduce_rows<1 tell_node<2 "
            "while<3[transform_flat memcpy<0 transform_flat<1 tell_node<2 if<3[transform_flat][transform_flat] "
            "reduce_rows<1 tell_node<5] "
            "memcpy<4 call<5 transform_flat<6");
  ASSERT_EQ(cudaGraphDestroy(users), cudaSuccess);
  lf::synchronize();
}

TEST_F(recorded_graphs, leave_nothing_where_a_call_fails_at_any_node) {
  const auto run = [] {
    every_node all;
    lf::graph g = all.graph();
    g.launch();
  };
  run();
  lf::synchronize();
  const standin::balance live = standin::live();
  long n = 1;
  std::set<std::string> failures;
  for (;; ++n) {
    ASSERT_LT(n, 600);
    standin::fail_at(n);
    std::string text;
    try {
      run();
    } catch (const lf::error& e) {
      text = e.what();
    }
    const std::string failed = standin::failed();
    standin::reset();
    if (failed.empty()) break;
    failures.insert(failed);
    if (failed != "cudaStreamIsCapturing" && failed != "cudaEventSynchronize") {
      EXPECT_TRUE(mentions(text, {failed}) || text.find("could not allocate") != std::string::npos)
          << failed << ": " << text;
    }
    lf::synchronize();
    EXPECT_EQ(standin::live(), live) << failed;
  }
  for (const char* const call : {"cudaGraphConditionalHandleCreate", "cudaGraphAddNode", "cudaMemcpyAsync",
                                 "cudaLaunchHostFunc", "cudaLaunchKernel", "cudaGraphInstantiate"})
    EXPECT_EQ(failures.count(call), 1u) << call;
}

TEST_F(recorded_graphs, are_made_ready_again_where_loops_use_what_is_rebound) {
  vector x(lf::shape(1000)), y(lf::shape(1000)), other(lf::shape(1000));
  lf::graph g = lf::record([&] { lf::while_loop([&] { return lf::max(y) < 3.0f; }, [&] { y = y + x; }); });
  EXPECT_EQ(nodes_of_cuda(), "reduce_rows tell_node<0 while<1[transform_flat reduce_rows<0 tell_node<1]");
  const standin::balance live = standin::live();
  for (long n = 1;; ++n) {
    ASSERT_LT(n, 100);
    standin::fail_at(n);
    try {
      g.rebind(x, other);
    } catch (const lf::cuda_error&) {
    }
    const std::string failed = standin::failed();
    standin::reset();
    EXPECT_EQ(standin::live(), live) << failed;
    if (failed.empty()) break;
    g.launch();
  }
  EXPECT_EQ(standin::graph()[2].bodies[0][0].first, std::as_const(y).data());
  g.launch();
}

TEST_F(recorded_graphs, have_no_host_within_loops) {
  vector x(lf::shape(1000));
  lf::array<float, 1, lf::host> in = lf::arange<float>(1000);
  for (const auto& body : {std::function<void()>([&] { lf::copyto(x, in); }), std::function<void()>([&] {
                             x = x * 2;
                             lf::call([] {}, x);
                           })}) {
    const std::string text =
        message_of<lf::graph_error>([&] { lf::while_loop([&] { return lf::max(x) < 10.0f; }, body); });
    EXPECT_TRUE(mentions(text, {"by itself, without the host"})) << text;
  }
}

}  // namespace

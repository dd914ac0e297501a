// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that are given other arrays before each launch, at first by the host, then by the device: each launch reads
// the newest, whoever has changed what, on whatever stream, and however the arrays are aligned.
#include "support/streams.cuh"

#include <lazyfuse/graph.hpp>

#include <optional>
#include <vector>

namespace {

using vector = lf::array<float, 1, lf::cuda>;

class rebound_graphs : public test::on<lf::cuda> {};

/// Memory that is aligned as its elements are, and no more.
struct odd_places {
  void* allocate(std::size_t bytes, std::size_t, lf::stream_handle stream) const {
    void* p = nullptr;
    return cudaMallocAsync(&p, bytes + 4, stream.handle) == cudaSuccess ? static_cast<char*>(p) + 4 : nullptr;
  }
  void deallocate(void* p, std::size_t, std::size_t, lf::stream_handle stream) const noexcept {
    EXPECT_EQ(cudaFreeAsync(static_cast<char*>(p) - 4, stream.handle), cudaSuccess);
  }
  friend bool operator==(const odd_places&, const odd_places&) { return true; }
};

constexpr lf::index_t extent = 1000;
vector filled(float value) { return lf::full({extent}, value); }
vector oddly_filled(float value) {
  static odd_places odd;
  const lf::memory_scope scope(lf::cuda{}, odd);
  return filled(value);
}
bool everywhere(const vector& x, float value) { return lf::all(x == value).item(); }

/// A chain of kernels, each of which reads an array of its own and the one before; and the value that each array has.
class chain {
 public:
  explicit chain(std::size_t count) : want_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      x_.push_back(filled(0));
      y_.push_back(filled(-1));
    }
    graph = lf::record([&] {
      for (std::size_t i = 0; i < count; ++i) y_[i] = x_[i] * 2 + y_[i == 0 ? 0 : i - 1] * (i == 0 ? 0.0f : 1.0f);
    });
  }
  /// Its i-th array is another; the one before is gone when nobody uses it.
  void rebind(std::size_t i, vector to, float value) {
    graph->rebind(x_[i], to);
    x_[i] = std::move(to);
    want_[i] = value;
  }
  void rebind_all(float value) {
    for (std::size_t i = 0; i < x_.size(); ++i) rebind(i, filled(value + float(i)), value + float(i));
  }
  /// The graph writes another array in the place of its last.
  void rebind_last(vector to) {
    graph->rebind(y_.back(), to);
    y_.back() = std::move(to);
  }
  const vector& last() const { return y_.back(); }
  float want_last() const { return want(y_.size() - 1); }
  bool is_right() const {
    for (std::size_t i = 0; i < y_.size(); ++i)
      if (!everywhere(y_[i], want(i))) return false;
    return true;
  }

  std::optional<lf::graph> graph;

 private:
  float want(std::size_t i) const {
    float sum = 0;
    for (std::size_t k = 0; k <= i; ++k) sum += 2 * want_[k];
    return sum;
  }
  std::vector<vector> x_, y_;
  std::vector<float> want_;
};

TEST_F(rebound_graphs, read_the_newest_arrays_at_each_launch) {
  chain c(20);
  for (int round = 0; round < 10; ++round) {
    c.rebind_all(float(100 * round));
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
  }
  c.graph->launch();
  EXPECT_TRUE(c.is_right());
  for (int round = 0; round < 5; ++round) {  // twice, the first ones are gone by then; and some
    c.rebind_all(float(7 * round));
    c.rebind_all(float(5 * round));
    for (std::size_t i = 0; i < 20; i += 3) c.rebind(i, filled(float(round)), float(round));
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
    c.rebind(11, filled(3), 3);
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
  }
}

TEST_F(rebound_graphs, go_back_and_forth) {
  std::vector<vector> here, there, y;
  for (int i = 0; i < 12; ++i) {
    here.push_back(filled(float(i)));
    there.push_back(filled(float(-i)));
    y.push_back(filled(0));
  }
  lf::graph g = lf::record([&] {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = here[i] * 2;
  });
  for (int round = 0; round < 9; ++round) {
    for (std::size_t i = 0; i < y.size(); ++i) g.rebind(here[i], there[i]);
    here.swap(there);
    g.launch();
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_TRUE(everywhere(y[i], float(round % 2 == 0 ? -2 : 2) * float(i))) << round << " " << i;
  }
}

TEST_F(rebound_graphs, are_in_order_on_two_streams_with_arrays_that_go) {
  const test::stream s, t;
  chain c(20);
  std::vector<vector> results;
  std::vector<float> want;
  for (int round = 0; round < 40; ++round) {
    c.rebind_all(float(round));
    c.rebind_last(filled(-1));
    c.graph->launch(round % 3 == 0 ? s : t);
    results.push_back(c.last());  // shared: the next round writes another
    want.push_back(c.want_last());
    for (int i = 0; i < 3; ++i) (void)filled(-1000);  // in memory that is free by now, if any is
  }
  for (std::size_t round = 0; round < results.size(); ++round)
    EXPECT_TRUE(everywhere(results[round], want[round])) << round;
}

TEST_F(rebound_graphs, keep_what_the_device_has_changed_while_the_host_changes_others) {
  chain c(20);
  for (int round = 0; round < 6; ++round) {
    for (std::size_t i = 0; i < 14; ++i) c.rebind(i, filled(float(round)), float(round));
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
  }
  for (int round = 0; round < 12; ++round) {
    for (std::size_t i = 0; i < 14; ++i) c.rebind(i, filled(float(round)), float(round));
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
    for (std::size_t i = 14; i < 20; ++i) c.rebind(i, filled(float(2 * round)), float(2 * round));
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
    if (round % 2 == 1) {  // the device before the host
      for (std::size_t i = 0; i < 20; ++i) c.rebind(i, filled(float(3 * round)), float(3 * round));
      c.graph->launch();
      EXPECT_TRUE(c.is_right()) << round;
    }
  }
  for (int round = 0; round < 6; ++round) {  // fourteen before each launch, six before every other
    for (std::size_t i = 0; i < (round % 2 == 0 ? 14 : 20); ++i) c.rebind(i, filled(float(round)), float(round));
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
  }
  for (std::size_t i = 14; i < 20; ++i) c.rebind(i, filled(9), 9);  // by the host alone
  c.graph->launch();
  EXPECT_TRUE(c.is_right());
}

TEST_F(rebound_graphs, take_arrays_that_are_aligned_otherwise_too) {
  chain c(20);
  for (int round = 0; round < 12; ++round) {
    for (std::size_t i = 0; i < 20; ++i) {
      const float value = float(10 * round) + float(i);
      const bool odd = (round > 5 && i % 3 == 0) || (round == 9 && i == 4);
      c.rebind(i, odd ? oddly_filled(value) : filled(value), value);
    }
    if (round == 10)
      for (std::size_t i = 6; i < 20; ++i) c.rebind(i, filled(1), 1);
    c.graph->launch();
    EXPECT_TRUE(c.is_right()) << round;
  }
}

TEST_F(rebound_graphs, of_more_kernels_than_one_can_change) {
  chain c(400);
  for (int round = 0; round < 8; ++round) {
    c.rebind_all(float(round));
    c.graph->launch();
    EXPECT_TRUE(everywhere(c.last(), c.want_last())) << round;
  }
}

TEST_F(rebound_graphs, of_kernels_with_memory_of_their_own) {
  const lf::shape<1> large{1 << 20};
  std::vector<vector> x;
  std::vector<lf::array<float, 0, lf::cuda>> sums(10);
  std::vector<vector> y(10);
  for (int i = 0; i < 10; ++i) x.push_back(lf::full(large, 1.0f));
  lf::graph g = lf::record([&] {
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = lf::cumsum(x[i]);
      sums[i] = lf::sum(x[i]);
    }
  });
  for (int round = 0; round < 8; ++round) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const vector to = lf::full(large, float(1 + int(i) + round));
      g.rebind(x[i], to);
      x[i] = to;
    }
    g.launch();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float each = float(1 + int(i) + round);
      EXPECT_EQ(sums[i].item(), each * float(1 << 20)) << round << " " << i;
      EXPECT_EQ(y[i]((1 << 20) - 1).item(), each * float(1 << 20)) << round << " " << i;
    }
  }
}

TEST_F(rebound_graphs, are_captured_with_their_newest_arrays) {
  const test::stream s;
  chain c(10);
  for (int round = 0; round < 6; ++round) {
    c.rebind_all(float(round));
    c.graph->launch(s);
  }
  c.rebind_all(50);
  lf::synchronize();
  s.wait();
  test::graph users(s);
  c.graph->launch(s);
  users.end();
  users.replay();
  EXPECT_TRUE(c.is_right());
  c.rebind_all(60);
  c.graph->launch(s);
  EXPECT_TRUE(c.is_right());
}

TEST_F(rebound_graphs, go_while_they_run) {
  const test::stream s;
  vector kept;
  {
    chain c(20);
    for (int round = 0; round < 8; ++round) {
      c.rebind_all(float(round));
      c.graph->launch(s);
    }
    kept = c.last();
    c.graph.reset();
  }
  EXPECT_TRUE(everywhere(kept, 2 * (20 * 7 + 190)));
}

}  // namespace

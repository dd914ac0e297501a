// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of packed kernels, and how blocks find their arrays in them: of the stand-in's device, whose memory is the
// host's. The search is that of kernels/packed.cuh, a warp written as a loop.
#include "support/standin_cudart.hpp"

#include <lazyfuse/backend/cuda/launch/pack_table.hpp>
#include <lazyfuse/batch.hpp>
#include <lazyfuse/cuda.hpp>
#include <lazyfuse/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <new>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace {

using lazyfuse::index_t;
using lazyfuse::cuda_detail::pack_table;
using lazyfuse::planning::pack;
using word = unsigned long long;

index_t group_of_block(const word* first_blocks, index_t groups, unsigned block) {
  index_t from = 0, left = groups;
  while (left > 1) {
    const index_t apart = (left + 31) / 32;
    unsigned begun = 0;
    for (index_t lane = 0; lane < 32; ++lane)
      if (lane * apart < left && first_blocks[from + lane * apart] <= block) begun |= 1u << lane;
    EXPECT_NE(begun & 1, 0u);
    const index_t before = (31 - __builtin_clz(begun)) * apart;
    from += before;
    left = left - before < apart ? left - before : apart;
  }
  return from;
}

TEST(pack_tables, lead_every_block_to_its_part) {
  std::mt19937 random(1);
  constexpr lazyfuse::cuda_detail::thread_share share{4, 2};
  constexpr index_t part = index_t{4} * 256 * 4 * 2;
  for (const index_t groups : {1, 2, 31, 32, 33, 76, 77, 1000, 1024, 1025, 100000}) {
    std::vector<index_t> sizes;
    std::vector<const void*> data;
    for (index_t g = 0; g < groups; ++g) {
      sizes.push_back(1 + static_cast<index_t>(random() % (random() % 16 == 0 ? 100000u : 9000u)));
      for (int column = 0; column < 3; ++column)
        data.push_back(reinterpret_cast<const void*>(16 * (3 * g + column + 1)));
    }
    const pack::column places[] = {{0, nullptr}, {1, nullptr}, {2, nullptr}};
    const pack arrays{groups, sizes.data(), data.data(), 3, places, 3};
    const short columns[] = {2, 0, 1};
    standin::reset();
    const pack_table table(arrays, columns, 3, lazyfuse::cuda_detail::packed_part(share));
    EXPECT_EQ(table.numbers.table == nullptr, groups <= 76) << groups;
    EXPECT_EQ(standin::waited_for().size(), 0u);
    const word* const words = table.numbers.table ? table.numbers.table : table.numbers.here;
    index_t expected_group = 0, expected_begin = 0;
    for (unsigned block = 0; block < table.blocks; ++block) {
      const index_t group = group_of_block(words, groups, block);
      ASSERT_EQ(group, expected_group) << groups << " groups, block " << block;
      ASSERT_EQ(static_cast<index_t>(block - words[group]) * part, expected_begin);
      ASSERT_EQ(static_cast<index_t>(words[groups + group]), sizes[static_cast<std::size_t>(group)]);
      for (int column = 0; column < 3; ++column)
        ASSERT_EQ(words[(column + 2) * groups + group], reinterpret_cast<word>(arrays.at(group, columns[column])));
      expected_begin += part;
      if (expected_begin >= sizes[static_cast<std::size_t>(group)]) {
        ++expected_group;
        expected_begin = 0;
      }
    }
    EXPECT_EQ(expected_group, groups);
  }
}

TEST(pack_tables, of_rows_begin_with_the_longest) {
  std::mt19937 random(2);
  std::vector<index_t> sizes;
  std::vector<const void*> data;
  for (index_t g = 0; g < 1000; ++g) {
    sizes.push_back(1 + static_cast<index_t>(random() % 50000));
    data.push_back(reinterpret_cast<const void*>(16 * (g + 1)));
  }
  const pack::column place{0, nullptr};
  const pack arrays{1000, sizes.data(), data.data(), 1, &place, 1};
  const pack_table table(arrays, nullptr, 1, 0);
  ASSERT_EQ(table.blocks, 1000u);
  std::vector<bool> seen(1000);
  word before = ~word{0};
  for (index_t i = 0; i < 1000; ++i) {
    const word size = table.numbers.table[1000 + i];
    const auto g = static_cast<std::size_t>(table.numbers.table[2000 + i] / 16 - 1);
    EXPECT_EQ(size, static_cast<word>(sizes[g]));
    EXPECT_LT(size, 2 * before);
    before = size;
    EXPECT_FALSE(seen[g]);
    seen[g] = true;
  }
}

namespace lf = lazyfuse;
using vector = lf::array<float, 1, lf::cuda>;
using vectors = std::vector<vector>;

vectors vectors_of(index_t count, index_t longer = 0) {
  vectors all;
  for (index_t i = 0; i < count; ++i) all.emplace_back(lf::shape(1 + longer + i * 7 % 300));
  return all;
}
/// Where the table is that for_each_zip(ys, xs, f) makes, whose f reads argument `read`. It is that of the arrays.
template <class Xs>
const word* table_of(std::span<vector> ys, const Xs& xs, int read = 1, index_t part = 0) {
  namespace zip = lf::zip_detail;
  const zip::argument arguments[] = {zip::argument_of(ys), zip::argument_of(xs)};
  zip::groups all(arguments, 2, 1, [](const lf::allocation* of) { return lf::batch_detail::captured(lf::cuda{}, of); });
  index_t step = 1;
  lf::planning::operand_info operand{zip::stand_in(read), &step, zip::stand_in(read), sizeof(float), 1, nullptr};
  all.read(&operand, 1, lf::current_stream());
  zip::target<vector> to{ys.data()};
  to.prepare(all, 0);
  all.for_each(lf::cuda_detail::before, lf::memory_detail::several_devices(lf::cuda{}));
  const pack_table table(all.pack(true), nullptr, 2, part);
  std::vector<const float*> were;
  for (const vector& y : ys) were.push_back(y.data());
  to.finish(all, 0);

  std::map<const float*, std::pair<index_t, const float*>> expected;  // of each that is written
  for (std::size_t i = 0; i < ys.size(); ++i)
    if (ys[i].size() > 0)
      expected[std::as_const(ys[i]).data()] = {xs[i].shape().size(), read == 1 ? xs[i].tree.source.data : were[i]};
  const index_t groups = table.numbers.groups;
  EXPECT_EQ(groups, static_cast<index_t>(expected.size()));
  const word* const words = table.numbers.table ? table.numbers.table : table.numbers.here;
  for (index_t i = 0; i < groups; ++i) {
    const auto at = expected.find(reinterpret_cast<const float*>(words[3 * groups + i]));
    if (at == expected.end()) {
      ADD_FAILURE() << "row " << i << " is written elsewhere";
      break;
    }
    EXPECT_EQ(static_cast<index_t>(words[groups + i]), at->second.first);
    EXPECT_EQ(reinterpret_cast<const float*>(words[2 * groups + i]), at->second.second);
  }
  all.keep();
  return table.numbers.table;
}

TEST(pack_tables, are_kept_for_the_same_arrays) {
  standin::reset();
  const standin::balance before = standin::live();
  {
    vectors y = vectors_of(1000);
    const vectors x = vectors_of(1000);
    const word* const first = table_of(y, x);
    const standin::balance one = standin::live();
    const long calls = standin::calls();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(table_of(y, x), first);
    EXPECT_EQ(standin::live(), one);
    EXPECT_LT(standin::calls() - calls, 30);
    (void)table_of(y, x, 0);  // another function
    (void)table_of(y, x, 1);
    (void)table_of(y, x, 1, 64);
    (void)table_of(y, x);
    EXPECT_EQ(standin::live(), one);
  }
  EXPECT_EQ(standin::live().blocks, before.blocks);
  EXPECT_EQ(standin::live().bytes, before.bytes);
}
TEST(pack_tables, that_are_kept_are_of_the_arrays_there_are) {
  vectors y = vectors_of(1000), x = vectors_of(1000);
  const auto twice = [&] {
    (void)table_of(y, x);
    (void)table_of(y, x);
  };
  twice();
  const vector held = x[500];
  x[500] = vector(held.shape());  // elsewhere
  twice();
  x[3] = vector(x[3].shape());
  x[4] = vector();
  y[4] = vector();  // no group any more
  twice();
  x[4] = vector(lf::shape(1));
  y[4] = vector(lf::shape(1));
  twice();
  x[7] = vector(lf::shape(9000));
  y[7] = vector(lf::shape(9000));
  twice();
  std::swap(x[0], x[300]);  // of one length
  twice();
  std::swap(y[0], y[300]);  // the first, with what is kept
  twice();
  {
    const vectors shared = y;
    twice();  // all written elsewhere
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NE(std::as_const(y[i]).data(), shared[i].data()) << i;
  }
  twice();
  {
    const vector shared = y[999];
    twice();
  }
  twice();
  y.pop_back();
  x.pop_back();
  twice();
  y.erase(y.begin());
  x.erase(x.begin());
  twice();
  std::reverse(x.begin(), x.end());
  std::reverse(y.begin(), y.end());
  twice();
}
struct one_place {
  alignas(256) char bytes[4096];
  void* allocate(std::size_t, std::size_t, lf::stream_handle) { return bytes; }
  void deallocate(void*, std::size_t, std::size_t, lf::stream_handle) noexcept {}
  friend bool operator==(const one_place& a, const one_place& b) { return &a == &b; }
};
TEST(pack_tables, that_are_kept_are_of_the_lengths_there_are) {
  one_place place;
  const auto at_place = [&](index_t size) {
    const lf::memory_scope scope(lf::cuda{}, place);
    return vector(lf::shape(size));
  };
  const vectors x = vectors_of(1000);
  std::vector<decltype(x[0](lf::range(0, 1)))> views;
  for (const vector& all : x) views.push_back(all(lf::range(0, all.size())));
  vectors y = vectors_of(1000);
  y[20] = at_place(x[20].size());
  (void)table_of(y, views);
  const lf::allocation* const owner = y[20].owner();
  y[20] = vector();
  vectors others;  // until what was freed is taken again
  for (int i = 0; i < 1000 && y[20].owner() != owner; ++i) {
    others.push_back(std::move(y[20]));
    y[20] = at_place(x[20].size() - 1);
  }
  ASSERT_EQ(y[20].owner(), owner);
  views[20] = x[20](lf::range(0, x[20].size() - 1));
  (void)table_of(y, views);
}
struct counting_resource {
  long live = 0;
  void* allocate(std::size_t bytes, std::size_t alignment, lf::stream_handle) {
    ++live;
    return ::operator new (bytes, std::align_val_t{alignment});
  }
  void deallocate(void* p, std::size_t, std::size_t alignment, lf::stream_handle) noexcept {
    --live;
    ::operator delete (p, std::align_val_t{alignment});
  }
  friend bool operator==(const counting_resource& a, const counting_resource& b) { return &a == &b; }
};
TEST(pack_tables, of_other_memory_than_the_arrays_are_not_kept) {
  vectors y = vectors_of(1000);
  const vectors x = vectors_of(1000);
  for (int i = 0; i < 2; ++i) {
    counting_resource resource;
    const lf::memory_scope scope(lf::cuda{}, resource);
    (void)table_of(y, x);
    EXPECT_EQ(resource.live, 0);
  }
  (void)table_of(y, x);
}
TEST(pack_tables, of_arrays_that_take_turns) {
  vectors y = vectors_of(1000), z = vectors_of(1000);
  const vectors x = vectors_of(1000);
  for (int i = 0; i < 3; ++i) {
    (void)table_of(y, x);
    (void)table_of(y, z);
    (void)table_of(z, y);
    (void)table_of(std::span(y).first(900), std::span(x).first(900));
    (void)table_of(std::span(y).subspan(300, 300), std::span(x).first(300));
  }
  const word* const of_y = table_of(y, x);
  const word* const of_z = table_of(z, y);
  EXPECT_EQ(table_of(y, x), of_y);
  EXPECT_EQ(table_of(z, y), of_z);
}
TEST(pack_tables, of_two_threads_and_of_threads_that_follow) {
  const vectors x = vectors_of(1000);
  vectors y[] = {vectors_of(1000), vectors_of(1000)};
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> threads;
    for (vectors& mine : y)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) (void)table_of(mine, x);
      });
    for (std::thread& t : threads) t.join();
  }
  // A stream that uses what another was given waits for it, and once: the table goes with the array beside which it is.
  standin::reset();
  (void)table_of(y[0], x);
  EXPECT_GT(standin::waits().size(), 0u);
  const std::size_t waits = standin::waits().size();
  (void)table_of(y[0], x);
  EXPECT_EQ(standin::waits().size() - waits, 0u);
}
TEST(pack_tables, that_are_kept_are_no_part_of_graphs) {
  vectors y = vectors_of(1000);
  const vectors x = vectors_of(1000);
  (void)table_of(y, x);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  {
    vectors on_stream;
    const lf::on scope(stream);
    on_stream = vectors_of(1000);
    const vectors read = vectors_of(1000);
    const word* const kept = table_of(on_stream, read);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
              cudaSuccess);
    (void)table_of(std::span(on_stream).first(10), std::span(read).first(10));  // the parameters hold it
    EXPECT_THROW((void)table_of(on_stream, read), lf::error);
    EXPECT_EQ(standin::nodes_of(graph).size(), 0u) << "memory of before the capture is freed in it";
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(table_of(on_stream, read), kept);
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace

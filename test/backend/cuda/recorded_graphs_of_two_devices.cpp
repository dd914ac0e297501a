// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph is on the device of its arrays, whichever is the current one, and on that alone.
#include "support/messages.hpp"
#include "support/standin_programs.hpp"

#include <lazyfuse/cuda.hpp>
#include <lazyfuse/graph.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

namespace lf = lazyfuse;
using vector = lf::array<float, 1>;
using test::mentions, test::message_of;

const bool two = [] {  // before anyone asks
  standin::devices(2);
  return true;
}();

vector on_device(int d, lf::index_t n = 1 << 22) {
  const lf::memory_detail::device_scope<lf::cuda> scope(d);
  return vector(lf::shape(n));
}

class recorded_graphs_of_two_devices : public test::by_standin {};

TEST_F(recorded_graphs_of_two_devices, are_where_their_arrays_are) {
  const vector x = on_device(1);
  vector y = on_device(1, 10);
  lf::graph g = lf::record([&] { y(0) = lf::sum(x); });  // with memory between the blocks of its kernel
  ASSERT_EQ(standin::graph().size(), 1u);
  g.launch();
  ASSERT_EQ(standin::graph_launches().size(), 1u);
  int device = -1;
  ASSERT_EQ(cudaStreamGetDevice(standin::graph_launches()[0], &device), cudaSuccess);
  EXPECT_EQ(device, 1);
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  vector other = on_device(1);
  g.rebind(x, other);
  EXPECT_EQ(standin::graph_updates(), 1);
}

TEST_F(recorded_graphs_of_two_devices, are_on_one_of_them) {
  const vector x = on_device(0), z = on_device(1), w = on_device(0);
  vector y = on_device(0), v = on_device(1);
  const std::string text = message_of<lf::device_error>([&] {
    (void)lf::record([&] {
      y = x + 1;
      v = z + 1;
    });
  });
  EXPECT_TRUE(mentions(text, {"node 1 (x0 + x1)", "device 1", "device 0"})) << text;
  lf::graph g = lf::record([&] { y = x + 1; });
  EXPECT_TRUE(mentions(message_of<lf::device_error>([&] { g.rebind(x, z); }), {"rebind", "device 0", "device 1"}));
  g.rebind(x, w);
  g.launch();
}

}  // namespace

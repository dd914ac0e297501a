// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What does not go through kernels of expressions is refused while a graph is recorded, by its name: it would read what
// nothing has been written to yet.
#include "support/arrays.hpp"
#include "support/messages.hpp"

#include <lazyfuse/batch.hpp>
#include <lazyfuse/fft.hpp>
#include <lazyfuse/graph.hpp>
#include <lazyfuse/linalg.hpp>
#include <lazyfuse/select.hpp>
#include <lazyfuse/sort.hpp>

#include <functional>
#include <sstream>
#include <vector>

namespace {

using test::mentions, test::message_of;

TEST(refused_while_recording, functions_that_compute_at_once) {
  lf::array<double, 1> x = lf::arange<double>(9), y = lf::zeros<double>({9});
  const lf::array<double, 2> square = lf::eye<double>(3);
  const lf::array<lf::int64, 1> places = lf::arange<lf::int64>(3);
  std::vector<lf::array<double, 1>> several{lf::arange<double>(9), lf::ones<double>({9})};
  const struct {
    const char* name;
    std::function<void()> run;
  } cases[] = {
      {"linalg", [&] { (void)lf::linalg::inv(square); }},
      {"linalg", [&] { (void)lf::linalg::eigvalsh(square); }},
      {"rfft", [&] { (void)lf::fft::rfft(x); }},
      {"sorting", [&] { (void)lf::sort(y); }},
      {"sorting", [&] { (void)lf::argsort(y); }},
      {"sorting", [&] { (void)lf::median(y); }},
      {"sorting", [&] { (void)lf::unique(y); }},
      {"selection", [&] { (void)lf::materialize(y(y > 1)); }},
      {"item", [&] { (void)lf::sum(y(y > 1)).item(); }},
      {"by indices", [&] { y(places) = 1.0; }},
      {"add_at", [&] { lf::add_at(y, places, 1.0); }},
      {"item", [&] { (void)lf::bincount(places); }},
      {"batch", [&] { y = lf::sum(lf::batch(several), lf::axis<0>); }},
      {"for_each_zip", [&] { lf::for_each_zip(several, [](auto e) { return e + 1; }); }},
      {"into", [&] { lf::into(several) = lf::batch(several) + 1; }},
      {"saving",
       [&] {
         std::ostringstream out;
         lf::save(out, y);
       }},
  };
  for (const auto& c : cases) {
    const std::string text = message_of<lf::graph_error>([&] {
      (void)lf::record([&] {
        y = x * 2;
        c.run();
      });
    });
    EXPECT_TRUE(mentions(text, {c.name})) << c.name << ": " << text;
    EXPECT_EQ(lf::sum(y).item(), 0) << c.name;
  }
}

TEST(refused_while_recording, streams_where_there_are_none) {
  lf::graph g = lf::record([] {});
  EXPECT_TRUE(mentions(message_of<lf::graph_error>([&] { g.launch(nullptr); }), {"launch", "no stream"}));
}

}  // namespace

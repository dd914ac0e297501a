// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many arrays as one expression, and one expression many times.
#include "expect.hpp"

#include <lazyfuse/batch.hpp>
#include <lazyfuse/lazyfuse.hpp>

#include <limits>
#include <tuple>
#include <vector>

namespace lf = lazyfuse;

int main() {
  // [batch]
  std::vector<lf::array<unsigned char, 2>> images;  // of one shape, each with memory of its own
  images.reserve(600);
  for (int b = 0; b < 600; ++b) images.push_back(lf::full({60, 120}, static_cast<unsigned char>(b % 256)));

  const auto all = lf::batch(images);                                   // an expression of shape (600, 60, 120)
  const lf::array<float, 3> y = (lf::cast<float>(all) * 0.5f - 3) / 8;  // one kernel
  const lf::array<float, 1> brightest = lf::cast<float>(lf::max(all, lf::axis<1, 2>));  // one as well
  // [batch]
  expect(y(599, 59, 119).item() == (599 % 256 * 0.5f - 3) / 8 && brightest(7).item() == 7);

  // [factors]
  const lf::array<float, 1> gain = lf::linspace(1.0f, 2.0f, 600);
  const auto scaled = lf::cast<float>(all) * gain(lf::all, lf::newaxis, lf::newaxis);  // each by its own
  // [factors]
  expect(scaled.shape() == lf::shape(600, 60, 120));

  // [into]
  std::vector<lf::array<float, 2>> results(600);
  lf::into(results) = scaled + 1;  // one kernel; results[b] is scaled(b) + 1
  // [into]
  expect(results[256](0, 0).item() == 1 && results[599].shape() == lf::shape(60, 120));

  std::vector<lf::array<float, 1>> sentences;
  for (lf::index_t n : {3, 70000, 512}) sentences.emplace_back(lf::arange<float>(n));
  // [unlike]
  // sentences: a std::vector of arrays of rank 1, of unlike lengths
  const auto words = lf::batch(sentences, -std::numeric_limits<float>::infinity());  // of shape (3, 70000)
  const lf::array<float, 1> best = lf::max(words, lf::axis<1>);                      // of each sentence: one kernel
  // [unlike]
  expect(words.shape() == lf::shape(3, 70000) && best(0).item() == 2 && best(2).item() == 511);

  std::vector<lf::array<float, 1>> weights, speeds, gradients;
  for (lf::index_t n : {3, 70000, 512}) {
    weights.emplace_back(lf::full({n}, 1.0f));
    speeds.emplace_back(lf::full({n}, 0.0f));
    gradients.emplace_back(lf::full({n}, 0.5f));
  }
  const float rate = 0.5f;
  // [pack]
  // weights, speeds, gradients: std::vectors of arrays of unlike lengths; a step of gradient descent, one kernel
  lf::for_each_zip(weights, speeds, gradients, [&](auto w, auto s, auto g) {
    const auto next = 0.9f * s + g;
    return std::tuple(w - rate * next, next);  // written to weights and speeds
  });
  // [pack]
  expect(weights[1](-1).item() == 0.75f && speeds[2](0).item() == 0.5f);
  // [rows]
  lf::for_each_zip(weights, gradients, [](auto, auto g) { return lf::softmax(g); });  // of each array: one kernel
  // [rows]
  expect(weights[2](7).item() == 1 / 512.0f);

  // [repeat]
  const lf::array<float, 1> x = lf::linspace(0.0f, 1.0f, 1000);
  const auto step = [](const auto& e) { return e * 0.999f + 0.5f; };
  const lf::array<float, 1> few = lf::repeat<3>(step, x);        // step(step(step(x)))
  const lf::array<float, 1> many = lf::repeat<5000>(step, x);    // one kernel, in whose registers a loop runs
  const lf::array<float, 1> times = lf::iterate(5000, step, x);  // the same loop: how often is a value
  // [repeat]
  expect(lf::array_equal(many, times) && few(0).item() > 1.4f);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of rows of several arrays of one type, which types take for one array until values tell. With kernels made
// at run time (made.rows_of_several_arrays) each is one kernel.
#include "support/line_reference.hpp"

namespace {

using lf::axis, lf::keepdims;
using test::any_numbers, test::mean_of, test::positive_numbers, test::real_tensor;

template <class Space>
class rows_of_several_arrays : public test::rows_on<Space> {
 protected:
  template <class E>
  static void expect(const E& e, const real_tensor& want, const char* what, int columns) {
    EXPECT_TRUE(test::is_near<float>(e, want, {16, 64})) << what << " of " << columns;
#if defined(__CUDACC__)
    // Rows of one element are columns.
    if (!std::is_same_v<Space, lf::host> && lf::current_jit() == lf::jit::always && columns > 1)
      EXPECT_EQ(lf::plan(e).kernels.size(), 1u) << what << " of " << columns;
#endif
  }
};
TYPED_TEST_SUITE(rows_of_several_arrays, test::spaces, test::space_name);

constexpr int lengths[] = {1, 3, 32, 33, 100, 128, 1000, 1024, 4000};

TYPED_TEST(rows_of_several_arrays, have_the_values_of_each) {
  for (const int n : lengths) {
    const auto t = any_numbers(1, {5, n}), u = any_numbers(2, {5, n});
    const auto x = this->template array<2>(t), y = this->template array<2>(u);
    this->expect(lf::softmax(x) + lf::softmax(y), test::softmax_of(t, {1}) + test::softmax_of(u, {1}), "softmaxes", n);
    this->expect(x - lf::mean(y, axis<1>, keepdims), t - mean_of(u, {1}), "less the mean of another", n);
    this->expect(lf::max(x - lf::mean(y, axis<1>, keepdims), axis<1>),
                 test::shaped(test::max_of(t - mean_of(u, {1}), {1}), {5}), "one result a row", n);
  }
}

TYPED_TEST(rows_of_several_arrays, of_which_each_is_a_part_of_its_own_are_one_kernel) {
  for (const int n : {100, 1024}) {
    const auto t = positive_numbers(1, {5, n}), u = positive_numbers(2, {5, n});
    const auto x = this->template array<2>(t), y = this->template array<2>(u);
    const auto expect = [&](const auto& e, const real_tensor& want, const char* what) {
      this->expect(e, want, what, n);
      if (std::is_same_v<TypeParam, lf::host>) EXPECT_EQ(lf::plan(e).kernels.size(), 1u) << what << " of " << n;
    };
    expect(lf::softmax(x) - y / lf::sum(y, axis<1>, keepdims), test::softmax_of(t, {1}) - u / test::sum_of(u, {1}),
           "a softmax and shares");
    expect(lf::softmax(x) * lf::log_softmax(y),
           test::zip<double>(test::softmax_of(t, {1}), test::softmax_of(u, {1}),
                             [](double p, double q) { return p * std::log(q); }),
           "a softmax and the logarithm of another");
    expect(lf::where(x - lf::mean(y, axis<1>, keepdims) > y, x - lf::mean(y, axis<1>, keepdims), y),
           test::zip<double>(t - mean_of(u, {1}), u, [](double p, double q) { return p > q ? p : q; }),
           "what is written twice");
  }
}

TYPED_TEST(rows_of_several_arrays, are_read_as_they_lie) {
  const auto t = any_numbers(1, {6, 40, 3}), u = any_numbers(2, {6, 40, 3});
  const auto x = this->template array<3>(t), y = this->template array<3>(u);
  const auto flipped = lf::flip(y, axis<2>);
  const real_tensor v = [&] {
    real_tensor r{t.shape};
    test::for_each_index(t.shape, [&](const test::extents& i) { r[i] = u[{i[0], i[1], 2 - i[2]}]; });
    return r;
  }();
  this->expect(x / lf::sum(x * x, axis<2>, keepdims) + flipped / lf::sum(flipped * flipped, axis<2>, keepdims),
               t / test::sum_of(t * t, {2}) + v / test::sum_of(v * v, {2}), "flipped rows", 3);
}

TYPED_TEST(rows_of_several_arrays, backwards_through_layer_norm) {
  for (const int n : {100, 1024}) {
    const auto t = positive_numbers(1, {7, n}), u = any_numbers(2, {7, n}), w = any_numbers(3, {n});
    const auto x = this->template array<2>(t), dy = this->template array<2>(u);
    const auto weight = this->template array<1>(w);
    const auto m = lf::mean(x, axis<1>, keepdims);
    const auto s = lf::sqrt(lf::var(x, axis<1>, keepdims) + 1e-5f);
    const auto h = (x - m) / s;
    const auto g = dy * weight;
    const real_tensor d = t - mean_of(t, {1}), c = test::root_of(mean_of(d * d, {1}) + real_tensor({1, 1}, {1e-5}));
    const real_tensor k = d / c, gw = u * test::shaped(w, {1, n});
    this->expect((g - lf::mean(g, axis<1>, keepdims) - h * lf::mean(g * h, axis<1>, keepdims)) / s,
                 (gw - mean_of(gw, {1}) - k * mean_of(gw * k, {1})) / c, "layer norm backwards", n);
  }
}

}  // namespace

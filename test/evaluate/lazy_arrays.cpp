// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lazy_array: expressions that grow in loops, containers and functions without changing their type, against NumPy's
// answers, whose text is the name of each case, and against loops over plain numbers.
#include "support/arrays.hpp"
#include "support/reference_data.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace {

using lf::all, lf::axis, lf::keepdims, lf::newaxis, lf::none, lf::range;
using std::int32_t;

template <class Space>
class lazy_arrays : public test::on<Space> {
 protected:
  using vector = lf::array<int32_t, 1, Space>;
  using matrix3 = lf::array<int32_t, 3, Space>;
  template <int R>
  using grown_of = lf::lazy_array<int32_t, R, Space>;
  static const test::reference_data& answers() {
    static const test::reference_data data("lazy_arrays");
    return data;
  }
  static matrix3 x() { return test::array_of<Space, 3>(answers().template get<int32_t>("x")); }
  static vector v() { return test::array_of<Space, 1>(answers().template get<int32_t>("v")); }
  static grown_of<3> grown() {
    const matrix3 x3 = x();
    grown_of<3> e = x3;
    for (int k = 0; k < 6; ++k) e = e * v() + x3 - k;
    return e;
  }
  template <class E>
  static void expect(const char* numpy, const E& e) {
    EXPECT_TRUE(test::evaluates_to(e, answers().template get<test::element_of<E>>(numpy))) << numpy;
  }
  static vector numbers(int n, int first) {
    return lf::cast<int32_t>(lf::array<int32_t, 1, Space>(lf::arange<int32_t>(first, first + n)));
  }
};
TYPED_TEST_SUITE(lazy_arrays, test::spaces, test::space_name);

TYPED_TEST(lazy_arrays, grow_in_a_loop_and_are_one_kernel) {
  const auto x = this->x();
  const auto v = this->v();
  const lf::kernel_trace trace;
  lf::lazy_array<int32_t, 3, TypeParam> e = x;
  for (int k = 0; k < 6; ++k) e = e * v + x - k;
  EXPECT_EQ(trace.launches(), 0);
  EXPECT_EQ(trace.allocations(), 0);
  EXPECT_EQ(e.shape(), x.shape());
  const lf::array<int32_t, 3, TypeParam> y = e;
  EXPECT_EQ(trace.launches(), 1);
  EXPECT_EQ(trace.allocations(), 1);
  this->expect("grown", y);
}
TYPED_TEST(lazy_arrays, have_views_that_go_down_to_what_they_read) {
  const auto e = this->grown();
  const auto v = this->v();
  this->expect("grown[1:3]", e(range(1, 3)));
  this->expect("grown[::-1,2,::-3]", e(range(none, none, -1), 2, range(none, none, -3)));
  this->expect("grown.T", e.T());
  this->expect("grown[:,:,None,4]", e(all, all, newaxis, 4));
  this->expect("grown[None]+v", e(newaxis) + v);
  this->expect("np.broadcast_to(grown[0],(3,5,7))", lf::broadcast_to(e(0), {3, 5, 7}));
  this->expect("grown[2][:,:5].T+grown[1,:,:5].T", e(2)(all, range(0, 5)).T() + e(1, all, range(0, 5)).T());
  const lf::lazy_array<int32_t, 2, TypeParam> outer = v(all, newaxis) * v;
  this->expect("outer", outer);
  this->expect("outer[1:3,2:5]", outer(range(1, 3), range(2, 5)));
  this->expect("outer*outer.T+v", outer * outer.T() + v);
  this->expect("outer[::-2,None,3]+grown[:,0]", outer(range(none, none, -2), newaxis, 3) + e(all, 0));
  EXPECT_EQ(lf::plan(outer(range(1, 3)) + outer.T()(range(1, 3))).kernels.size(), 1u);
}
TYPED_TEST(lazy_arrays, are_in_memory_first_where_a_view_is_none_of_their_axes) {
  const auto e = this->grown();
  this->expect("grown.reshape(28,5)", lf::reshape(e, {28, 5}));
  this->expect("grown.reshape(20,7)[3]", lf::reshape(e, {20, 7})(3));
  this->expect("np.roll(grown,3)", lf::roll(e, 3));
  this->expect("np.roll(grown,2,1)[1:]", lf::roll(e, 2, axis<1>)(range(1, none)));
  const lf::lazy_array<int32_t, 3, TypeParam> rolled = lf::roll(e, 3);
  this->expect("np.roll(grown,3)", rolled);
  EXPECT_EQ(lf::plan(lf::reshape(e, {28, 5})).kernels.size(), 2u);
}
TYPED_TEST(lazy_arrays, are_reduced_and_hold_reductions) {
  const auto e = this->grown();
  using lazy3 = lf::lazy_array<int32_t, 3, TypeParam>;
  this->expect("grown.sum(1)", lf::sum(e, axis<1>));
  this->expect("grown-grown.max(2,keepdims=True)", e - lf::max(e, axis<2>, keepdims));
  this->expect("grown-grown.max(2,keepdims=True)", lazy3(e - lf::max(e, axis<2>, keepdims)));
  this->expect("(grown*2).sum((0,2))+v[:5]", lf::sum(e * 2, axis<0, 2>) + this->v()(range(0, 5)));
  this->expect("grown[1:].min(0)", lf::min(e(range(1, none)), axis<0>));
  this->expect("grown.cumsum(1)", lf::cumsum(e, axis<1>));
  this->expect("grown.sum()", lf::sum(e));
  const lf::lazy_array<std::int64_t, 2, TypeParam> sums = lf::sum(e, axis<1>) * 2;
  this->expect("(grown.sum(1)*2).T", sums.T());
  this->expect("np.where(grown%2==0,grown,-x)", lazy3(lf::where(lf::remainder(e, 2) == 0, e, -this->x())));
}
TYPED_TEST(lazy_arrays, are_read_by_the_kernel_that_combines_them) {
  constexpr bool one_kernel = lf::space_traits<TypeParam>::on_device && !lf::ir::checked_build;
  const lf::lazy_array<float, 3, TypeParam> f =
      lf::cast<float>(lf::remainder(this->grown(), 13)) * 0.25f - lf::cast<float>(this->x()) * 0.0625f;
  const auto v = this->v();
  const auto values = [&](const char* numpy, const auto& e) {
    using T = test::element_of<decltype(e)>;
    EXPECT_TRUE(test::evaluates_to(e, this->answers().template get<T>(numpy), test::within{8, 1e-6})) << numpy;
  };
  const auto expect = [&](const char* numpy, const auto& e) {
    values(numpy, e);
    if (one_kernel) {
      EXPECT_EQ(lf::plan(e).kernels.size(), 1u) << numpy;
    }
  };
  expect("f", f);
  expect("w/w.sum(2,keepdims=True)", lf::softmax(f, axis<2>));
  expect("(f-f.mean(2,keepdims=True))/f.std(2,keepdims=True)",
         (f - lf::mean(f, axis<2>, keepdims)) / lf::std(f, axis<2>, keepdims));
  expect("(f*f).sum((0,2))", lf::sum(f * f, axis<0, 2>));
  expect("(f*v).mean()", lf::mean(f * lf::cast<float>(v)));
  expect("f.T.sum(2)", lf::sum(f.T(), axis<2>));
  expect("f.min(0)", lf::min(f, axis<0>));
  expect("f[:,1:4,::-2].sum(0)", lf::sum(f(all, range(1, 4), range(none, none, -2)), axis<0>));
  expect("np.flip(np.cumsum(np.flip(f,2),2),2)", lf::cumsum(f, axis<2>, lf::backwards));
  expect("np.cumsum(f,0)*f", lf::cumsum(f, axis<0>) * f);
  expect("f[2].sum()*2", lf::sum(f(2)) * 2);
  expect("f.argmax(1)", lf::argmax(f, axis<1>));
  expect("f.argmin()", lf::argmin(f));
  const auto [low, high] = lf::materialize(lf::min(f, axis<0>), lf::max(-f, axis<0>));
  values("f.min(0)", low);
  values("f.min(0)", -high);
  // two graphs, and the same one along different axes
  const lf::lazy_array<float, 3, TypeParam> g = lf::cast<float>(this->x()) * 0.125f - 5;
  expect("g", g);
  expect("np.cumsum(f,1)-np.cumsum(g,1)", lf::cumsum(f, axis<1>) - lf::cumsum(g, axis<1>));
  expect("np.cumsum(f,2)*g", lf::cumsum(f, axis<2>) * g);
  expect("(f*g).sum(1)", lf::sum(f * g, axis<1>));
  const auto [of_f, of_g] = lf::materialize(lf::cumsum(f, axis<0>) * f, lf::cumsum(g, axis<1>));
  values("np.cumsum(f,0)*f", of_f);
  values("np.cumsum(g,1)", of_g);
  const lf::array<float, 1, TypeParam> w = lf::cast<float>(v);
  const lf::lazy_array<float, 2, TypeParam> square = w(all, newaxis) * w * 0.25f + w;
  values("s-(s*s).sum(1)", square - lf::sum(square * square, axis<1>));
  // over what they read
  lf::array<float, 3, TypeParam> z = f;
  const lf::lazy_array<float, 3, TypeParam> of_z = z + 0.0f;
  z = lf::softmax(of_z, axis<2>);
  values("w/w.sum(2,keepdims=True)", z);
  z = f;
  z(all, range(0, 5)) = lf::cumsum(lf::lazy_array<float, 3, TypeParam>(z * 1.0f), axis<0>) * z;
  values("np.cumsum(f,0)*f", z);
  // others in the places of those that were prepared
  lf::array<float, 1, TypeParam> y(lf::shape(5));
  const lf::lazy_array<float, 3, TypeParam> twice = f * 2;
  auto step = lf::prepare(y, lf::sum(f * f, axis<0, 2>));
  for (int k = 0; k < 2; ++k) {
    step();
    values("(f*f).sum((0,2))", y);
    step(y, lf::sum(twice * f, axis<0, 2>));
    values("(f*f).sum((0,2))", y / 2);
  }
}
TYPED_TEST(lazy_arrays, hold_reductions_that_are_part_of_the_kernel_that_reads_them) {
  constexpr bool made = lf::space_traits<TypeParam>::on_device && !lf::ir::checked_build;
  using lazy0 = lf::lazy_array<float, 0, TypeParam>;
  using lazy1 = lf::lazy_array<float, 1, TypeParam>;
  using lazy2 = lf::lazy_array<float, 2, TypeParam>;
  using lazy3 = lf::lazy_array<float, 3, TypeParam>;
  const lazy3 f = lf::cast<float>(lf::remainder(this->grown(), 13)) * 0.25f - lf::cast<float>(this->x()) * 0.0625f;
  const lazy3 g = lf::cast<float>(this->x()) * 0.125f - 5;
  const auto expect = [&](const char* numpy, std::size_t kernels, const auto& e) {
    EXPECT_TRUE(test::evaluates_to(e, this->answers().template get<float>(numpy), test::within{8, 2e-5})) << numpy;
    if (made) {
      EXPECT_EQ(lf::plan(e).kernels.size(), kernels) << numpy << lf::explain(e);
    }
  };
  const lazy3 softmax = lf::softmax(f, axis<2>), mean = lf::mean(f, axis<2>, keepdims);
  expect("w/w.sum(2,keepdims=True)", 1, softmax);
  expect("(w/w.sum(2,keepdims=True)*g).sum(2)", 1, lf::sum(softmax * g, axis<2>));
  expect("((f-f.mean(2,keepdims=True))**2).sum(2)", 1, lf::sum(lf::square(f - mean), axis<2>));
  expect("f/(1+abs(f).max(2,keepdims=True))-g", 1, f / (1 + lazy3(lf::max(lf::abs(f), axis<2>, keepdims))) - g);
  const lazy2 sums = lf::sum(f, axis<2>), least = lf::min(f, axis<2>), most = lf::max(f, axis<1>);
  expect("(f*f).sum(1)-f.max(1)*2", 1, lf::sum(f * f, axis<1>) - most * 2);
  expect("f.sum(2).T-f.min(2).T", 1, lazy2(sums.T()) - least.T());
  // where one kernel cannot be all: the fewest, and no more than each reduction once
  expect("f.sum(2)[1:3,::-1]", 2, sums(range(1, 3), range(none, none, -1)));
  expect("f-f.mean(2,keepdims=True)-f.mean(1,keepdims=True)", 2, f - mean - lf::mean(f, axis<1>, keepdims));
  expect("(f-f.max()).sum()", 1, lf::sum(f - lazy0(lf::max(f))));
  const lazy1 sums_of_least = lf::sum(least, axis<0>);
  expect("f.sum(2).max()-f.min(2).sum(0)", 3, lazy0(lf::max(sums)) - sums_of_least);
  expect("np.cumsum(f-f.mean(1,keepdims=True),1)", 2, lf::cumsum(lazy3(f - lf::mean(f, axis<1>, keepdims)), axis<1>));
  expect("np.cumsum(np.cumsum(f,1),2)", 2, lf::cumsum(lazy3(lf::cumsum(f, axis<1>)), axis<2>));
  // several results, of which two have a reduction in common
  const auto [a, b] = lf::materialize(softmax, f / (1 + lazy3(lf::max(lf::abs(f), axis<2>, keepdims))) - g);
  EXPECT_TRUE(
      test::evaluates_to(a, this->answers().template get<float>("w/w.sum(2,keepdims=True)"), test::within{8, 2e-5}));
  EXPECT_TRUE(test::evaluates_to(b, this->answers().template get<float>("f/(1+abs(f).max(2,keepdims=True))-g"),
                                 test::within{8, 2e-5}));
}
TYPED_TEST(lazy_arrays, of_one_form_are_each_of_their_own_arrays_and_numbers) {
  using vector = lf::array<int32_t, 1, TypeParam>;
  using matrix = lf::array<int32_t, 2, TypeParam>;
  using lazy = lf::lazy_array<int32_t, 1, TypeParam>;
  // Each evaluated after others of its form: one array twice, two, parts of one that lie apart or overlap.
  const vector a = this->numbers(64, 3), b = this->numbers(64, -9), c = this->numbers(200, 5);
  const auto part = [&](int from) { return vector(c(range(from, from + 64))); };
  const auto check = [](const auto& x, const auto& y, int s, int t) {
    const lazy e = x * s + y, f = e * t - lf::max(e);
    const vector e_now = x * s + y, f_now = e_now * t - lf::max(e_now);
    const vector reversed = f_now(range(none, none, -1));
    EXPECT_TRUE(lf::array_equal(vector(f + x(range(none, none, -1))), f_now + x(range(none, none, -1))));
    EXPECT_EQ(lf::sum(lazy(f * e)).item(), lf::sum(f_now * e_now).item());
    EXPECT_TRUE(lf::array_equal(vector(f(range(none, none, -1))), reversed));
  };
  for (int round = 0; round < 2; ++round) {
    for (const auto& [s, t] : {std::pair{2, 3}, {2, 2}, {5, 1}}) {
      check(a, b, s, t);
      check(a, a, s, t);
      check(b, a, s, t);
      check(part(0), part(64), s, t);
      check(c(range(0, 64)), c(range(64, 128)), s, t);
      check(c(range(0, 64)), c(range(1, 65)), s, t);
      check(c(range(1, 65)), c(range(1, 65)), s, t);
    }
  }
  // Results that lie in one array, and apart.
  const lazy e = a + b, f = a - b;
  const vector of_e = lf::cast<int32_t>(lf::cumsum(a + b, lf::backwards)),
               of_f = lf::cast<int32_t>(lf::cumsum(a - b, lf::backwards));
  matrix z = lf::zeros<int32_t>({3, 64});
  for (const int row : {1, 2}) {
    lf::assign(lf::tie(z(0), z(row)), lf::cast<int32_t>(lf::cumsum(e, lf::backwards)),
               lf::cast<int32_t>(lf::cumsum(f, lf::backwards)));
    EXPECT_TRUE(lf::array_equal(z(0), of_e)) << row;
    EXPECT_TRUE(lf::array_equal(z(row), of_f)) << row;
  }
  vector first = a, second = b;
  lf::assign(lf::tie(first, second), lf::cast<int32_t>(lf::cumsum(e, lf::backwards)),
             lf::cast<int32_t>(lf::cumsum(f, lf::backwards)));
  EXPECT_TRUE(lf::array_equal(first, of_e));
  EXPECT_TRUE(lf::array_equal(second, of_f));
}
TYPED_TEST(lazy_arrays, of_many_operations_around_reductions_are_several_kernels) {
  using vector = lf::array<int32_t, 1, TypeParam>;
  const vector x = this->numbers(100, 1), y = this->numbers(100, 50);
  vector now = x - lf::max(x);
  lf::lazy_array<int32_t, 1, TypeParam> e = x - lf::max(x);
  for (int k = 0; k < 140; ++k) {
    e = e * 3 + y;
    now = now * 3 + y;
  }
  EXPECT_EQ(lf::sum(e).item(), lf::sum(now).item());
  EXPECT_TRUE(lf::array_equal(vector(e - lf::min(e)), now - lf::min(now)));
  // More views of a scan than a kernel has operands.
  const vector scanned = lf::cast<int32_t>(lf::cumsum(x));
  const lf::lazy_array<int32_t, 1, TypeParam> scan = lf::cast<int32_t>(lf::cumsum(x));
  lf::lazy_array<int32_t, 1, TypeParam> all_of = lf::zeros<int32_t>({20});
  vector all_now = lf::zeros<int32_t>({20});
  for (int k = 0; k < 80; ++k) {
    all_of += scan(range(k, k + 20)) * (k % 7);
    all_now += scanned(range(k, k + 20)) * (k % 7);
  }
  EXPECT_EQ(lf::sum(all_of).item(), lf::sum(all_now).item());
}
TYPED_TEST(lazy_arrays, mean_the_values_of_the_moment_when_they_were_written) {
  auto x = this->numbers(4, 1);
  lf::lazy_array<int32_t, 1, TypeParam> e = x * 2;
  x = x + 100;
  e += x;
  x = lf::zeros<int32_t>({4});
  EXPECT_TRUE(test::evaluates_to(e, test::tensor<int32_t>{{4}, {103, 106, 109, 112}}));
  x = e;  // over memory that e no longer reads
  x(range(1, none)) = lf::lazy_array<int32_t, 1, TypeParam>(x + 1)(range(0, -1));
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<int32_t>{{4}, {103, 104, 107, 110}}));
}
TYPED_TEST(lazy_arrays, write_memory_of_others_that_they_read_elsewhere) {
  if (lf::space_traits<TypeParam>::on_device) GTEST_SKIP() << "a plain vector is memory of the host";
  std::vector<int32_t> memory{1, 2, 3, 4};
  const lf::lazy_array<int32_t, 1, lf::host> shifted = lf::borrow<lf::host>(memory.data(), {3}) + 10;
  lf::into(lf::borrow<lf::host>(memory.data() + 1, {3})) = shifted;
  EXPECT_EQ(memory, (std::vector<int32_t>{1, 11, 12, 13}));
}
TYPED_TEST(lazy_arrays, go_into_containers_and_through_functions) {
  using lazy = lf::lazy_array<int32_t, 1, TypeParam>;
  std::vector<lazy> terms;
  for (int k = 0; k < 9; ++k) terms.emplace_back(this->numbers(5, k) * k);
  const std::function<lazy(std::size_t, std::size_t)> sum = [&](std::size_t from, std::size_t to) -> lazy {
    if (to - from == 1) return terms[from];
    const std::size_t middle = (from + to) / 2;
    return sum(from, middle) + sum(middle, to);
  };
  const lazy all_terms = sum(0, terms.size());
  std::vector<int32_t> want(5);
  for (int k = 0; k < 9; ++k)
    for (int i = 0; i < 5; ++i) want[static_cast<std::size_t>(i)] += (k + i) * k;
  EXPECT_TRUE(test::evaluates_to(all_terms, test::tensor<int32_t>{{5}, {want.begin(), want.end()}}));
  std::optional<lazy> perhaps;
  perhaps = all_terms - all_terms;
  EXPECT_EQ(lf::sum(*perhaps).item(), 0);
}
TYPED_TEST(lazy_arrays, read_and_compute_what_is_equal_once) {
  const auto x = this->numbers(1000, 0), y = this->numbers(1000, 7);
  const lf::lazy_array<int32_t, 1, TypeParam> d = x - y, again = x - y;
  const auto p = lf::plan(d * d + again * x);
  ASSERT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.kernels[0].read, 8000);
  EXPECT_EQ(p.kernels[0].program, "v0 = (x0 - x1); ((v0 * v0) + (v0 * x0))");
  const auto [first, second] = lf::materialize(d, again);
  EXPECT_TRUE(lf::all(first == second).item());
  EXPECT_TRUE(lf::all(first == x - y).item());
}
TYPED_TEST(lazy_arrays, compute_first_what_many_positions_read_and_is_dear) {
  lf::lazy_array<float, 1, TypeParam> row = lf::linspace(0.0f, 1.0f, 64);
  for (int k = 0; k < 8; ++k) row = lf::sin(row) + 1;
  const lf::array<float, 2, TypeParam> x = lf::ones<float>({1 << 16, 64});
  const auto p = lf::plan(x * row);
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[0].because, "read by several kernels, or by many positions");
  EXPECT_EQ(lf::plan(x * (row + 1)).kernels.size(), 2u);
  EXPECT_EQ(lf::plan(x(range(0, 4)) * row).kernels.size(), 1u);
  const lf::array<float, 1, TypeParam> r = row;
  EXPECT_TRUE(lf::array_equal(x * row, x * r));
}
TYPED_TEST(lazy_arrays, are_cut_where_they_read_more_arrays_than_a_kernel_takes) {
  std::vector<int32_t> want(100);
  lf::lazy_array<int32_t, 1, TypeParam> all_of = lf::zeros<int32_t>({100});
  for (int k = 0; k < 300; ++k) {
    all_of += lf::array<int32_t, 1, TypeParam>(this->numbers(100, k) * (k % 5));
    for (int i = 0; i < 100; ++i) want[static_cast<std::size_t>(i)] += (k + i) * (k % 5);
  }
  const auto kernels = lf::plan(all_of).kernels.size();
  EXPECT_GE(kernels, 5u);
  EXPECT_LE(kernels, 6u);
  EXPECT_TRUE(test::evaluates_to(all_of, test::tensor<int32_t>{{100}, {want.begin(), want.end()}}));
}

TYPED_TEST(lazy_arrays, are_cut_in_whatever_order_they_grow) {
  lf::lazy_array<int32_t, 1, TypeParam> e = this->numbers(10, 0);
  for (int k = 1; k < 200; ++k) e = lf::array<int32_t, 1, TypeParam>(this->numbers(10, k)) + e;
  EXPECT_EQ(lf::sum(e).item(), 10 * 199 * 200 / 2 + 200 * 45);
}
TYPED_TEST(lazy_arrays, compute_reductions_and_rolls_of_one_another_once) {
  lf::lazy_array<double, 1, TypeParam> e = lf::arange<double>(1, 11);
  for (int k = 0; k < 30; ++k) e = e / lf::sum(e) * 2;
  EXPECT_LE(lf::plan(e).kernels.size(), 100u);
  EXPECT_NEAR(lf::sum(e).item(), 2, 1e-12);
  lf::lazy_array<int32_t, 1, TypeParam> r = this->numbers(8, 0);
  for (int k = 0; k < 20; ++k) r = lf::roll(r, 1) - lf::roll(r, 1) + lf::roll(r, -1);
  EXPECT_LE(lf::plan(r).kernels.size(), 150u);
  EXPECT_TRUE(test::evaluates_to(r, test::tensor<int32_t>{{8}, {4, 5, 6, 7, 0, 1, 2, 3}}));
  for (int k = 0; k < 100000; ++k) r = lf::roll(r, 1);  // and are let go, one after the other
}
TYPED_TEST(lazy_arrays, that_are_tied_are_the_values_before) {
  auto x = this->numbers(3, 1), y = this->numbers(3, 4), z = this->numbers(3, 7);
  const lf::lazy_array<int32_t, 1, TypeParam> e = z * 2;
  lf::assign(lf::tie(x, y, z), y, x, e);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<int32_t>{{3}, {4, 5, 6}}));
  EXPECT_TRUE(test::evaluates_to(y, test::tensor<int32_t>{{3}, {1, 2, 3}}));
  EXPECT_TRUE(test::evaluates_to(z, test::tensor<int32_t>{{3}, {14, 16, 18}}));
}
TYPED_TEST(lazy_arrays, are_arguments_of_fused_functions) {
  const auto x = this->numbers(3, 1);
  const lf::lazy_array<int32_t, 1, TypeParam> e = x * 2;
  const auto f = lf::fuse([](auto a, auto b) {
    const auto s = a + b;
    return s * s;
  });
  EXPECT_TRUE(test::evaluates_to(f(e, x), test::tensor<int32_t>{{3}, {9, 36, 81}}));
}
TYPED_TEST(lazy_arrays, prepared_with_others_are_the_others) {
  const auto x = this->numbers(3, 1), x2 = this->numbers(3, 11);
  auto y = this->numbers(3, 0);
  using lazy = lf::lazy_array<int32_t, 1, TypeParam>;
  const lazy e = x + 1, e2 = x2 * 100;
  auto step = lf::prepare(y, x * e);
  for (int k = 0; k < 3; ++k) {
    step(y, x2 * e);
    EXPECT_TRUE(test::evaluates_to(y, test::tensor<int32_t>{{3}, {22, 36, 52}}));
    step(y, x * e2);
    EXPECT_TRUE(test::evaluates_to(y, test::tensor<int32_t>{{3}, {1100, 2400, 3900}}));
    step();
    EXPECT_TRUE(test::evaluates_to(y, test::tensor<int32_t>{{3}, {2, 6, 12}}));
  }
}
TYPED_TEST(lazy_arrays, are_functions_written_as_text) {
  if constexpr (lf::space_traits<TypeParam>::on_device) {
    if (lf::ir::checked_build) GTEST_SKIP() << "a checked build makes no kernels";
    const auto x = this->numbers(4, 1);
    const lf::source clipped = lf::source("mine::clipped{3}(x) * s", "x", "s").with(R"(
namespace mine {
struct clipped {
  int most;
  __device__ int operator()(int x) const { return x < most ? x : most; }
};
}  // namespace mine
)");
    const auto e = lf::map(clipped, x, 10);
    EXPECT_TRUE(test::evaluates_to(e, test::tensor<int32_t>{{4}, {10, 20, 30, 30}}));
    EXPECT_TRUE(test::evaluates_to(lf::map(clipped, e - 18, x) + x, test::tensor<int32_t>{{4}, {-7, 6, 12, 16}}));
    EXPECT_EQ(lf::sum(lf::map(lf::source("x % 2 ? x : -x", "x"), x)).item(), -2);
  } else {
    GTEST_SKIP() << "functions as text are of the GPU";
  }
}
TYPED_TEST(lazy_arrays, may_be_made_of_views_of_temporaries) {
  const auto e = this->grown();
  const lf::lazy_array<int32_t, 3, TypeParam> view(e(all, all, range(none, none, -1)));
  this->expect("grown", view(all, all, range(none, none, -1)));
  EXPECT_EQ(lf::reshape(view, {140}).shape(), lf::shape(140));
}

/// Random graphs, whose nodes read any two nodes before them, and the same by loops over numbers.
class random_graph {
 public:
  random_graph(unsigned seed, int nodes) : random_(seed), nodes_(nodes) {}
  template <class Space>
  void compare(int kernels_at_most) {
    constexpr int n = 37;
    std::vector<lf::lazy_array<int32_t, 1, Space>> e;
    std::vector<std::vector<std::uint32_t>> want;
    for (int a = 0; a < 3; ++a) {
      std::vector<std::uint32_t> values(n);
      for (auto& v : values) v = static_cast<std::uint32_t>(random_());
      test::tensor<int32_t> t{{n}, {}};
      for (const auto v : values) t.values.push_back(static_cast<int32_t>(v));
      e.emplace_back(test::array_of<Space, 1>(t));
      want.push_back(values);
    }
    for (int k = 0; k < nodes_; ++k) {
      const auto i = pick(e.size()), j = pick(e.size());
      std::vector<std::uint32_t> values(n);
      const auto fill = [&](auto f) {
        for (std::size_t p = 0; p < n; ++p) values[p] = f(want[i][p], want[j][p]);
      };
      switch (random_() % 4) {
        case 0:
          e.emplace_back(e[i] + e[j]);
          fill([](std::uint32_t a, std::uint32_t b) { return a + b; });
          break;
        case 1:
          e.emplace_back(e[i] - e[j] * 3);
          fill([](std::uint32_t a, std::uint32_t b) { return a - b * 3; });
          break;
        case 2:
          e.emplace_back(e[i] ^ e[j]);
          fill([](std::uint32_t a, std::uint32_t b) { return a ^ b; });
          break;
        default:
          e.emplace_back(lf::maximum(e[i], e[j]));
          fill([](std::uint32_t a, std::uint32_t b) {
            return static_cast<std::uint32_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
          });
      }
      want.push_back(values);
    }
    test::tensor<int32_t> last{{n}, {}};
    for (const auto v : want.back()) last.values.push_back(static_cast<int32_t>(v));
    EXPECT_TRUE(test::evaluates_to(e.back(), last)) << nodes_ << " nodes";
    EXPECT_LE(static_cast<int>(lf::plan(e.back()).kernels.size()), kernels_at_most) << nodes_ << " nodes";
  }

 private:
  std::mt19937 random_;
  int nodes_;
  /// Near the end more often than not, so that graphs are deep.
  std::size_t pick(std::size_t size) {
    const std::size_t window = random_() % 4 == 0 ? size : std::min<std::size_t>(size, 4);
    return size - 1 - random_() % window;
  }
};
TYPED_TEST(lazy_arrays, that_are_random_graphs_are_what_loops_over_numbers_are) {
  // On the GPU each graph is compiled, and cut where it is large.
  const bool on_device = lf::space_traits<TypeParam>::on_device;
  for (const int nodes : {1, 2, 3, 5, 10, 30, 60}) random_graph(unsigned(nodes), nodes).compare<TypeParam>(1);
  for (const int nodes : {100, 200}) random_graph(unsigned(nodes), nodes).compare<TypeParam>(on_device ? 300 : 1);
  if (!on_device)
    for (const int nodes : {1000, 5000}) random_graph(unsigned(nodes), nodes).compare<TypeParam>(1);
}
TYPED_TEST(lazy_arrays, may_be_deep) {
  // One operation after the other: neither evaluation nor destruction recurses.
  const int depth = lf::space_traits<TypeParam>::on_device ? 300 : 60000;
  lf::lazy_array<int32_t, 1, TypeParam> e = this->numbers(3, 0);
  for (int k = 0; k < depth; ++k) e = e + 1;
  EXPECT_TRUE(test::evaluates_to(e, test::tensor<int32_t>{{3}, {depth, depth + 1, depth + 2}}));
}
TYPED_TEST(lazy_arrays, may_be_scans_and_reductions_of_one_another_without_end) {
  const int steps = lf::space_traits<TypeParam>::on_device ? 50 : 8000;
  const lf::array<double, 1, TypeParam> ones = lf::ones<double>({4});
  lf::lazy_array<double, 1, TypeParam> scanned = ones, rolled = ones;
  for (int k = 0; k < steps; ++k) {
    scanned = lf::cumsum(scanned) / lf::arange<double>(1, 5);
    rolled = lf::roll(rolled, 1) + lf::sum(rolled) - 4;
  }
  const test::tensor<double> expected{{4}, {1, 1, 1, 1}};
  EXPECT_TRUE(test::evaluates_to(scanned, expected));
  EXPECT_TRUE(test::evaluates_to(rolled, expected));
}

TYPED_TEST(lazy_arrays, have_elements_of_every_kind) {
  const lf::array<bool, 1, TypeParam> b{true, false, true};
  lf::lazy_array<bool, 1, TypeParam> odd = b;
  for (int k = 0; k < 3; ++k) odd = lf::logical_xor(odd, b);
  EXPECT_EQ(lf::count_nonzero(odd).item(), 0);
  const lf::array<lf::half, 1, TypeParam> h = lf::cast<lf::half>(lf::arange<float>(40));
  lf::lazy_array<lf::half, 1, TypeParam> halves = h;
  for (int k = 0; k < 3; ++k) halves = halves * lf::half(0.5f) + h;
  EXPECT_TRUE(lf::array_equal(halves, h * lf::half(1.875f)));
  const lf::array<lf::complex<float>, 1, TypeParam> z{{1, 2}, {3, -4}};
  lf::lazy_array<lf::complex<float>, 1, TypeParam> squares = z;
  squares *= z;
  EXPECT_TRUE(lf::array_equal(squares, z * z));
  lf::lazy_array<double, 1, TypeParam> wide = lf::arange<float>(10);  // converts as arrays do
  EXPECT_EQ(lf::sum(wide).item(), 45.0);
  lf::lazy_array<float, 2, TypeParam> draws = lf::random::uniform<float>({30, 40}, lf::seed{5});
  draws = draws * 2 - 1;
  EXPECT_TRUE(lf::array_equal(draws, lf::random::uniform<float>({30, 40}, lf::seed{5}) * 2 - 1));
}
TYPED_TEST(lazy_arrays, of_no_elements_and_of_one) {
  const lf::lazy_array<float, 0, TypeParam> zero;
  EXPECT_EQ(zero.item(), 0.0f);
  EXPECT_EQ((zero + 2).item(), 2.0f);
  lf::lazy_array<float, 2, TypeParam> nothing;
  nothing = nothing * 2;
  const lf::array<float, 2, TypeParam> y = nothing;
  EXPECT_EQ(y.size(), 0);
  EXPECT_EQ(lf::sum(nothing).item(), 0.0f);
  const lf::array<float, 2, TypeParam> none = lf::zeros<float>({3, 0});
  const lf::lazy_array<float, 1, TypeParam> no_sums = lf::sum(none, axis<0>);  // none to be in memory
  EXPECT_EQ(lf::sum(lf::lazy_array<float, 1, TypeParam>(no_sums / (lf::sum(no_sums) + 1))).item(), 0.0f)
      << "of no elements";
  const lf::lazy_array<float, 1, TypeParam> sums = lf::sum(none, axis<1>);
  EXPECT_TRUE(test::evaluates_to(sums + 1, test::tensor<float>{{3}, {1, 1, 1}}));
}
TYPED_TEST(lazy_arrays, are_written_to_every_layout) {
  const auto e = this->grown();
  lf::array<int32_t, 3, TypeParam> y = lf::zeros<int32_t>({4, 5, 7});
  y(range(none, none, -1), all, range(none, none, -1)) = e(range(none, none, -1), all, range(none, none, -1));
  this->expect("grown", y);
  lf::array<int32_t, 3, TypeParam> wide = lf::zeros<int32_t>({4, 5, 14});
  wide(all, all, range(1, none, 2)) = e;
  this->expect("grown", wide(all, all, range(1, none, 2)));
  lf::array<int32_t, 3, TypeParam> turned = lf::zeros<int32_t>({7, 5, 4});
  turned = e.T();
  this->expect("grown.T", turned);
}
TYPED_TEST(lazy_arrays, are_assigned_together_and_prepared) {
  auto x = this->numbers(6, 0), y = this->numbers(6, 10);
  const lf::lazy_array<int32_t, 1, TypeParam> sum = x + y, difference = x - y;
  lf::assign(lf::tie(x, y), sum, difference);
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<int32_t>{{6}, {10, 12, 14, 16, 18, 20}}));
  EXPECT_TRUE(test::evaluates_to(y, test::tensor<int32_t>{{6}, {-10, -10, -10, -10, -10, -10}}));
  const auto [a, b] = lf::materialize(sum * 2, sum - difference);
  EXPECT_TRUE(test::evaluates_to(a, test::tensor<int32_t>{{6}, {20, 24, 28, 32, 36, 40}}));
  EXPECT_TRUE(test::evaluates_to(b, test::tensor<int32_t>{{6}, {20, 22, 24, 26, 28, 30}}));
  auto step = lf::prepare(x, sum * 3);
  for (int k = 0; k < 2; ++k) step();
  EXPECT_TRUE(test::evaluates_to(x, test::tensor<int32_t>{{6}, {30, 36, 42, 48, 54, 60}}));
}
TYPED_TEST(lazy_arrays, say_at_once_which_shapes_do_not_meet) {
  lf::lazy_array<int32_t, 1, TypeParam> e = this->numbers(4, 0);
  EXPECT_NE(test::thrown_by<lf::shape_error>([&] { e = e + this->numbers(5, 0); }).find("(4,)"), std::string::npos);
  EXPECT_EQ(e.shape(), lf::shape(4));
}
TYPED_TEST(lazy_arrays, are_read_by_several_threads) {
  const auto e = this->grown();
  std::vector<std::thread> threads;
  std::vector<int> right(8);
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) {
        const lf::lazy_array<int32_t, 3, TypeParam> mine = e + 1;
        right[t] += lf::array_equal(mine - 1, e);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, std::vector<int>(8, 20));
}

}  // namespace

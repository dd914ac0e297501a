// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many arrays as one expression, against NumPy's answers of what it stacks. The name of each case is the NumPy text.
#include <lazyfuse/batch.hpp>

#include "support/answered.hpp"

#include <lazyfuse/error.hpp>

#include <span>
#include <string>
#include <vector>

namespace {

using lf::all, lf::axis, lf::end, lf::keepdims, lf::newaxis, lf::none, lf::range;
using std::int32_t, std::int64_t, std::uint8_t;

/// The parts of x along its first axis, as arrays of their own.
template <class T, int R, class Space>
auto parts_of(const lf::array<T, R, Space>& x) {
  std::vector<lf::array<T, R - 1, Space>> parts;
  for (lf::index_t i = 0; i < x.extent(0); ++i) parts.emplace_back(x(i));
  return parts;
}

template <class Space>
class batches : public test::answered<batches<Space>, Space> {
  using base = test::answered<batches<Space>, Space>;

 public:
  static constexpr const char* family = "batches";

 protected:
  using base::answers, base::expect;

  static auto x() { return test::array_of<Space, 3>(answers().template get<float>("x")); }
  static auto u() { return test::array_of<Space, 3>(answers().template get<uint8_t>("u")); }
  static auto v() { return test::array_of<Space, 2>(answers().template get<int32_t>("v")); }
  static auto w() { return test::array_of<Space, 1>(answers().template get<float>("w")); }
};
TYPED_TEST_SUITE(batches, test::spaces, test::space_name);

TYPED_TEST(batches, are_expressions_with_an_axis_more) {
  const auto xs = parts_of(this->x());
  const auto us = parts_of(this->u());
  const auto vs = parts_of(this->v());
  const auto ws = parts_of(this->w());
  const auto x = lf::batch(xs);
  static_assert(lf::rank_of<decltype(x)> == 3);
  this->expect_kernels(1, "x", x);
  this->expect_kernels(1, "u", lf::batch(us));
  this->expect_kernels(1, "v", lf::batch(std::span(vs)));
  this->expect_kernels(1, "w", lf::batch(ws));
  this->expect("x[:1]", lf::batch({xs[0]}));
  this->expect_kernels(1, "x*2+1", x * 2 + 1);
  this->expect_kernels(1, "((u.astype(f)*0.5-3)/8)", (lf::cast<float>(lf::batch(us)) * 0.5f - 3.0f) / 8.0f);
  this->expect_kernels(1, "x*w[:,None,None]", x * this->w()(all, newaxis, newaxis));
  this->expect_kernels(1, "x+x[0]", x + xs[0]);
  this->expect_kernels(1, "x+x[:1]", x + lf::batch({xs[0]}));
  this->expect_kernels(1, "x-x[::-1]", x - x(range(none, none, -1)));
}
TYPED_TEST(batches, are_viewed) {
  const auto xs = parts_of(this->x());
  const auto us = parts_of(this->u());
  const auto x = lf::batch(xs);
  const auto i = test::array_of<TypeParam, 1>(test::tensor<int64_t>{{3}, {4, 0, -1}});
  this->expect_kernels(1, "x[:,0,0]", x(all, 0, 0));
  this->expect_kernels(1, "x[1:4,::-1,2]", x(range(1, 4), range(none, none, -1), 2));
  this->expect_kernels(1, "x.T*2", x.T() * 2);
  this->expect_kernels(1, "x[:,:,None]+1", x(all, all, newaxis) + 1);
  this->expect("x[-1]", x(-1));
  this->expect("x[:0]", x(range(0, 0)));
  this->expect_kernels(1, "u[::3,1:,::-2]", lf::batch(us)(range(none, none, 3), range(1, end), range(none, none, -2)));
  this->expect_kernels(1, "np.roll(x,2,1)", lf::roll(x, 2, axis<1>));
  this->expect_kernels(1, "np.take(x,[4,0,-1],0)", lf::take(x, i, axis<0>));
  this->expect_kernels(1, "np.broadcast_to(x[:,:1],(2,5,6,4))*2",
                       lf::broadcast_to(x(all, range(0, 1)), {2, 5, 6, 4}) * 2);
}
TYPED_TEST(batches, are_of_views_that_lie_alike) {
  const auto x = this->x();
  const auto of_views = [&](const auto& view) {
    std::vector<std::remove_cvref_t<decltype(view(x(0)))>> views;
    for (lf::index_t i = 0; i < x.extent(0); ++i) views.push_back(view(x(i)));
    return lf::batch(views);
  };
  this->expect_kernels(1, "x[:,1:,::2]",
                       of_views([](const auto& e) { return e(range(1, end), range(none, none, 2)); }));
  this->expect_kernels(1, "x[:,::-1]", of_views([](const auto& e) { return e(range(none, none, -1)); }));
  this->expect_kernels(1, "x.transpose(0,2,1)", of_views([](const auto& e) { return e.T(); }));
}
TYPED_TEST(batches, are_reduced_and_scanned_in_one_kernel) {
  const auto xs = parts_of(this->x());
  const auto us = parts_of(this->u());
  const auto vs = parts_of(this->v());
  const auto x = lf::batch(xs);
  this->expect_kernels(1, "x.sum()", lf::sum(x));
  this->expect_kernels(1, "x.sum(0)", lf::sum(x, axis<0>));
  this->expect_kernels(1, "x.sum((1,2))", lf::sum(x, axis<1, 2>));
  this->expect_kernels(1, "x.max(2)", lf::max(x, axis<2>));
  this->expect_kernels(1, "(x*2+1).sum(1)", lf::sum(x * 2 + 1, axis<1>));
  this->expect_kernels(1, "u.sum(dtype=np.int64)", lf::sum(lf::cast<int64_t>(lf::batch(us))));
  this->expect_kernels(1, "v.sum(1)", lf::sum(lf::batch(vs), axis<1>));
  this->expect_kernels(1, "x-x.mean((1,2),keepdims=True)", x - lf::mean(x, axis<1, 2>, keepdims));
  this->expect_kernels(1, "x-x.max(2,keepdims=True)", x - lf::max(x, axis<2>, keepdims));
  this->expect("x-x.max(0)", x - lf::max(x, axis<0>));
  this->expect_kernels(1, "np.cumsum(x,2)", lf::cumsum(x, axis<2>));
  this->expect("np.cumsum(x,0)", lf::cumsum(x, axis<0>));
  this->expect_kernels(1, "x.argmax(0)", lf::argmax(x, axis<0>));
}
TYPED_TEST(batches, of_no_arrays_have_no_elements) {
  std::vector<lf::array<float, 2, TypeParam>> none;
  EXPECT_EQ(lf::batch(none).shape(), (lf::shape<3>{0, 0, 0}));
  EXPECT_EQ(lf::materialize(lf::batch(none) * 2).size(), 0);
  none.resize(3);
  EXPECT_EQ(lf::batch(none).shape(), (lf::shape<3>{3, 0, 0}));
  EXPECT_EQ(lf::materialize(lf::sum(lf::batch(none), axis<1, 2>)).size(), 3);
  EXPECT_EQ(lf::sum(lf::batch(none)).item(), 0);
}
TYPED_TEST(batches, of_many_arrays_are_one_kernel) {
  const auto v = this->v();
  std::vector<lf::array<int32_t, 1, TypeParam>> many;
  const auto parts = parts_of(v);
  for (int i = 0; i < 20000; ++i) many.push_back(parts[static_cast<std::size_t>(i % 3)]);
  const auto e = lf::batch(many);
  lf::kernel_trace trace;
  const auto sums = lf::materialize(lf::sum(e, axis<1>));
  EXPECT_EQ(trace.launches(), 1);
  const auto expected = lf::materialize(lf::sum(v, axis<1>));
  for (lf::index_t i : {0, 1, 2, 9998, 19997, 19998, 19999}) EXPECT_EQ(sums(i).item(), expected(i % 3).item()) << i;
}
TYPED_TEST(batches, of_single_elements_are_sequences) {
  const auto w = this->w();
  const lf::array<float, 0, TypeParam> first(w(0)), last(w(-1));
  this->expect_kernels(1, "w[[0,-1]]+1", lf::batch({first, last}) + 1);
}
TYPED_TEST(batches, keep_the_values_that_their_arrays_had) {
  auto xs = parts_of(this->x());
  const auto x = lf::batch(xs);
  for (auto& one : xs) one(0) = 77;
  xs.pop_back();
  xs[1] = xs[0];
  this->expect("x", x);
  const auto doubled = [&] {
    const auto ys = parts_of(this->x());
    return lf::batch(ys) * 2 + 1;
  }();
  this->expect("x*2+1", doubled);
  auto y = lf::materialize(x);
  y = lf::batch(parts_of(y)) * 2 + 1;
  this->expect("x*2+1", y);
}
TYPED_TEST(batches, are_assigned_to_by_one_kernel) {
  const auto xs = parts_of(this->x());
  std::vector<lf::array<float, 2, TypeParam>> ys(5);
  lf::kernel_trace trace;
  lf::into(ys) = lf::batch(xs) * 2 + 1;
  EXPECT_EQ(trace.launches(), 1);
  this->expect("x*2+1", lf::batch(ys));
  const auto kept = ys[1];
  lf::into(ys) = (lf::batch(ys) - 1) / 2;  // of themselves
  this->expect("x", lf::batch(ys));
  EXPECT_TRUE(lf::array_equal(kept, xs[1] * 2 + 1));
  ys[0](0) = 77.0f;  // each is written by itself
  ys[2] += 1;
  ys.resize(4);
  EXPECT_TRUE(lf::array_equal(ys[1], xs[1]));
  EXPECT_TRUE(lf::array_equal(ys[2], xs[2] + 1));
  EXPECT_EQ(ys[0](0, 3).item(), 77);
  std::vector<lf::array<float, 1, TypeParam>> sums(5);
  lf::into(std::span(sums)) = lf::sum(lf::batch(xs), axis<1>);
  this->expect("x.sum(1)", lf::batch(sums));
  std::vector<lf::array<float, 0, TypeParam>> single(5);
  lf::into(single) = this->w() * 1;
  this->expect("w*1", lf::batch(single));
  std::vector<lf::array<int32_t, 1, TypeParam>> of_none(3);
  lf::into(of_none) = lf::batch(parts_of(this->v()))(all, range(0, 0));
  EXPECT_EQ(of_none[2].shape(), lf::shape<1>{0});
}
TYPED_TEST(batches, are_kept_by_lazy_arrays_and_prepared_assignments) {
  const lf::lazy_array<float, 3, TypeParam> doubled = [&] {
    const auto xs = parts_of(this->x());
    return lf::batch(xs) * 2;
  }();
  this->expect("x*2+1", doubled + 1);
  const auto xs = parts_of(this->x());
  lf::array<float, 3, TypeParam> y(lf::shape(5, 3, 4));
  auto step = lf::prepare(y, lf::batch(xs) * 2 + 1);
  step();
  step();
  this->expect("x*2+1", lf::batch(parts_of(y)));
}
TYPED_TEST(batches, of_borrowed_memory_may_be_what_is_written) {
  auto v = lf::materialize(this->v() * 1);
  const auto row = [&](lf::index_t i) {
    return lf::borrow<TypeParam>(static_cast<const lf::array<int32_t, 2, TypeParam>&>(v).data() + 67 * i,
                                 lf::shape(67));
  };
  const std::vector upside_down{row(2), row(1), row(0)};
  lf::into(lf::borrow<TypeParam>(v.data(), lf::shape(3, 67))) =
      lf::batch(upside_down)(range(none, none, -1)) + lf::batch(upside_down);
  this->expect("v+v[::-1]", v);
}
TYPED_TEST(batches, name_their_mistakes) {
  const std::vector<lf::array<float, 1, TypeParam>> unlike{lf::array<float, 1, TypeParam>(lf::shape(2)),
                                                           lf::array<float, 1, TypeParam>(lf::shape(3))};
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { (void)lf::batch(unlike); }),
            "batch: shapes (2,) and (3,) differ; batch(arrays, fill) has fill where one has no element");
  const auto v = this->v();
  const std::vector apart{v(0, range(0, 4)), v(0, range(0, 8, 2))};
  EXPECT_EQ(
      test::thrown_by<lf::shape_error>([&] { (void)lf::batch(apart); }),
      "batch: shape (4,) is that of views which lie in memory by unlike steps; materialize(x) of each has one layout");
  std::vector<lf::array<int32_t, 1, TypeParam>> ys(4);
  EXPECT_EQ(test::thrown_by<lf::shape_error>([&] { lf::into(ys) = v; }),
            "into: shapes (3, 67) and (4,) do not fit: the second says how many arrays are assigned to");
  EXPECT_EQ(ys[0].size(), 0);
}
TYPED_TEST(batches, are_explained) {
  const auto us = parts_of(this->u());
  const std::string text = lf::explain(lf::cast<float>(lf::batch(us)) * 0.5f);
  EXPECT_NE(text.find("1 kernel"), text.npos) << text;
  EXPECT_NE(text.find("x0: uint8 of 37 arrays"), text.npos) << text;
  EXPECT_NE(text.find("reads 1.3 KiB"), text.npos) << text;
}

}  // namespace
